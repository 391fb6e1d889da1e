#include "harness/results.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace dlpc {
namespace {

struct StatusRow {
  std::string_view name;
  int badness;  // Of the requirement's status: the largest wins; 0: not executed.
};

// In the order of CaseStatus.
constexpr std::array<StatusRow, 11> kStatusRows{{
    {"pass", 1},
    {"fail", 5},
    {"crash", 7},
    {"timeout", 6},
    {"error", 4},
    {"not_applicable", 0},
    {"not_supported", 0},
    {"skipped", 0},
    {"xfail", 2},
    {"xpass", 3},
    {"untested", 0},
}};

const StatusRow& Row(CaseStatus status) {
  return kStatusRows[std::min(static_cast<size_t>(status), kStatusRows.size() - 1)];
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kAreas{{
    {"DEV", "Device mapping"},
    {"PROTO", "Python protocol and keywords"},
    {"CAP", "Capsule life cycle"},
    {"ABI", "Struct layout and fields"},
    {"DT", "Data types"},
    {"SHAPE", "Shape, strides, alignment"},
    {"MEM", "Ownership, deleter, threads"},
    {"COPY", "Copies and read-only arrays"},
    {"STREAM", "Streams"},
    {"VER", "Versions"},
    {"ERR", "Errors"},
    {"XAPI", "C exchange API"},
    {"CONS", "Consumers"},
}};

void Count(LevelSummary& level, const RequirementResult& requirement) {
  if (IsBad(requirement.status)) {
    ++level.requirements_failed;
  } else if (requirement.status == CaseStatus::kXFail) {
    ++level.requirements_known;
  } else if (requirement.status == CaseStatus::kError) {
    ++level.requirements_error;
  } else if (IsExecuted(requirement.status)) {
    ++level.requirements_passed;
  } else {
    ++level.requirements_untested;
  }
}

LevelSummary& LevelOf(RunResult& result, Level level) {
  if (level == Level::kMust) return result.must;
  return level == Level::kShould ? result.should : result.info;
}

// Index of each requirement by id; rows of unknown ones are added.
std::unordered_map<std::string, size_t> IndexRequirements(RunResult& result) {
  std::unordered_map<std::string, size_t> index;
  for (size_t i = 0; i < result.requirements.size(); ++i) {
    result.requirements[i].status = CaseStatus::kUntested;
    result.requirements[i].counts.clear();
    index.emplace(result.requirements[i].id, i);
  }
  for (const CaseResult& c : result.cases) {
    if (!index.emplace(c.requirement, result.requirements.size()).second) continue;
    result.requirements.emplace_back();
    result.requirements.back().id = c.requirement;
    result.requirements.back().level = c.level;
  }
  return index;
}

std::string_view Verdict(const RunResult& result) {
  if (result.must.requirements_failed + result.must.requirements_known > 0) return "nonconformant";
  bool executed = false;
  bool error = false;
  for (const auto& c : result.cases) {
    executed |= IsExecuted(c.status);
    error |= c.status == CaseStatus::kError;
  }
  return result.partial || error || !executed ? "partial" : "conformant";
}

}  // namespace

std::string_view StatusName(CaseStatus status) { return Row(status).name; }

bool IsBad(CaseStatus status) {
  return status == CaseStatus::kFail || status == CaseStatus::kCrash ||
         status == CaseStatus::kTimeout;
}

bool IsExecuted(CaseStatus status) { return Row(status).badness > 0; }

CaseStatus Worse(CaseStatus a, CaseStatus b) { return Row(b).badness > Row(a).badness ? b : a; }

std::string_view LevelName(Level level) {
  if (level == Level::kMust) return "must";
  return level == Level::kShould ? "should" : "info";
}

void Summarize(RunResult& result) {
  const auto index = IndexRequirements(result);
  result.case_counts.clear();
  result.must = result.should = result.info = {};
  for (const CaseResult& c : result.cases) {
    RequirementResult& requirement = result.requirements[index.at(c.requirement)];
    requirement.status = Worse(requirement.status, c.status);
    ++requirement.counts[std::string(StatusName(c.status))];
    ++result.case_counts[std::string(StatusName(c.status))];
    if (IsBad(c.status)) ++LevelOf(result, c.level).cases_failed;
  }
  for (const RequirementResult& r : result.requirements) Count(LevelOf(result, r.level), r);
  result.verdict = Verdict(result);
}

int ExitCode(const RunResult& result) {
  bool executed = false;
  bool error = false;
  bool unexpected = !result.stale_expectations.empty();
  for (const CaseResult& c : result.cases) {
    executed |= IsExecuted(c.status);
    error |= c.status == CaseStatus::kError;
    unexpected |= c.status == CaseStatus::kXPass || (c.level == Level::kMust && IsBad(c.status));
  }
  if (!executed) return 4;
  if (unexpected) return 1;
  return error ? 3 : 0;
}

std::string_view AreaOf(std::string_view requirement) {
  return requirement.substr(0, requirement.find('-'));
}

std::string_view AreaTitle(std::string_view area) {
  for (const auto& [name, title] : kAreas) {
    if (name == area) return title;
  }
  return {};
}

}  // namespace dlpc
