#include "conformance/gtest_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <unordered_map>

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;

struct LaneCase {
  size_t lane = 0;
  const Case* c = nullptr;
  size_t place = 0;  // Among those of its lane that were performed.
};

// What the tests of this process share: they are registered before the run and report during it.
struct Shared {
  const std::vector<Lane>* lanes = nullptr;
  int jobs = 1;
  Progress progress;
  std::unordered_map<std::string, LaneCase> by_test;  // "Suite.name"
  std::vector<Performed> performed;                   // Of each lane.
  std::vector<CaseResult> judged;
};

std::string Identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

// Reports one case: it was judged when its script was performed, before the first test.
class CaseTest : public testing::Test {
 public:
  CaseTest(const LaneCase& lane_case, Shared* shared) : case_(lane_case), shared_(shared) {}

  void TestBody() override {
    CaseResult& result = shared_->performed[case_.lane].results[case_.place];
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

  const LaneCase& case_;
  Shared* shared_;
};

// Adds up what the lanes tell; they tell it from several threads.
class TotalProgress {
 public:
  TotalProgress(const Progress& tell, size_t lanes, size_t total)
      : tell_(tell), done_(lanes), total_(total) {}

  void Tell(size_t lane, size_t done) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_[lane] = done;
    tell_(std::accumulate(done_.begin(), done_.end(), size_t{0}), total_);
  }

 private:
  const Progress& tell_;
  std::mutex mutex_;
  std::vector<size_t> done_;
  const size_t total_;
};

size_t CountScripts(const std::vector<const Case*>& cases) {
  std::set<const NamedScript*> scripts;
  for (const Case* c : cases) scripts.insert(c->script);
  return scripts.size();
}

std::vector<Performed> PerformLanes(const Shared& shared,
                                    const std::vector<std::vector<const Case*>>& wanted) {
  const std::vector<Lane>& lanes = *shared.lanes;
  size_t total = 0;
  for (const auto& cases : wanted) total += CountScripts(cases);
  TotalProgress progress(shared.progress, lanes.size(), total);
  std::vector<Performed> performed(lanes.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < lanes.size(); i = next++) {
      if (wanted[i].empty()) continue;
      performed[i] =
          lanes[i].perform(wanted[i], [&, i](size_t done, size_t) { progress.Tell(i, done); });
    }
  };
  std::vector<std::thread> helpers;
  const size_t threads = std::min(lanes.size(), static_cast<size_t>(std::max(shared.jobs, 1)));
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();  // A single lane stays on the thread that started its host.
  for (std::thread& helper : helpers) helper.join();
  return performed;
}

// Performs the scripts of the tests that GoogleTest will run, once per iteration.
class ScriptEnvironment : public testing::Environment {
 public:
  explicit ScriptEnvironment(Shared* shared) : shared_(shared) {}

  void SetUp() override {
    std::vector<std::vector<const Case*>> wanted(shared_->lanes->size());
    size_t count = 0;
    const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
    for (int s = 0; s < unit.total_test_suite_count(); ++s) {
      const testing::TestSuite& suite = *unit.GetTestSuite(s);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        const testing::TestInfo& info = *suite.GetTestInfo(t);
        if (!info.should_run()) continue;
        LaneCase& chosen = shared_->by_test.at(std::string(suite.name()) + "." + info.name());
        chosen.place = wanted[chosen.lane].size();
        wanted[chosen.lane].push_back(chosen.c);
        ++count;
      }
    }
    shared_->judged.clear();
    shared_->judged.reserve(count);
    shared_->performed = PerformLanes(*shared_, wanted);
  }

 private:
  Shared* shared_;
};

void RegisterCases(size_t lane, Shared* shared) {
  const std::string& emulated = (*shared->lanes)[lane].emulated;
  for (const Case* c : (*shared->lanes)[lane].cases) {
    const std::string suite = Identifier(std::string(c->requirement->id));
    std::string name = c->script->name;
    if (!emulated.empty()) name.append("/").append(emulated);
    name = Identifier(name);
    std::string key = suite;
    key.append(".").append(name);
    const LaneCase& lane_case = shared->by_test[key] = {lane, c};  // References stay valid.
    testing::RegisterTest(
        suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [&lane_case, shared]() -> CaseTest* { return new CaseTest(lane_case, shared); });
  }
}

