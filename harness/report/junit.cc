// JUnit XML: what Jenkins and GitLab read. Both turn a job red for <failure> and <error>, so only
// news that changes our exit code is written so: violations by the producer as <failure> (a crash
// or a hang is the producer's fault, not the suite's), our own and the adapter's faults as <error>.
// Unmet SHOULD and info rows stay green and carry their text as <system-out>.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <unordered_map>

#include "harness/report.h"
#include "harness/report/select.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

enum class Kind { kPass, kFailure, kError, kSkipped, kNote };

Kind KindOf(const CaseResult& c) {
  if (c.status == CaseStatus::kPass) return Kind::kPass;
  if (c.status == CaseStatus::kXPass) return Kind::kFailure;
  if (c.status == CaseStatus::kError) return Kind::kError;
  if (IsBad(c.status)) return c.level == Level::kMust ? Kind::kFailure : Kind::kNote;
  return Kind::kSkipped;
}

void SetText(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(XmlText(value).c_str());
}

void AddText(pugi::xml_node parent, const char* name, std::string_view text) {
  parent.append_child(name).append_child(pugi::node_pcdata).set_value(XmlText(text).c_str());
}

std::string Explain(const CaseResult& c) {
  if (c.status == CaseStatus::kXPass) return "passes, but the expectation file says that it fails";
  if (c.expected.empty()) return c.observed;
  return fmt::format("expected {}\nobserved {}{}", c.expected, c.observed,
                     c.remedy.empty() ? "" : "\nway out " + c.remedy);
}

void AddProperties(pugi::xml_node node, const CaseResult& c) {
  pugi::xml_node properties = node.append_child("properties");
  const auto add = [&](const char* name, std::string_view value) {
    pugi::xml_node property = properties.append_child("property");
    property.append_attribute("name").set_value(name);
    SetText(property, "value", value);
  };
  add("level", LevelName(c.level));
  add("status", StatusName(c.status));
  if (c.emulated) add("emulated", *c.emulated);
  if (!c.repro.empty()) add("repro", c.repro);
}

void AddOutcome(pugi::xml_node node, const CaseResult& c, Kind kind) {
  const std::string text = Explain(c);
  if (kind == Kind::kSkipped) {
    SetText(node.append_child("skipped"), "message",
            fmt::format("{}: {}", StatusName(c.status), c.observed));
  } else if (kind == Kind::kNote) {
    AddText(node, "system-out",
            fmt::format("{} of level {} (does not fail the run)\n{}", StatusName(c.status),
                        LevelName(c.level), text));
  } else {
    pugi::xml_node child = node.append_child(kind == Kind::kError ? "error" : "failure");
    SetText(child, "message", text);
    SetText(child, "type", StatusName(c.status));
    child.append_child(pugi::node_pcdata).set_value(XmlText(text).c_str());
  }
}

struct Totals {
  uint32_t tests = 0, failures = 0, errors = 0, skipped = 0;
  uint64_t duration_us = 0;

  void Add(Kind kind, uint64_t us) {
    ++tests;
    failures += kind == Kind::kFailure;
    errors += kind == Kind::kError;
    skipped += kind == Kind::kSkipped;
    duration_us += us;
  }
  void Write(pugi::xml_node node) const {
    node.append_attribute("tests").set_value(tests);
    node.append_attribute("failures").set_value(failures);
    node.append_attribute("errors").set_value(errors);
    node.append_attribute("skipped").set_value(skipped);
    SetText(node, "time", fmt::format("{:.6f}", static_cast<double>(duration_us) * 1e-6));
  }
};

Kind AddCase(pugi::xml_node suite, const CaseResult& c, const std::string& classname) {
  const Kind kind = KindOf(c);
  pugi::xml_node node = suite.append_child("testcase");
  SetText(node, "name", c.id);
  SetText(node, "classname", classname);
  SetText(node, "time", fmt::format("{:.6f}", static_cast<double>(c.duration_us) * 1e-6));
  if (kind == Kind::kPass) return kind;
  AddProperties(node, c);
  AddOutcome(node, c, kind);
  if (!c.stderr_tail.empty()) AddText(node, "system-err", c.stderr_tail);
  return kind;
}

struct StringWriter : pugi::xml_writer {
  std::string out;
  void write(const void* data, size_t size) override {
    out.append(static_cast<const char*>(data), size);
  }
};

}  // namespace

std::string JUnitXml(const RunResult& result) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  SetText(root, "name", "dlpack-conformance " + ProducerText(result));
  const auto cases = CasesByRequirement(result);
  Totals all;
  for (const RequirementResult& requirement : result.requirements) {
    const auto found = cases.find(requirement.id);
    if (found == cases.end()) continue;
    pugi::xml_node suite = root.append_child("testsuite");
    SetText(suite, "name", requirement.id);
    // Jenkins splits a class name at its last dot into package and class.
    const std::string classname = fmt::format("dlpack.{}", requirement.id);
    Totals totals;
    for (const CaseResult* c : found->second) {
      const Kind kind = AddCase(suite, *c, classname);
      totals.Add(kind, c->duration_us);
      all.Add(kind, c->duration_us);
    }
    totals.Write(suite);
  }
  all.Write(root);
  StringWriter writer;
  document.save(writer, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(writer.out);
}

}  // namespace dlpc
