// The figures in the format of Google Benchmark, out and in, and in that of
// github-action-benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "harness/benchmarks/benchmarks.h"
#include "harness/benchmarks/statistics.h"
#include "harness/json.h"

namespace dlpc {
namespace {

constexpr const char* kVersionPrefix = "version of ";

OrderedJson Entry(const BenchSeries& series, const char* type) {
  OrderedJson entry;
  entry["name"] = series.FullName();
  entry["run_name"] = series.FullName();
  entry["run_type"] = type;
  entry["repetitions"] = series.ns.size();
  entry["threads"] = series.threads;
  return entry;
}

// What the format has no field for.
void AddLabels(const BenchSeries& series, OrderedJson& entry) {
  entry["producer"] = series.producer;
  entry["topic"] = series.topic;
  entry["step"] = series.name;
  entry["bytes"] = series.bytes;
  entry["ndim"] = series.ndim;
  if (!series.heap) return;
  entry["blocks_per_call"] = series.heap->blocks;
  entry["bytes_per_call"] = series.heap->bytes;
  entry["kept_blocks_per_call"] = series.heap->kept_blocks;
}

void AddTime(double ns, OrderedJson& entry) {
  entry["real_time"] = ns;
  entry["cpu_time"] = ns;  // Loops do not wait; the host's own time is not told apart.
  entry["time_unit"] = "ns";
}

void AddAggregates(const BenchSeries& series, OrderedJson& out) {
  const double n = static_cast<double>(series.ns.size());
  const double mean = std::accumulate(series.ns.begin(), series.ns.end(), 0.0) / n;
  double squares = 0;
  for (const double value : series.ns) squares += (value - mean) * (value - mean);
  const double deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  const std::pair<const char*, double> rows[] = {
      {"mean", mean}, {"median", series.median()}, {"stddev", deviation}};
  for (const auto& [name, value] : rows) {
    OrderedJson entry = Entry(series, "aggregate");
    entry["name"] = fmt::format("{}_{}", series.FullName(), name);
    entry["aggregate_name"] = name;
    entry["aggregate_unit"] = "time";
    entry["iterations"] = series.ns.size();
    AddTime(value, entry);
    out.push_back(std::move(entry));
  }
}

void AddSeries(const BenchSeries& series, OrderedJson& out) {
  if (!series.absent.empty() || series.ns.empty()) {
    OrderedJson entry = Entry(series, "iteration");
    entry["iterations"] = 0;
    entry["error_occurred"] = true;
    entry["error_message"] = series.absent;
    AddTime(0, entry);
    AddLabels(series, entry);
    out.push_back(std::move(entry));
    return;
  }
  for (size_t i = 0; i < series.ns.size(); ++i) {
    OrderedJson entry = Entry(series, "iteration");
    entry["repetition_index"] = i;
    entry["iterations"] = series.calls;
    AddTime(series.ns[i], entry);
    AddLabels(series, entry);
    out.push_back(std::move(entry));
  }
  AddAggregates(series, out);
}

// ---- Reading: every field may be missing or of another type -------------------------------------

std::string Text(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

double Number(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number() ? at->get<double>() : 0.0;
}

// Within what the type holds; what is not is 0.
template <typename T>
T Whole(const Json& object, const char* key) {
  const double value = Number(object, key);
  return value >= 0 && value < 9e15 && value <= static_cast<double>(std::numeric_limits<T>::max())
             ? static_cast<T>(value)
             : T{0};
}

BenchSeries SeriesOf(const Json& entry) {
  BenchSeries series;
  series.producer = Text(entry, "producer");
  series.topic = Text(entry, "topic");
  series.name = Text(entry, "step");
  series.bytes = Whole<uint64_t>(entry, "bytes");
  series.ndim = Whole<int>(entry, "ndim");
  series.threads = Whole<int>(entry, "threads");
  series.calls = Whole<uint32_t>(entry, "iterations");
  series.absent = Text(entry, "error_message");
  if (entry.contains("blocks_per_call")) {
    series.heap = {Number(entry, "blocks_per_call"), Number(entry, "bytes_per_call"),
                   Number(entry, "kept_blocks_per_call")};
  }
  return series;
}

void ReadContext(const Json& context, BenchRun& run) {
  for (const auto& [key, value] : context.items()) {
    if (!value.is_string()) continue;
    if (key.starts_with(kVersionPrefix)) {
      run.versions[key.substr(std::string_view(kVersionPrefix).size())] = value.get<std::string>();
    } else {
      run.context[key] = value.get<std::string>();
    }
  }
}

}  // namespace

std::string BenchJson(const BenchRun& run) {
  OrderedJson json;
  for (const auto& [key, value] : run.context) json["context"][key] = value;
  for (const auto& [key, value] : run.versions) json["context"][kVersionPrefix + key] = value;
  json["benchmarks"] = OrderedJson::array();
  for (const BenchSeries& series : run.series) AddSeries(series, json["benchmarks"]);
  return DumpJson(json, 1) + "\n";
}

Expected<BenchRun> BenchRunFromJson(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json) return json.error();
  const auto context = json->is_object() ? json->find("context") : json->end();
  const auto entries = json->is_object() ? json->find("benchmarks") : json->end();
  if (context == json->end() || !context->is_object() || entries == json->end() ||
      !entries->is_array()) {
    return Error{"no results of `bench`: it has no \"context\" and \"benchmarks\""};
  }
  BenchRun run;
  ReadContext(*context, run);
  std::map<std::string, size_t> place;
  for (const Json& entry : *entries) {
    if (!entry.is_object() || Text(entry, "run_type") != "iteration") continue;
    BenchSeries series = SeriesOf(entry);
    if (series.producer.empty()) return Error{"an entry names no producer"};
    const auto [at, fresh] = place.emplace(series.FullName(), run.series.size());
    if (std::find(run.producers.begin(), run.producers.end(), series.producer) ==
        run.producers.end()) {
      run.producers.push_back(series.producer);
    }
    if (fresh) run.series.push_back(std::move(series));
    const double ns = Number(entry, "real_time");
    if (ns > 0) run.series[at->second].ns.push_back(ns);
  }
  return run;
}

bool IsMemoryKey(std::string_view key) { return key.find("_rss_kb of ") != key.npos; }

std::string SmallerIsBetterJson(const BenchRun& run) {
  OrderedJson json = OrderedJson::array();
  for (const BenchSeries& series : run.series) {
    if (series.ns.empty() || series.topic == "Floor") continue;
    OrderedJson entry;
    entry["name"] = series.FullName();
    entry["unit"] = "ns/call";
    entry["value"] = series.median();
    entry["range"] = fmt::format("\u00b1 {:.1f} %", 100 * RelativeSpread(series.ns));
    json.push_back(std::move(entry));
    if (!series.heap) continue;
    OrderedJson blocks;
    blocks["name"] = series.FullName() + " blocks";
    blocks["unit"] = "blocks/call";
    blocks["value"] = series.heap->blocks;
    json.push_back(std::move(blocks));
  }
  for (const auto& [key, value] : run.context) {
    if (!IsMemoryKey(key)) continue;
    json.push_back({{"name", key}, {"unit", "KiB"}, {"value", std::atof(value.c_str())}});
  }
  return DumpJson(json, 1) + "\n";
}

}  // namespace dlpc
