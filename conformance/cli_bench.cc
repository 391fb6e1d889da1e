#include "conformance/cli_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "conformance/bench_suite.h"
#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/run.h"
#include "harness/benchmarks/benchmarks.h"
#include "harness/python_finder.h"
#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

Expected<BenchRun> ReadBench(const std::string& input) {
  std::error_code ignored;
  const std::string path =
      fs::is_directory(input, ignored) ? (fs::path(input) / "bench.json").string() : input;
  const auto text = ReadRegularFile(path);
  if (!text) return text.error();
  auto run = BenchRunFromJson(*text);
  if (!run) return Error{path + ": " + run.error().message};
  return run;
}

Expected<std::vector<BenchProducer>> Resolve(const BenchVerbOptions& options) {
  std::vector<std::string> names = options.producers;
  const ProducerOptions& one = options.one;
  const bool special = !(one.adapter + one.object + one.python + one.mutant).empty();
  if (special && names.size() > 1) {
    return Error{"--adapter, --object, --python and --mutant are for one producer"};
  }
  if (names.empty()) {
    if (one.adapter.empty() && one.object.empty()) return Error{"say which producers"};
    names.push_back("");
  }
  std::vector<BenchProducer> producers;
  for (const std::string& name : names) {
    ProducerOptions resolved = one;
    resolved.producer = name;
    const auto host = ResolveHost(resolved);
    if (!host) return host.error();
    const std::string label = !name.empty()          ? fs::path(name).filename().string()
                              : !one.adapter.empty() ? fs::path(one.adapter).stem().string()
                                                     : one.object;
    const bool twice = std::any_of(producers.begin(), producers.end(),
                                   [&](const BenchProducer& p) { return p.name == label; });
    if (twice) return Error{label + " is named twice"};
    producers.push_back({label, *host});
  }
  return producers;
}

// The counting library lies where the host module does.
std::string AllocationsLibrary() {
  const fs::path path = fs::path(ExecutableFolder()).parent_path() / "lib" / "dlpc_allocations.so";
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : "";
}

// What names the producer to the other verbs.
std::vector<std::string> NamedBy(const ProducerOptions& one, const std::string& name,
                                 bool positional) {
  std::vector<std::string> words;
  if (positional) words.push_back(name);
  const std::pair<const char*, const std::string*> options[] = {{"--adapter", &one.adapter},
                                                                {"--object", &one.object},
                                                                {"--python", &one.python},
                                                                {"--mutant", &one.mutant}};
  for (const auto& [option, value] : options) {
    if (!value->empty()) words.insert(words.end(), {option, *value});
  }
  return words;
}

Status WriteAll(const std::string& out, const BenchRun& run, const std::vector<BenchRun>& history) {
  const std::pair<const char*, std::string> files[] = {
      {"bench.json", BenchJson(run)},
      {"smaller-is-better.json", SmallerIsBetterJson(run)},
      {"bench.md", BenchMarkdown(run)},
      {"bench.html", BenchHtml(run, history)},
  };
  for (const auto& [name, contents] : files) {
    Status written = WriteFileAtomically((fs::path(out) / name).string(), contents);
    if (!written) return written;
  }
  return OkStatus();
}

