#include "conformance/certificate/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/catalogue.h"
#include "harness/json.h"

namespace dlpc {
namespace {

struct ProfileRow {
  std::string_view name;
  std::string_view what;
  Level lowest;
  std::string_view area;      // Only its requirements; empty: all.
  std::string_view memory;    // Only cases in such memory, which has to be claimed; empty: all.
  std::string_view evidence;  // Has to pass, else nothing is claimed; empty: nothing.
};

constexpr ProfileRow kProfileRows[] = {
    {"core", "every MUST requirement", Level::kMust, "", "", ""},
    {"full", "every MUST and SHOULD requirement", Level::kShould, "", "", ""},
    {"device-cuda", "every MUST requirement on memory of a CUDA device", Level::kMust, "", "cuda",
     ""},
    {"device-tpu-host", "every MUST requirement on pinned host memory of a TPU", Level::kMust, "",
     "tpu_pinned", ""},
    {"exchange-api", "every MUST requirement on the C exchange table", Level::kMust, "XAPI", "",
     "XAPI-01"},
};

bool ClaimsMemory(const RunResult& result, std::string_view memory) {
  const Expected<Json> claims = ParseJson(result.producer.json);
  if (!claims || !claims->is_object()) return false;
  const auto kinds = claims->find("memory_kinds");
  return kinds != claims->end() && kinds->is_array() &&
         std::any_of(kinds->begin(), kinds->end(),
                     [&](const Json& kind) { return kind == memory; });
}

// "cuda_pinned" is spelled "cuda-pinned" in the names of scripts.
bool IsIn(const std::string& id, std::string memory) {
  std::replace(memory.begin(), memory.end(), '_', '-');
  const std::string part = "/" + memory + "/", end = "/" + memory;
  return id.find(part) != std::string::npos || id.ends_with(end);
}

bool Covers(const ProfileRow& row, const std::string& id, std::string_view requirement,
            Level level) {
  if (level > row.lowest || (!row.area.empty() && AreaOf(requirement) != row.area)) return false;
  return row.memory.empty() || IsIn(id, std::string(row.memory));
}

ProfileResult::State JudgeProfile(const ProfileRow& row, const RunResult& result,
                                  ProfileResult& out) {
  std::map<std::string, CaseStatus> seen;  // Requirement -> the worst of its cases.
  for (const CaseResult& c : result.cases) {
    if (!Covers(row, c.id, c.requirement, c.level)) continue;
    const auto [at, fresh] = seen.emplace(c.requirement, c.status);
    if (!fresh) at->second = Worse(at->second, c.status);
  }
  bool error = false;
  for (const auto& [id, status] : seen) {
    const bool broken = IsBad(status) || status == CaseStatus::kXFail;
    if (broken) out.failed.push_back(id);
    error |= status == CaseStatus::kError;
    out.passed += !broken && IsExecuted(status) && status != CaseStatus::kError ? 1 : 0;
    out.untested += IsExecuted(status) ? 0 : 1;
  }
  const bool met = !result.partial && !error && out.failed.empty() && out.passed > 0;
  return met ? ProfileResult::State::kMet : ProfileResult::State::kNotMet;
}

bool IsClaimed(const ProfileRow& row, const RunResult& result) {
  if (!row.memory.empty() && !ClaimsMemory(result, row.memory)) return false;
  if (row.evidence.empty()) return true;
  return std::any_of(result.cases.begin(), result.cases.end(), [&](const CaseResult& c) {
    return c.requirement == row.evidence && c.status == CaseStatus::kPass;
  });
}

}  // namespace

std::string_view StateName(ProfileResult::State state) {
  switch (state) {
    case ProfileResult::State::kMet:
      return "met";
    case ProfileResult::State::kNotMet:
      return "not met";
    case ProfileResult::State::kNotClaimed:
      break;
  }
  return "not claimed";
}

std::vector<ProfileResult> Profiles(const RunResult& result) {
  std::vector<ProfileResult> profiles;
  for (const ProfileRow& row : kProfileRows) {
    ProfileResult profile{row.name, row.what, ProfileResult::State::kNotClaimed, 0, 0, {}};
    if (IsClaimed(row, result)) profile.state = JudgeProfile(row, result, profile);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

Status KeepProfile(std::string_view name, std::vector<const Case*>& cases) {
  const auto row = std::find_if(std::begin(kProfileRows), std::end(kProfileRows),
                                [&](const ProfileRow& r) { return r.name == name; });
  if (row == std::end(kProfileRows)) {
    return Error{fmt::format("no profile '{}' (there are: {})", name, ProfileNames())};
  }
  std::erase_if(cases, [&](const Case* c) {
    return c->requirement->id != row->evidence &&
           !Covers(*row, c->id, c->requirement->id, c->requirement->level);
  });
  return OkStatus();
}

std::string ProfileText(std::string_view name, RunResult result) {
  result.partial = false;
  const std::vector<ProfileResult> all = Profiles(result);
  const auto profile =
      std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  if (profile == all.end()) return "";
  return fmt::format("profile {}: {}, {} requirements passed, {} untested", name,
                     StateName(profile->state), profile->passed, profile->untested);
}

std::string ProfileNames() {
  std::string names;
  for (const ProfileRow& row : kProfileRows)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

}  // namespace dlpc
