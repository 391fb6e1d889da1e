#include "harness/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using S = CaseStatus;

constexpr std::string_view kToday = "2026-06-15";

CaseResult Case(std::string id, S status, std::string observed = "seen",
                Level level = Level::kMust) {
  CaseResult c;
  c.requirement = id.substr(0, id.find('/'));
  c.id = std::move(id);
  c.status = status;
  c.level = level;
  c.observed = std::move(observed);
  return c;
}

RunResult RunOf(std::vector<CaseResult> cases) {
  RunResult result;
  result.producer.producer = "jax";
  result.producer.version = "0.12.0.1";
  result.producer.interpreter = "CPython 3.13.0";
  result.environment = {{"os", "Linux 6.1"}, {"machine", "x86_64"}};
  result.cases = std::move(cases);
  return result;
}

// The statuses of the cases after the file was applied, and what is stale.
struct Applied {
  std::vector<S> statuses;
  std::vector<std::string> stale;
};

Applied Apply(std::string_view file, RunResult result) {
  const auto entries = ParseExpectations(file, "f");
  EXPECT_TRUE(entries) << entries.error().message;
  if (!entries) return {};
  ApplyExpectations(*entries, kToday, result);
  Applied applied;
  for (const CaseResult& c : result.cases) applied.statuses.push_back(c.status);
  applied.stale = result.stale_expectations;
  return applied;
}

TEST(Expectations, KnownFailuresAreExpected) {
  const Applied a =
      Apply("# Comment.\n\nCOPY-05 fail bug=https://x/1\r\nDEV-06/place/* crash\n",
            RunOf({Case("COPY-05/a", S::kFail), Case("DEV-06/place/b", S::kCrash),
                   Case("DEV-06/other", S::kFail), Case("COPY-05/n", S::kNotSupported)}));
  EXPECT_THAT(a.statuses, ElementsAre(S::kXFail, S::kXFail, S::kFail, S::kNotSupported));
  EXPECT_THAT(a.stale, IsEmpty());
}

// Each way in which an entry can rot is named and makes the run unexpected.
TEST(Expectations, RotIsNamed) {
  struct Rot {
    const char* line;
    const char* said;
    S status;
  };
  const Rot rots[] = {
      {"CAP-01/passes fail owner=ann", "f:1: CAP-01/passes passes, owner ann", S::kXPass},
      {"CAP-02/x fail message=\"other text\"", "f:1: CAP-02/x fails in another way: seen",
       S::kFail},
      {"CAP-02/x crash", "f:1: CAP-02/x is fail, expected crash", S::kFail},
      {"CAP-02/x fail expires=2026-06-15 bug=u", "f:1: CAP-02/x expired on 2026-06-15, u",
       S::kFail},
      {"CAP-99/* fail", "f:1: no executed case matches CAP-99/*", S::kFail},
      {"CAP-03/* fail", "f:1: no executed case matches CAP-03/*", S::kFail},
  };
  for (const Rot& rot : rots) {
    const bool first = rot.status == S::kXPass;
    RunResult result = RunOf({Case("CAP-01/passes", S::kPass), Case("CAP-02/x", S::kFail),
                              Case("CAP-03/s", S::kSkipped)});
    const Applied a = Apply(rot.line, std::move(result));
    EXPECT_THAT(a.stale, ElementsAre(HasSubstr(rot.said))) << rot.line;
    EXPECT_EQ(a.statuses[first ? 0 : 1], rot.status) << rot.line;
  }
}

TEST(Expectations, APartialRunMayMissEntries) {
  RunResult result = RunOf({Case("CAP-01/x", S::kFail)});
  result.partial = true;
  EXPECT_THAT(Apply("CAP-99/* fail", std::move(result)).stale, IsEmpty());
}

TEST(Expectations, ConditionsHold) {
  const char* holding[] = {"producer=jax",      "producer=j*",
                           "version=0.12.*",    "version>=0.12",
                           "version<0.13",      "version>0.9 version<1",
                           "version!=0.11.*",   "interpreter=\"CPython 3.13*\"",
                           "platform=*x86_64",  "device=cpu",
                           "expires=2026-06-16"};
  for (const char* condition : holding) {
    const Applied a =
        Apply(std::string("CAP-01/x fail ") + condition, RunOf({Case("CAP-01/x", S::kFail)}));
    EXPECT_THAT(a.statuses, ElementsAre(S::kXFail)) << condition;
  }
  const char* not_holding[] = {"producer=numpy", "version<0.12", "version>=0.12.1",
                               "platform=*aarch64", "producer!=jax"};
  for (const char* condition : not_holding) {
    const Applied a =
        Apply(std::string("CAP-01/x fail ") + condition, RunOf({Case("CAP-01/x", S::kFail)}));
    EXPECT_THAT(a.statuses, ElementsAre(S::kFail)) << condition;
    EXPECT_THAT(a.stale, IsEmpty()) << condition;
  }
}

