// The figures as tables, and what the exact counters say.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/benchmarks/benchmarks.h"
#include "harness/benchmarks/statistics.h"

namespace dlpc {
namespace {

constexpr double kFlat = 0.05;  // An exponent below this is no growth.

struct RowKey {
  std::string topic, name;
  uint64_t bytes;
  friend bool operator<(const RowKey& a, const RowKey& b) {
    return std::tie(a.topic, a.name, a.bytes) < std::tie(b.topic, b.name, b.bytes);
  }
};

// Rows in the order of the plan, each once.
std::vector<RowKey> RowsOf(const BenchRun& run) {
  std::vector<RowKey> rows;
  std::set<RowKey> seen;
  for (const BenchSeries& s : run.series) {
    RowKey key{s.topic, s.name, s.bytes};
    if (seen.insert(key).second) rows.push_back(std::move(key));
  }
  return rows;
}

std::string SizeText(uint64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, units[unit]);
}

// Vendors name versions; a bar would end the cell.
std::string Cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string CellOf(const BenchSeries* series, const BenchSeries* floor) {
  if (series == nullptr) return "-";
  std::string text = fmt::format("{} \u00b1{:.0f} %", TimeText(series->median()),
                                 100 * RelativeSpread(series->ns));
  if (floor != nullptr && floor != series && floor->median() > 0) {
    text += fmt::format(", {:.3g}x", series->median() / floor->median());
  }
  if (series->heap) text += fmt::format(", {:g} blocks", series->heap->blocks);
  return text;
}

// What a figure is a ratio to: a copy of the same bytes, or one malloc/free pair.
const BenchSeries* FloorOf(const BenchRun& run, const std::string& producer, const RowKey& row) {
  if (row.topic == "Copy") return run.Find(producer, "Copy", "memcpy", row.bytes);
  if (row.topic == "Suite") return nullptr;
  return run.Find(producer, "Floor", "malloc free", 4096);
}

std::vector<const BenchSeries*> SizesOf(const BenchRun& run, const std::string& producer) {
  std::vector<const BenchSeries*> sizes;
  for (const BenchSeries& s : run.series) {
    if (s.producer == producer && s.topic == "Size" && !s.ns.empty()) sizes.push_back(&s);
  }
  return sizes;
}

}  // namespace

std::string TimeText(double ns) {
  if (ns < 999.5) return fmt::format("{:.3g} ns", ns);
  if (ns < 999.5e3) return fmt::format("{:.3g} us", ns / 1e3);
  if (ns < 999.5e6) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.3g} s", ns / 1e9);
}

std::vector<std::string> Findings(const BenchRun& run, const std::string& producer) {
  std::vector<std::string> findings;
  const auto sizes = SizesOf(run, producer);
  std::vector<std::pair<double, double>> points;
  for (const BenchSeries* s : sizes) points.emplace_back(s->bytes, s->median());
  const double exponent = LogSlope(points);
  if (!sizes.empty() && sizes.front()->heap && sizes.back()->heap) {
    const HeapPerCall &least = *sizes.front()->heap, &most = *sizes.back()->heap;
    const auto grown = static_cast<double>(sizes.back()->bytes - sizes.front()->bytes);
    if (most.bytes - least.bytes >= grown / 64 && grown > 0) {
      findings.push_back(fmt::format(
          "{}: an export of {} allocates {:.0f} bytes, one of {} {:.0f}: memory grows with the "
          "tensor, so the export is no zero-copy",
          producer, SizeText(sizes.back()->bytes), most.bytes, SizeText(sizes.front()->bytes),
          least.bytes));
    }
  }
  if (exponent > 0.25) {
    findings.push_back(fmt::format(
        "{}: the time of an export grows with its bytes (exponent {:.2f})", producer, exponent));
  }
  for (const BenchSeries& s : run.series) {
    if (s.producer != producer || !s.heap || s.heap->kept_blocks < 1) continue;
    findings.push_back(fmt::format("{}: {} {} keeps {:g} blocks of memory with each call", producer,
                                   s.topic, s.name, s.heap->kept_blocks));
  }
  return findings;
}

std::string BenchMarkdown(const BenchRun& run) {
  std::string out = "# Benchmarks of DLPack producers\n\n";
  for (const auto& [key, value] : run.context) out += fmt::format("- {}: {}\n", key, Cell(value));
  out +=
      "\nTimes are medians of one call, \u00b1 half the distance of the quartiles; then the ratio "
      "to "
      "one malloc/free pair in the same process (for copies: to memcpy of the same bytes), and "
      "the heap blocks that one call allocates.\n\n| what | bytes |";
  for (const std::string& producer : run.producers) {
    const auto version = run.versions.find(producer);
    out += fmt::format(" {} {} |", Cell(producer),
                       Cell(version == run.versions.end() ? "" : version->second));
  }
  out += "\n|---|---|";
  for (size_t i = 0; i < run.producers.size(); ++i) out += "---|";
  out += "\n";
  for (const RowKey& row : RowsOf(run)) {
    out += fmt::format("| {} {} | {} |", row.topic, row.name, SizeText(row.bytes));
    for (const std::string& producer : run.producers) {
      const BenchSeries* const series = run.Find(producer, row.topic, row.name, row.bytes);
      out += fmt::format(" {} |", CellOf(series, FloorOf(run, producer, row)));
    }
    out += "\n";
  }
  out += "\n";
  for (const std::string& producer : run.producers) {
    std::vector<std::pair<double, double>> points;
    for (const BenchSeries* s : SizesOf(run, producer)) points.emplace_back(s->bytes, s->median());
    const double exponent = LogSlope(points);
    if (points.size() < 2) continue;
    out += fmt::format("- {}: time of an export over its bytes has the exponent {:.3f}{}\n",
                       Cell(producer), exponent, exponent < kFlat ? " (flat: zero-copy)" : "");
    for (const std::string& finding : Findings(run, producer)) {
      out += fmt::format("- **finding** {}\n", Cell(finding));
    }
  }
  for (const BenchSeries& s : run.series) {
    if (s.absent.empty()) continue;
    out += fmt::format("- {} {} {}: {}\n", Cell(s.producer), s.topic, s.name, Cell(s.absent));
  }
  return out;
}

}  // namespace dlpc
