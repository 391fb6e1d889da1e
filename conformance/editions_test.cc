#include "conformance/editions.h"

#include <gtest/gtest.h>

#include "conformance/catalogue.h"

namespace dlpc {
namespace {

std::string Why(std::string_view since, const Editions& editions, const Request& request = {}) {
  RequirementRow row{};
  row.since = since;
  return NotYetInForce(row, ScriptBuilder().Export(request).Build(), editions);
}

TEST(Editions, OnlyKnownReleases) {
  EXPECT_TRUE(CheckEditions({}));
  EXPECT_TRUE(CheckEditions({"0.8", "2022.12"}));
  for (const Editions& wrong :
       {Editions{"1.4", "2025.12"}, Editions{"1", "2025.12"}, Editions{"1.3", "2025"},
        Editions{"", ""}, Editions{"v1.3", "2025.12"}}) {
    EXPECT_FALSE(CheckEditions(wrong)) << wrong.dlpack << " " << wrong.array_api;
  }
}

TEST(Editions, ARuleIsJudgedFromItsReleaseOn) {
  EXPECT_EQ(Why("v1.2", {"1.2", "2025.12"}), "");
  EXPECT_EQ(Why("v1.2", {"1.1", "2025.12"}), "the rule is of v1.2, judged is against DLPack 1.1");
  EXPECT_EQ(Why("v1.2 (more)", {"1.3", "2021.12"}), "");
  EXPECT_EQ(Why("2023.12", {"0.1", "2023.12"}), "");
  EXPECT_NE(Why("2023.12 (implied before)", {"1.3", "2022.12"}), "");
  EXPECT_NE(Why("2024-03 (v1.0)", {"0.8", "2025.12"}), "");
  EXPECT_EQ(Why("2024-03 (v1.0)", {"1.0", "2021.12"}), "");
  EXPECT_EQ(Why("not stated", {"0.1", "2021.12"}), "");
}

TEST(Editions, KeywordsAreOf2023) {
  Request versioned;
  versioned.version = Arg::kNone;
  EXPECT_NE(Why("2021.12", {"1.3", "2022.12"}, versioned), "");
  EXPECT_EQ(Why("2021.12", {"1.3", "2023.12"}, versioned), "");
  EXPECT_EQ(Why("2021.12", {"1.3", "2022.12"}), "");
}

// A since that nobody can read would be in force for ever.
TEST(Editions, MostRowsNameARelease) {
  size_t free = 0;
  for (const RequirementRow& row : Register()) {
    free += NotYetInForce(row, {}, {"0.0", "2000.01"}).empty() ? 1 : 0;
  }
  EXPECT_LT(free, 12u);
  for (const Case& c : Catalogue()) {
    if (c.requirement->since.starts_with("merged")) continue;
    EXPECT_EQ(NotYetInForce(*c.requirement, c.script->script, {}), "") << c.id;
  }
}

}  // namespace
}  // namespace dlpc
