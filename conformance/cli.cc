// The command line: parses, calls, prints, and turns every failure into one line and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <set>

#include "conformance/cli_map.h"
#include "conformance/cli_report.h"
#include "conformance/cli_smoke.h"
#include "conformance/complain.h"
#include "conformance/explain.h"
#include "conformance/gtest_run.h"
#include "conformance/kill_matrix.h"
#include "conformance/producers.h"
#include "conformance/run.h"
#include "harness/hosts/host_main.h"
#include "harness/report.h"

namespace dlpc {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

struct RunOptions {
  ProducerOptions producer;
  Selection selection;
  Editions editions;
  std::string level = "may";
  std::string out = "dlpack-report";
  std::vector<std::string> formats = {"text", "json", "junit", "html", "md", "traces"};
  EngineOptions engine;
  std::vector<std::string> emulate;
  std::string device;  // "cpu", "cuda" or empty.
  std::string shard;
  std::vector<std::string> gtest_args;
};

void AddProducerOptions(CLI::App* verb, ProducerOptions* options) {
  verb->add_option("producer", options->producer,
                   "numpy, jax, ..., reference, or path/to/libvendor.so");
  verb->add_option("--object", options->object, "any object: 'module:expression'");
  verb->add_option("--adapter", options->adapter, "adapter file of your own");
  verb->add_option("--python", options->python, "interpreter to run the producer in");
  verb->add_option("--mutant", options->mutant, "faulty twin of the reference producer");
}

void AddRunOptions(CLI::App* run, RunOptions* options) {
  AddProducerOptions(run, &options->producer);
  run->add_option("--requirements", options->selection.globs, "globs of requirement or case ids")
      ->delimiter(',');
  run->add_option("--level", options->level, "run requirements of at least this level")
      ->check(CLI::IsMember({"must", "should", "may"}));
  run->add_option("--dlpack", options->editions.dlpack, "judge against this release of dlpack.h")
      ->capture_default_str();
  run->add_option("--array-api", options->editions.array_api, "and this array API standard")
      ->capture_default_str();
  run->add_option("--out", options->out, "report folder")->capture_default_str();
  run->add_option("--format", options->formats, "which files to write, and text for the terminal")
      ->delimiter(',')
      ->check(CLI::IsMember({"text", "json", "junit", "html", "md", "traces"}));
  run->add_option("--jobs", options->engine.jobs, "host processes at a time")
      ->check(CLI::Range(1, 256));
  run->add_option("--emulate", options->emulate,
                  "jax only: instead of the CPU, one process on each of these emulated "
                  "accelerators: all, or names such as tpu-pinned,cuda-device (docs/emulation.md); "
                  "two at a time unless --jobs says otherwise")
      ->delimiter(',');
  run->add_option("--device", options->device,
                  "only cases whose arrays are in main memory (cpu), or in memory of a real GPU "
                  "(cuda: device, pinned and managed)")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->excludes("--emulate");
  run->add_option("--timeout", options->engine.timeout_s, "seconds for one script")
      ->check(CLI::Range(0.05, 86400.0))
      ->check([](const std::string& text) {  // No comparison with NaN fails.
        return text.find_first_of("nN") == std::string::npos ? "" : "no number: " + text;
      });
  run->add_option("--memory", options->engine.memory_mb, "resident MiB at which a host is stopped")
      ->check(CLI::Range(16, 1 << 30));
  run->add_option("--shard", options->shard,
                  "I/N: run only every Nth case, starting at the Ith (0-based)");
}

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

Status WriteReports(const RunOptions& options, const GtestRun& run) {
  const std::set<std::string> formats(options.formats.begin(), options.formats.end());
  struct File {
    const char* format;
    const char* name;
    std::function<std::string()> write;
  };
  const File files[] = {
      {"json", "results.json", [&] { return ResultsJson(run.result); }},
      {"junit", "junit.xml", [&] { return JUnitXml(run.result); }},
      {"html", "report.html", [&] { return HtmlReport(run.result); }},
      {"md", "summary.md", [&] { return MarkdownSummary(run.result); }},
      {"traces", "traces.jsonl", [&] { return TracesJsonl(AllRecords(run)); }},
  };
  for (const File& file : files) {
    if (formats.count(file.format) == 0) continue;
    Status written = WriteFileAtomically(options.out + "/" + file.name, file.write());
    if (!written) return written;
  }
  return OkStatus();
}

// What an exit code other than "as expected" is for, on stderr: who reads only that sees why.
int Conclude(const RunOptions& options, const RunResult& result) {
  const int code = ExitCode(result);
  const bool told = std::count(options.formats.begin(), options.formats.end(), "text") > 0;
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
  Summarize(run->result);
  run->result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Status written = WriteReports(options, *run);
  if (std::count(options.formats.begin(), options.formats.end(), "text") > 0) {
    Print(TextReport(run->result, isatty(STDOUT_FILENO) != 0));
    if (written) fmt::print("Report: {}/report.html\n", options.out);
  }
  if (!written) return Complain(kEngine, written.error().message);
  return Conclude(options, run->result);
}

int MutantsVerb(bool json, bool markdown, int jobs, const std::vector<std::string>& globs) {
  const auto cases = Select({globs, Level::kInfo});
  if (!cases) return Complain(kUsage, cases.error().message);
  const KillMatrix matrix = ComputeKillMatrix(MutantHost, *cases, jobs);
  Print(json       ? KillMatrixJson(matrix)
        : markdown ? KillMatrixMarkdown(matrix)
                   : KillMatrixText(matrix));
  return matrix.complete() ? kAsExpected : kUnexpected;
}

// Everything behind "--" belongs to GoogleTest.
std::vector<std::string> SplitGtestArgs(int* argc, char** argv) {
  std::vector<std::string> rest;
  for (int i = 1; i < *argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    rest.assign(argv + i + 1, argv + *argc);
    *argc = i;
    break;
  }
  return rest;
}

// One line; CLI11 would say of a mistyped verb that a subcommand is missing.
std::string UsageError(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::string all = fmt::format("{}", fmt::join(verbs, ", "));
  if (argc < 2) return fmt::format("say what to do: {} (see: --help)", all);
  if (argv[1][0] != '-' && std::count(verbs.begin(), verbs.end(), argv[1]) == 0) {
    return fmt::format("no verb '{}' (there are: {})", argv[1], all);
  }
  return fmt::format("{} (see: --help)", error.what());
}

// Every verb with what its options were set to.
struct Verbs {
  CLI::App app{"Conformance suite for DLPack producers"};
  CLI::App *run, *list, *explain, *doctor, *smoke, *mutants, *map, *report;

