#include "conformance/fuzz_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/repro/repro.h"
#include "conformance/run.h"
#include "harness/json.h"
#include "harness/report.h"

namespace dlpc {
namespace {

std::string Steps(const Finding& finding) {
  std::string text;
  const std::vector<std::string> lines = ScriptText(finding.script);
  for (size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("    {}\n", lines[i]);
    if (i < finding.outcome.trace.steps.size()) {
      text += fmt::format("      -> {}\n", ObservationText(finding.outcome.trace.steps[i]));
    }
  }
  return text;
}

// What a producer says is no order to a terminal.
std::string Harmless(std::string text) {
  const auto is_order = [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_order, ' ');
  return text;
}

std::string Paragraph(const FuzzReport& report, const Finding& finding) {
  const std::string news = report.replayed ? ""
                           : finding.known ? ", the catalogue's cases show it too"
                                           : ", new";
  const std::string seen =
      report.replayed ? ""
                      : fmt::format("seen in {} variant{}, first after {:.1f} s; ", finding.count,
                                    finding.count == 1 ? "" : "s", finding.found_s);
  std::string text =
      fmt::format("{} {} ({}{}): {}\n  expected: {}\n  {}simplest, of {}:\n{}", finding.requirement,
                  StatusName(finding.status), LevelName(finding.level), news, finding.observed,
                  finding.expected, seen, finding.origin, Steps(finding));
  if (!finding.outcome.stderr_tail.empty()) text += finding.outcome.stderr_tail + "\n";
  return Harmless(std::move(text));
}

double PerSecond(uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string LastLine(const FuzzReport& report) {
  if (report.replayed) {
    return Harmless(fmt::format("{} {}: {} findings tried again, {} shown\n",
                                report.claims.producer, report.claims.version, report.scripts,
                                report.findings.size()));
  }
  const auto fresh = std::count_if(report.findings.begin(), report.findings.end(),
                                   [](const Finding& finding) { return !finding.known; });
  return Harmless(fmt::format(
      "{} {}: {} scripts, {} checks in {:.1f} s ({:.0f} scripts/s, {:.0f} checks/s), {} findings, "
      "{} new, {} deaths of the host\n",
      report.claims.producer, report.claims.version, report.scripts, report.checks, report.seconds,
      PerSecond(report.scripts, report.seconds), PerSecond(report.checks, report.seconds),
      report.findings.size(), fresh, report.deaths));
}

std::string StoredLine(const Finding& finding) {
  return TracesJsonl({{finding.origin, &finding.script, &finding.outcome}});
}

// The finding as the one case of a run: what a program is made of.
RunResult AsRun(const Finding& finding, const Claims& claims) {
  RunResult result = EmptyResult(claims);
  CaseResult c;
  c.id = fmt::format("{}/{}", finding.requirement, finding.origin);
  c.requirement = finding.requirement;
  c.level = finding.level;
  c.status = finding.status;
  c.expected = finding.expected;
  c.observed = finding.observed;
  c.script = finding.origin;
  c.stderr_tail = finding.outcome.stderr_tail;
  result.cases = {std::move(c)};
  return result;
}

// The program that shows the finding without us; empty if none can.
std::string ReproOf(const Finding& finding, const Claims& claims) {
  RunResult result = AsRun(finding, claims);
  auto files = MakeRepros({{finding.origin, &finding.script, &finding.outcome}}, result);
  if (files.empty()) return "";
  std::string text = std::move(files.front().text);
  const size_t at = text.find(" by " + result.cases[0].id);
  if (at != std::string::npos) text.insert(at + 4, "a variant of ");
  return text;
}

}  // namespace

std::vector<std::string> FindingNames(const FuzzReport& report) {
  std::vector<std::string> names;
  std::map<std::string, int> numbers;
  for (const Finding& finding : report.findings) {
    names.push_back(fmt::format("{}-{}", finding.requirement, ++numbers[finding.requirement]));
  }
  return names;
}

std::string FuzzText(const FuzzReport& report, const std::string& rerun) {
  std::string text;
  const std::vector<std::string> names = FindingNames(report);
  for (size_t i = 0; i < names.size(); ++i) {
    text += Paragraph(report, report.findings[i]);
    if (!rerun.empty()) text += fmt::format("  again: {}{}.json\n", rerun, names[i]);
    text += "\n";
  }
  return text + LastLine(report);
}

std::string FuzzJson(const FuzzReport& report) {
  OrderedJson json = {{"producer", report.claims.producer}, {"version", report.claims.version},
                      {"scripts", report.scripts},          {"checks", report.checks},
                      {"seconds", report.seconds},          {"deaths", report.deaths},
                      {"findings", OrderedJson::array()}};
  const std::vector<std::string> names = FindingNames(report);
  for (size_t i = 0; i < names.size(); ++i) {
    const Finding& finding = report.findings[i];
    json["findings"].push_back({{"name", names[i]},
                                {"requirement", finding.requirement},
                                {"level", LevelName(finding.level)},
                                {"status", StatusName(finding.status)},
                                {"known", finding.known},
                                {"expected", finding.expected},
                                {"observed", finding.observed},
                                {"script_of", finding.origin},
                                {"script", ScriptText(finding.script)},
                                {"count", finding.count},
                                {"found_s", finding.found_s},
                                {"found_scripts", finding.found_scripts}});
  }
  return DumpJson(json, 2) + "\n";
}

namespace {

// What an earlier campaign left: the folder holds the findings of one. Files of others stay.
void RemoveFindings(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string stem = entry.path().stem().string(), kind = entry.path().extension().string();
    const size_t number = stem.rfind('-');
    const bool ours = number != std::string::npos && number + 1 < stem.size() &&
                      stem.find_first_not_of("0123456789", number + 1) == std::string::npos &&
                      FindRequirement(stem.substr(0, number)) != nullptr &&
                      (kind == ".json" || kind == ".txt" || kind == ".py" || kind == ".cc");
    if (ours || entry.path().filename() == "findings.json") fs::remove(entry.path(), error);
  }
}

}  // namespace

Status WriteFindings(const std::string& folder, const FuzzReport& report) {
  RemoveFindings(folder);
  std::error_code ignored;
  if (report.findings.empty()) {  // Goes only if it is empty.
    std::filesystem::remove(folder, ignored);
    return OkStatus();
  }
  const std::vector<std::string> names = FindingNames(report);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path = folder + "/" + names[i];
    const Finding& finding = report.findings[i];
    if (Status s = WriteFileAtomically(path + ".json", StoredLine(finding)); !s) return s;
    if (Status s = WriteFileAtomically(path + ".txt", Paragraph(report, finding)); !s) return s;
    const std::string program = ReproOf(finding, report.claims);
    if (program.empty()) continue;
    if (Status s = WriteFileAtomically(path + ReproSuffix(report.claims), program); !s) return s;
  }
  return WriteFileAtomically(folder + "/findings.json", FuzzJson(report));
}

Expected<std::pair<std::string, Script>> ReadFinding(const std::string& path) {
  const auto text = ReadRegularFile(path);
  if (!text) return text.error();
  const auto stored = StoredOutcomeFromJson(*text);
  if (!stored) return Error{path + ": " + stored.error().message};
  return std::pair(stored->name, stored->script);
}

int FuzzExitCode(const FuzzReport& report) {
  if (report.findings.empty() && report.checks == 0) return kNothingRan;
  int code = kAsExpected;
  for (const Finding& finding : report.findings) {
    if (finding.status == CaseStatus::kError) {
      code = kEngine;
    } else if (!finding.known && finding.level == Level::kMust) {
      return kUnexpected;
    }
  }
  return code;
}

}  // namespace dlpc
