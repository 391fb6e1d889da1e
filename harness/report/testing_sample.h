// Synthetic results for the tests of the report writers.
#ifndef DLPC_HARNESS_REPORT_TESTING_SAMPLE_H_
#define DLPC_HARNESS_REPORT_TESTING_SAMPLE_H_

#include <cstddef>
#include <string>

#include "harness/results.h"

namespace dlpc {

/// Markup, quotes, NUL, escape sequences, invalid UTF-8, an emoji and a direction override.
std::string HostileText();

/// One requirement for each status, hostile texts, a message of 10 kB. Summarized.
RunResult SampleResult();

/// `cases` cases in the proportions of a real run: mostly passing. Summarized.
RunResult LargeResult(size_t cases);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_TESTING_SAMPLE_H_