void PrintSummary(const BenchRun& run, const std::string& out) {
  fmt::print("{:24} {:>12} {:>12} {:>12} {:>10} {:>10}\n", "producer", "device", "export",
             "x malloc", "blocks", "bytes");
  for (const std::string& producer : run.producers) {
    const BenchSeries* const device = run.Find(producer, "Device", "__dlpack_device__", 4096);
    const BenchSeries* const release = run.Find(producer, "Export", "release versioned", 4096);
    const BenchSeries* const used =
        release != nullptr ? release : run.Find(producer, "Export", "release legacy", 4096);
    const BenchSeries* const floor = run.Find(producer, "Floor", "malloc free", 4096);
    const auto version = run.versions.find(producer);
    fmt::print("{:24} {:>12} {:>12} {:>12} {:>10} {:>10}\n",
               producer + " " + (version == run.versions.end() ? "" : version->second),
               device == nullptr ? "-" : TimeText(device->median()),
               used == nullptr ? "-" : TimeText(used->median()),
               used == nullptr || floor == nullptr
                   ? "-"
                   : fmt::format("{:.3g}", used->median() / floor->median()),
               used == nullptr || !used->heap ? "-" : fmt::format("{:g}", used->heap->blocks),
               used == nullptr || !used->heap ? "-" : fmt::format("{:g}", used->heap->bytes));
  }
  for (const std::string& producer : run.producers) {
    for (const std::string& finding : Findings(run, producer)) fmt::print("finding: {}\n", finding);
  }
  fmt::print("Report: {}/bench.html\n", out);
}

int CompareAndPrint(const BenchRun& before, const BenchRun& after, bool any_machine) {
  const std::string other = OtherMachine(before, after);
  if (!other.empty() && !any_machine) {
    return Complain(kUsage, other + "; --any-machine compares them anyway");
  }
  const BenchComparison comparison = CompareBenchmarks(before, after);
  if (comparison.compared == 0) return Complain(kUsage, "the two runs have no loop in common");
  fmt::print("{}", BenchComparisonText(comparison));
  return comparison.regressed() ? kUnexpected : kAsExpected;
}

}  // namespace

int BenchVerb(const BenchVerbOptions& options) {
  const auto producers = Resolve(options);
  if (!producers) return Complain(kUsage, producers.error().message);
  std::vector<BenchRun> history;
  for (const std::string& file : options.history) {
    auto earlier = ReadBench(file);
    if (!earlier) return Complain(kUsage, earlier.error().message);
    history.push_back(std::move(*earlier));
  }
  auto baseline =
      options.baseline.empty() ? Expected<BenchRun>(BenchRun{}) : ReadBench(options.baseline);
  if (!baseline) return Complain(kUsage, baseline.error().message);
  if (Status dir = PrepareReportDir(options.out); !dir) {
    return Complain(kEngine, dir.error().message);
  }

  BenchOptions how;
  how.repetitions = options.repetitions;
  how.target_s = options.target_ms / 1000;
  how.max_bytes = options.max_bytes;
  how.allocations = AllocationsLibrary();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  how.progress = [terminal](const std::string& what) {
    if (terminal) fmt::print(stderr, "\r{}\x1b[K", what);
  };
  auto run = RunBenchmarks(*producers, how);
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  if (!run) return Complain(kEngine, run.error().message);
  run->context["suite_version"] = SuiteVersion();
  for (size_t i = 0; options.suite && i < producers->size(); ++i) {
    const bool positional = !options.producers.empty();
    const auto named =
        NamedBy(options.one, positional ? options.producers[i] : std::string(), positional);
    const std::string folder = (fs::path(options.out) / "suite").string();
    Status status = MeasureSuite((*producers)[i], named, options.repetitions, folder, *run);
    if (!status) return Complain(kEngine, status.error().message);
  }
  if (Status written = WriteAll(options.out, *run, history); !written) {
    return Complain(kEngine, written.error().message);
  }
  PrintSummary(*run, options.out);
  const bool timed = std::any_of(run->series.begin(), run->series.end(), [](const BenchSeries& s) {
    return s.topic != "Floor" && s.topic != "Copy" && !s.ns.empty();
  });
  if (!timed) return Complain(kNothingRan, "no loop could be timed");
  if (options.baseline.empty()) return kAsExpected;
  return CompareAndPrint(*baseline, *run, options.any_machine);
}

int BenchCompareVerb(const BenchVerbOptions& options) {
  const auto before = ReadBench(options.before);
  if (!before) return Complain(kUsage, before.error().message);
  const auto after = ReadBench(options.after);
  if (!after) return Complain(kUsage, after.error().message);
  return CompareAndPrint(*before, *after, options.any_machine);
}

}  // namespace dlpc
