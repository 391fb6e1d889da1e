// report.html: the page plus its data as JSON. Everything a vendor may have written is only ever
// inserted as text by the page's script; here it is enough that the data cannot end its own
// element.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "harness/report.h"
#include "harness/report/html_template.h"
#include "harness/report/page_data.h"
#include "harness/report/select.h"

namespace dlpc {
namespace {

constexpr std::string_view kMarker = "@@RESULTS@@";

// Passing cases are most of a report: id and observation only.
OrderedJson PageCase(const CaseResult& c) {
  if (c.status == CaseStatus::kPass) {
    return c.remedy.empty() ? OrderedJson::array({c.id, c.observed})
                            : OrderedJson::array({c.id, c.observed, c.remedy});
  }
  OrderedJson json = {{"id", c.id}, {"status", StatusName(c.status)}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  add("expected", c.expected);
  add("observed", c.observed);
  add("remedy", c.remedy);
  add("emulated", c.emulated.value_or(""));
  add("script", c.script);
  add("repro", c.repro);
  add("stderr", c.stderr_tail);
  return json;
}

OrderedJson PageRequirement(const RequirementResult& r, const CaseList& cases) {
  OrderedJson json = RowData(r);
  json["status"] = StatusName(r.status);
  json["counts"] = r.counts;
  OrderedJson& list = json["cases"] = OrderedJson::array();
  for (const CaseResult* c : cases) list.push_back(PageCase(*c));
  return json;
}

// Steps of the scripts of cases that are shown in full.
OrderedJson ScriptsJson(const RunResult& result) {
  std::set<std::string_view> wanted;
  for (const CaseResult& c : result.cases) {
    if (c.status != CaseStatus::kPass) wanted.insert(c.script);
  }
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, text] : result.script_text) {
    if (wanted.count(name) != 0) json[name] = text;
  }
  return json;
}

OrderedJson PageData(const RunResult& result) {
  OrderedJson json = {{"producer", ProducerText(result)},
                      {"kind", KindText(result)},
                      {"adapter", result.producer.adapter},
                      {"verdict", result.verdict},
                      {"partial", result.partial},
                      {"suite", result.suite_version},
                      {"dlpack", result.dlpack},
                      {"array_api", result.array_api},
                      {"environment", result.environment},
                      {"case_counts", result.case_counts},
                      {"wall_s", result.wall_s},
                      {"notes", result.notes},
                      {"stale", result.stale_expectations}};
  json["levels"] = LevelsData(result);
  json["scripts"] = ScriptsJson(result);
  const auto cases = CasesByRequirement(result);
  // Members of an ordered object move when one is added: these are built apart.
  OrderedJson areas = OrderedJson::object();
  OrderedJson requirements = OrderedJson::array();
  for (const RequirementResult& r : result.requirements) {
    areas[std::string(AreaOf(r.id))] = AreaTitle(AreaOf(r.id));
    const auto found = cases.find(r.id);
    requirements.push_back(PageRequirement(r, found == cases.end() ? CaseList{} : found->second));
  }
  json["areas"] = std::move(areas);
  json["requirements"] = std::move(requirements);
  return json;
}

}  // namespace

std::string FillPage(std::string_view page, const OrderedJson& data) {
  const size_t marker = page.find(kMarker);
  const std::string text = DumpJson(data);
  std::string out(page.substr(0, marker));
  out.reserve(page.size() + text.size() + text.size() / 8);
  for (const char c : text) {
    // "<" occurs only inside strings, where this is the same character (HTML: script data states).
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += page.substr(marker + kMarker.size());
  return out;
}

std::string HtmlReport(const RunResult& result) { return FillPage(kReportHtml, PageData(result)); }

}  // namespace dlpc