// As in the catalogue, lane after lane within a requirement.
void SortCases(const std::vector<Lane>& lanes, std::vector<CaseResult>& results) {
  std::unordered_map<std::string, size_t> order;
  for (const RequirementRow& row : Register()) order.emplace(row.id, order.size());
  std::unordered_map<std::string, size_t> place;
  for (const Lane& lane : lanes) {
    const std::string suffix = lane.emulated.empty() ? "" : "/" + lane.emulated;
    for (const Case* c : lane.cases) place.emplace(c->id + suffix, place.size());
  }
  std::vector<std::pair<size_t, size_t>> keys;  // Looked up once a case, not once a comparison.
  keys.reserve(results.size());
  for (const CaseResult& c : results) keys.emplace_back(order[c.requirement], place[c.id]);
  std::vector<size_t> at(results.size());
  std::iota(at.begin(), at.end(), size_t{0});
  std::sort(at.begin(), at.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<CaseResult> sorted;
  sorted.reserve(results.size());
  for (const size_t index : at) sorted.push_back(std::move(results[index]));
  results = std::move(sorted);
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

// From the first script that was sent to the last verdict. Scripts that are slow by intent count
// apart: how long they took is told by the hosts.
void FillSpeed(const Shared& shared, RunResult& result) {
  auto first = Clock::time_point::max(), last = Clock::time_point::min();
  std::set<std::string> apart;
  for (size_t i = 0; i < shared.performed.size(); ++i) {
    const Performed& lane = shared.performed[i];
    if (lane.results.empty()) continue;
    first = std::min(first, lane.first_script);
    last = std::max(last, lane.last_verdict);
    for (const auto& [script, outcome] : lane.outcomes) {
      if ((script->tags & kTagApart) == 0) continue;
      apart.insert(WithProfile(script->name, (*shared.lanes)[i].emulated));
      result.apart_s += outcome.trace.duration_us / 1e6;
    }
  }
  result.apart_cases = static_cast<uint32_t>(
      std::count_if(result.cases.begin(), result.cases.end(),
                    [&](const CaseResult& c) { return apart.count(c.script) != 0; }));
  const double wall = last > first ? Seconds(last - first) : 0;
  const double seconds = wall - result.apart_s / std::max(shared.jobs, 1);
  if (seconds > 0) {
    result.checks_per_s = static_cast<double>(result.cases.size() - result.apart_cases) / seconds;
  }
}

}  // namespace

Expected<GtestRun> RunAsTests(const Lanes& lanes, const std::vector<std::string>& gtest_args,
                              const Progress& progress) {
  if (auto unknown = UnknownArgument(gtest_args)) return Error{*unknown};
  static Shared shared;  // Outlives the tests that GoogleTest keeps until exit.
  shared.lanes = &lanes.lanes;
  shared.jobs = lanes.jobs;
  shared.progress = progress;
  for (size_t i = 0; i < lanes.lanes.size(); ++i) RegisterCases(i, &shared);

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
  // Each repetition performs the scripts anew: else it would repeat the verdicts only.
  testing::GTEST_FLAG(recreate_environments_when_repeating) = true;
  GtestRun run;
  run.listed = testing::GTEST_FLAG(list_tests);
  [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // Our statuses give the exit code.

  run.result = EmptyResult(lanes.claims, lanes.editions);
  run.result.cases = std::move(shared.judged);
  SortCases(lanes.lanes, run.result.cases);
  const bool emulated = std::any_of(lanes.lanes.begin(), lanes.lanes.end(),
                                    [](const Lane& lane) { return !lane.emulated.empty(); });
  run.result.partial = emulated || run.result.cases.size() < Catalogue().size();
  FillSpeed(shared, run.result);
  for (size_t i = 0; i < shared.performed.size(); ++i) {
    run.lanes.push_back({lanes.lanes[i].emulated, std::move(shared.performed[i].outcomes)});
  }
  return run;
}

std::vector<ScriptRecord> AllRecords(const GtestRun& run) {
  std::vector<ScriptRecord> records;
  for (const LaneOutcomes& lane : run.lanes) {
    const auto more = ScriptRecords(lane.outcomes, lane.emulated);
    records.insert(records.end(), more.begin(), more.end());
  }
  return records;
}

}  // namespace dlpc
