// Benchmarks of producers: which loops are run (docs/benchmarks.md says what each one means), how
// they are run, and what they gave.
#ifndef DLPC_HARNESS_BENCHMARKS_BENCHMARKS_H_
#define DLPC_HARNESS_BENCHMARKS_BENCHMARKS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/engine.h"
#include "harness/timing.h"
#include "reference/expected.h"

namespace dlpc {

/// One loop of the plan.
struct BenchCase {
  std::string topic;  // "Export": rows of one topic stand together.
  std::string name;   // "release/versioned"
  Measurement measurement;
};

/// All of them; arrays up to `max_bytes`, threads 1, 2, 4... up to `max_threads`.
std::vector<BenchCase> BenchCases(uint64_t max_bytes, int max_threads);

/// Per call; exact unless the producer's threads allocate meanwhile.
struct HeapPerCall {
  double blocks = 0, bytes = 0, kept_blocks = 0;
};

/// What a loop gave for one producer.
struct BenchSeries {
  std::string producer, topic, name;
  uint64_t bytes = 0;
  int ndim = 1, threads = 1;
  uint32_t calls = 0;      // In each repetition.
  std::vector<double> ns;  // Per call, one for each repetition.
  std::optional<HeapPerCall> heap;
  std::string absent;  // Why there are no figures.

  /// "BM_Export/numpy/release/versioned/4096"; unique in a run.
  std::string FullName() const;
  double median() const;
};

/// A run, or what was read back from its JSON.
struct BenchRun {
  std::map<std::string, std::string> context;   // Date, machine, versions.
  std::vector<std::string> producers;           // As named on the command line, in order.
  std::map<std::string, std::string> versions;  // Of these.
  std::vector<BenchSeries> series;

  /// The series of a producer, nullptr if there is none with figures.
  const BenchSeries* Find(std::string_view producer, std::string_view topic, std::string_view name,
                          uint64_t bytes) const;
};

struct BenchProducer {
  std::string name;
  HostCommand host;
};

struct BenchOptions {
  int repetitions = 9;
  double target_s = 0.008;  // For one repetition of one loop.
  uint64_t max_bytes = uint64_t{1} << 30;
  double timeout_s = 60;    // For one repetition.
  std::string allocations;  // The counting library; empty: allocations are not counted.
  std::function<void(const std::string& what)> progress;
};

/// Runs every loop on every producer, interleaved, so that a machine that changes its speed changes
/// all. A host that dies or hangs costs the loop that it was in. An Error if a producer cannot be
/// started.
Expected<BenchRun> RunBenchmarks(const std::vector<BenchProducer>& producers,
                                 const BenchOptions& options);

/// The facts of this machine that make two runs comparable, and the date.
std::map<std::string, std::string> MachineContext();

/// What the exact counters and the fits say against a producer: memory that is allocated with the
/// size of what is exported, or that stays allocated.
std::vector<std::string> Findings(const BenchRun& run, const std::string& producer);

// ---- Files ----
/// The format of Google Benchmark, one entry for each repetition and the usual aggregates.
std::string BenchJson(const BenchRun& run);
Expected<BenchRun> BenchRunFromJson(std::string_view text);
/// [{"name", "unit", "value", "range"}], for github-action-benchmark.
std::string SmallerIsBetterJson(const BenchRun& run);
std::string BenchMarkdown(const BenchRun& run);
/// "host_rss_kb of numpy": a key of the context that gives the peak memory of a process, in KiB.
bool IsMemoryKey(std::string_view key);
/// Self-contained page. `history`: earlier runs, oldest first; may be empty.
std::string BenchHtml(const BenchRun& run, const std::vector<BenchRun>& history);

// ---- Comparison ----
struct BenchChange {
  enum class Kind : uint8_t { kRegression, kMore, kVanished, kImprovement, kLess, kNew };
  Kind kind = Kind::kRegression;  // kMore, kLess: allocations.
  std::string name;
  std::string text;   // "1.52 us -> 2.10 us (+38 %, p 0.0004)"
  double weight = 0;  // Sorts within a kind: the relative change.
};

struct BenchComparison {
  std::vector<BenchChange> changes;  // Regressions first, the largest first.
  size_t compared = 0;
  bool regressed() const;
};

/// A time is a change if the medians differ by more than the larger of 10 % and three times the
/// spread, and the U test gives p < 0.01. Counts are compared exactly; memory of
/// processes changes if it differs by more than 10 %.
BenchComparison CompareBenchmarks(const BenchRun& before, const BenchRun& after);

/// Why figures of the two runs cannot be compared: other machine; empty if they can.
std::string OtherMachine(const BenchRun& before, const BenchRun& after);

std::string BenchComparisonText(const BenchComparison& comparison);

/// "1.52 us", "340 ns"
std::string TimeText(double ns);

}  // namespace dlpc

#endif  // DLPC_HARNESS_BENCHMARKS_BENCHMARKS_H_
