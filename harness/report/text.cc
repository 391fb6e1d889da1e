// The report for a terminal: the verdict, the areas, then what a maintainer has to do, gravest
// first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "harness/report.h"
#include "harness/report/select.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

constexpr size_t kSideLimit = 400;  // Characters of one expected or observed text.
constexpr size_t kPairs = 3;        // Distinct (expected, observed) pairs of one MUST requirement.

enum class Color { kNone, kRed, kYellow, kGreen, kDim, kBold };

class Printer {
 public:
  explicit Printer(bool color) : color_(color) {}

  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  std::string Paint(Color color, std::string_view text) const {
    static constexpr std::array<int, 6> kCodes{0, 31, 33, 32, 2, 1};
    if (!color_ || color == Color::kNone) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<size_t>(color)], text);
  }
  std::string Take() { return std::move(out_); }

 private:
  bool color_;
  std::string out_;
};

std::string Plural(size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string Safe(std::string_view text) { return OneLine(text, kSideLimit); }

using CasesOf = std::unordered_map<std::string_view, CaseList>;

const CaseList& Find(const CasesOf& cases, const RequirementResult& r) {
  static const CaseList kNone;
  const auto it = cases.find(r.id);
  return it == cases.end() ? kNone : it->second;
}

// How much of the MUST rows stands behind the verdict: "conformant" says nothing of what was not
// tried.
std::string Coverage(const RunResult& result) {
  const LevelSummary& must = result.must;
  const uint32_t checked = must.requirements_failed + must.requirements_known +
                           must.requirements_error + must.requirements_passed;
  return fmt::format("{} of {} MUST requirements checked", checked,
                     checked + must.requirements_untested);
}

void PrintHead(Printer& p, const RunResult& result) {
  const Color color = result.verdict == "conformant"      ? Color::kGreen
                      : result.verdict == "nonconformant" ? Color::kRed
                                                          : Color::kYellow;
  p.Line("{} ({}): {}", p.Paint(Color::kBold, Safe(ProducerText(result))), Safe(KindText(result)),
         p.Paint(color, result.verdict) + ", " + Coverage(result));
  p.Line("DLPack {}, array API {}, suite {}; {} in {:.2f} s, {:.0f} checks/s{}",
         Safe(result.dlpack), Safe(result.array_api), Safe(result.suite_version),
         Plural(result.cases.size(), "case"), result.wall_s, result.checks_per_s,
         result.partial ? "; partial run" : "");
  for (const std::string& note : result.notes) p.Line("note: {}", Safe(note));
}

// Requirements of one area by outcome. Failures are told apart by level, as only MUST decides.
struct AreaRow {
  std::string_view area;
  uint32_t pass = 0, must = 0, should = 0, info = 0, known = 0, error = 0, untested = 0, cases = 0;
};

void Count(AreaRow& row, const RequirementResult& r, size_t executed) {
  row.cases += static_cast<uint32_t>(executed);
  if (IsBad(r.status)) {
    ++(r.level == Level::kMust ? row.must : r.level == Level::kShould ? row.should : row.info);
  } else if (r.status == CaseStatus::kXFail) {
    ++row.known;
  } else if (r.status == CaseStatus::kError) {
    ++row.error;
  } else {
    ++(IsExecuted(r.status) ? row.pass : row.untested);
  }
}

std::vector<AreaRow> AreaRows(const RunResult& result, const CasesOf& cases) {
  std::vector<AreaRow> rows;
  for (const RequirementResult& r : result.requirements) {
    const std::string_view area = AreaOf(r.id);
    auto row = std::find_if(rows.begin(), rows.end(), [&](auto& x) { return x.area == area; });
    if (row == rows.end()) {
      rows.push_back({area});
      row = rows.end() - 1;
    }
    Count(*row, r, CountExecuted(Find(cases, r)));
  }
  return rows;
}

void PrintAreas(Printer& p, const RunResult& result, const CasesOf& cases) {
  const std::vector<AreaRow> rows = AreaRows(result, cases);
  if (rows.empty()) return;
  const auto cell = [&](uint32_t n, Color color) {
    const std::string text = fmt::format("{:>8}", n == 0 ? "." : std::to_string(n));
    return n == 0 ? text : p.Paint(color, text);
  };
  p.Line("");
  p.Line("{:<42}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}", "requirements", "pass", "FAIL", "warn",
         "note", "known", "error", "untested", "cases");
  for (const AreaRow& row : rows) {
    p.Line("{:<8}{:<34}{}{}{}{}{}{} {}{:>9}", Safe(row.area), AreaTitle(row.area),
           cell(row.pass, Color::kGreen), cell(row.must, Color::kRed),
           cell(row.should, Color::kYellow), cell(row.info, Color::kNone),
           cell(row.known, Color::kYellow), cell(row.error, Color::kRed),
           cell(row.untested, Color::kDim), row.cases);
  }
}

void PrintGroup(Printer& p, const CaseList& group) {
  const CaseResult& c = *group.front();
  if (!c.expected.empty()) p.Line("    expected  {}", Safe(c.expected));
  p.Line("    {:<9} {}", c.status == CaseStatus::kFail ? "observed" : StatusName(c.status),
         Safe(c.observed));
  if (!c.remedy.empty()) p.Line("    way out   {}", Safe(c.remedy));
  p.Line(
      "              in {}{}", Safe(c.id),
      group.size() == 1 ? "" : fmt::format(" and {} alike", Plural(group.size() - 1, "more case")));
  if (!c.repro.empty()) p.Line("              repro {}", Safe(c.repro));
}

void PrintRequirement(Printer& p, const RequirementResult& r, const CaseList& cases, Color color,
                      size_t pairs) {
  const std::vector<CaseList> groups = GroupAlike(cases, IsBad);
  size_t bad = 0;
  for (const CaseList& group : groups) bad += group.size();
  p.Line("");
  p.Line("  {}  {}", p.Paint(color, Safe(r.id)), Safe(r.title));
  p.Line("    {} of {} {}; {}", bad, Plural(CountExecuted(cases), "case"),
         bad == 1 ? "fails" : "fail", Safe(r.citation));
  for (size_t i = 0; i < std::min(pairs, groups.size()); ++i) PrintGroup(p, groups[i]);
  if (groups.size() > pairs) {
    p.Line("    and {} other kinds of failure, see report.html", groups.size() - pairs);
  }
  if (!r.contested.empty()) p.Line("    contested {}", Safe(r.contested));
  if (!r.remedy.empty()) p.Line("    remedy    {}", Safe(r.remedy));
}

void PrintFailures(Printer& p, const RunResult& result, const CasesOf& cases, Level level,
                   std::string_view heading, Color color, size_t pairs) {
  bool first = true;
  for (const RequirementResult& r : result.requirements) {
    if (r.level != level || !IsBad(r.status)) continue;
    if (std::exchange(first, false)) {
      p.Line("");
      p.Line("{}", p.Paint(Color::kBold, heading));
    }
    PrintRequirement(p, r, Find(cases, r), color, pairs);
  }
}

void PrintNotes(Printer& p, const RunResult& result, const CasesOf& cases) {
  bool first = true;
  for (const RequirementResult& r : result.requirements) {
    if (r.level != Level::kInfo || !IsBad(r.status)) continue;
    if (std::exchange(first, false)) {
      p.Line("");
      p.Line("{}", p.Paint(Color::kBold,
                           "Notes: contested or optional points, no effect on the verdict"));
    }
    const CaseResult& c = *GroupAlike(Find(cases, r), IsBad).front().front();
    p.Line("  {}  {}", Safe(r.id), Safe(r.title));
    p.Line("    {:<9} {}", c.status == CaseStatus::kFail ? "observed" : StatusName(c.status),
           Safe(c.observed));
  }
}

// Cases of one status over all requirements, grouped; for errors and unexpected passes.
void PrintCases(Printer& p, const RunResult& result, CaseStatus status, std::string_view heading) {
  CaseList all;
  for (const CaseResult& c : result.cases) all.push_back(&c);
  const auto groups = GroupAlike(all, [&](CaseStatus s) { return s == status; });
  if (groups.empty()) return;
  p.Line("");
  p.Line("{}", p.Paint(Color::kBold, heading));
  constexpr size_t kGroups = 10;
  for (size_t i = 0; i < std::min(kGroups, groups.size()); ++i) {
    const size_t more = groups[i].size() - 1;
    p.Line("  {}{}", Safe(groups[i].front()->id),
           more == 0 ? "" : fmt::format(" and {} more", more));
    p.Line("    {}", Safe(groups[i].front()->observed));
  }
  if (groups.size() > kGroups) p.Line("  and {} other kinds", groups.size() - kGroups);
}

void PrintStale(Printer& p, const RunResult& result) {
  if (result.stale_expectations.empty()) return;
  p.Line("");
  p.Line("{}", p.Paint(Color::kBold, "Expectations that do not hold"));
  for (const std::string& line : result.stale_expectations) p.Line("  {}", Safe(line));
}

void PrintTotals(Printer& p, const RunResult& result) {
  const auto level = [&](std::string_view name, const LevelSummary& s) {
    const std::array<std::pair<uint32_t, const char*>, 5> parts{
        {{s.requirements_failed, "failed"},
         {s.requirements_known, "failed as expected"},
         {s.requirements_error, "with errors"},
         {s.requirements_passed, "passed"},
         {s.requirements_untested, "untested"}}};
    std::string text;
    for (const auto& [n, what] : parts) {
      if (n > 0) text += fmt::format(", {} {}", n, what);
    }
    p.Line("{:<8}{}", name, text.empty() ? "none" : text.substr(2));
  };
  p.Line("");
  level("MUST", result.must);
  level("SHOULD", result.should);
  level("info", result.info);
  std::string counts;
  for (const auto& [name, n] : result.case_counts) counts += fmt::format(", {} {}", n, name);
  p.Line("cases   {}", counts.empty() ? "none" : counts.substr(2));
  p.Line("{}: {}, {}", Safe(ProducerText(result)), result.verdict, Coverage(result));
}

}  // namespace

std::string TextReport(const RunResult& result, bool color) {
  Printer p(color);
  const CasesOf cases = CasesByRequirement(result);
  PrintHead(p, result);
  PrintAreas(p, result, cases);
  PrintFailures(p, result, cases, Level::kMust, "MUST requirements that are not met", Color::kRed,
                kPairs);
  PrintFailures(p, result, cases, Level::kShould, "Warnings: SHOULD requirements that are not met",
                Color::kYellow, 1);
  PrintNotes(p, result, cases);
  PrintCases(p, result, CaseStatus::kError, "Errors of the suite, the adapter or this machine");
  PrintCases(p, result, CaseStatus::kXPass, "Unexpected passes: remove them from the expectations");
  PrintStale(p, result);
  PrintTotals(p, result);
  return p.Take();
}

}  // namespace dlpc
