#include "conformance/cli_run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "conformance/certificate/profiles.h"
#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/flakes.h"
#include "conformance/gtest_run.h"
#include "conformance/interrupt.h"
#include "conformance/repro/repro.h"
#include "conformance/stored_runs.h"
#include "harness/report.h"

namespace dlpc {
namespace {

// --shard I/N is GoogleTest's sharding, which reads the environment.
Status ApplyShard(const std::string& shard) {
  if (shard.empty()) return OkStatus();
  unsigned index = 0, total = 0;
  char rest = 0;
  if (std::sscanf(shard.c_str(), "%u/%u%c", &index, &total, &rest) != 2 || total == 0 ||
      index >= total) {
    return Error{"--shard wants I/N with 0 <= I < N, not '" + shard + "'"};
  }
  setenv("GTEST_SHARD_INDEX", std::to_string(index).c_str(), 1);
  setenv("GTEST_TOTAL_SHARDS", std::to_string(total).c_str(), 1);
  return OkStatus();
}

// "0/3"; empty where the run is whole.
std::string ShardText() {
  const char* const index = std::getenv("GTEST_SHARD_INDEX");
  const char* const total = std::getenv("GTEST_TOTAL_SHARDS");
  if (index == nullptr || total == nullptr) return "";
  return std::string(index) + "/" + total;
}

// Done / total and the time left, on a terminal only.
class ProgressLine {
 public:
  void operator()(size_t done, size_t total) {
    if (!on_ || done == 0) return;
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = spent / static_cast<double>(done) * static_cast<double>(total - done);
    fmt::print(stderr, "\r{}/{} scripts, {:.0f} s left \x1b[K", done, total, left);
    shown_ = true;
  }
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  const bool on_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

// What an exit code other than "as expected" is for, on stderr: who reads only that sees why.
int Conclude(const std::vector<std::string>& formats, const RunResult& result) {
  const int code = ExitCode(result);
  const bool told = std::count(formats.begin(), formats.end(), "text") > 0;
  if (code == kNothingRan) {
    return Complain(code, fmt::format("none of the {} cases could be executed on {}",
                                      result.cases.size(), result.producer.producer));
  }
  if (code == kEngine) {
    const auto error = std::find_if(result.cases.begin(), result.cases.end(),
                                    [](const auto& c) { return c.status == CaseStatus::kError; });
    return Complain(code, fmt::format("error in {}: {}", error->id, error->observed));
  }
  if (code == kUnexpected && !told) {
    return Complain(code, fmt::format("{} is {}", result.producer.producer, result.verdict));
  }
  return code;
}

namespace {

// A run that an earlier one has to be put together with.
struct Earlier {
  RunResult result;
  std::string traces;
};

// The cases that were asked for; with `earlier` those that it lacks, or that failed there.
Expected<std::vector<const Case*>> ChooseCases(RunOptions& options, const Earlier* earlier) {
  options.selection.lowest = LowestLevel(options.level);
  if (Status shard = ApplyShard(options.shard); !shard) return shard.error();
  if (Status known = CheckEditions(options.editions); !known) return known.error();
  auto cases = Select(options.selection);
  if (!cases) return cases;
  if (!options.device.empty()) KeepCasesOn(options.device == "cuda", *cases);
  if (!options.profile.empty()) {
    if (Status known = KeepProfile(options.profile, *cases); !known) return known.error();
  }
  if (earlier != nullptr) KeepForRerun(earlier->result, options.failed, *cases);
  return cases;
}

// What the hosts, the shard and an interrupt have to tell.
void AddNotes(const Lanes& lanes, GtestRun& run) {
  RunResult& result = run.result;
  result.environment["host_rss_kb"] = std::to_string(lanes.stats->host_rss_kb);
  result.environment["host_start_rss_kb"] = std::to_string(lanes.stats->host_start_rss_kb);
  result.environment["host_start_ms"] = fmt::format("{:.1f}", 1e3 * lanes.stats->start_s);
  rusage own{};
  if (getrusage(RUSAGE_SELF, &own) == 0) {
    result.environment["runner_rss_kb"] = std::to_string(own.ru_maxrss);
  }
  if (lanes.stats->deaths > 0) {
    result.notes.push_back(fmt::format("the host died {} times", lanes.stats->deaths));
  }
  if (const std::string shard = ShardText(); !shard.empty()) result.environment["shard"] = shard;
  for (const LaneOutcomes& lane : run.lanes) {
    AddScriptTexts(lane.outcomes, result, lane.emulated);
  }
}

void NoteFlakes(RunResult& result) {
  for (const CaseResult& c : result.cases) {
    if (c.flaky.empty() || result.notes.size() > 20) continue;
    result.notes.push_back(fmt::format("flaky: {}: {}", c.id, c.flaky));
  }
}

// Everything after the last script: joins, sums up, writes, concludes.
int Finish(const RunOptions& options, const std::vector<Expectation>& expected, Earlier* earlier,
           GtestRun& run, std::chrono::steady_clock::time_point start) {
  RunResult& result = run.result;
  std::string traces = TracesJsonl(AllRecords(run));
  if (earlier != nullptr) {
    auto joined = JoinTraces({{"before", std::move(earlier->traces)}, {"now", std::move(traces)}});
    if (!joined) return Complain(kUsage, joined.error().message);
    traces = std::move(*joined);
    if (Status ok = Continue(std::move(earlier->result), result); !ok) {
      return Complain(kUsage, ok.error().message);
    }
  }
  ApplyExpectations(expected, result.environment["date"].substr(0, 10), result);
  Summarize(result);
  if (!options.profile.empty() && !options.engine.Stopped() && options.shard.empty()) {
    result.notes.push_back(ProfileText(options.profile, result));
  }
  std::vector<ReproFile> repros;
  if (std::count(options.formats.begin(), options.formats.end(), "repro") > 0) {
    repros = MakeRepros(AllRecords(run), result);
  }
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Status written =
      WriteReports(options.out, result, {options.formats, traces, repros, earlier != nullptr});
  if (!written) {
    const size_t kept = WriteWhatFits(options.out, traces, result);
    if (kept == 0) return Complain(kEngine, written.error().message);
    return Complain(kEngine,
                    fmt::format("{}; {} of {} cases are in {}, which is partial (rerun "
                                "continues it)",
                                written.error().message, kept, result.cases.size(), options.out));
  }
  if (options.engine.Stopped()) {
    return Complain(kEngine,
                    fmt::format("interrupted: the report in {} is partial (rerun continues "
                                "it)",
                                options.out));
  }
  const size_t flaky = CountFlaky(result);
  if (options.verify && flaky > 0) {
    return Complain(kUnexpected, fmt::format("{} cases are flaky", flaky));
  }
  return Conclude(options.formats, result);
}

int PerformRun(RunOptions& options, Earlier* earlier) {
  const auto start = std::chrono::steady_clock::now();
  const auto cases = ChooseCases(options, earlier);
  if (!cases) return Complain(kUsage, cases.error().message);
  if (cases->empty()) return Complain(kNothingRan, "no case is selected");
  const auto places = ParseEmulate(options.emulate, options.producer.producer);
  if (!places) return Complain(kUsage, places.error().message);
  auto host = ResolveHost(options.producer);
  if (!host) return Complain(kUsage, host.error().message);
  if (!options.device.empty()) host->env.push_back("DLPC_DEVICE=" + options.device);
  const auto expected = ReadExpectations(options.expect);
  if (!expected) return Complain(kUsage, expected.error().message);
  if (Status dir = PrepareReportDir(options.out); !dir) {
    return Complain(kEngine, dir.error().message);
  }

  options.engine.stop = StopOnSignals();
  const auto fresh = [&] {
    return places->empty()
               ? OwnLane(*host, options.engine, *cases, options.editions)
               : EmulatedLanes(*host, options.engine, *cases, *places, options.editions);
  };
  const auto lanes = fresh();
  if (!lanes) return Complain(kEngine, lanes.error().message);
  if (lanes->lanes.empty()) return Complain(kNothingRan, "no selected case is about these places");
  if (earlier != nullptr) {
    const Status same = CanContinue(earlier->result, EmptyResult(lanes->claims, options.editions));
    if (!same) return Complain(kUsage, same.error().message);
  }
  Expected<GtestRun> run = [&] {
    ProgressLine line;
    return RunAsTests(*lanes, options.gtest_args, std::ref(line));
  }();
  if (!run) return Complain(kUsage, run.error().message);
  if (run->listed) return kAsExpected;
  if (run->result.cases.empty()) return Complain(kNothingRan, "no case is selected");
  DropInterrupted(*run);
  if (options.repeat > 1) {
    const Status repeated = FindFlakes(fresh, options.repeat - 1, run->result);
    if (!repeated) return Complain(kEngine, repeated.error().message);
    NoteFlakes(run->result);
  }
  AddNotes(*lanes, *run);
  return Finish(options, *expected, earlier, *run, start);
}

// How to reach the producer of a stored run, where that takes no file that the run names: a report
// may come from anybody, and must not choose what is executed.
Status ProducerOf(const RunResult& before, RunOptions& options) {
  ProducerOptions& producer = options.producer;
  const bool said =
      !producer.producer.empty() || !producer.object.empty() || !producer.adapter.empty();
  if (said) return OkStatus();
  const Claims& claims = before.producer;
  if (claims.kind != "reference" && claims.kind != "python") {
    return Error{"say again how the producer is reached: path/to/lib.so"};
  }
  if (claims.kind == "reference") producer.mutant = claims.adapter;
  producer.producer = claims.producer;
  return OkStatus();
}

}  // namespace

int RunVerb(RunOptions& options) { return PerformRun(options, nullptr); }

int RerunVerb(RunOptions& options) {
  auto before = ReadResults(options.report);
  if (!before) return Complain(kUsage, before.error().message);
  auto traces = ReadRegularFile(options.report + "/traces.jsonl");
  if (!traces) return Complain(kUsage, traces.error().message);
  if (Status known = ProducerOf(*before, options); !known) {
    return Complain(kUsage, known.error().message);
  }
  options.editions = {before->dlpack, before->array_api};
  if (options.out.empty()) options.out = options.report;
  Earlier earlier{std::move(*before), std::move(*traces)};
  return PerformRun(options, &earlier);
}

}  // namespace dlpc
