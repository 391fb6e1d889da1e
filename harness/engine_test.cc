#include "harness/engine.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>

#include "harness/testing/fake_behaviour.h"
#include "harness/wire.h"

namespace dlpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = Outcome::Kind;

HostCommand FakeHost(const std::string& mode = "serve") { return {DLPC_FAKE_HOST, {mode}, {}}; }

EngineOptions QuickOptions() {
  EngineOptions options;
  options.timeout_s = 0.5;
  options.memory_mb = 160;
  options.batch = 16;
  return options;
}

/// Step 0 makes the array that makes the host misbehave; step 1 tells the scripts apart.
Script FakeScript(int64_t behaviour, uint32_t number) {
  ArraySpec spec;
  spec.layout = Contiguous({behaviour});
  return ScriptBuilder(spec).MakeRefusal(1, number).Build();
}

using Behaviours = std::map<size_t, FakeBehaviour>;

/// `count` good scripts but for `bad`.
std::vector<Script> FakeScripts(size_t count, const Behaviours& bad) {
  std::vector<Script> scripts;
  for (size_t i = 0; i < count; ++i) {
    const auto found = bad.find(i);
    scripts.push_back(
        FakeScript(found == bad.end() ? kFakeGood : found->second, static_cast<uint32_t>(i)));
  }
  return scripts;
}

std::vector<const Script*> Pointers(const std::vector<Script>& scripts) {
  std::vector<const Script*> pointers;
  for (const Script& script : scripts) pointers.push_back(&script);
  return pointers;
}

std::vector<Outcome> RunAll(Engine& engine, const std::vector<Script>& scripts) {
  return engine.Run(Pointers(scripts), nullptr);
}

std::vector<Outcome> RunBad(size_t count, const Behaviours& bad, EngineOptions options,
                            HostCommand command = FakeHost()) {
  Engine engine(std::move(command), options);
  return RunAll(engine, FakeScripts(count, bad));
}

/// All outcomes but those of `bad` are the right traces of their own scripts.
void ExpectGood(const std::vector<Outcome>& outcomes, const Behaviours& bad) {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (bad.contains(i)) continue;
    ASSERT_EQ(outcomes[i].kind, Kind::kTrace) << i << ": " << outcomes[i].text;
    ASSERT_EQ(outcomes[i].trace.steps.size(), 2U) << i;
    const auto* made = std::get_if<Made>(&outcomes[i].trace.steps[1]);
    ASSERT_NE(made, nullptr) << i;
    EXPECT_EQ(made->description, std::to_string(i));
  }
}

// ---- Deaths -------------------------------------------------------------------------------------

struct Misbehaviour {
  const char* name;
  FakeBehaviour behaviour;
  Kind kind;
  const char* text;  // Start of the outcome's text.
};

const Misbehaviour kMisbehaviours[] = {
    {"Segfault", kFakeSegfault, Kind::kCrash, "SIGSEGV in step 0 (make) (confirmed alone)"},
    {"Abort", kFakeAbort, Kind::kCrash, "SIGABRT in step 0 (make) (confirmed alone)"},
    {"Exit3", kFakeExit3, Kind::kCrash, "host exited with code 3 in step 0 (make) (conf"},
    {"Exit0", kFakeExit0, Kind::kCrash, "host exited with code 0 in step 0 (make) (conf"},
    {"Hang", kFakeHang, Kind::kTimeout,
     "no answer within 0.5 s in step 0 (make) (confirmed alone)"},
    {"PrintThenAbort", kFakePrintThenAbort, Kind::kCrash, "SIGABRT in step 0 (make)"},
    {"CloseDescriptors", kFakeCloseDescriptors, Kind::kCrash, "host exited with code 0"},
    {"EatMemory", kFakeEatMemory, Kind::kCrash, "used more than 160 MB of memory in step 0 (make)"},
    {"GarbageReply", kFakeGarbageReply, Kind::kCrash, "host sent bytes that are no frame"},
    {"LongFrame", kFakeLongFrame, Kind::kCrash, "host sent a frame of 1073741824 bytes, more than"},
    {"DetachedChild", kFakeDetachedChild, Kind::kCrash, "SIGABRT in step 0 (make)"},
};

class EngineDeath : public ::testing::TestWithParam<Misbehaviour> {};

