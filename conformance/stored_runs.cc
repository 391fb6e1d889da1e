#include "conformance/stored_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "harness/report.h"

namespace dlpc {

bool SortAsInCatalogue(std::vector<CaseResult>& cases) {
  std::unordered_map<std::string_view, size_t> place;
  for (const Case& c : Catalogue()) place.emplace(c.id, place.size());
  std::unordered_map<std::string_view, size_t> requirement;
  for (const RequirementRow& row : Register()) requirement.emplace(row.id, requirement.size());
  using Key = std::tuple<size_t, std::string, size_t>;  // Requirement, profile, place.
  std::vector<std::pair<Key, size_t>> order;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string_view id = cases[i].id;
    std::string profile;
    if (place.count(id) == 0 && cases[i].emulated && id.ends_with("/" + *cases[i].emulated)) {
      profile = *cases[i].emulated;
      id.remove_suffix(profile.size() + 1);
    }
    if (place.count(id) == 0) return false;
    order.emplace_back(Key{requirement[cases[i].requirement], profile, place[id]}, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<CaseResult> sorted;
  for (const auto& [key, i] : order) sorted.push_back(std::move(cases[i]));
  cases = std::move(sorted);
  return true;
}

Expected<std::string> JoinTraces(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::map<std::string, std::string> lines;
  for (const auto& [where, text] : texts) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      const auto stored = StoredOutcomeFromJson(line);
      if (!stored) return Error{fmt::format("{}: {}", where, stored.error().message)};
      lines.insert_or_assign(stored->name, line);
    }
  }
  std::string all;
  for (const auto& [name, line] : lines) all.append(line).append("\n");
  return all;
}

void KeepForRerun(const RunResult& before, bool failed, std::vector<const Case*>& cases) {
  std::unordered_map<std::string_view, CaseStatus> known;
  for (const CaseResult& c : before.cases) known.emplace(c.id, c.status);
  std::erase_if(cases, [&](const Case* c) {
    const auto found = known.find(c->id);
    if (found == known.end()) return failed;
    const bool again = IsBad(found->second) || found->second == CaseStatus::kError ||
                       found->second == CaseStatus::kXFail;
    return !failed || !again;
  });
}

Status CanContinue(const RunResult& before, const RunResult& now) {
  const std::tuple<const char*, const std::string&, const std::string&> fields[] = {
      {"catalogue", before.catalogue_sha256, now.catalogue_sha256},
      {"edition of DLPack", before.dlpack, now.dlpack},
      {"edition of the array API", before.array_api, now.array_api},
      {"producer", before.producer.producer, now.producer.producer},
      {"version", before.producer.version, now.producer.version},
      {"kind", before.producer.kind, now.producer.kind},
  };
  for (const auto& [what, x, y] : fields) {
    if (x != y) return Error{fmt::format("another {}: {} before, {} now", what, x, y)};
  }
  return OkStatus();
}

Status Continue(RunResult before, RunResult& now) {
  std::unordered_set<std::string> tried;
  for (const CaseResult& c : now.cases) tried.insert(c.id);
  for (CaseResult& c : before.cases) {
    if (tried.count(c.id) == 0) now.cases.push_back(std::move(c));
  }
  if (!SortAsInCatalogue(now.cases)) return Error{"the stored run has cases of no catalogue"};
  std::unordered_set<std::string_view> ids;  // Those under an emulated profile are others.
  for (const Case& c : Catalogue()) ids.insert(c.id);
  now.partial = now.cases.size() != ids.size() ||
                !std::all_of(now.cases.begin(), now.cases.end(),
                             [&](const CaseResult& c) { return ids.count(c.id) != 0; });
  return OkStatus();
}

}  // namespace dlpc