TEST(Expectations, DeviceIsTheEmulatedProfile) {
  CaseResult c = Case("DEV-06/x/tpu-pinned", S::kFail);
  c.emulated = "tpu-pinned";
  EXPECT_THAT(Apply("DEV-06/* fail device=tpu-*", RunOf({c})).statuses, ElementsAre(S::kXFail));
  EXPECT_THAT(Apply("DEV-06/* fail device=cpu", RunOf({c})).statuses, ElementsAre(S::kFail));
}

TEST(Expectations, BadLinesAreNamed) {
  const std::pair<std::string, const char*> bad[] = {
      {"ok/* fail\nCAP-01", "f:2: '' is no expected status"},
      {"CAP-01 pass", "f:1: 'pass' is no expected status"},
      {"CAP-01 fail nonsense=1", "unknown word 'nonsense'"},
      {"CAP-01 fail loose", "'loose' has no value"},
      {"CAP-01 fail version~1", "'version~1' has no value"},
      {"CAP-01 fail producer<1", "'producer<' is no condition"},
      {"CAP-01 fail message=\"open", "does not end"},
      {"CAP-01 fail message=\"a\"b", "does not end"},
      {"CAP-01 fail expires=2026-02-30", "is no day"},
      {"CAP-01 fail expires=soon", "is no day"},
      {"CAP-01 fail bug=a bug=b", "bug is given twice"},
      {std::string("CAP-01 fail\0x", 13), "control characters"},
      {std::string(5000, 'x'), "longer than"},
      {"*a*a*a*a*a*a*a*a*b fail", "more than 8 '*'"},
  };
  for (const auto& [text, said] : bad) {
    const auto entries = ParseExpectations(text, "f");
    ASSERT_FALSE(entries) << text;
    EXPECT_THAT(entries.error().message, HasSubstr(said));
  }
}

TEST(CompareVersions, NumbersAndPreReleases) {
  EXPECT_EQ(CompareVersions("0.9", "0.12"), -1);
  EXPECT_EQ(CompareVersions("1.0", "1"), 0);
  EXPECT_EQ(CompareVersions("2.15.0+cpu", "2.15"), 0);
  EXPECT_EQ(CompareVersions("2.0rc1", "2.0"), -1);
  EXPECT_EQ(CompareVersions("2.0.dev3", "2.0"), -1);
  EXPECT_EQ(CompareVersions("1.0.post1", "1.0"), 0);
  EXPECT_EQ(CompareVersions("", "0"), 0);
}

TEST(ExpectationsOf, IsMinimalAndGreen) {
  const RunResult result =
      RunOf({Case("CAP-01/a/1", S::kFail, "the value was 0x12 once"),
             Case("CAP-01/a/2", S::kFail, "the value was 0x77 once"), Case("CAP-01/b/1", S::kPass),
             Case("CAP-02/a/1", S::kCrash), Case("CAP-02/a/2", S::kNotApplicable),
             Case("CAP-03/a", S::kFail, "info", Level::kInfo), Case("CAP-04/a", S::kPass)});
  const auto earlier = ParseExpectations("CAP-01/a/* fail bug=https://x/1 owner=ann", "old");
  const auto text = ExpectationsOf(result, *earlier);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "# Known failures of jax 0.12.0.1. Format: docs/expectations.md\n"
            "CAP-01/a/* fail producer=\"jax\" message=\"the value was \" bug=\"https://x/1\" "
            "owner=\"ann\"\n"
            "CAP-02/a/1 crash producer=\"jax\"\n");
  const Applied a = Apply(*text, result);
  EXPECT_THAT(a.stale, IsEmpty());
  EXPECT_THAT(a.statuses, ElementsAre(S::kXFail, S::kXFail, S::kPass, S::kXFail, S::kNotApplicable,
                                      S::kFail, S::kPass));

  // Of a run that was judged by that file the same file comes out.
  RunResult judged = result;
  const auto entries = ParseExpectations(*text, "f");
  ApplyExpectations(*entries, kToday, judged);
  EXPECT_EQ(*ExpectationsOf(judged, *entries), *text);
}

TEST(ExpectationsOf, RefusesAPartialRun) {
  RunResult result = RunOf({Case("CAP-01/a", S::kFail)});
  result.partial = true;
  EXPECT_FALSE(ExpectationsOf(result, {}));
}

}  // namespace
}  // namespace dlpc
