#include "conformance/leaks.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

namespace dlpc {
namespace {

// What HasLeak looks for, said in another way.
bool Matches(const std::string& text) {
  static const std::regex leak(
      "0x[0-9a-fA-F]{6,}"
      "|(^|[\\s('\"])/[A-Za-z0-9._-]+(/[A-Za-z0-9._+-]+)+"
      "|[A-Za-z0-9_]+\\.(cc|cpp|cu|cuh|h|hpp|pyx|py|rs):[0-9]+");
  return std::regex_search(text, leak);
}

void ExpectSame(const std::string& text) { EXPECT_EQ(HasLeak(text), Matches(text)) << text; }

TEST(Leaks, AreFound) {
  for (const char* text :
       {"at 0x7ffdea", "0xABCDEF01", "0x0x123456", "/usr/lib/x.so", "in '/opt/a'", "(/a/b)",
        "\n/a/+", "\"/a.b/c", "array.cc:1", "see a_b.hpp:12: no", "x.tar.cuh:3", "a\v/b/c"}) {
    EXPECT_TRUE(HasLeak(text)) << text;
    ExpectSame(text);
  }
}

TEST(Leaks, AreNotSeenInOrdinaryTexts) {
  for (
      const char* text :
      {"",      "x",       "/",     ":",       "0x",    "0x12345",      "0x12345g",        "and/or",
       "a /b",  "/a/",     "/a//b", "//a/b",   "a/b/c", "+/a/b",        "dtype: 3",        ".cc:1",
       "a.cc:", "a.cc: 1", "a.c:1", "a.ccc:1", "-.h:2", "1 X 0X123456", "\xe2\x80\x9c/a/b"}) {
    EXPECT_FALSE(HasLeak(text)) << text;
    ExpectSame(text);
  }
}

// Texts of pieces that meet at every odd place.
TEST(Leaks, AreThoseOfTheExpression) {
  const std::vector<std::string> pieces = {
      "0x", "0",    "x",   "12",   "abcdef", "ABC", "g",   "/",        "/a",  "/b/",
      ".",  "-",    "_",   "+",    " ",      "\t",  "\n",  "\r",       "\f",  "\v",
      "(",  "'",    "\"",  ")",    ":",      ":7",  ".cc", ".cpp",     ".cu", ".cuh",
      ".h", ".hpp", ".py", ".pyx", ".rs",    "cc",  "h",   "\xc3\xa9", "\x01"};
  std::mt19937_64 random(1);
  int leaks = 0;
  constexpr int kTexts = 100'000;
  for (int i = 0; i < kTexts; ++i) {
    std::string text;
    for (uint64_t left = random() % 9; left > 0; --left) text += pieces[random() % pieces.size()];
    ASSERT_EQ(HasLeak(text), Matches(text)) << text;
    leaks += HasLeak(text) ? 1 : 0;
  }
  EXPECT_GT(leaks, kTexts / 50);
  EXPECT_LT(leaks, kTexts / 2);
}

}  // namespace
}  // namespace dlpc
