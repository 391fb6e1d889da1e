#include "harness/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlpc {
namespace {

using testing::HasSubstr;

RunResult Shard(const std::string& shard, const std::vector<std::string>& ids) {
  RunResult result;
  result.producer.producer = "jax";
  result.environment["shard"] = shard;
  result.partial = true;
  for (const std::string& id : ids) {
    CaseResult c;
    c.id = id;
    c.requirement = id.substr(0, id.find('/'));
    c.status = CaseStatus::kPass;
    result.cases.push_back(c);
  }
  return result;
}

std::string Wrong(std::vector<RunResult> shards) {
  const auto merged = MergeShards(std::move(shards));
  return merged ? "nothing" : merged.error().message;
}

TEST(MergeShards, IsTheWhole) {
  const auto merged = MergeShards({Shard("1/2", {"CAP-02/b"}), Shard("0/2", {"CAP-01/a"})});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->cases.size(), 2);
  EXPECT_EQ(merged->cases[0].id, "CAP-01/a");
  EXPECT_EQ(merged->must.requirements_passed, 2);
  EXPECT_EQ(merged->environment.count("shard"), 0);
  EXPECT_EQ(merged->case_counts.at("pass"), 2);
}

TEST(MergeShards, RefusesGapsDoublesAndMixtures) {
  EXPECT_THAT(Wrong({}), HasSubstr("no shards"));
  EXPECT_THAT(Wrong({Shard("0/2", {"CAP-01/a"})}), HasSubstr("shard 1/2 is missing"));
  EXPECT_THAT(Wrong({Shard("0/2", {}), Shard("0/2", {})}), HasSubstr("0/2 is there twice"));
  EXPECT_THAT(Wrong({Shard("0/2", {}), Shard("1/3", {})}), HasSubstr("shards of 2 and of 3"));
  EXPECT_THAT(Wrong({Shard("0/2", {"CAP-01/a"}), Shard("1/2", {"CAP-01/a"})}),
              HasSubstr("CAP-01/a is in two shards"));
  for (const char* text : {"", "2/2", "-1/2", "0/2x", "0/999999999"}) {
    EXPECT_THAT(Wrong({Shard(text, {})}), HasSubstr("is no shard")) << text;
  }
  RunResult other = Shard("1/2", {});
  other.environment.clear();
  EXPECT_THAT(Wrong({Shard("0/2", {}), other}), HasSubstr("no shard"));
  other = Shard("1/2", {});
  other.producer.version = "2";
  EXPECT_THAT(Wrong({Shard("0/2", {}), other}), HasSubstr("version"));
  other = Shard("1/2", {});
  other.catalogue_sha256 = "x";
  EXPECT_THAT(Wrong({Shard("0/2", {}), other}), HasSubstr("catalogue"));
}

}  // namespace
}  // namespace dlpc
