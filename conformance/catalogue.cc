#include "conformance/catalogue.h"

#include <array>

#include "conformance/remedies.h"

namespace dlpc {
namespace {

std::span<const Check> (*const kAreas[])() = {
    DevChecks,    DevLabelChecks,  ProtoChecks,     CapChecks,   AbiChecks,
    DtChecks,     MemChecks,       ShapeChecks,     CopyChecks,  ImportChecks,
    StreamChecks, VerChecks,       PathChecks,      PlaceChecks, ErrChecks,
    TableChecks,  TableFromChecks, TableCallChecks, RemedyChecks};

std::vector<Case> BuildCatalogue() {
  std::vector<Case> cases;
  for (const RequirementRow& row : Register()) {
    for (const auto& area : kAreas) {
      for (const Check& check : area()) {
        if (check.requirement != row.id) continue;
        for (const NamedScript& script : check.family()) {
          if (!check.Picks(script)) continue;
          cases.push_back({std::string(row.id) + "/" + script.name, &row, &script, check.judge});
        }
      }
    }
  }
  return cases;
}

// Steps in which the adapter's own code runs: a death there is no proof against the producer.
bool IsAdapterStep(Op op) {
  return op == Op::kMake || op == Op::kMakeRefusal || op == Op::kReadOwn || op == Op::kPoke;
}

// A death in a function of the exchange table, which returns 0 or -1 and does nothing else: XAPI-15
// answers for all rows that share the script.
std::optional<Verdict> JudgeTableDeath(const Case& c, const Outcome& outcome, Op op) {
  const bool call = op == Op::kTableExport || op == Op::kTableBorrow || op == Op::kTableStream;
  if (!call) return std::nullopt;
  const Wording expected = "the function returns 0 or -1";
  if (c.script->script.steps[outcome.step].bad == BadInput::kObject) {
    return NotApplicable(expected, outcome.text +
                                       ", given an object of another type, which the "
                                       "header leaves to the caller");
  }
  if (c.requirement->id != "XAPI-15") {
    return NotApplicable(expected, outcome.text + " (see XAPI-15)");
  }
  const bool crash = outcome.kind == Outcome::Kind::kCrash;
  return Verdict{crash ? CaseStatus::kCrash : CaseStatus::kTimeout, expected, outcome.text};
}

// The script did not come to its end.
Verdict JudgeDeath(const Case& c, const Outcome& outcome) {
  const Wording expected = "the script runs to its end";
  const Script& script = c.script->script;
  const Op op = outcome.step < script.steps.size() ? script.steps[outcome.step].op : Op::kExport;
  if (outcome.kind == Outcome::Kind::kError || IsAdapterStep(op)) {
    return {CaseStatus::kError, expected, outcome.text};
  }
  if (auto verdict = JudgeTableDeath(c, outcome, op)) return *verdict;
  // Many rows look at the objects that DLPack cannot express, each at those of its kind. Which one
  // killed the host is not known any more, so the row that forbids dying answers for all.
  const bool refusal = !script.steps.empty() && script.steps[0].op == Op::kMakeRefusal;
  if (refusal && c.requirement->id != "ERR-07") {
    return NotApplicable(expected, outcome.text + " (see ERR-07)");
  }
  const bool crash = outcome.kind == Outcome::Kind::kCrash;
  return {crash ? CaseStatus::kCrash : CaseStatus::kTimeout, expected, outcome.text};
}

// A producer that does not know a keyword of __dlpack__ breaks PROTO rows and ABI-12; what the call
// would have done otherwise is not known.
// MEM-06 looks at what was exported, by whichever call.
bool JudgesSignatures(std::string_view id) {
  const bool values = id == "PROTO-04" || id == "PROTO-06" || id == "PROTO-07";
  return (id.starts_with("PROTO") && !values) || id == "ABI-12" || id == "MEM-06";
}

bool IsUnknownKeyword(const Raised& raised) {
  return IsA(raised, "TypeError") &&
         (raised.message.find("unexpected keyword") != std::string::npos ||
          raised.message.find("no keyword arguments") != std::string::npos);
}

std::optional<Verdict> KeywordUnknown(const Evidence& e) {
  for (int nth = 0; nth < kExportSlots && e.StepOf(Op::kExport, nth) != nullptr; ++nth) {
    const Raised* raised = e.refusal(nth);
    if (raised == nullptr || !IsUnknownKeyword(*raised)) continue;
    return NotApplicable("the keywords of __dlpack__ are known",
                         Say(ObservationText, *raised) + " (see PROTO-01)");
  }
  return std::nullopt;
}

// Before a judge may look: is the array what it should be?
std::optional<Verdict> Unjudgeable(const NamedScript& script, const Evidence& e) {
  if ((script.tags & kTagNeedsCuda) != 0) {
    const Wording expected = "an array in memory of a CUDA device";
    const bool by_table = e.StepOf(Op::kTable) != nullptr;
    const TableSeen* table = e.As<TableSeen>(Op::kTable);
    if (by_table && (table == nullptr || !table->readable)) {
      return NotApplicable(expected, e.Text(Op::kTable));
    }
    const auto* unsupported = e.As<Unsupported>(Op::kMake, by_table ? 1 : 0);
    if (unsupported != nullptr) {
      return Verdict{CaseStatus::kSkipped, expected, "no CUDA device: " + unsupported->reason};
    }
  }
  constexpr std::pair<Op, const char*> kAdapterSteps[] = {
      {Op::kMake, "the adapter makes the array"},
      {Op::kMakeRefusal, "the adapter makes the array"},
      {Op::kTableImport, "the adapter understands what the exchange table makes"},
      {Op::kUseStream, "the adapter handles streams"}};
  for (const auto& [op, expected] : kAdapterSteps) {
    for (int nth = 0; nth < kArraySlots && e.StepOf(op, nth) != nullptr; ++nth) {
      if (const auto* fault = e.As<AdapterFault>(op, nth)) {
        return Verdict{CaseStatus::kError, expected, fault->text};
      }
      if (const auto* unsupported = e.As<Unsupported>(op, nth)) {
        const bool machine = unsupported->reason.starts_with("no CUDA device");
        return Verdict{machine ? CaseStatus::kSkipped : CaseStatus::kNotSupported, expected,
                       unsupported->reason};
      }
    }
  }
  if (e.AdapterMadeOtherValues()) {
    return Verdict{CaseStatus::kError, "the adapter makes the array that the spec describes",
                   "its own read() gives other elements: " + e.Text(Op::kReadOwn)};
  }
  return std::nullopt;
}

}  // namespace

const Request& RequestOf(const NamedScript& script) {
  static const Request kNone;
  for (const Step& step : script.script.steps) {
    if (step.op == Op::kExport) return step.request;
  }
  return kNone;
}

std::vector<const Check*> AllChecks() {
  std::vector<const Check*> all;
  for (const auto& area : kAreas) {
    for (const Check& check : area()) all.push_back(&check);
  }
  return all;
}

const std::vector<Case>& Catalogue() {
  static const std::vector<Case> cases = BuildCatalogue();
  return cases;
}

ScriptJudge::ScriptJudge(const NamedScript& script, const Outcome& outcome, const Claims* claims,
                         KnownValues* known)
    : outcome_(outcome), evidence_(script.script, outcome.trace, claims, known) {
  if (outcome.kind != Outcome::Kind::kTrace) return;
  unjudgeable_ = Unjudgeable(script, evidence_);
  if (!unjudgeable_) keyword_unknown_ = KeywordUnknown(evidence_);
}

Verdict ScriptJudge::operator()(const Case& c) const {
  if (outcome_.kind != Outcome::Kind::kTrace) return JudgeDeath(c, outcome_);
  if (unjudgeable_) return *unjudgeable_;
  if (keyword_unknown_ && !JudgesSignatures(c.requirement->id)) return *keyword_unknown_;
  return c.judge(evidence_);
}

}  // namespace dlpc
