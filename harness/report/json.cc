// results.json; its schema is docs/results.schema.json.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/report.h"
#include "harness/report/json_util.h"

namespace dlpc {
namespace {

using Json = nlohmann::ordered_json;

// There are thousands of cases: members are appended without the search for an earlier one and
// without the copies of an initializer list, which would take another quarter of the time.
Json CaseJson(const CaseResult& c) {
  Json::object_t members;
  members.reserve(11);
  const auto add = [&](const char* key, auto&& value) { members.emplace_back(key, value); };
  add("id", c.id);
  add("requirement", c.requirement);
  add("level", LevelName(c.level));
  add("status", StatusName(c.status));
  add("expected", c.expected);
  add("observed", c.observed);
  add("emulated", c.emulated ? Json(*c.emulated) : Json());
  add("script", c.script);
  add("repro", c.repro);
  if (!c.stderr_tail.empty()) add("stderr_tail", c.stderr_tail);
  add("duration_us", c.duration_us);
  return Json(std::move(members));
}

Json RequirementJson(const RequirementResult& r) {
  return {{"id", r.id},         {"level", LevelName(r.level)},
          {"title", r.title},   {"citation", r.citation},
          {"since", r.since},   {"until", r.until},
          {"remedy", r.remedy}, {"status", StatusName(r.status)},
          {"counts", r.counts}};
}

Json LevelJson(const LevelSummary& level) {
  return {{"requirements_failed", level.requirements_failed},
          {"requirements_known", level.requirements_known},
          {"requirements_error", level.requirements_error},
          {"requirements_passed", level.requirements_passed},
          {"requirements_untested", level.requirements_untested},
          {"cases_failed", level.cases_failed}};
}

Json SummaryJson(const RunResult& result) {
  return {{"cases", result.case_counts},
          {"must", LevelJson(result.must)},
          {"should", LevelJson(result.should)},
          {"info", LevelJson(result.info)},
          {"partial", result.partial},
          {"notes", result.notes},
          {"stale_expectations", result.stale_expectations}};
}

Json HeadJson(const RunResult& result) {
  const Claims& p = result.producer;
  return {
      {"schema", kResultsSchema},
      {"suite", {{"version", result.suite_version}, {"catalogue_sha256", result.catalogue_sha256}}},
      {"spec", {{"dlpack", result.dlpack}, {"array_api", result.array_api}}},
      {"producer",
       {{"name", p.producer},
        {"version", p.version},
        {"kind", p.kind},
        {"interpreter", p.interpreter},
        {"adapter", p.adapter}}},
      {"environment", result.environment},
      {"claims", ClaimsJson(p.json)}};
}

double Finite(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

Json ClaimsJson(const std::string& text) {
  if (text.empty()) return Json::object();
  // Deep nesting would exhaust the stack when it is written again.
  constexpr int kMaxDepth = 32;
  bool deep = false;
  const Json::parser_callback_t shallow = [&](int depth, Json::parse_event_t, Json&) {
    deep |= depth > kMaxDepth;
    return !deep;
  };
  Json json = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (deep || !json.is_object()) return Json::object({{"unreadable", text}});
  return json;
}

std::string DumpJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string ResultsJson(const RunResult& result) {
  Json json = HeadJson(result);
  Json::array_t cases;
  cases.reserve(result.cases.size());
  for (const CaseResult& c : result.cases) cases.push_back(CaseJson(c));
  json["cases"] = std::move(cases);
  Json::array_t requirements;
  for (const RequirementResult& r : result.requirements) requirements.push_back(RequirementJson(r));
  json["requirements"] = std::move(requirements);
  json["summary"] = SummaryJson(result);
  json["verdict"] = result.verdict;
  json["wall_s"] = Finite(result.wall_s);
  json["checks_per_s"] = Finite(result.checks_per_s);
  return DumpJson(json, 1) + "\n";
}

}  // namespace dlpc
