#include "conformance/cli_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/gtest_run.h"
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

int RunVerb(RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  options.selection.lowest = options.level == "must"     ? Level::kMust
                             : options.level == "should" ? Level::kShould
                                                         : Level::kInfo;
  if (Status shard = ApplyShard(options.shard); !shard) {
    return Complain(kUsage, shard.error().message);
  }
  if (Status known = CheckEditions(options.editions); !known) {
    return Complain(kUsage, known.error().message);
  }
  auto cases = Select(options.selection);
  if (!cases) return Complain(kUsage, cases.error().message);
  if (!options.device.empty()) KeepCasesOn(options.device == "cuda", *cases);
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

  const auto lanes = places->empty()
                         ? OwnLane(*host, options.engine, *cases, options.editions)
                         : EmulatedLanes(*host, options.engine, *cases, *places, options.editions);
  if (!lanes) return Complain(kEngine, lanes.error().message);
  if (lanes->lanes.empty()) return Complain(kNothingRan, "no selected case is about these places");
  Expected<GtestRun> run = [&] {
    ProgressLine line;
    return RunAsTests(*lanes, options.gtest_args, std::ref(line));
  }();
  if (!run) return Complain(kUsage, run.error().message);
  if (run->listed) return kAsExpected;
  if (run->result.cases.empty()) return Complain(kNothingRan, "no case is selected");

  const RunStats& stats = *lanes->stats;
  run->result.environment["host_rss_kb"] = std::to_string(stats.host_rss_kb);
  run->result.environment["host_start_rss_kb"] = std::to_string(stats.host_start_rss_kb);
  if (stats.deaths > 0) {
    run->result.notes.push_back(fmt::format("the host died {} times", stats.deaths));
  }
  for (const LaneOutcomes& lane : run->lanes) {
    AddScriptTexts(lane.outcomes, run->result, lane.emulated);
  }
  if (const std::string shard = ShardText(); !shard.empty()) {
    run->result.environment["shard"] = shard;
  }
  ApplyExpectations(*expected, run->result.environment["date"].substr(0, 10), run->result);
  Summarize(run->result);
  run->result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Status written = WriteReports(options.out, options.formats, run->result,
                                      [&] { return TracesJsonl(AllRecords(*run)); });
  if (!written) return Complain(kEngine, written.error().message);
  return Conclude(options.formats, run->result);
}

}  // namespace dlpc
