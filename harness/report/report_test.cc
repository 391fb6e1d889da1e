#include "harness/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "harness/report/testing_sample.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json Page(const RunResult& result) {
  const std::string html = HtmlReport(result);
  const std::string_view open = R"(<script type="application/json" id="data">)";
  const size_t begin = html.find(open) + open.size();
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin), nullptr, false);
}

TEST(ResultsJson, HasTheFieldsOfTheContract) {
  const json j = json::parse(ResultsJson(SampleResult()));
  for (const char* key :
       {"schema", "suite", "spec", "producer", "environment", "claims", "cases", "requirements",
        "summary", "verdict", "wall_s", "checks_per_s", "apart"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  EXPECT_EQ(j.size(), 13U);
  EXPECT_EQ(j["producer"]["name"], "vendor");
  EXPECT_EQ(j["claims"]["dtypes"][0], "float32");
  EXPECT_EQ(j["verdict"], "nonconformant");
  EXPECT_EQ(j["cases"].size(), SampleResult().cases.size());
  EXPECT_TRUE(j["cases"][0]["emulated"].is_null());
  EXPECT_EQ(j["requirements"][1]["counts"], json({{"fail", 5}, {"pass", 1}}));
}

TEST(ResultsJson, HostileTextIsKeptUpToInvalidBytes) {
  RunResult r = SampleResult();
  r.producer.producer = std::string("a\0\"\xff", 4);
  r.wall_s = 0.0 / 0.0 * r.wall_s;
  const json j = json::parse(ResultsJson(r));
  EXPECT_EQ(j["producer"]["name"], std::string("a\0\"\xEF\xBF\xBD", 6));
  EXPECT_EQ(j["wall_s"], 0);
}

TEST(ResultsJson, ClaimsThatAreNoObjectAreKeptAsText) {
  for (const std::string& claims : {std::string("[1]"), std::string("{oops"), std::string("\xff"),
                                    std::string(200'000, '['), R"({"a":)" + std::string(99, '[')}) {
    RunResult r = SampleResult();
    r.producer.json = claims;
    const json j = json::parse(ResultsJson(r));
    EXPECT_TRUE(j["claims"].contains("unreadable")) << claims.substr(0, 9);
  }
}

TEST(EmptyRun, EveryReportIsWritten) {
  RunResult r;
  Summarize(r);
  EXPECT_EQ(json::parse(ResultsJson(r))["verdict"], "partial");
  EXPECT_TRUE(pugi::xml_document().load_string(JUnitXml(r).c_str()));
  EXPECT_EQ(Page(r)["requirements"].size(), 0U);
  EXPECT_THAT(MarkdownSummary(r), HasSubstr("partial"));
  EXPECT_THAT(TextReport(r, false), HasSubstr("cases   none"));
  EXPECT_EQ(TracesJsonl({}), "");
}

class JUnit : public testing::Test {
 protected:
  void SetUp() override {
    const std::string xml = JUnitXml(SampleResult());
    ASSERT_TRUE(document_.load_buffer(xml.data(), xml.size()));
    for (const auto& suite : root().children("testsuite")) {
      for (const auto& node : suite.children("testcase"))
        first_.emplace(suite.attribute("name").value(), node);
    }
  }
  pugi::xml_node root() { return document_.child("testsuites"); }
  pugi::xml_document document_;
  std::map<std::string, pugi::xml_node> first_;  // First case of each requirement.
};

TEST_F(JUnit, OnlyNewsIsRed) {
  EXPECT_TRUE(first_["SHAPE-03"].child("failure"));
  EXPECT_STREQ(first_["SHAPE-03"].child("failure").attribute("message").value(),
               "expected the rule\nobserved what was seen");
  EXPECT_STREQ(first_["MEM-01"].child("failure").attribute("type").value(), "crash");
  EXPECT_TRUE(first_["MEM-02"].child("failure"));
  EXPECT_TRUE(first_["COPY-02"].child("failure"));
  EXPECT_TRUE(first_["DT-01"].child("error"));
  for (const char* skipped : {"COPY-01", "VER-01", "VER-02", "STREAM-01"}) {
    EXPECT_TRUE(first_[skipped].child("skipped")) << skipped;
    EXPECT_FALSE(first_[skipped].child("failure")) << skipped;
  }
  for (const char* green : {"DEV-01", "ABI-02", "ERR-01", "ERR-02"}) {
    EXPECT_FALSE(first_[green].child("failure")) << green;
    EXPECT_FALSE(first_[green].child("error")) << green;
  }
  EXPECT_TRUE(first_["ABI-02"].child("system-out"));
  EXPECT_TRUE(first_["MEM-01"].child("system-err"));
}

TEST_F(JUnit, TotalsAreThoseOfTheCases) {
  size_t failures = 0;
  for (const auto& n : document_.select_nodes("//failure")) failures += bool(n.node());
  EXPECT_EQ(root().attribute("failures").as_uint(), failures);
  EXPECT_EQ(root().attribute("tests").as_uint(), SampleResult().cases.size());
  EXPECT_EQ(root().attribute("errors").as_uint(), 1U);
  EXPECT_EQ(root().attribute("skipped").as_uint(), 4U);
}

TEST(JUnitXml, HoldsOnlyCharactersOfXml) {
  const std::string xml = JUnitXml(SampleResult());
  EXPECT_EQ(XmlText(xml), xml);
  EXPECT_THAT(xml, Not(HasSubstr("&#0;")));
  EXPECT_THAT(xml, Not(HasSubstr("&#27;")));
}

TEST(Unicode, XmlTextReplacesWhatXmlForbids) {
  EXPECT_EQ(XmlText("a\tb"), "a\tb");
  EXPECT_EQ(XmlText(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(XmlText("\xff\xc3("), "\uFFFD\uFFFD(");
  EXPECT_EQ(XmlText("\uFFFE\U0001F600"), "\uFFFD\U0001F600");
  EXPECT_EQ(XmlText("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // A surrogate.
  EXPECT_EQ(XmlText("\xc0\xaf \xe2\x82"), "\uFFFD\uFFFD \uFFFD\uFFFD");
  EXPECT_EQ(XmlText("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // Beyond U+10FFFF.
}

TEST(Unicode, OneLineMakesControlsVisible) {
  EXPECT_EQ(OneLine("a\nb\x1b[31m\xff\xE2\x80\xAE", 99), "a\\nb\\x1b[31m\\xff\\u202e");
  EXPECT_EQ(OneLine("\U0001F600\U0001F600\U0001F600", 2), "\U0001F600\U0001F600... (1 more)");
  EXPECT_EQ(OneLine("", 0), "");
}

TEST(HtmlReport, DataCannotEndItsElement) {
  const RunResult r = SampleResult();
  const json page = Page(r);
  ASSERT_FALSE(page.is_discarded());
  EXPECT_EQ(page["requirements"].size(), r.requirements.size());
  const std::string html = HtmlReport(r);
  EXPECT_THAT(html, Not(HasSubstr("owned'</script>")));
  EXPECT_THAT(html, Not(HasSubstr("@@RESULTS@@")));
  EXPECT_THAT(html, Not(HasSubstr("innerHTML")));
  EXPECT_THAT(html, Not(testing::ContainsRegex("(src|href)=\"?http")));
}

TEST(HtmlReport, PassingCasesAreShort) {
  const json page = Page(SampleResult());
  const json& shape = page["requirements"][1];
  ASSERT_EQ(shape["id"], "SHAPE-03");
  EXPECT_TRUE(shape["cases"][0].is_object());
  EXPECT_EQ(shape["cases"][5], json({"SHAPE-03/int8/1d", "strides (1,)"}));
  EXPECT_EQ(page["scripts"].size(), 1U);
}

TEST(MarkdownSummary, VendorTextIsNoMarkup) {
  const std::string md = MarkdownSummary(SampleResult());
  EXPECT_THAT(md, Not(HasSubstr("<script")));
  EXPECT_THAT(md, Not(HasSubstr(std::string(200, 'x'))));
  EXPECT_THAT(md, HasSubstr("| SHAPE-03 | must | Strides are given. | 5/6 | strides (3, 1) | "
                            "strides is NULL |"));
  // Six columns, whatever the texts hold.
  size_t rows = 0;
  std::istringstream lines(md);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    ++rows;
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    }
    EXPECT_EQ(bars, 7U) << line;
  }
  EXPECT_EQ(rows, 4U + 1U + 7U);  // Levels and their head; failures and theirs.
}

// The whole report of a small run, so that a change of its looks is seen.
TEST(TextReport, Golden) {
  RunResult all = SampleResult();
  RunResult r = all;
  r.requirements.clear();
  r.cases.clear();
  const auto keep = [](const std::string& id) {
    return id == "DEV-01" || id == "SHAPE-03" || id == "MEM-01" || id == "DT-01" || id == "ABI-02";
  };
  for (auto& q : all.requirements) {
    if (keep(q.id)) r.requirements.push_back(q);
  }
  for (auto& c : all.cases) {
    if (keep(c.requirement)) r.cases.push_back(c);
  }
  Summarize(r);
  EXPECT_EQ(
      TextReport(r, false),
      R"(vendor 1.2.3 (python, CPython 3.12.1): nonconformant, 4 of 4 MUST requirements checked
DLPack 1.3, array API 2025.12, suite 0.1.0; 10 cases in 1.50 s, 3000 checks/s
note: gave up after 40 deaths

requirements                                  pass    FAIL    warn    note   known   error untested    cases
DEV     Device mapping                           1       .       .       .       .       .        .        1
SHAPE   Shape, strides, alignment                .       1       .       .       .       .        .        6
MEM     Ownership, deleter, threads              .       1       .       .       .       .        .        1
DT      Data types                               .       .       .       .       .       1        .        1
ABI     Struct layout and fields                 .       .       1       .       .       .        .        1

MUST requirements that are not met

  SHAPE-03  Strides are given.
    5 of 6 cases fail; dlpack.h 1.3, DLTensor.strides
    expected  strides (3, 1)
    observed  strides is NULL
              in SHAPE-03/int8/plain/0 and 3 more cases alike
    expected  the rule
    observed  what was seen
              in SHAPE-03/float32/plain
    remedy    Fill in compact strides when the array is contiguous.

  MEM-01  Deleters do not crash.
    1 of 1 case fails; dlpack.h 1.3, DLTensor.strides
    expected  the rule
    crash     SIGSEGV in step 2 (export)
    way out   copy=True
              in MEM-01/float32/plain
              repro repro/MEM-01.py
    remedy    Fill in compact strides when the array is contiguous.

Warnings: SHOULD requirements that are not met

  ABI-02  Undefined flags are zero.
    1 of 1 case fails; dlpack.h 1.3, DLTensor.strides
    expected  the rule
    observed  what was seen
              in ABI-02/float32/plain
    remedy    Fill in compact strides when the array is contiguous.

Errors of the suite, the adapter or this machine
  DT-01/float32/plain
    make() raised

Expectations that do not hold
  VER-01/* fail

MUST    2 failed, 1 with errors, 1 passed
SHOULD  1 failed
info    none
cases   1 crash, 1 error, 6 fail, 2 pass
vendor 1.2.3: nonconformant, 4 of 4 MUST requirements checked
)");
}

TEST(TextReport, NoControlCharacterOfAVendorReachesTheTerminal) {
  const std::string text = TextReport(SampleResult(), false);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_THAT(text, Not(HasSubstr(std::string(500, 'x'))));
}

TEST(TextReport, ColoursOnlyWhenAsked) {
  EXPECT_THAT(TextReport(SampleResult(), true), HasSubstr("\x1b[31m"));
  EXPECT_THAT(TextReport(SampleResult(), false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace dlpc