  RunOptions run_options;
  bool list_json = false;
  std::string explain_id;
  ProducerOptions smoke_options;
  bool mutants_json = false, mutants_markdown = false;
  int mutants_jobs = 2;
  std::vector<std::string> mutants_globs;
  MapOptions map_options;
  ReportOptions report_options;

  Verbs();
};

Verbs::Verbs() {
  app.set_version_flag("--version", SuiteVersion());
  app.require_subcommand(1);
  run = app.add_subcommand("run", "judge a producer and write a report");
  run_options.engine.jobs = 0;  // Not said.
  AddRunOptions(run, &run_options);
  list = app.add_subcommand("list", "every requirement with its number of cases");
  list->add_flag("--json", list_json, "as JSON, with citations and mutants");
  explain = app.add_subcommand("explain", "one requirement: source, check, mutants, remedy");
  explain->add_option("id", explain_id, "e.g. SHAPE-06")->required();
  doctor = app.add_subcommand("doctor", "what is ready on this machine");
  smoke = app.add_subcommand("smoke", "one plain array, told step by step");
  AddProducerOptions(smoke, &smoke_options);
  mutants = app.add_subcommand("mutants", "the kill matrix of the faulty reference twins");
  mutants->add_flag("--json", mutants_json);
  mutants->add_flag("--markdown", mutants_markdown);
  mutants->add_option("--jobs", mutants_jobs)->check(CLI::Range(1, 256));
  mutants->add_option("--requirements", mutants_globs)->delimiter(',');
  map = app.add_subcommand("map", "which DLDevice the reference map answers");
  AddMapOptions(map, &map_options);
  report = app.add_subcommand("report", "stored results as one page: producers x requirements");
  AddReportOptions(report, &report_options);
}

int Dispatch(Verbs& v) {
  if (*v.run) return RunVerb(v.run_options);
  if (*v.list) return Print(v.list_json ? ListJson() : ListText()), kAsExpected;
  if (*v.explain) {
    const auto text = Explain(v.explain_id);
    if (!text) return Complain(kUsage, text.error().message);
    return Print(*text), kAsExpected;
  }
  if (*v.doctor) return Print(DoctorText()), kAsExpected;
  if (*v.smoke) return SmokeVerb(v.smoke_options);
  if (*v.mutants) {
    return MutantsVerb(v.mutants_json, v.mutants_markdown, v.mutants_jobs, v.mutants_globs);
  }
  if (*v.report) return ReportVerb(v.report_options);
  return MapVerb(*v.map, v.map_options);
}

int Main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__host") return RunHostMain(argc, argv);

  Verbs verbs;
  verbs.run_options.gtest_args = SplitGtestArgs(&argc, argv);
  try {
    verbs.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return verbs.app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Complain(kUsage, UsageError(verbs.app, argc, argv, error));
  }
  if (!verbs.run_options.gtest_args.empty() && !*verbs.run) {
    return Complain(kUsage, "'--' belongs to run only");
  }
  return Dispatch(verbs);
}

}  // namespace
}  // namespace dlpc

// The process edge: whatever escapes ends as one line and "engine error".
int main(int argc, char** argv) {
  // A descriptor that the caller closed would be given to a host's pipe, and then be printed to.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
  try {
    const int code = dlpc::Main(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return dlpc::Complain(dlpc::kEngine, "cannot write to standard output");
  } catch (const std::exception& error) {
    return dlpc::Complain(dlpc::kEngine, error.what());
  } catch (...) {
    return dlpc::Complain(dlpc::kEngine, "unknown internal error");
  }
}
