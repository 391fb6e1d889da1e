#include "harness/benchmarks/benchmarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/benchmarks/statistics.h"

namespace dlpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StatisticsTest, MedianAndSpread) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(RelativeSpread({1, 2, 3}), 0);  // Too few.
  EXPECT_DOUBLE_EQ(RelativeSpread({8, 9, 10, 11, 12}), 0.1);
}

TEST(StatisticsTest, MannWhitney) {
  const std::vector<double> low = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<double> high = {11, 12, 13, 14, 15, 16, 17, 18, 19};
  // U is 0: z = (40.5 - 0.5) / sqrt(81 / 12 * 19) = 3.532.
  EXPECT_NEAR(MannWhitneyP(low, high), 0.000412, 2e-6);
  EXPECT_DOUBLE_EQ(MannWhitneyP(low, high), MannWhitneyP(high, low));
  EXPECT_GT(MannWhitneyP(low, {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5}), 0.5);
  EXPECT_EQ(MannWhitneyP({1, 1, 1}, {1, 1, 1}), 1);
  EXPECT_EQ(MannWhitneyP({}, {1}), 1);
}

TEST(StatisticsTest, Exponents) {
  EXPECT_NEAR(LogSlope({{1, 5}, {10, 50}, {100, 500}}), 1, 1e-12);
  EXPECT_NEAR(LogSlope({{1, 5}, {10, 5}, {100, 5}}), 0, 1e-12);
  EXPECT_NEAR(LogSlope({{1, 1}, {2, 4}, {0, 9}, {4, 16}}), 2, 1e-12);
  EXPECT_EQ(LogSlope({{1, 5}}), 0);
}

BenchSeries Series(const char* topic, const char* name, uint64_t bytes, double ns, double heap) {
  BenchSeries series;
  series.producer = "vendor";
  series.topic = topic;
  series.name = name;
  series.bytes = bytes;
  series.calls = 100;
  for (int i = 0; i < 9; ++i) series.ns.push_back(ns * (1 + 0.001 * i));
  series.heap = HeapPerCall{2, heap, 0};
  return series;
}

BenchRun Sample() {
  BenchRun run;
  run.context = {
      {"date", "2026-01-01T00:00:00Z"}, {"cpu", "x"}, {"num_cpus", "2"}, {"machine", "m"}};
  run.producers = {"vendor"};
  run.versions = {{"vendor", "1.2"}};
  run.series.push_back(Series("Floor", "malloc free", 4096, 20, 100));
  run.series.push_back(Series("Export", "release versioned", 4096, 200, 100));
  for (uint64_t bytes = 1; bytes <= uint64_t{1} << 30; bytes <<= 10) {
    run.series.push_back(Series("Size", "release versioned", bytes, 200, 100));
  }
  BenchSeries absent;
  absent.producer = "vendor";
  absent.topic = "Table";
  absent.name = "owned";
  absent.absent = "there is no exchange table";
  run.series.push_back(absent);
  return run;
}

TEST(BenchmarksTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const BenchCase& c : BenchCases(uint64_t{1} << 30, 16)) {
    BenchSeries series{"p", c.topic, c.name, c.measurement.bytes, 1, 1, 0, {}, {}, ""};
    EXPECT_TRUE(names.insert(series.FullName()).second) << series.FullName();
  }
  EXPECT_GT(names.size(), 40U);
}

TEST(BenchmarksTest, JsonComesBack) {
  const BenchRun run = Sample();
  const auto back = BenchRunFromJson(BenchJson(run));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->context, run.context);
  EXPECT_EQ(back->versions, run.versions);
  EXPECT_EQ(back->producers, run.producers);
  ASSERT_EQ(back->series.size(), run.series.size());
  for (size_t i = 0; i < run.series.size(); ++i) {
    EXPECT_EQ(back->series[i].FullName(), run.series[i].FullName());
    EXPECT_EQ(back->series[i].ns, run.series[i].ns);
    EXPECT_EQ(back->series[i].absent, run.series[i].absent);
    EXPECT_EQ(back->series[i].heap.has_value(), run.series[i].heap.has_value());
  }
  EXPECT_EQ(BenchJson(*back), BenchJson(run));
}

TEST(BenchmarksTest, MemoryOfProcessesIsCompared) {
  BenchRun before = Sample();
  before.context["host_rss_kb of vendor"] = "30000";
  before.context["runner_rss_kb of vendor"] = "40000";
  BenchRun after = before;
  after.context["host_rss_kb of vendor"] = "32000";
  EXPECT_TRUE(CompareBenchmarks(before, after).changes.empty());
  after.context["runner_rss_kb of vendor"] = "50000";
  const BenchComparison comparison = CompareBenchmarks(before, after);
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_TRUE(comparison.regressed());
  EXPECT_EQ(comparison.changes[0].name, "runner_rss_kb of vendor");
  EXPECT_THAT(SmallerIsBetterJson(after), HasSubstr("runner_rss_kb of vendor"));
}