TEST_P(EngineDeath, IsChargedToItsScriptsAndToNoOther) {
  Behaviours bad;
  for (const size_t index : {0, 77, 78, 199}) bad[index] = GetParam().behaviour;
  if (GetParam().kind == Kind::kTimeout) bad.erase(0), bad.erase(199);
  EngineOptions options = QuickOptions();
  if (GetParam().behaviour == kFakeEatMemory) options.timeout_s = 10;  // Memory may be slow.
  Engine engine(FakeHost(), options);
  const auto outcomes = RunAll(engine, FakeScripts(200, bad));
  ExpectGood(outcomes, bad);
  for (const auto& [index, behaviour] : bad) {
    EXPECT_EQ(outcomes[index].kind, GetParam().kind) << index << ": " << outcomes[index].text;
    EXPECT_THAT(outcomes[index].text, StartsWith(GetParam().text)) << index;
    EXPECT_EQ(outcomes[index].died_in, -1);
  }
  EXPECT_EQ(engine.stats().deaths, static_cast<int>(bad.size()));
}

INSTANTIATE_TEST_SUITE_P(All, EngineDeath, ::testing::ValuesIn(kMisbehaviours),
                         [](const auto& row) { return row.param.name; });

TEST(Engine, DeathsOfManyKindsInOneRun) {
  Behaviours bad;
  size_t index = 3;
  for (const Misbehaviour& row : kMisbehaviours) {
    if (row.behaviour != kFakeEatMemory) bad[index += 13] = row.behaviour;
  }
  const auto outcomes = RunBad(200, bad, QuickOptions());
  ExpectGood(outcomes, bad);
  for (const auto& [at, behaviour] : bad) {
    const Misbehaviour& row = *std::find_if(
        std::begin(kMisbehaviours), std::end(kMisbehaviours),
        [wanted = behaviour](const Misbehaviour& m) { return m.behaviour == wanted; });
    EXPECT_EQ(outcomes[at].kind, row.kind) << row.name << ": " << outcomes[at].text;
    EXPECT_THAT(outcomes[at].text, StartsWith(row.text));
  }
}

TEST(Engine, OutputOfTheHostIsKeptAsValidText) {
  const auto outcomes = RunBad(4, {{2, kFakePrintThenAbort}}, QuickOptions());
  const std::string& tail = outcomes[2].stderr_tail;
  EXPECT_GT(tail.size(), 4096U);
  EXPECT_EQ(tail, CleanText(tail));
  EXPECT_THAT(tail, HasSubstr("\xE2\x82\xAC\xEF\xBF\xBD?z\xE2\x82\xAC"));
  EXPECT_TRUE(outcomes[1].stderr_tail.empty());
}

TEST(Engine, ExceptionOutOfTheBackendIsTheAdaptersFault) {
  const auto outcomes = RunBad(4, {{2, kFakeThrow}}, QuickOptions());
  ExpectGood(outcomes, {});
  const auto* fault = std::get_if<AdapterFault>(&outcomes[2].trace.steps[0]);
  ASSERT_NE(fault, nullptr);
  EXPECT_THAT(fault->text, HasSubstr("thrown by the producer"));
}

TEST(Engine, FloodOfOutputIsNoDeath) {
  const Behaviours loud{{5, kFakePrintGarbage}, {150, kFakePrintGarbage}};
  ExpectGood(RunBad(200, loud, QuickOptions()), {});
}

// ---- Blame --------------------------------------------------------------------------------------

TEST(EngineBlame, EarlierScriptThatPoisonsALaterOne) {
  const Behaviours bad{{30, kFakeTriggered}, {41, kFakePoison}, {120, kFakeTriggered}};
  const auto outcomes = RunBad(200, bad, QuickOptions());
  ExpectGood(outcomes, {{41, kFakePoison}});
  EXPECT_EQ(outcomes[41].kind, Kind::kCrash);
  EXPECT_EQ(outcomes[41].text,
            "the host died later, in step 0 (make) of script 120, because of this script: SIGABRT");
  EXPECT_EQ(outcomes[41].died_in, 120);
}

TEST(EngineBlame, EarlierScriptThatKillsAnyLaterOne) {
  const auto outcomes = RunBad(200, {{41, kFakeTimeBomb}}, QuickOptions());
  ExpectGood(outcomes, {{41, kFakeTimeBomb}});
  EXPECT_EQ(outcomes[41].kind, Kind::kCrash);
  EXPECT_EQ(outcomes[41].died_in, 46);
  EXPECT_THAT(outcomes[41].text, HasSubstr("(only with scripts between them)"));
}

TEST(EngineBlame, DeathThatDoesNotComeBack) {
  HostCommand command = FakeHost();
  const std::string file = ::testing::TempDir() + fmt::format("dlpc_fake_once_{}", getpid());
  command.env.push_back("DLPC_FAKE_ONCE=" + file);
  const auto outcomes = RunBad(50, {{20, kFakeDieOnce}}, QuickOptions(), command);
  unlink(file.c_str());
  ExpectGood(outcomes, {{20, kFakeDieOnce}});
  EXPECT_EQ(outcomes[20].kind, Kind::kCrash);
  EXPECT_EQ(outcomes[20].text,
            "SIGABRT in step 0 (make) (died once, not reproduced alone or in sequence)");
}

