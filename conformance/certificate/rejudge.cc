#include "conformance/certificate/rejudge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "conformance/run.h"
#include "harness/report.h"

namespace dlpc {
namespace {

using Stored = std::unordered_map<std::string, StoredOutcome>;

Expected<Stored> ReadTraces(std::string_view text) {
  Stored stored;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto outcome = StoredOutcomeFromJson(line);
    if (!outcome) {
      return Error{fmt::format("traces.jsonl:{}: {}", number, outcome.error().message)};
    }
    const std::string name = outcome->name;
    if (!stored.emplace(name, std::move(*outcome)).second) {
      return Error{fmt::format("traces.jsonl:{}: script {} is there twice", number, name)};
    }
  }
  return stored;
}

// A text that was no UTF-8 came back with U+FFFD in it: its bytes cannot be compared.
bool SameText(const std::string& a, const std::string& b) {
  return a == b || a.find("\xEF\xBF\xBD") != std::string::npos;
}

// What a verdict is called once the expectation file was looked at.
bool SameStatus(CaseStatus stored, CaseStatus judged) {
  if (stored == CaseStatus::kXFail) return IsBad(judged) || judged == CaseStatus::kError;
  if (stored == CaseStatus::kXPass) return judged == CaseStatus::kPass;
  return stored == judged;
}

Status CheckCase(const CaseResult& c, const Case& wanted, const Verdict& verdict,
                 const Claims& claims) {
  if (c.id != wanted.id) {
    return Error{fmt::format("case {} is where {} should be", c.id, wanted.id)};
  }
  if (c.requirement != wanted.requirement->id || c.level != wanted.requirement->level ||
      c.script != wanted.script->name || c.emulated != EmulatedProfile(wanted, claims)) {
    return Error{fmt::format("{}: not the case of the catalogue", c.id)};
  }
  if (!SameStatus(c.status, verdict.status)) {
    return Error{fmt::format("{}: stored as {}, but the stored trace is judged {}", c.id,
                             StatusName(c.status), StatusName(verdict.status))};
  }
  if (!SameText(c.expected, verdict.expected.text()) ||
      !SameText(c.observed, verdict.observed.text())) {
    return Error{fmt::format("{}: the stored text is not what the judge says", c.id)};
  }
  return OkStatus();
}

Status CheckCases(const RunResult& result, const Stored& stored) {
  const std::vector<Case>& catalogue = Catalogue();
  const Editions editions{result.dlpack, result.array_api};
  std::unordered_map<const NamedScript*, ScriptJudge> judges;
  for (size_t i = 0; i < catalogue.size(); ++i) {
    const Case& c = catalogue[i];
    if (i >= result.cases.size()) return Error{fmt::format("case {} is missing", c.id)};
    const auto outcome = stored.find(c.script->name);
    if (outcome == stored.end()) {
      return Error{fmt::format("traces.jsonl: script {} is missing", c.script->name)};
    }
    if (EncodeScript(outcome->second.script) != EncodeScript(c.script->script)) {
      return Error{fmt::format("traces.jsonl: {} is not the catalogue's script", c.script->name)};
    }
    const Outcome& stored_outcome = outcome->second.outcome;
    const size_t seen = stored_outcome.trace.steps.size();
    if (stored_outcome.kind == Outcome::Kind::kTrace && seen != c.script->script.steps.size()) {
      return Error{fmt::format("traces.jsonl: {} has {} observations for {} steps", c.script->name,
                               seen, c.script->script.steps.size())};
    }
    const auto [judge, fresh] =
        judges.try_emplace(c.script, *c.script, outcome->second.outcome, &result.producer);
    const std::string early = NotYetInForce(*c.requirement, c.script->script, editions);
    const Verdict verdict =
        early.empty() ? judge->second(c) : NotApplicable(std::string(c.requirement->title), early);
    if (Status same = CheckCase(result.cases[i], c, verdict, result.producer); !same) return same;
  }
  if (result.cases.size() > catalogue.size()) {
    return Error{fmt::format("case {} is in no catalogue", result.cases[catalogue.size()].id)};
  }
  return OkStatus();
}

Status CheckRequirements(const RunResult& result) {
  const auto rows = Register();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= result.requirements.size()) {
      return Error{fmt::format("requirement {} is missing", rows[i].id)};
    }
    const RequirementResult& r = result.requirements[i];
    if (r.id != rows[i].id || r.level != rows[i].level || r.title != rows[i].title) {
      return Error{fmt::format("requirement {} is where {} should be", r.id, rows[i].id)};
    }
  }
  if (result.requirements.size() > rows.size()) {
    return Error{
        fmt::format("requirement {} is in no register", result.requirements[rows.size()].id)};
  }
  return OkStatus();
}

bool Same(const LevelSummary& a, const LevelSummary& b) {
  return a.requirements_failed == b.requirements_failed &&
         a.requirements_known == b.requirements_known &&
         a.requirements_error == b.requirements_error &&
         a.requirements_passed == b.requirements_passed &&
         a.requirements_untested == b.requirements_untested && a.cases_failed == b.cases_failed;
}

// Sums and verdict are those of the cases.
Status CheckSums(const RunResult& result) {
  RunResult again = result;
  Summarize(again);
  if (again.verdict != result.verdict) {
    return Error{
        fmt::format("the verdict is {}, by the cases it is {}", result.verdict, again.verdict)};
  }
  if (again.case_counts != result.case_counts || !Same(again.must, result.must) ||
      !Same(again.should, result.should) || !Same(again.info, result.info)) {
    return Error{"the sums in 'summary' are not those of the cases"};
  }
  for (size_t i = 0; i < again.requirements.size(); ++i) {
    const RequirementResult &a = again.requirements[i], &b = result.requirements[i];
    if (a.status != b.status || a.counts != b.counts) {
      return Error{fmt::format("{}: status and counts are not those of its cases", a.id)};
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckAgainstTraces(const RunResult& result, std::string_view traces) {
  if (result.partial) return Error{"the run was partial"};
  if (result.catalogue_sha256 != CatalogueHash()) {
    return Error{fmt::format("made with another catalogue ({}), this program has {}",
                             result.catalogue_sha256.substr(0, 12), CatalogueHash().substr(0, 12))};
  }
  if (Status known = CheckEditions({result.dlpack, result.array_api}); !known) return known;
  const auto stored = ReadTraces(traces);
  if (!stored) return stored.error();
  if (Status cases = CheckCases(result, *stored); !cases) return cases;
  if (Status requirements = CheckRequirements(result); !requirements) return requirements;
  return CheckSums(result);
}

}  // namespace dlpc
