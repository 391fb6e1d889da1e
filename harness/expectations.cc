// Applies expectations to the cases of a run.
#include "harness/expectations.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace dlpc {
namespace {

bool Glob(const std::string& pattern, std::string_view text) {
  return fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

bool HoldsVersion(const Condition& condition, const std::string& version) {
  const int order = CompareVersions(version, condition.value);
  if (condition.op == "<") return order < 0;
  if (condition.op == "<=") return order <= 0;
  if (condition.op == ">") return order > 0;
  if (condition.op == ">=") return order >= 0;
  const bool same = Glob(condition.value, version);
  return same == (condition.op == "=");
}

std::string PlatformOf(const RunResult& result) {
  const auto value = [&](const char* key) {
    const auto it = result.environment.find(key);
    return it == result.environment.end() ? std::string() : it->second;
  };
  return value("os") + " " + value("machine");
}

bool Holds(const Expectation& entry, const RunResult& result, const CaseResult* c) {
  return std::all_of(entry.conditions.begin(), entry.conditions.end(), [&](const Condition& part) {
    if (part.key == "version") return HoldsVersion(part, result.producer.version);
    const std::string device = c != nullptr && c->emulated ? *c->emulated : "cpu";
    const std::string text = part.key == "producer"      ? result.producer.producer
                             : part.key == "interpreter" ? result.producer.interpreter
                             : part.key == "platform"    ? PlatformOf(result)
                                                         : device;
    if (part.key == "device" && c == nullptr) return true;  // Asked for each case.
    return Glob(part.value, text) == (part.op == "=");
  });
}

std::string Owner(const Expectation& entry) {
  std::string text;
  if (!entry.owner.empty()) text += ", owner " + entry.owner;
  if (!entry.bug.empty()) text += ", " + entry.bug;
  return text;
}

// The case against the entry that expects something of it.
void Apply(const Expectation& entry, CaseResult& c, RunResult& result) {
  if (c.status == entry.status && c.observed.starts_with(entry.message)) {
    c.status = CaseStatus::kXFail;
  } else if (c.status == CaseStatus::kPass) {
    c.status = CaseStatus::kXPass;
    result.stale_expectations.push_back(
        fmt::format("{}: {} passes{}", entry.place, c.id, Owner(entry)));
  } else if (c.status != entry.status) {
    result.stale_expectations.push_back(fmt::format("{}: {} is {}, expected {}{}", entry.place,
                                                    c.id, StatusName(c.status),
                                                    StatusName(entry.status), Owner(entry)));
  } else {
    result.stale_expectations.push_back(fmt::format("{}: {} fails in another way: {}{}",
                                                    entry.place, c.id, c.observed, Owner(entry)));
  }
}

}  // namespace

bool MatchesCase(const Expectation& entry, std::string_view id, std::string_view requirement) {
  const std::string_view glob = entry.glob;
  const std::string_view literal = glob.substr(0, glob.find_first_of("*?[\\"));
  if (literal.size() == glob.size()) return glob == id || glob == requirement;
  return (id.starts_with(literal) && Glob(entry.glob, id)) || Glob(entry.glob, requirement);
}

void ApplyExpectations(const std::vector<Expectation>& entries, std::string_view today,
                       RunResult& result) {
  std::vector<const Expectation*> live;
  for (const Expectation& entry : entries) {
    if (!Holds(entry, result, nullptr)) continue;
    if (!entry.expires.empty() && entry.expires <= today) {
      result.stale_expectations.push_back(fmt::format("{}: {} expired on {}{}", entry.place,
                                                      entry.glob, entry.expires, Owner(entry)));
      continue;
    }
    live.push_back(&entry);
  }
  std::vector<char> matched(live.size());
  for (CaseResult& c : result.cases) {
    if (!IsExecuted(c.status)) continue;
    for (size_t i = 0; i < live.size(); ++i) {
      if (!MatchesCase(*live[i], c.id, c.requirement) || !Holds(*live[i], result, &c)) continue;
      matched[i] = 1;
      Apply(*live[i], c, result);
      break;
    }
  }
  for (size_t i = 0; i < live.size() && !result.partial; ++i) {
    if (matched[i]) continue;
    result.stale_expectations.push_back(fmt::format(
        "{}: no executed case matches {}{}", live[i]->place, live[i]->glob, Owner(*live[i])));
  }
}

}  // namespace dlpc
