#include "conformance/cli_compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/cli_files.h"
#include "conformance/cli_run.h"
#include "conformance/complain.h"
#include "conformance/stored_runs.h"
#include "harness/compare.h"
#include "harness/merge.h"
#include "harness/report.h"

namespace dlpc {
namespace {

Expected<RunResult> Merge(const std::vector<std::string>& folders) {
  std::vector<RunResult> shards;
  for (const std::string& folder : folders) {
    auto shard = ReadResults(folder);
    if (!shard) return shard.error();
    shards.push_back(std::move(*shard));
  }
  auto merged = MergeShards(std::move(shards));
  if (!merged) return merged.error();
  if (merged->catalogue_sha256 != CatalogueHash()) {
    return Error{"the shards are of another catalogue than this program's"};
  }
  if (!SortAsInCatalogue(merged->cases)) return Error{"the shards have cases of no catalogue"};
  merged->partial = merged->cases.size() != Catalogue().size();
  Summarize(*merged);
  return merged;
}

}  // namespace

int CompareVerb(const CompareOptions& options) {
  const auto before = ReadResults(options.before);
  if (!before) return Complain(kUsage, before.error().message);
  const auto after = ReadResults(options.after);
  if (!after) return Complain(kUsage, after.error().message);
  const Comparison comparison = Compare(*before, *after);
  fmt::print("{}", options.json       ? ComparisonJson(comparison)
                   : options.markdown ? ComparisonMarkdown(comparison)
                                      : ComparisonText(comparison));
  return comparison.regressed() ? kUnexpected : kAsExpected;
}

int MergeVerb(const MergeOptions& options) {
  const auto merged = Merge(options.shards);
  if (!merged) return Complain(kUsage, merged.error().message);
  std::string traces;
  if (std::count(options.formats.begin(), options.formats.end(), "traces") > 0) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const std::string& folder : options.shards) {
      auto text = ReadRegularFile(folder + "/traces.jsonl");
      if (!text) return Complain(kUsage, text.error().message);
      texts.emplace_back(folder + "/traces.jsonl", std::move(*text));
    }
    auto all = JoinTraces(texts);
    if (!all) return Complain(kUsage, all.error().message);
    traces = std::move(*all);
  }
  if (Status dir = PrepareReportDir(options.out); !dir) {
    return Complain(kEngine, dir.error().message);
  }
  const Status written = WriteReports(options.out, *merged, {options.formats, traces, {}, true});
  if (!written) return Complain(kEngine, written.error().message);
  return Conclude(options.formats, *merged);
}

}  // namespace dlpc
