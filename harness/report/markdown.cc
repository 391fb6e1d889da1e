// summary.md: fit for a pull request comment or the step summary of a CI service.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/report.h"
#include "harness/report/select.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

constexpr size_t kMarkdownLimit = 160;
constexpr size_t kRows = 60;  // A step summary is cut at 1 MiB; people stop reading long before.

std::string Cell(std::string_view text) { return MarkdownText(text, kMarkdownLimit); }

void AddLevel(std::string& out, std::string_view name, const LevelSummary& s) {
  fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {} | {} | {} |\n", name,
                 s.requirements_failed, s.requirements_known, s.requirements_error,
                 s.requirements_passed, s.requirements_untested);
}

void AddFailure(std::string& out, const RequirementResult& r, const CaseList& cases) {
  const std::vector<CaseList> groups = GroupAlike(cases, IsBad);
  size_t bad = 0;
  for (const CaseList& group : groups) bad += group.size();
  const CaseResult& c = *groups.front().front();
  fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {}/{} | {} | {}{} |\n", Cell(r.id),
                 LevelName(r.level), Cell(r.title), bad, CountExecuted(cases), Cell(c.expected),
                 c.status == CaseStatus::kFail ? "" : fmt::format("{}: ", StatusName(c.status)),
                 Cell(c.observed));
}

}  // namespace

std::string MarkdownSummary(const RunResult& result) {
  std::string out =
      fmt::format("### {} ({}): {}\n\nDLPack {}, array API {}; {} cases in {:.1f} s{}\n\n",
                  Cell(ProducerText(result)), Cell(KindText(result)), result.verdict,
                  Cell(result.dlpack), Cell(result.array_api), result.cases.size(), result.wall_s,
                  result.partial ? "; partial run" : "");
  out +=
      "| Requirements | failed | known | error | passed | untested |\n|---|---|---|---|---|---|\n";
  AddLevel(out, "MUST", result.must);
  AddLevel(out, "SHOULD", result.should);
  AddLevel(out, "info", result.info);

  std::vector<const RequirementResult*> failing;
  for (const RequirementResult& r : result.requirements) {
    if (IsBad(r.status)) failing.push_back(&r);
  }
  std::stable_sort(failing.begin(), failing.end(),
                   [](const auto* a, const auto* b) { return a->level < b->level; });
  if (!failing.empty()) {
    out +=
        "\n| Requirement | level | demands | cases | expected | observed |\n"
        "|---|---|---|---|---|---|\n";
  }
  const auto cases = CasesByRequirement(result);
  for (size_t i = 0; i < std::min(kRows, failing.size()); ++i) {
    // A stored result may lack the cases of a failed requirement.
    const auto found = cases.find(failing[i]->id);
    if (found != cases.end()) AddFailure(out, *failing[i], found->second);
  }
  if (failing.size() > kRows) out += fmt::format("\nand {} more\n", failing.size() - kRows);
  for (const std::string& note : result.notes) out += fmt::format("\nNote: {}\n", Cell(note));
  for (const std::string& line : result.stale_expectations) {
    out += fmt::format("\nStale expectation: {}\n", Cell(line));
  }
  return out;
}

}  // namespace dlpc
