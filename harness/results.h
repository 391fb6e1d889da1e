// The result model that every report is written from.
#ifndef DLPC_HARNESS_RESULTS_H_
#define DLPC_HARNESS_RESULTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/engine.h"

namespace dlpc {

enum class CaseStatus : uint8_t {
  kPass,
  kFail,
  kCrash,
  kTimeout,
  kError,
  kNotApplicable,
  kNotSupported,
  kSkipped,
  kXFail,
  kXPass,
  kUntested,  // Of requirements only: none of its cases was executed.
};
std::string_view StatusName(CaseStatus status);  // "pass", "not_applicable", ...
bool IsBad(CaseStatus status);                   // fail, crash, timeout.

enum class Level : uint8_t { kMust, kShould, kInfo };
std::string_view LevelName(Level level);  // "must", "should", "info".

struct CaseResult {
  std::string id;           // "SHAPE-06/float32/sliced/versioned/cpu"
  std::string requirement;  // "SHAPE-06"
  Level level = Level::kMust;
  CaseStatus status = CaseStatus::kError;
  std::string expected;
  std::string observed;
  std::string remedy;  // What helps against the refusal that was seen; empty if there was none.
  std::optional<std::string> emulated;
  std::string script;  // Name of the script.
  std::string repro;   // Path relative to the report folder, or empty.
  std::string stderr_tail;
  std::string flaky;  // Repetitions ended otherwise: how often which status, and what was seen.
  uint64_t duration_us = 0;
};

struct RequirementResult {
  std::string id;
  Level level = Level::kMust;
  std::string title;
  std::string citation;
  std::string since;
  std::string until;
  std::string contested;  // "C-7: who says what"; empty if the sources agree.
  std::string remedy;
  CaseStatus status = CaseStatus::kUntested;
  std::map<std::string, uint32_t> counts;  // Status name -> cases.
};

/// The numbers of one level. Each requirement is counted once.
struct LevelSummary {
  uint32_t requirements_failed = 0;    // fail, crash, timeout.
  uint32_t requirements_known = 0;     // Only failures that the expectation file lists (xfail).
  uint32_t requirements_error = 0;     // No failure, but errors of ours or of the adapter.
  uint32_t requirements_passed = 0;    // pass, xpass.
  uint32_t requirements_untested = 0;  // No case was executed.
  uint32_t cases_failed = 0;           // fail, crash, timeout.
};

struct RunResult {
  std::string suite_version;
  std::string catalogue_sha256;
  std::string dlpack = "1.3";
  std::string array_api = "2025.12";
  Claims producer;
  std::map<std::string, std::string> environment;
  std::vector<CaseResult> cases;
  std::vector<RequirementResult> requirements;
  std::map<std::string, uint32_t> case_counts;  // Status name -> cases.
  LevelSummary must, should, info;
  std::string verdict;   // "conformant", "nonconformant", "partial"
  bool partial = false;  // Only part of the catalogue was selected, or the run was cut short.
  double wall_s = 0;
  double checks_per_s = 0;   // Without the cases below.
  uint32_t apart_cases = 0;  // Loops of thousands of exports, threads: slow by intent.
  double apart_s = 0;
  std::vector<std::string> notes;                  // E.g. "gave up after 40 deaths".
  std::vector<std::string> stale_expectations;     // What does not hold of them.
  std::map<std::string, std::string> script_text;  // Script name -> its steps, for failing cases.
};

/// Was the case tried at all? All but not_applicable, not_supported, skipped, untested.
bool IsExecuted(CaseStatus status);

/// The worse of two, in this order: crash, timeout, fail, error, xpass, xfail, pass, not executed.
/// A failure outranks an error, so that no error of ours hides a violation.
CaseStatus Worse(CaseStatus a, CaseStatus b);

/// Fills, from `cases`: status and counts of each requirement (a row is added for an unknown one),
/// case_counts, the level summaries and the verdict. The verdict is about the producer, so a known
/// failure (xfail) of a MUST makes it nonconformant too; expectations only change the exit code.
void Summarize(RunResult& result);

/// 4: no case was executed (and none ended in an error). 1: a MUST case fails, crashes or hangs
/// unexpectedly, any case passes unexpectedly, or an expectation is stale. 3: some case ended in an
/// error. 0: as expected. The first of these that holds decides. Pre: Summarize was called.
int ExitCode(const RunResult& result);

/// "SHAPE" for "SHAPE-06".
std::string_view AreaOf(std::string_view requirement);
/// "Shape, strides, alignment" for "SHAPE"; empty if unknown.
std::string_view AreaTitle(std::string_view area);

/// A script and what became of it, for traces.jsonl.
struct ScriptRecord {
  std::string name;
  const Script* script = nullptr;
  const Outcome* outcome = nullptr;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_RESULTS_H_
