// The `run` verb's engine room: every case is a registered GoogleTest test, a suite is a
// requirement (SHAPE_06: '-' means exclusion in a filter). Filters, shuffling, repeats, shards and
// XML are GoogleTest's own.
#ifndef DLPC_CONFORMANCE_GTEST_RUN_H_
#define DLPC_CONFORMANCE_GTEST_RUN_H_

#include <string>
#include <vector>

#include "conformance/lanes.h"
#include "conformance/run.h"

namespace dlpc {

struct LaneOutcomes {
  std::string emulated;  // As in Lane.
  Outcomes outcomes;
};

struct GtestRun {
  RunResult result;
  std::vector<LaneOutcomes> lanes;
  bool listed = false;  // --gtest_list_tests: nothing was run, and that is right.
};

/// Runs the cases of all lanes as GoogleTest tests. `gtest_args` come from behind "--". May be
/// called once per process (GoogleTest registers globally). An Error names an argument GoogleTest
/// did not take.
Expected<GtestRun> RunAsTests(const Lanes& lanes, const std::vector<std::string>& gtest_args,
                              const Progress& progress);

/// The scripts of all lanes, as traces.jsonl wants them.
std::vector<ScriptRecord> AllRecords(const GtestRun& run);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_GTEST_RUN_H_
