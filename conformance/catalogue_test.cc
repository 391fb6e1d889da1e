#include "conformance/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "conformance/families.h"
#include "conformance/run.h"

namespace dlpc {
namespace {

Verdict JudgeCase(const Case& c, const Outcome& outcome) {
  return ScriptJudge(*c.script, outcome)(c);
}

using testing::IsEmpty;

TEST(Catalogue, CaseIdsAreUnique) {
  std::set<std::string> ids;
  for (const Case& c : Catalogue()) EXPECT_TRUE(ids.insert(c.id).second) << c.id;
}

TEST(Catalogue, EveryCheckPicksAScriptOfAKnownRequirement) {
  std::map<std::pair<std::string_view, const void*>, int> picked;
  for (const auto area : {DevChecks, ProtoChecks, CapChecks, AbiChecks, MemChecks, DtChecks,
                          ShapeChecks, CopyChecks, StreamChecks, VerChecks, ErrChecks}) {
    for (const Check& check : area()) {
      EXPECT_NE(FindRequirement(check.requirement), nullptr) << check.requirement;
      int count = 0;
      for (const NamedScript& script : check.family()) {
        count += check.Picks(script);
      }
      EXPECT_GT(count, 0) << check.requirement << " picks nothing";
    }
  }
}

TEST(Catalogue, EveryRowOfTheseAreasHasCases) {
  std::set<std::string_view> with_cases;
  for (const Case& c : Catalogue()) with_cases.insert(c.requirement->id);
  for (const RequirementRow& row : Register()) {
    const std::string_view area = row.id.substr(0, row.id.find('-'));
    const std::set<std::string_view> covered = {"DEV",  "PROTO",  "CAP", "ABI", "DT",  "SHAPE",
                                                "COPY", "STREAM", "VER", "ERR", "MEM", "XAPI"};
    if (covered.count(area) == 0) continue;
    EXPECT_EQ(with_cases.count(row.id), 1u) << row.id;
  }
}

TEST(Catalogue, ScriptsSurviveTheWire) {
  for (const Case& c : Catalogue()) {
    const std::string bytes = EncodeScript(c.script->script);
    const Script decoded =
        DecodeScript({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    ASSERT_EQ(EncodeScript(decoded), bytes) << c.id;
    ASSERT_EQ(decoded.steps.size(), c.script->script.steps.size()) << c.id;
  }
}

TEST(Catalogue, HashIsStableWithinABuild) {
  EXPECT_EQ(CatalogueHash().size(), 64u);
  EXPECT_EQ(CatalogueHash(), CatalogueHash());
}

// A case that observed nothing must not pass, and must not blame anybody.
TEST(Judges, NothingObservedIsNeitherPassNorFail) {
  for (const Case& c : Catalogue()) {
    Outcome outcome;
    outcome.kind = Outcome::Kind::kTrace;
    outcome.trace.steps.assign(c.script->script.steps.size(), NotPerformed{"tried nothing"});
    const Verdict verdict = JudgeCase(c, outcome);
    EXPECT_EQ(verdict.status, CaseStatus::kNotApplicable)
        << c.id << ": " << verdict.observed.text();
    // Likewise for a trace that was cut short.
    outcome.trace.steps.clear();
    EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kNotApplicable) << c.id;
  }
}

TEST(Judges, SayWhatTheyExpectedAndSaw) {
  for (const Case& c : Catalogue()) {
    Outcome outcome;
    outcome.kind = Outcome::Kind::kTrace;
    outcome.trace.steps.assign(c.script->script.steps.size(),
                               Raised{"RuntimeError", {"RuntimeError", "Exception"}, "no"});
    const Verdict verdict = JudgeCase(c, outcome);
    EXPECT_NE(verdict.status, CaseStatus::kError) << c.id;
    EXPECT_FALSE(verdict.expected.text().empty()) << c.id;
    EXPECT_FALSE(verdict.observed.text().empty()) << c.id;
  }
}

TEST(Judges, OutcomesOfTheEngineComeFirst) {
  const Case& c = Catalogue().front();
  Outcome outcome;
  outcome.text = "SIGSEGV in step 2 (export)";
  outcome.step = 1;  // The first is the adapter's own.
  outcome.kind = Outcome::Kind::kCrash;
  EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kCrash);
  EXPECT_EQ(JudgeCase(c, outcome).observed.text(), outcome.text);
  outcome.kind = Outcome::Kind::kTimeout;
  EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kTimeout);
  outcome.kind = Outcome::Kind::kError;
  EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kError);
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace.steps.assign(c.script->script.steps.size(), NotPerformed{"no array"});
  outcome.trace.steps[0] = AdapterFault{"ZeroDivisionError: division by zero"};
  EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kError);
  outcome.trace.steps[0] = Unsupported{"no such dtype"};
  EXPECT_EQ(JudgeCase(c, outcome).status, CaseStatus::kNotSupported);
}

TEST(Select, ByGlobAndLevel) {
  const auto all = Select({});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), Catalogue().size());
  const auto one = Select({{"SHAPE-06"}, Level::kInfo});
  ASSERT_TRUE(one);
  for (const Case* c : *one) EXPECT_EQ(c->requirement->id, "SHAPE-06");
  const auto by_case = Select({{"SHAPE-06/zoo/float32/*"}, Level::kInfo});
  ASSERT_TRUE(by_case);
  EXPECT_LT(by_case->size(), one->size());
  EXPECT_FALSE(by_case->empty());
  const auto must = Select({{"DEV-*"}, Level::kMust});
  ASSERT_TRUE(must);
  for (const Case* c : *must) EXPECT_EQ(c->requirement->level, Level::kMust);
  EXPECT_FALSE(Select({{"NO-SUCH-*"}, Level::kInfo}));
}

}  // namespace
}  // namespace dlpc