TEST(EngineBlame, WithoutConfirmationTheScriptThatRanIsCharged) {
  EngineOptions options = QuickOptions();
  options.confirm = false;
  const Behaviours bad{{41, kFakePoison}, {120, kFakeTriggered}};
  const auto outcomes = RunBad(200, bad, options);
  ExpectGood(outcomes, {{120, kFakeTriggered}});
  EXPECT_EQ(outcomes[120].text, "SIGABRT in step 0 (make)");
}

TEST(Engine, GivesUpAfterManyDeaths) {
  EngineOptions options = QuickOptions();
  options.max_deaths = 3;
  Behaviours bad;
  for (size_t i = 10; i < 60; ++i) bad[i] = kFakeAbort;
  const auto outcomes = RunBad(60, bad, options);
  ExpectGood(outcomes, bad);
  for (size_t i = 10; i < 13; ++i) EXPECT_EQ(outcomes[i].kind, Kind::kCrash) << i;
  for (size_t i = 13; i < 60; ++i) {
    EXPECT_EQ(outcomes[i].kind, Kind::kError) << i;
    EXPECT_EQ(outcomes[i].text, "not run: gave up after 3 host deaths");
  }
}

// ---- Start --------------------------------------------------------------------------------------

std::string StartError(const HostCommand& command, double timeout_s = 5) {
  EngineOptions options = QuickOptions();
  options.timeout_s = timeout_s;
  Engine engine(command, options);
  const auto claims = engine.Start();
  return claims ? "it started" : claims.error().message;
}

TEST(EngineStart, TellsWhoIsThere) {
  Engine engine(FakeHost(), QuickOptions());
  const auto claims = engine.Start();
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_EQ(claims->producer, "fake");
  EXPECT_EQ(claims->version, "1.0");
  EXPECT_GT(engine.stats().host_start_rss_kb, 0U);
  EXPECT_GT(engine.stats().start_s, 0);
}

TEST(EngineStart, ErrorsAreOneClearLine) {
  EXPECT_EQ(StartError(FakeHost("failure")), "adapter.py, line 3: no such module: x");
  EXPECT_EQ(StartError(FakeHost("exit")),
            "host exited with code 4 before it was ready: ImportError: no x");
  EXPECT_EQ(StartError(FakeHost("abort")), "host died of SIGABRT before it was ready");
  EXPECT_EQ(StartError(FakeHost("hang"), 0.05), "host was not ready within 0.6 s");
  EXPECT_EQ(StartError(FakeHost("garbage")),
            "host sent bytes that are no frame before it was ready");
  EXPECT_EQ(StartError({"/nowhere/python3", {}, {}}),
            "cannot run /nowhere/python3: No such file or directory");
  EXPECT_EQ(StartError({"/", {}, {}}), "cannot run /: Permission denied");
}

TEST(EngineStart, ErrorReachesEveryOutcomeOfRun) {
  for (const Outcome& outcome : RunBad(3, {}, QuickOptions(), FakeHost("failure"))) {
    EXPECT_EQ(outcome.kind, Kind::kError);
    EXPECT_EQ(outcome.text, "not run: adapter.py, line 3: no such module: x");
  }
}

// ---- Order, jobs, hygiene
// -------------------------------------------------------------------------

TEST(Engine, TwoJobsGiveWhatOneGives) {
  const Behaviours bad{{5, kFakeAbort},    {80, kFakeExit3},      {81, kFakeThrow},
                       {120, kFakePoison}, {140, kFakeTriggered}, {199, kFakeGarbageReply}};
  EngineOptions options = QuickOptions();
  const auto one = RunBad(200, bad, options);
  options.jobs = 2;
  const auto two = RunBad(200, bad, options);
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].kind, two[i].kind) << i;
    // Garbage is noticed when it is read: in the step that wrote it, or after the last one.
    if (one[i].text.find("no frame") != std::string::npos) {
      EXPECT_THAT(two[i].text, HasSubstr("no frame")) << i;
      continue;
    }
    EXPECT_EQ(one[i].text, two[i].text) << i;
    EXPECT_EQ(one[i].died_in, two[i].died_in) << i;
  }
  Behaviours charged = bad;
  charged.erase(140);  // Survives: its death is charged to 120.
  ExpectGood(two, charged);
  EXPECT_EQ(two[120].died_in, 140);
}

TEST(Engine, MoreJobsThanScriptsAndNoScripts) {
  EngineOptions options = QuickOptions();
  options.jobs = 8;
  ExpectGood(RunBad(3, {}, options), {});
  EXPECT_TRUE(RunBad(0, {}, options).empty());
}

