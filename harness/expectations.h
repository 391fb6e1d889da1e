// Expectation files: the failures that are known, one line each, so that a nightly run is red only
// on news. The format is docs/expectations.md.
#ifndef DLPC_HARNESS_EXPECTATIONS_H_
#define DLPC_HARNESS_EXPECTATIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/results.h"
#include "reference/expected.h"

namespace dlpc {

/// One part of a condition, such as `version >= 0.12` or `producer = jax`.
struct Condition {
  std::string key;  // producer, version, interpreter, platform or device.
  std::string op;   // "=" (a glob), "!="; of versions also "<", "<=", ">", ">=".
  std::string value;
};

/// "ID-GLOB STATUS [condition...] [message=PREFIX] [bug=URL] [owner=NAME] [expires=YYYY-MM-DD]".
/// Every executed case that the glob matches must have this status.
struct Expectation {
  std::string glob;  // Of case ids; a requirement's id stands for all its cases.
  CaseStatus status = CaseStatus::kFail;  // fail, crash, timeout or error.
  std::vector<Condition> conditions;      // All must hold.
  std::string message;                    // `observed` begins so; empty: any.
  std::string bug;
  std::string owner;
  std::string expires;  // The first day on which it no longer counts; empty: never.
  std::string place;    // "jax.txt:7"
};

/// The entries of a file; an Error names the file and line. `name` is what is printed.
Expected<std::vector<Expectation>> ParseExpectations(std::string_view text, std::string_view name);

/// -1, 0 or 1 as release `a` is older than, the same as or newer than `b`; numbers count as
/// numbers, and a pre-release (rc, a, b, dev) is older than its release.
int CompareVersions(std::string_view a, std::string_view b);

/// Does the glob match this case (of this requirement)?
bool MatchesCase(const Expectation& entry, std::string_view id, std::string_view requirement);

/// Turns the cases that fail as expected into xfail and those that pass against expectation into
/// xpass. What is wrong with the entries goes into stale_expectations: another message or status,
/// expired, no case (in a full run). `today`: YYYY-MM-DD. Summarize comes after this.
void ApplyExpectations(const std::vector<Expectation>& entries, std::string_view today,
                       RunResult& result);

/// The shortest file that expects what this run showed of MUST and SHOULD: a glob stands for cases
/// that all failed alike. Metadata (bug, owner, expires) are taken over from `earlier` where the
/// glob is the same. An Error for a partial run.
Expected<std::string> ExpectationsOf(const RunResult& result,
                                     const std::vector<Expectation>& earlier);

}  // namespace dlpc

#endif  // DLPC_HARNESS_EXPECTATIONS_H_
