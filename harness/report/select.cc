#include "harness/report/select.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dlpc {

std::unordered_map<std::string_view, CaseList> CasesByRequirement(const RunResult& result) {
  std::unordered_map<std::string_view, CaseList> cases;
  for (const CaseResult& c : result.cases) cases[c.requirement].push_back(&c);
  return cases;
}

std::vector<CaseList> GroupAlike(const CaseList& cases,
                                 const std::function<bool(CaseStatus)>& want) {
  std::map<std::tuple<CaseStatus, std::string_view, std::string_view>, size_t> index;
  std::vector<CaseList> groups;
  for (const CaseResult* c : cases) {
    if (!want(c->status)) continue;
    const auto [it, fresh] = index.try_emplace(
        std::tuple(c->status, std::string_view(c->expected), std::string_view(c->observed)),
        groups.size());
    if (fresh) groups.emplace_back();
    groups[it->second].push_back(c);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CaseList& a, const CaseList& b) { return a.size() > b.size(); });
  return groups;
}

size_t CountExecuted(const CaseList& cases) {
  return static_cast<size_t>(std::count_if(
      cases.begin(), cases.end(), [](const CaseResult* c) { return IsExecuted(c->status); }));
}

std::string ProducerText(const RunResult& result) {
  const Claims& p = result.producer;
  if (p.producer.empty()) return "(unnamed producer)";
  return p.version.empty() ? p.producer : p.producer + " " + p.version;
}

std::string KindText(const RunResult& result) {
  const Claims& p = result.producer;
  return p.interpreter.empty() ? p.kind : p.kind + ", " + p.interpreter;
}

}  // namespace dlpc