TEST(Engine, RunsAgainInTheSameHost) {
  Engine engine(FakeHost(), QuickOptions());
  for (int i = 0; i < 3; ++i) {
    const Behaviours bad{{7, kFakeAbort}};
    const auto outcomes = RunAll(engine, FakeScripts(40, bad));
    ExpectGood(outcomes, bad);
    EXPECT_THAT(outcomes[7].text, HasSubstr("SIGABRT in step 0 (make) (confirmed alone)"));
    ExpectGood(RunAll(engine, FakeScripts(40, {})), {});
  }
  EXPECT_EQ(engine.stats().deaths, 3);
}

TEST(Engine, ProgressGrowsToTheTotal) {
  EngineOptions options = QuickOptions();
  options.jobs = 2;
  Engine engine(FakeHost(), options);
  const auto scripts = FakeScripts(500, {{100, kFakeAbort}});
  size_t last = 0;
  engine.Run(Pointers(scripts), [&](size_t done) {
    EXPECT_GT(done, last);
    last = done;
  });
  EXPECT_EQ(last, 500U);
}

TEST(Engine, BigBatchesDoNotDeadlock) {
  EngineOptions options = QuickOptions();
  options.batch = 100'000;
  options.timeout_s = 5;
  ExpectGood(RunBad(30'000, {}, options), {});
}

std::vector<int> OpenDescriptors() {
  std::vector<int> fds;
  for (int fd = 0; fd < 1024; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) fds.push_back(fd);
  }
  return fds;
}

TEST(Engine, LeavesNoDescriptorsAndNoChildren) {
  const auto before = OpenDescriptors();
  EngineOptions options = QuickOptions();
  options.jobs = 2;
  RunBad(60, {{5, kFakeAbort}, {40, kFakeCloseDescriptors}, {50, kFakeDetachedChild}}, options);
  StartError(FakeHost("hang"), 0.05);
  StartError({"/nowhere/python3", {}, {}});
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Engine, HostInheritsNoDescriptorsOfTheRunner) {
  const int fd = open("/dev/null", O_RDONLY);  // Without O_CLOEXEC, as libraries do it.
  Engine engine(FakeHost("descriptors"), QuickOptions());
  const auto claims = engine.Start();
  EXPECT_TRUE(claims) << claims.error().message;
  close(fd);
}

// ---- Wire ---------------------------------------------------------------------------------------

TEST(Wire, FramesArriveInAnyPieces) {
  std::string bytes;
  AppendFrame(Frame::kFailure, "one", bytes);
  AppendFrame(Frame::kQuit, "", bytes);
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  FrameReader reader;
  std::vector<Frame> kinds;
  for (const char c : bytes) {
    ASSERT_EQ(write(fds[1], &c, 1), 1);
    ASSERT_EQ(reader.Fill(fds[0]), FrameReader::FillResult::kData);
    const auto frame = reader.Next();
    ASSERT_TRUE(frame);
    if (*frame) kinds.push_back((*frame)->kind);
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre(Frame::kFailure, Frame::kQuit));
  EXPECT_FALSE(reader.Partial());
  close(fds[1]);
  EXPECT_EQ(reader.Fill(fds[0]), FrameReader::FillResult::kEnd);
  close(fds[0]);
}

TEST(Wire, ClaimsRoundTripAndRejectShortOnes) {
  std::string bytes;
  AppendClaims({"a", "", "native", "x", "yy", "{}"}, bytes);
  const std::span<const uint8_t> payload(reinterpret_cast<const uint8_t*>(bytes.data()) + 12,
                                         bytes.size() - 12);
  const auto claims = ParseClaims(payload);
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->producer, "a");
  EXPECT_EQ(claims->adapter, "yy");
  EXPECT_EQ(claims->json, "{}");
  for (size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(ParseClaims(payload.first(size))) << size;
  }
}

TEST(Wire, CleanTextIsValidUtf8) {
  EXPECT_EQ(CleanText("a\r\nb\tc"), "a\nb\tc");
  EXPECT_EQ(CleanText("\xE2\x82\xAC"), "\xE2\x82\xAC");
  EXPECT_EQ(CleanText("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");             // Cut off.
  EXPECT_EQ(CleanText("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");             // Overlong.
  EXPECT_EQ(CleanText("\xED\xA0\x80"), CleanText("\xFF\xFF\xFF"));          // Surrogate.
  EXPECT_EQ(CleanText("\xF4\x90\x80\x80"), CleanText("\xFF\xFF\xFF\xFF"));  // Above U+10FFFF.
  EXPECT_EQ(CleanText(std::string_view("\0\x1B\x7F", 3)), "???");
}

}  // namespace
}  // namespace dlpc