TEST(BenchmarksTest, HostileJsonIsOneError) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"context": 1, "benchmarks": []})", R"({"context": {}})",
        R"({"context": {}, "benchmarks": 3})",
        R"({"context": {}, "benchmarks": [{"run_type": "iteration", "producer": 7}]})"}) {
    EXPECT_FALSE(BenchRunFromJson(text)) << text;
  }
  const auto odd = BenchRunFromJson(
      R"({"context": {"date": 1}, "benchmarks": [7, {"run_type": "iteration", "producer": "p",
          "bytes": -1, "iterations": 1e300, "real_time": "x"}]})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->series.at(0).bytes, 0U);
  EXPECT_TRUE(odd->series.at(0).ns.empty());
}

TEST(BenchmarksTest, FindingsNameGrowthAndLeaks) {
  BenchRun run = Sample();
  EXPECT_TRUE(Findings(run, "vendor").empty());
  BenchRun grows = run;
  for (BenchSeries& s : grows.series) {
    if (s.topic == "Size") s.heap->bytes = 100 + static_cast<double>(s.bytes);
  }
  ASSERT_EQ(Findings(grows, "vendor").size(), 1U);
  EXPECT_THAT(Findings(grows, "vendor")[0], HasSubstr("no zero-copy"));
  BenchRun leaks = run;
  leaks.series[1].heap->kept_blocks = 1;
  ASSERT_EQ(Findings(leaks, "vendor").size(), 1U);
  EXPECT_THAT(Findings(leaks, "vendor")[0], HasSubstr("keeps 1 blocks"));
  BenchRun slow = run;
  for (BenchSeries& s : slow.series) {
    for (double& ns : s.ns) ns = s.topic == "Size" ? static_cast<double>(s.bytes) : ns;
  }
  ASSERT_EQ(Findings(slow, "vendor").size(), 1U);
  EXPECT_THAT(Findings(slow, "vendor")[0], HasSubstr("exponent 1.00"));
}

TEST(BenchmarksTest, ComparisonPutsRegressionsFirst) {
  const BenchRun before = Sample();
  EXPECT_TRUE(CompareBenchmarks(before, before).changes.empty());
  BenchRun after = before;
  for (double& ns : after.series[0].ns) ns *= 0.5;
  for (double& ns : after.series[1].ns) ns *= 1.5;
  after.series[2].heap->blocks = 3;
  after.series[3].ns.clear();
  const BenchComparison comparison = CompareBenchmarks(before, after);
  EXPECT_TRUE(comparison.regressed());
  std::vector<BenchChange::Kind> kinds;
  for (const BenchChange& change : comparison.changes) kinds.push_back(change.kind);
  using K = BenchChange::Kind;
  EXPECT_EQ(kinds, (std::vector<K>{K::kRegression, K::kMore, K::kVanished, K::kImprovement}));
  EXPECT_THAT(comparison.changes[0].text, HasSubstr("+50 %"));
}

TEST(BenchmarksTest, NoiseIsNoRegression) {
  const BenchRun before = Sample();
  BenchRun after = before;
  for (BenchSeries& s : after.series) {
    for (double& ns : s.ns) ns *= 1.08;
  }
  EXPECT_FALSE(CompareBenchmarks(before, after).regressed());
}

TEST(BenchmarksTest, OtherMachinesAreNamed) {
  const BenchRun before = Sample();
  BenchRun after = before;
  EXPECT_EQ(OtherMachine(before, after), "");
  after.context["cpu"] = "y";
  EXPECT_EQ(OtherMachine(before, after), "the cpu differs: x and y");
}

TEST(BenchmarksTest, ReportsHoldEveryRowAndEscape) {
  BenchRun run = Sample();
  run.versions["vendor"] = "</script><script>alert(1)</script>|\n";
  const std::string markdown = BenchMarkdown(run);
  EXPECT_THAT(markdown, HasSubstr("Export release versioned"));
  EXPECT_THAT(markdown, HasSubstr("flat: zero-copy"));
  EXPECT_THAT(markdown, HasSubstr("there is no exchange table"));
  const std::string page = BenchHtml(run, {Sample()});
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
  EXPECT_THAT(SmallerIsBetterJson(run), HasSubstr("\"unit\": \"ns/call\""));
}

TEST(TimingTest, CodingIsTotal) {
  Measurement m{Timed::kThreads, false, 1 << 20, 3, 4, 1000};
  const std::string bytes = EncodeMeasurement(m);
  const auto span = [](const std::string& text) {
    return std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  EXPECT_EQ(EncodeMeasurement(DecodeMeasurement(span(bytes))), bytes);
  EXPECT_EQ(DecodeMeasurement({}).calls, 0U);
  const Timing timing{"why", 7, HeapUse{1, 2, 3}};
  const std::string coded = EncodeTiming(timing);
  const auto back = DecodeTiming(span(coded));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->absent, "why");
  EXPECT_EQ(back->heap->kept_blocks, 3);
  for (size_t i = 0; i < coded.size(); ++i) EXPECT_FALSE(DecodeTiming(span(coded.substr(0, i))));
}

TEST(TimingTest, FloorsAreTimed) {
  const auto floor = TimeFloor({Timed::kMemcpy, true, 1000, 1, 1, 10});
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->absent, "");
  EXPECT_FALSE(TimeFloor({Timed::kDevice, true, 4, 1, 1, 1}));
}

}  // namespace
}  // namespace dlpc
