#include "conformance/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "conformance/catalogue.h"
#include "harness/json.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

std::map<std::string_view, uint32_t> CasesPerRequirement() {
  std::map<std::string_view, uint32_t> counts;
  for (const Case& c : Catalogue()) ++counts[c.requirement->id];
  return counts;
}

bool Names(std::string_view ids, std::string_view id) {
  return ("," + std::string(ids) + ",").find("," + std::string(id) + ",") != std::string::npos;
}

std::vector<const MutantRow*> MutantsOf(std::string_view id) {
  std::vector<const MutantRow*> rows;
  for (const MutantRow& row : Mutants()) {
    if (Names(row.kills, id)) rows.push_back(&row);
  }
  return rows;
}

// Ids of the same area, for a mistyped one.
std::string Nearest(std::string_view id) {
  std::vector<std::string_view> same;
  const std::string_view area = id.substr(0, id.find('-'));
  for (const RequirementRow& row : Register()) {
    if (row.id.substr(0, row.id.find('-')) == area) same.push_back(row.id);
  }
  if (same.empty()) return "areas: DEV PROTO CAP ABI DT SHAPE MEM COPY STREAM VER ERR XAPI";
  return fmt::format("{} to {}", same.front(), same.back());
}

}  // namespace

std::string ListText() {
  auto counts = CasesPerRequirement();
  std::string text;
  for (const RequirementRow& row : Register()) {
    text += fmt::format("{:10} {:7} {:>4} cases  {}\n", row.id, LevelName(row.level),
                        counts[row.id], row.title);
  }
  return text;
}

std::string ListJson() {
  auto counts = CasesPerRequirement();
  OrderedJson list = OrderedJson::array();
  for (const RequirementRow& row : Register()) {
    std::vector<std::string_view> mutants;
    for (const MutantRow* mutant : MutantsOf(row.id)) mutants.push_back(mutant->name);
    list.push_back({{"id", row.id},
                    {"level", LevelName(row.level)},
                    {"title", row.title},
                    {"citation", row.citation},
                    {"since", row.since},
                    {"until", row.until},
                    {"contested", row.contested},
                    {"cases", counts[row.id]},
                    {"mutants", mutants}});
  }
  return DumpJson(list, 2) + "\n";
}

Expected<std::string> Explain(std::string_view id) {
  std::string upper(id);
  std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
  const RequirementRow* row = FindRequirement(upper);
  if (row == nullptr) {
    return Error{fmt::format("no requirement '{}' ({})", id, Nearest(upper))};
  }
  const uint32_t cases = CasesPerRequirement()[row->id];
  std::string text = fmt::format("{} ({})\n  {}\n\n", row->id, LevelName(row->level), row->title);
  text += fmt::format("Source:     {}\nIn force:   since {}{}{}\n", row->citation, row->since,
                      row->until.empty() ? "" : ", until ", row->until);
  if (!row->contested.empty()) text += fmt::format("Contested:  {}\n", row->contested);
  text += fmt::format("Checked:    {}\n", row->checked);
  text += cases == 0 ? "Cases:      none yet: reported as untested\n"
                     : fmt::format("Cases:      {}\n", cases);
  for (const MutantRow* mutant : MutantsOf(row->id)) {
    text += fmt::format("Mutant:     {}: {}\n", mutant->name, mutant->fault);
  }
  text += fmt::format("If it fails: {}\n", row->remedy);
  return text;
}

}  // namespace dlpc
