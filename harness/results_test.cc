#include "harness/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dlpc {
namespace {

using S = CaseStatus;

RunResult RunOf(const std::vector<std::pair<Level, S>>& cases) {
  RunResult result;
  for (const auto& [level, status] : cases) {
    CaseResult c;
    c.requirement = std::string(level == Level::kMust ? "CAP-01" : "CAP-02");
    if (level == Level::kInfo) c.requirement = "CAP-03";
    c.level = level;
    c.status = status;
    result.cases.push_back(c);
  }
  Summarize(result);
  return result;
}

S StatusOf(const std::vector<S>& statuses) {
  std::vector<std::pair<Level, S>> cases;
  for (S s : statuses) cases.emplace_back(Level::kMust, s);
  return RunOf(cases).requirements.at(0).status;
}

TEST(Names, AreDistinct) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(S::kUntested); ++i) names.insert(StatusName(S(i)));
  EXPECT_EQ(names.size(), 11U);
  EXPECT_EQ(StatusName(S::kNotApplicable), "not_applicable");
  EXPECT_EQ(StatusName(S::kXPass), "xpass");
  EXPECT_EQ(LevelName(Level::kInfo), "info");
}

TEST(Requirement, StatusIsTheWorstOfItsCases) {
  const std::vector<S> order{S::kCrash, S::kTimeout, S::kFail, S::kError,
                             S::kXPass, S::kXFail,   S::kPass, S::kSkipped};
  for (size_t worse = 0; worse + 1 < order.size(); ++worse) {
    for (size_t better = worse + 1; better < order.size(); ++better) {
      EXPECT_EQ(StatusOf({order[worse], order[better]}), order[worse]);
      EXPECT_EQ(StatusOf({order[better], order[worse]}), order[worse]);
    }
  }
}

TEST(Requirement, WithoutExecutedCaseIsUntested) {
  EXPECT_EQ(StatusOf({S::kSkipped, S::kNotApplicable, S::kNotSupported}), S::kUntested);
}

TEST(Summary, CountsEachRequirementOnceAtItsLevel) {
  const RunResult r = RunOf({{Level::kMust, S::kFail},
                             {Level::kMust, S::kCrash},
                             {Level::kMust, S::kPass},
                             {Level::kShould, S::kFail},
                             {Level::kInfo, S::kSkipped}});
  EXPECT_EQ(r.must.requirements_failed, 1U);
  EXPECT_EQ(r.must.cases_failed, 2U);
  EXPECT_EQ(r.should.requirements_failed, 1U);
  EXPECT_EQ(r.info.requirements_untested, 1U);
  EXPECT_EQ(r.case_counts.at("fail"), 2U);
  EXPECT_EQ(r.requirements[0].counts.at("crash"), 1U);
}

TEST(Summary, IsTheSameWhenDoneTwice) {
  RunResult r = RunOf({{Level::kMust, S::kFail}, {Level::kInfo, S::kPass}});
  Summarize(r);
  EXPECT_EQ(r.requirements.size(), 2U);
  EXPECT_EQ(r.must.requirements_failed, 1U);
  EXPECT_EQ(r.case_counts.at("fail"), 1U);
}

struct Row {
  std::vector<std::pair<Level, S>> cases;
  const char* verdict;
  int exit_code;
};

TEST(VerdictAndExitCode, FollowTheContract) {
  const std::vector<Row> rows{
      {{}, "partial", 4},
      {{{Level::kMust, S::kSkipped}}, "partial", 4},
      {{{Level::kMust, S::kPass}}, "conformant", 0},
      {{{Level::kMust, S::kFail}}, "nonconformant", 1},
      {{{Level::kMust, S::kCrash}}, "nonconformant", 1},
      {{{Level::kMust, S::kTimeout}}, "nonconformant", 1},
      {{{Level::kMust, S::kPass}, {Level::kShould, S::kFail}}, "conformant", 0},
      {{{Level::kMust, S::kPass}, {Level::kInfo, S::kCrash}}, "conformant", 0},
      {{{Level::kMust, S::kError}}, "partial", 3},
      {{{Level::kMust, S::kPass}, {Level::kInfo, S::kError}}, "partial", 3},
      {{{Level::kMust, S::kFail}, {Level::kMust, S::kError}}, "nonconformant", 1},
      {{{Level::kMust, S::kXFail}}, "nonconformant", 0},
      {{{Level::kShould, S::kXFail}, {Level::kMust, S::kPass}}, "conformant", 0},
      {{{Level::kMust, S::kXPass}}, "conformant", 1},
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const RunResult r = RunOf(rows[i].cases);
    EXPECT_EQ(r.verdict, rows[i].verdict) << "row " << i;
    EXPECT_EQ(ExitCode(r), rows[i].exit_code) << "row " << i;
  }
}

TEST(Verdict, PartialRunIsNotConformant) {
  RunResult r = RunOf({{Level::kMust, S::kPass}});
  r.partial = true;
  Summarize(r);
  EXPECT_EQ(r.verdict, "partial");
  EXPECT_EQ(ExitCode(r), 0);
}

TEST(ExitCode, StaleExpectationIsNews) {
  RunResult r = RunOf({{Level::kMust, S::kPass}});
  r.stale_expectations = {"CAP-01/gone fail"};
  EXPECT_EQ(ExitCode(r), 1);
}

TEST(Area, IsThePartBeforeTheDash) {
  EXPECT_EQ(AreaOf("SHAPE-06"), "SHAPE");
  EXPECT_EQ(AreaOf("odd"), "odd");
  EXPECT_FALSE(AreaTitle("XAPI").empty());
  EXPECT_TRUE(AreaTitle("odd").empty());
}

}  // namespace
}  // namespace dlpc
