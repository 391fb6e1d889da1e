#include "reference/request.h"

#include <gtest/gtest.h>

#include <set>

namespace dlpc {
namespace {

TEST(RequestTest, Texts) {
  Request r;
  EXPECT_EQ(RequestText(r), "");
  r = WithVersion(1, 3);
  EXPECT_EQ(RequestText(r), "max_version=(1, 3)");
  r.copy = Arg::kValue;
  r.copy_value = true;
  EXPECT_EQ(RequestText(r), "max_version=(1, 3), copy=True");
  r.copy_value = false;
  r.stream = Arg::kValue;
  r.stream_value = -1;
  r.device = Arg::kOwn;
  EXPECT_EQ(RequestText(r),
            "stream=-1, max_version=(1, 3), dl_device=x.__dlpack_device__(), copy=False");
  r = {};
  r.device = Arg::kValue;
  r.dl_device = {kDLCUDA, 1};
  r.version = Arg::kNone;
  r.extra = Extra::kUnknownKeyword;
  EXPECT_EQ(RequestText(r), "max_version=None, dl_device=(2, 1), unknown=None");
  r = {};
  r.extra = Extra::kPositional;
  r.copy = Arg::kOdd;
  r.odd = Odd::kStrings;
  EXPECT_EQ(RequestText(r), "None, copy=('1', '0')");
}

TEST(RequestTest, OddValuesDiffer) {
  std::set<std::string_view> texts;
  for (int i = 0; i < static_cast<int>(Odd::kCount_); ++i) {
    EXPECT_TRUE(texts.insert(OddText(static_cast<Odd>(i))).second);
  }
}

}  // namespace
}  // namespace dlpc
