// Two runs on one machine: what became slower, what allocates more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "harness/benchmarks/benchmarks.h"
#include "harness/benchmarks/statistics.h"

namespace dlpc {
namespace {

constexpr double kLeastChange = 0.10;
constexpr double kSpreads = 3;  // So many times the scatter of either side.
constexpr double kMostP = 0.01;

using Kind = BenchChange::Kind;

const BenchSeries* Same(const BenchRun& run, const BenchSeries& series) {
  const std::string name = series.FullName();
  const auto at = std::find_if(run.series.begin(), run.series.end(),
                               [&](const BenchSeries& other) { return other.FullName() == name; });
  return at == run.series.end() ? nullptr : &*at;
}

void CompareTime(const BenchSeries& before, const BenchSeries& after, BenchComparison& out) {
  const double was = before.median(), is = after.median();
  if (was <= 0 || is <= 0) return;
  const double change = is / was - 1;
  const double noise = kSpreads * std::max(RelativeSpread(before.ns), RelativeSpread(after.ns));
  const double p = MannWhitneyP(before.ns, after.ns);
  if (std::abs(change) <= std::max(kLeastChange, noise) || p >= kMostP) return;
  out.changes.push_back(
      {change > 0 ? Kind::kRegression : Kind::kImprovement, after.FullName(),
       fmt::format("{} -> {} ({:+.0f} %, p {:.4f})", TimeText(was), TimeText(is), 100 * change, p),
       std::abs(change)});
}

void CompareCount(const char* what, double was, double is, const BenchSeries& after,
                  BenchComparison& out) {
  if (was == is) return;
  out.changes.push_back({is > was ? Kind::kMore : Kind::kLess, after.FullName(),
                         fmt::format("{:g} -> {:g} {} per call", was, is, what),
                         std::abs(is - was) / std::max(was, 1.0)});
}

void CompareSeries(const BenchSeries& before, const BenchSeries& after, BenchComparison& out) {
  ++out.compared;
  CompareTime(before, after, out);
  if (!before.heap || !after.heap) return;
  CompareCount("blocks allocated", before.heap->blocks, after.heap->blocks, after, out);
  CompareCount("bytes allocated", before.heap->bytes, after.heap->bytes, after, out);
  CompareCount("blocks kept", before.heap->kept_blocks, after.heap->kept_blocks, after, out);
}

void CompareMemory(const BenchRun& before, const BenchRun& after, BenchComparison& out) {
  for (const auto& [key, was_text] : before.context) {
    if (!IsMemoryKey(key)) continue;
    const auto now = after.context.find(key);
    if (now == after.context.end()) continue;
    const double was = std::atof(was_text.c_str()), is = std::atof(now->second.c_str());
    if (was <= 0 || std::abs(is / was - 1) <= kLeastChange) continue;
    out.changes.push_back({is > was ? Kind::kMore : Kind::kLess, key,
                           fmt::format("{:g} -> {:g} KiB", was, is), std::abs(is / was - 1)});
  }
}

const char* KindText(Kind kind) {
  switch (kind) {
    case Kind::kRegression:
      return "slower";
    case Kind::kMore:
      return "allocates more";
    case Kind::kVanished:
      return "gone";
    case Kind::kImprovement:
      return "faster";
    case Kind::kLess:
      return "allocates less";
    case Kind::kNew:
      return "new";
  }
  return "";
}

}  // namespace

bool BenchComparison::regressed() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const BenchChange& change) { return change.kind <= Kind::kVanished; });
}

BenchComparison CompareBenchmarks(const BenchRun& before, const BenchRun& after) {
  BenchComparison out;
  for (const BenchSeries& was : before.series) {
    if (was.ns.empty()) continue;
    const BenchSeries* const is = Same(after, was);
    const bool asked = std::find(after.producers.begin(), after.producers.end(), was.producer) !=
                       after.producers.end();
    if (!asked) continue;
    if (is != nullptr && !is->ns.empty()) {
      CompareSeries(was, *is, out);
    } else {
      out.changes.push_back(
          {Kind::kVanished, was.FullName(), is == nullptr ? "no longer measured" : is->absent, 0});
    }
  }
  for (const BenchSeries& is : after.series) {
    const BenchSeries* const was = Same(before, is);
    if (is.ns.empty() || (was != nullptr && !was->ns.empty())) continue;
    out.changes.push_back({Kind::kNew, is.FullName(), TimeText(is.median()), 0});
  }
  CompareMemory(before, after, out);
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [](const BenchChange& a, const BenchChange& b) {
                     return std::tuple(a.kind, -a.weight) < std::tuple(b.kind, -b.weight);
                   });
  return out;
}

std::string OtherMachine(const BenchRun& before, const BenchRun& after) {
  for (const char* key : {"machine", "cpu", "num_cpus"}) {
    const auto was = before.context.find(key), is = after.context.find(key);
    const std::string a = was == before.context.end() ? "unknown" : was->second;
    const std::string b = is == after.context.end() ? "unknown" : is->second;
    if (a != b) return fmt::format("the {} differs: {} and {}", key, a, b);
  }
  return "";
}

std::string BenchComparisonText(const BenchComparison& comparison) {
  std::string out;
  for (const BenchChange& change : comparison.changes) {
    out += fmt::format("{:14}  {}: {}\n", KindText(change.kind), change.name, change.text);
  }
  return out + fmt::format("{} loops compared, {} changes: {}\n", comparison.compared,
                           comparison.changes.size(),
                           comparison.regressed() ? "regressed" : "no regression");
}

}  // namespace dlpc
