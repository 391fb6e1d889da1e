// The `run` verb's engine room: every case is a registered GoogleTest test, a suite is a
// requirement (SHAPE_06: '-' means exclusion in a filter). Filters, shuffling, repeats, shards and
// XML are GoogleTest's own.
#ifndef DLPC_CONFORMANCE_GTEST_RUN_H_
#define DLPC_CONFORMANCE_GTEST_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/run.h"

namespace dlpc {

struct GtestRun {
  RunResult result;
  Outcomes outcomes;
  bool listed = false;  // --gtest_list_tests: nothing was run, and that is right.
};

/// Runs `cases` as GoogleTest tests on a started engine. `gtest_args` come from behind "--". May be
/// called once per process (GoogleTest registers globally). An Error names an argument GoogleTest
/// did not take.
Expected<GtestRun> RunAsTests(Engine& engine, const Claims& claims,
                              const std::vector<const Case*>& cases,
                              const std::vector<std::string>& gtest_args,
                              const std::function<void(size_t done, size_t total)>& progress);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_GTEST_RUN_H_
