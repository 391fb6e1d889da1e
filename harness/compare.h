// Two runs side by side: what became worse, better or different. For nightly jobs and for comments
// on pull requests.
#ifndef DLPC_HARNESS_COMPARE_H_
#define DLPC_HARNESS_COMPARE_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results.h"

namespace dlpc {

/// How a case differs, worst first.
enum class ChangeKind : uint8_t {
  kRegression,  // Passed, and fails now; or failed, and crashes or hangs now.
  kNewFailure,  // Was not executed, and fails now.
  kError,       // Ends in an error of the suite or the adapter now, and did not.
  kMessage,     // Fails as before, but says something else.
  kVanished,    // Was executed, and is not any more.
  kFixed,       // Failed, and passes now.
  kNew,         // Was not executed, and passes now.
  kCount_,
};
std::string_view ChangeTitle(ChangeKind kind);  // "Regressions", "Fixed", ...

/// One case. Pointers are into the two results; nullptr: the case is not in that run.
struct Change {
  ChangeKind kind;
  const CaseResult* before;
  const CaseResult* after;
  const CaseResult& either() const { return after != nullptr ? *after : *before; }
};

struct Comparison {
  const RunResult* before;
  const RunResult* after;
  std::vector<Change> changes;     // By kind, then level, then in the order of the runs.
  std::vector<std::string> notes;  // What makes the comparison lame: other producer, catalogue.

  /// Of MUST and SHOULD; contested rows never decide.
  bool regressed() const;
};

/// Refers to its arguments. Known failures (xfail) count as failures.
Comparison Compare(const RunResult& before, const RunResult& after);

std::string ComparisonText(const Comparison& comparison);
/// Short enough for a comment: `limit` lines in each section, then how many more.
std::string ComparisonMarkdown(const Comparison& comparison, size_t limit = 20);
std::string ComparisonJson(const Comparison& comparison);

}  // namespace dlpc

#endif  // DLPC_HARNESS_COMPARE_H_
