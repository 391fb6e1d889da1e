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
std::string_view LevelName(Level level);

struct CaseResult {
  std::string id;           // "SHAPE-06/float32/sliced/versioned/cpu"
  std::string requirement;  // "SHAPE-06"
  Level level = Level::kMust;
  CaseStatus status = CaseStatus::kError;
  std::string expected;
  std::string observed;
  std::optional<std::string> emulated;
  std::string script;  // Name of the script.
  std::string repro;   // Path relative to the report folder, or empty.
  std::string stderr_tail;
  uint64_t duration_us = 0;
};

struct RequirementResult {
  std::string id;
  Level level = Level::kMust;
  std::string title;
  std::string citation;
  std::string since;
  std::string until;
  std::string remedy;
  CaseStatus status = CaseStatus::kUntested;
  std::map<std::string, uint32_t> counts;  // Status name -> cases.
};

/// The numbers of one level.
struct LevelSummary {
  uint32_t requirements_failed = 0;
  uint32_t requirements_passed = 0;
  uint32_t requirements_untested = 0;
  uint32_t cases_failed = 0;
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
  std::string verdict;  // "conformant", "nonconformant", "partial"
  bool partial = false;  // Only part of the catalogue was selected, or the run was cut short.
  double wall_s = 0;
  double checks_per_s = 0;
  std::vector<std::string> notes;  // E.g. "gave up after 40 deaths".
};

/// A script and what became of it, for traces.jsonl.
struct ScriptRecord {
  std::string name;
  const Script* script = nullptr;
  const Outcome* outcome = nullptr;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_RESULTS_H_
