#include "harness/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/json.h"

namespace dlpc {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using K = ChangeKind;
using S = CaseStatus;

RunResult RunOf(const std::vector<std::pair<std::string, std::pair<S, std::string>>>& cases,
                Level level = Level::kMust) {
  RunResult result;
  result.producer.producer = "jax";
  result.verdict = "conformant";
  for (const auto& [id, seen] : cases) {
    CaseResult c;
    c.id = id;
    c.requirement = id.substr(0, id.find('/'));
    c.level = level;
    c.status = seen.first;
    c.observed = seen.second;
    result.cases.push_back(std::move(c));
  }
  return result;
}

TEST(Compare, EveryKindOfChange) {
  struct Row {
    std::pair<S, std::string> before, after;
    std::optional<K> kind;
  };
  const Row rows[] = {
      {{S::kPass, "a"}, {S::kPass, "b"}, {}},
      {{S::kPass, "a"}, {S::kFail, "b"}, K::kRegression},
      {{S::kXPass, "a"}, {S::kTimeout, "b"}, K::kRegression},
      {{S::kFail, "a"}, {S::kCrash, "b"}, K::kRegression},
      {{S::kCrash, "a"}, {S::kFail, "b"}, K::kMessage},
      {{S::kFail, "a"}, {S::kXFail, "a"}, {}},
      {{S::kFail, "at 0x1f"}, {S::kFail, "at 0x2e"}, {}},
      {{S::kFail, "at 0x1f"}, {S::kFail, "near 0x1f"}, K::kMessage},
      {{S::kFail, "a"}, {S::kPass, "b"}, K::kFixed},
      {{S::kXFail, "a"}, {S::kXPass, "b"}, K::kFixed},
      {{S::kPass, "a"}, {S::kNotSupported, "b"}, K::kVanished},
      {{S::kSkipped, "a"}, {S::kFail, "b"}, K::kNewFailure},
      {{S::kNotApplicable, "a"}, {S::kPass, "b"}, K::kNew},
      {{S::kPass, "a"}, {S::kError, "b"}, K::kError},
      {{S::kError, "a"}, {S::kError, "b"}, {}},
      {{S::kError, "a"}, {S::kFail, "b"}, K::kNewFailure},
      {{S::kSkipped, "a"}, {S::kNotSupported, "b"}, {}},
  };
  for (const Row& row : rows) {
    const RunResult before = RunOf({{"CAP-01/x", row.before}});
    const RunResult after = RunOf({{"CAP-01/x", row.after}});
    const Comparison comparison = Compare(before, after);
    std::optional<K> kind;
    if (!comparison.changes.empty()) kind = comparison.changes.front().kind;
    EXPECT_EQ(kind, row.kind) << StatusName(row.before.first) << StatusName(row.after.first);
    EXPECT_EQ(comparison.regressed(), row.kind == K::kRegression);
  }
}

TEST(Compare, CasesOfOneRunOnly) {
  const RunResult before =
      RunOf({{"CAP-01/gone", {S::kFail, ""}}, {"CAP-01/na", {S::kSkipped, ""}}});
  const RunResult after = RunOf({{"CAP-01/new", {S::kFail, ""}}, {"CAP-01/good", {S::kPass, ""}}});
  const Comparison comparison = Compare(before, after);
  ASSERT_EQ(comparison.changes.size(), 3);
  EXPECT_EQ(comparison.changes[0].kind, K::kNewFailure);
  EXPECT_EQ(comparison.changes[1].kind, K::kVanished);
  EXPECT_EQ(comparison.changes[2].kind, K::kNew);
  EXPECT_FALSE(comparison.regressed());
}

TEST(Compare, InfoNeverRegresses) {
  const RunResult before = RunOf({{"CAP-01/x", {S::kPass, ""}}}, Level::kInfo);
  const RunResult after = RunOf({{"CAP-01/x", {S::kFail, ""}}}, Level::kInfo);
  const Comparison comparison = Compare(before, after);
  EXPECT_EQ(comparison.changes.size(), 1);
  EXPECT_FALSE(comparison.regressed());
}

TEST(Compare, ReportsEscapeAndAreShort) {
  std::vector<std::pair<std::string, std::pair<S, std::string>>> a, b;
  for (int i = 10; i < 60; ++i) {
    const std::string id = "CAP-" + std::to_string(i) + "/x";
    a.push_back({id, {S::kPass, "fine"}});
    b.push_back({id, {S::kFail, "<script>|\x1b[31m @you"}});
  }
  const RunResult before = RunOf(a), after = RunOf(b);
  const Comparison comparison = Compare(before, after);
  const std::string markdown = ComparisonMarkdown(comparison, 20);
  EXPECT_THAT(markdown, HasSubstr("**Regressions** (50 cases)"));
  EXPECT_THAT(markdown, HasSubstr("and 30 more requirements"));
  EXPECT_THAT(markdown, Not(HasSubstr("<script>")));
  EXPECT_THAT(markdown, Not(HasSubstr("@you")));
  EXPECT_THAT(ComparisonText(comparison), Not(HasSubstr("\x1b")));
  const auto json = ParseJson(ComparisonJson(comparison));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("regressed"), true);
  EXPECT_EQ(json->at("changes").size(), 50);
  EXPECT_EQ(json->at("changes")[0].at("before").at("status"), "pass");
  EXPECT_THAT(ComparisonText(Compare(after, after)), HasSubstr("No case differs."));
}

TEST(Compare, SaysWhatMakesItLame) {
  RunResult before = RunOf({}), after = RunOf({});
  EXPECT_THAT(Compare(before, after).notes, IsEmpty());
  after.producer.producer = "torch";
  after.catalogue_sha256 = "other";
  after.partial = true;
  EXPECT_EQ(Compare(before, after).notes.size(), 3);
}

}  // namespace
}  // namespace dlpc
