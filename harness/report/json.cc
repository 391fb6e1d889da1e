// results.json; its schema is docs/results.schema.json.
#include "harness/json.h"

#include <cmath>
#include <utility>

#include "harness/report.h"

namespace dlpc {
namespace {

// There are thousands of cases: members are appended without the search for an earlier one and
// without the copies of an initializer list, which would take another quarter of the time.
OrderedJson CaseJson(const CaseResult& c) {
  OrderedJson::object_t members;
  members.reserve(12);
  const auto add = [&](const char* key, auto&& value) { members.emplace_back(key, value); };
  add("id", c.id);
  add("requirement", c.requirement);
  add("level", LevelName(c.level));
  add("status", StatusName(c.status));
  add("expected", c.expected);
  add("observed", c.observed);
  if (!c.remedy.empty()) add("remedy", c.remedy);
  add("emulated", c.emulated ? OrderedJson(*c.emulated) : OrderedJson());
  add("script", c.script);
  add("repro", c.repro);
  if (!c.stderr_tail.empty()) add("stderr_tail", c.stderr_tail);
  if (!c.flaky.empty()) add("flaky", c.flaky);
  add("duration_us", c.duration_us);
  return OrderedJson(std::move(members));
}

OrderedJson RequirementJson(const RequirementResult& r) {
  return {{"id", r.id},
          {"level", LevelName(r.level)},
          {"title", r.title},
          {"citation", r.citation},
          {"since", r.since},
          {"until", r.until},
          {"contested", r.contested},
          {"remedy", r.remedy},
          {"status", StatusName(r.status)},
          {"counts", r.counts}};
}

OrderedJson LevelJson(const LevelSummary& level) {
  return {{"requirements_failed", level.requirements_failed},
          {"requirements_known", level.requirements_known},
          {"requirements_error", level.requirements_error},
          {"requirements_passed", level.requirements_passed},
          {"requirements_untested", level.requirements_untested},
          {"cases_failed", level.cases_failed}};
}

OrderedJson SummaryJson(const RunResult& result) {
  return {{"cases", result.case_counts},
          {"must", LevelJson(result.must)},
          {"should", LevelJson(result.should)},
          {"info", LevelJson(result.info)},
          {"partial", result.partial},
          {"notes", result.notes},
          {"stale_expectations", result.stale_expectations}};
}

// The adapter's claims as an object; {"unreadable": text} when they are none.
OrderedJson ClaimsJson(const std::string& text) {
  if (text.empty()) return OrderedJson::object();
  const Expected<Json> json = ParseJson(text);
  if (!json || !json->is_object()) return OrderedJson{{"unreadable", text}};
  return OrderedJson(*json);
}

OrderedJson HeadJson(const RunResult& result) {
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

std::string ResultsJson(const RunResult& result) {
  OrderedJson json = HeadJson(result);
  OrderedJson::array_t cases;
  cases.reserve(result.cases.size());
  for (const CaseResult& c : result.cases) cases.push_back(CaseJson(c));
  json["cases"] = std::move(cases);
  OrderedJson::array_t requirements;
  for (const RequirementResult& r : result.requirements) requirements.push_back(RequirementJson(r));
  json["requirements"] = std::move(requirements);
  json["summary"] = SummaryJson(result);
  json["verdict"] = result.verdict;
  json["wall_s"] = Finite(result.wall_s);
  json["checks_per_s"] = Finite(result.checks_per_s);
  json["apart"] = {{"cases", result.apart_cases}, {"seconds", Finite(result.apart_s)}};
  return DumpJson(json, 1) + "\n";
}

}  // namespace dlpc
