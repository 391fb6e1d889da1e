// The page for several producers: the statuses of all, and of what is not passed a few examples.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "harness/report.h"
#include "harness/report/html_template.h"
#include "harness/report/page_data.h"
#include "harness/report/select.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

// The page must stay small: the report of one producer has everything.
constexpr size_t kGroups = 6;
constexpr size_t kExamples = 3;
constexpr size_t kMatrixTextLimit = 500;

OrderedJson ProducerJson(const RunResult& r) {
  const auto date = r.environment.find("date");
  return {{"name", r.producer.producer},
          {"version", r.producer.version},
          {"kind", KindText(r)},
          {"verdict", r.verdict},
          {"partial", r.partial},
          {"suite", r.suite_version},
          {"dlpack", r.dlpack},
          {"array_api", r.array_api},
          {"date", date == r.environment.end() ? "" : date->second},
          {"cases", r.cases.size()},
          {"notes", r.notes},
          {"levels", LevelsData(r)}};
}

OrderedJson GroupJson(const CaseList& group) {
  const CaseResult& c = *group.front();
  OrderedJson examples = OrderedJson::array();
  for (const CaseResult* example : group) {
    if (examples.size() < kExamples) examples.push_back(OneLine(example->id, kMatrixTextLimit));
  }
  return {{"status", StatusName(c.status)},
          {"expected", OneLine(c.expected, kMatrixTextLimit)},
          {"observed", OneLine(c.observed, kMatrixTextLimit)},
          {"repro", OneLine(c.repro, kMatrixTextLimit)},
          {"count", group.size()},
          {"examples", std::move(examples)}};
}

// What decided: the cases with the requirement's own status, or why none was executed.
OrderedJson CellJson(const RequirementResult& r, const CaseList& cases) {
  const bool executed = CountExecuted(cases) > 0;
  std::vector<CaseList> groups = GroupAlike(cases, [&](CaseStatus status) {
    return executed ? status == r.status || IsBad(status) : true;
  });
  OrderedJson list = OrderedJson::array();
  const size_t shown = r.status == CaseStatus::kPass ? 1 : kGroups;
  for (const CaseList& group : groups) {
    if (list.size() < shown) list.push_back(GroupJson(group));
  }
  const auto bad = std::count_if(cases.begin(), cases.end(),
                                 [](const CaseResult* c) { return IsBad(c->status); });
  return {{"status", StatusName(r.status)},
          {"bad", bad},
          {"executed", CountExecuted(cases)},
          {"groups", std::move(list)},
          {"kinds", groups.size()}};
}

OrderedJson RequirementJson(const RequirementResult& r, size_t producers) {
  OrderedJson json = RowData(r);
  json["cells"] = OrderedJson::array_t(producers);
  return json;
}

}  // namespace

std::string MatrixHtml(const std::vector<RunResult>& results) {
  OrderedJson producers = OrderedJson::array();
  OrderedJson::object_t areas;
  OrderedJson::array_t requirements;
  std::unordered_map<std::string_view, size_t> place;
  for (size_t i = 0; i < results.size(); ++i) {
    producers.push_back(ProducerJson(results[i]));
    const auto cases = CasesByRequirement(results[i]);
    for (const RequirementResult& r : results[i].requirements) {
      const auto [at, fresh] = place.emplace(r.id, requirements.size());
      if (fresh) requirements.push_back(RequirementJson(r, results.size()));
      const auto found = cases.find(r.id);
      requirements[at->second]["cells"][i] =
          CellJson(r, found == cases.end() ? CaseList{} : found->second);
      areas[std::string(AreaOf(r.id))] = AreaTitle(AreaOf(r.id));
    }
  }
  return FillPage(kMatrixHtml, {{"producers", std::move(producers)},
                                {"areas", std::move(areas)},
                                {"requirements", std::move(requirements)}});
}

}  // namespace dlpc
