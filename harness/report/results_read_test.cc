#include <gmock/gmock.h>

#include "harness/report.h"
#include "harness/report/testing_sample.h"

namespace dlpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ErrorOf(const std::string& text) {
  const auto read = RunResultFromJson(text);
  EXPECT_FALSE(read);
  return read ? "" : read.error().message;
}

TEST(ResultsRead, WhatIsReadIsWrittenAgainTheSame) {
  for (const RunResult& result : {SampleResult(), LargeResult(300), RunResult{}}) {
    RunResult sample = result;
    Summarize(sample);
    const std::string text = ResultsJson(sample);
    const auto read = RunResultFromJson(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(ResultsJson(*read), text);
  }
}

TEST(ResultsRead, EveryTruncationIsOneErrorLine) {
  const std::string text = ResultsJson(SampleResult());
  for (size_t size = 0; size + 2 < text.size(); size += 1 + size / 50) {
    const std::string error = ErrorOf(text.substr(0, size));
    EXPECT_THAT(error, HasSubstr("unreadable JSON")) << size;
    EXPECT_THAT(error, Not(HasSubstr("\n")));
  }
}

TEST(ResultsRead, NestingIsLimited) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(ErrorOf(deep), HasSubstr("nested deeper"));
  EXPECT_THAT(ErrorOf(std::string(1000000, '[')), HasSubstr("unreadable JSON"));
  const std::string text = ResultsJson(SampleResult());
  EXPECT_THAT(ErrorOf(Replaced(text, "\"claims\": {", "\"claims\": {\"x\": " + deep + ",")),
              HasSubstr("nested deeper"));
}

TEST(ResultsRead, TheFirstWrongFieldIsNamed) {
  const std::string text = ResultsJson(SampleResult());
  const struct {
    const char* from;
    const char* to;
    const char* error;
  } rows[] = {
      {"\"schema\": \"dlpack-conformance-results-1\"",
       "\"schema\": \"dlpack-conformance-results-2\"",
       "schema 'dlpack-conformance-results-2' is not 'dlpack-conformance-results-1'"},
      {"\"schema\"", "\"skema\"", "'schema' is missing"},
      {"\"version\": \"0.1.0\"", "\"version\": 1", "'suite.version' is no text"},
      {"\"cases\": [", "\"cases\": 1, \"other\": [", "'cases' is no list"},
      {"\"cases\": [", "\"cases\": [7,", "cases[0] is no object"},
      {"\"status\": \"pass\"", "\"status\": \"passed\"",
       "'cases[0].status' has the unknown value 'passed'"},
      {"\"level\": \"must\"", "\"level\": 1", "'cases[0].level' is no text"},
      {"\"duration_us\": 120", "\"duration_us\": -1", "'cases[0].duration_us' is no count"},
      {"\"emulated\": null", "\"emulated\": false", "'cases[0].emulated' is no text"},
      {"\"environment\": {", "\"environment\": {\"x\": [],",
       "'environment' holds something that is no text"},
      {"\"partial\": false", "\"partial\": 0", "'summary.partial' is neither true nor false"},
      {"\"requirements_failed\": ", "\"requirements_failed\": 1e99, \"x\": ",
       "'summary.must.requirements_failed' is no count"},
      {"\"wall_s\": 1.5", "\"wall_s\": \"1.5\"", "'wall_s' is no number >= 0"},
      {"\"verdict\": \"nonconformant\"", "\"verdict\": \"good\"", "'verdict' has an unknown value"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ErrorOf(Replaced(text, row.from, row.to)), row.error);
  }
  EXPECT_EQ(ErrorOf("[]"), "no results of a run: not a JSON object");
}

TEST(ResultsRead, NamesAreQuotedAsOneShortLine) {
  const std::string text = ResultsJson(SampleResult());
  const std::string error = ErrorOf(Replaced(
      text, "\"status\": \"pass\"", "\"status\": \"" + std::string(100000, 'x') + "\\n\\u001b\""));
  EXPECT_LT(error.size(), 200u);
  EXPECT_THAT(error, Not(HasSubstr("\n")));
  EXPECT_THAT(error, Not(HasSubstr("\x1b")));
}

TEST(Matrix, DataCannotLeaveItsElement) {
  RunResult other = LargeResult(300);
  other.producer.producer = HostileText();
  const std::string page = MatrixHtml({SampleResult(), other});
  EXPECT_EQ(page.find("<script>document"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("\\u003cscript>document"));
  EXPECT_THAT(page, HasSubstr("SHAPE-03"));
}

TEST(Matrix, NoResultsAreAPageToo) { EXPECT_THAT(MatrixHtml({}), HasSubstr("\"producers\":[]")); }

}  // namespace
}  // namespace dlpc
