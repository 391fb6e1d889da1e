// `bench --suite`: what the suite itself costs with a producer, so that a regression shows.
#ifndef DLPC_CONFORMANCE_BENCH_SUITE_H_
#define DLPC_CONFORMANCE_BENCH_SUITE_H_

#include <string>
#include <vector>

#include "harness/benchmarks/benchmarks.h"
#include "reference/expected.h"

namespace dlpc {

/// Adds the series of topic "Suite" to `bench`, and the memory of runner and host to its context.
/// `named`: what names the producer on the command lines of `run` and `fuzz`. `folder` (made if
/// need be) gets the report of the last run.
Status MeasureSuite(const BenchProducer& producer, const std::vector<std::string>& named,
                    int repetitions, const std::string& folder, BenchRun& bench);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_BENCH_SUITE_H_
