#include "conformance/gtest_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;

// What the tests of this process share: they are registered before the run and judge during it.
struct Shared {
  Engine* engine = nullptr;
  const Claims* claims = nullptr;
  std::function<void(size_t, size_t)> progress;
  std::unordered_map<std::string, const Case*> by_test;  // "Suite.name"
  Outcomes outcomes;
  std::vector<CaseResult> judged;
  size_t registered = 0;
  Clock::time_point first_script;
  Clock::time_point last_verdict;
};

std::string Identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

// Judges one case; the script was performed before the first test.
class CaseTest : public testing::Test {
 public:
  CaseTest(const Case* c, Shared* shared) : case_(c), shared_(shared) {}

  void TestBody() override {
    const auto found = shared_->outcomes.find(case_->script);
    ASSERT_TRUE(found != shared_->outcomes.end()) << "the script was not performed";
    CaseResult result = JudgedCase(*case_, found->second, *shared_->claims);
    shared_->last_verdict = Clock::now();
    Tell(result);
    shared_->judged.push_back(std::move(result));
  }

 private:
  // Only a MUST that fails, or an error, fails the test: SHOULD is a warning, info a note.
  void Tell(const CaseResult& result) {
    if ((IsBad(result.status) && result.level == Level::kMust) ||
        result.status == CaseStatus::kError) {
      ADD_FAILURE() << StatusName(result.status) << "\n  expected: " << result.expected
                    << "\n  observed: " << result.observed;
    } else if (IsBad(result.status)) {
      RecordProperty("warning", result.observed);
    } else if (result.status != CaseStatus::kPass) {
      GTEST_SKIP() << StatusName(result.status) << ": " << result.observed;
    }
  }

  const Case* case_;
  Shared* shared_;
};

// Performs the scripts of the tests that GoogleTest will run, once per iteration.
class ScriptEnvironment : public testing::Environment {
 public:
  explicit ScriptEnvironment(Shared* shared) : shared_(shared) {}

  void SetUp() override {
    std::vector<const Case*> wanted;
    const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
    for (int s = 0; s < unit.total_test_suite_count(); ++s) {
      const testing::TestSuite& suite = *unit.GetTestSuite(s);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        const testing::TestInfo& info = *suite.GetTestInfo(t);
        if (!info.should_run()) continue;
        wanted.push_back(shared_->by_test.at(std::string(suite.name()) + "." + info.name()));
      }
    }
    shared_->judged.clear();
    shared_->judged.reserve(wanted.size());
    shared_->first_script = shared_->last_verdict = Clock::now();
    shared_->outcomes = PerformScripts(*shared_->engine, wanted, shared_->progress);
  }

 private:
  Shared* shared_;
};

void RegisterCases(const std::vector<const Case*>& cases, Shared* shared) {
  for (const Case* c : cases) {
    const std::string suite = Identifier(std::string(c->requirement->id));
    const std::string name = Identifier(c->script->name);
    shared->by_test[suite + "." + name] = c;
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [c, shared]() -> CaseTest* { return new CaseTest(c, shared); });
  }
  shared->registered = cases.size();
}

// GoogleTest answers an unknown flag with its whole help; we answer with a line.
std::optional<std::string> UnknownArgument(const std::vector<std::string>& args) {
  static constexpr std::string_view kFlags[] = {"also_run_disabled_tests",
                                                "brief",
                                                "color",
                                                "fail_fast",
                                                "filter",
                                                "flagfile",
                                                "list_tests",
                                                "output",
                                                "print_time",
                                                "print_utf8",
                                                "random_seed",
                                                "repeat",
                                                "shuffle"};
  for (const std::string& arg : args) {
    std::string_view name = arg;
    name = name.substr(0, name.find('='));
    const bool known =
        name.starts_with("--gtest_") &&
        std::find(std::begin(kFlags), std::end(kFlags), name.substr(8)) != std::end(kFlags);
    if (!known) return "GoogleTest has no option " + arg + " for this suite (see: README)";
  }
  return {};
}

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

void FillSpeed(const Shared& shared, RunResult& result) {
  const double seconds = Seconds(shared.last_verdict - shared.first_script);
  if (seconds > 0) result.checks_per_s = static_cast<double>(result.cases.size()) / seconds;
}

}  // namespace

Expected<GtestRun> RunAsTests(Engine& engine, const Claims& claims,
                              const std::vector<const Case*>& cases,
                              const std::vector<std::string>& gtest_args,
                              const std::function<void(size_t, size_t)>& progress) {
  if (auto unknown = UnknownArgument(gtest_args)) return Error{*unknown};
  static Shared shared;  // Outlives the tests that GoogleTest keeps until exit.
  shared.engine = &engine;
  shared.claims = &claims;
  shared.progress = progress;
  RegisterCases(cases, &shared);

  std::vector<std::string> storage = {"dlpack-conformance"};
  storage.insert(storage.end(), gtest_args.begin(), gtest_args.end());
  std::vector<char*> argv;
  for (std::string& arg : storage) argv.push_back(arg.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(storage.size());
  testing::InitGoogleTest(&argc, argv.data());
  if (argc > 1) return Error{std::string("GoogleTest does not know the argument ") + argv[1]};

  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());  // Our reports are better.
  testing::AddGlobalTestEnvironment(new ScriptEnvironment(&shared));
  GtestRun run;
  run.listed = testing::GTEST_FLAG(list_tests);
  [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // Our statuses give the exit code.

  run.result = EmptyResult(claims);
  run.result.cases = std::move(shared.judged);
  std::unordered_map<std::string, size_t> order;
  for (size_t i = 0; i < cases.size(); ++i) order[cases[i]->id] = i;
  std::sort(run.result.cases.begin(), run.result.cases.end(),
            [&](const CaseResult& a, const CaseResult& b) { return order[a.id] < order[b.id]; });
  run.result.partial = run.result.cases.size() < Catalogue().size();
  FillSpeed(shared, run.result);
  run.outcomes = std::move(shared.outcomes);
  return run;
}

}  // namespace dlpc
