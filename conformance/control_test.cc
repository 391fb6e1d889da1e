// Verdicts on a keyword need a control: what is refused without the keyword too says nothing of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"

namespace dlpc {
namespace {

bool OfKeyword(const Case& c) {
  constexpr std::string_view kIds[] = {"STREAM-01", "STREAM-12", "PROTO-04",
                                       "PROTO-06",  "PROTO-07",  "ERR-02"};
  const bool asks =
      c.script->name.starts_with("negotiation/") || c.script->name.starts_with("odd-argument/");
  return asks && std::find(std::begin(kIds), std::end(kIds), c.requirement->id) != std::end(kIds);
}

// The verdict if the exports of a script end like these, one after the other.
Verdict VerdictOf(const Case& c, const std::vector<Observation>& exports) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  size_t seen = 0;
  for (const Step& step : c.script->script.steps) {
    const bool is_export = step.op == Op::kExport && seen < exports.size();
    outcome.trace.steps.push_back(is_export ? exports[seen++] : Observation{Made{}});
  }
  return ScriptJudge(*c.script, outcome)(c);
}

size_t Exports(const Case& c) {
  const auto& steps = c.script->script.steps;
  return std::count_if(steps.begin(), steps.end(),
                       [](const Step& s) { return s.op == Op::kExport; });
}

const Observation kRefused = Raised{"ValueError", {"ValueError", "Exception"}, "no"};
const Observation kServed = Exported{true, "PyCapsule", "dltensor", 1, 2, true, false, {}};

TEST(Control, RefusalsOfEverythingSayNothingOfAKeyword) {
  size_t with_control = 0;
  for (const Case& c : Catalogue()) {
    if (!OfKeyword(c) || Exports(c) < 2) continue;
    ++with_control;
    const Verdict both = VerdictOf(c, {kRefused, kRefused});
    EXPECT_EQ(both.status, CaseStatus::kNotApplicable) << c.id << ": " << both.observed.text();
    const Verdict one = VerdictOf(c, {kRefused, kServed});
    EXPECT_EQ(one.status, CaseStatus::kPass) << c.id << ": " << one.observed.text();
  }
  EXPECT_GT(with_control, 100u);
}

TEST(Control, WhatIsAcceptedNeedsNone) {
  for (const Case& c : Catalogue()) {
    if (!OfKeyword(c) || !c.requirement->id.starts_with("STREAM") || Exports(c) < 2) continue;
    EXPECT_EQ(VerdictOf(c, {kServed, kServed}).status, CaseStatus::kFail) << c.id;
  }
}

// nanobind: several exports are one struct that counts its holders, and outlives the first release.
TEST(Control, SharedStructsAreNotBlamedForTheirSiblings) {
  ReferenceBackend backend(Mutant::kNone);
  Machine machine(&backend, nullptr);
  size_t judged = 0;
  for (const Case& c : Catalogue()) {
    if (c.requirement->id != "MEM-10") continue;
    ++judged;
    Outcome outcome;
    outcome.kind = Outcome::Kind::kTrace;
    outcome.trace = machine.Run(c.script->script);
    EXPECT_EQ(ScriptJudge(*c.script, outcome)(c).status, CaseStatus::kPass) << c.id;
    for (Observation& seen : outcome.trace.steps) {
      if (auto* exported = std::get_if<Exported>(&seen)) exported->managed = 64;
    }
    EXPECT_EQ(ScriptJudge(*c.script, outcome)(c).status, CaseStatus::kNotApplicable) << c.id;
  }
  EXPECT_EQ(judged, 12u);
}

}  // namespace
}  // namespace dlpc
