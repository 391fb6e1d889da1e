#include "harness/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dlpc {
namespace {

TEST(ParseJson, ReadsWhatWasWritten) {
  const OrderedJson written = {{"z", 1}, {"a", {1.5, nullptr, "\u00fc"}}};
  EXPECT_EQ(DumpJson(written), "{\"z\":1,\"a\":[1.5,null,\"\u00fc\"]}");
  const Expected<Json> read = ParseJson(DumpJson(written, 2));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, Json({{"a", {1.5, nullptr, "\u00fc"}}, {"z", 1}}));
}

TEST(ParseJson, HostileTextIsOneError) {
  for (const std::string text :
       {"", "{", "[1,", "nul", "\"\xff\"", "{} {}", "1e999", "\"\\ud800\""}) {
    const Expected<Json> json = ParseJson(text);
    ASSERT_FALSE(json) << text;
    EXPECT_THAT(json.error().message, testing::Not(testing::HasSubstr("\n")));
  }
}

TEST(ParseJson, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(kMaxJsonDepth)));
  EXPECT_FALSE(ParseJson(nested(kMaxJsonDepth + 2)));
  const Expected<Json> deep = ParseJson(nested(1'000'000));
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message, testing::HasSubstr("nested deeper"));
}

TEST(DumpJson, ReplacesWhatIsNoUtf8) { EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xef\xbf\xbd\""); }

}  // namespace
}  // namespace dlpc
