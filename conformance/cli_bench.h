// The verbs `bench` and `bench compare`. What the figures mean: docs/benchmarks.md.
#ifndef DLPC_CONFORMANCE_CLI_BENCH_H_
#define DLPC_CONFORMANCE_CLI_BENCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/producers.h"

namespace dlpc {

struct BenchVerbOptions {
  std::vector<std::string> producers;
  ProducerOptions one;  // --adapter, --object, --python, --mutant: for one producer.
  std::string out = "dlpack-bench";
  std::string baseline;              // bench.json of an earlier run on this machine.
  std::vector<std::string> history;  // Earlier ones, oldest first, for the page.
  int repetitions = 9;
  double target_ms = 8;  // For one repetition of one loop.
  uint64_t max_bytes = uint64_t{1} << 30;
  bool suite = false;         // The suite's own run, too.
  bool any_machine = false;   // Compare runs of different machines.
  std::string before, after;  // compare.
};

/// Exit code: 0, 1 a regression against the baseline, 2 no such producer or baseline, 3 cannot be
/// written, 4 no loop could be timed.
int BenchVerb(const BenchVerbOptions& options);

/// Exit code: 0, 1 a regression, 2 an input is none or of another machine.
int BenchCompareVerb(const BenchVerbOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_BENCH_H_
