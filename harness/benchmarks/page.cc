// bench.html: the figures as data for the page's own script.
#include "harness/benchmarks/benchmarks.h"
#include "harness/benchmarks/statistics.h"
#include "harness/json.h"
#include "harness/report/html_template.h"

namespace dlpc {
namespace {

OrderedJson SeriesJson(const BenchSeries& series) {
  OrderedJson json;
  json["producer"] = series.producer;
  json["topic"] = series.topic;
  json["name"] = series.name;
  json["bytes"] = series.bytes;
  json["ndim"] = series.ndim;
  json["threads"] = series.threads;
  json["absent"] = series.absent;
  json["ns"] = series.median();
  json["spread"] = RelativeSpread(series.ns);
  if (series.heap) {
    json["blocks"] = series.heap->blocks;
    json["heapBytes"] = series.heap->bytes;
    json["kept"] = series.heap->kept_blocks;
  }
  return json;
}

OrderedJson RunJson(const BenchRun& run) {
  OrderedJson json;
  json["context"] = run.context;
  json["versions"] = run.versions;
  json["producers"] = run.producers;
  json["series"] = OrderedJson::array();
  for (const BenchSeries& series : run.series) json["series"].push_back(SeriesJson(series));
  return json;
}

}  // namespace

std::string BenchHtml(const BenchRun& run, const std::vector<BenchRun>& history) {
  OrderedJson data = RunJson(run);
  data["findings"] = OrderedJson::array();
  for (const std::string& producer : run.producers) {
    for (const std::string& finding : Findings(run, producer)) data["findings"].push_back(finding);
  }
  data["history"] = OrderedJson::array();
  for (const BenchRun& earlier : history) data["history"].push_back(RunJson(earlier));
  return FillPage(kBenchHtml, data);
}

}  // namespace dlpc
