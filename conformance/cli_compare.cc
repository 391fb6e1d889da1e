#include "conformance/cli_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>
#include <unordered_map>

#include "conformance/catalogue.h"
#include "conformance/cli_files.h"
#include "conformance/cli_run.h"
#include "conformance/complain.h"
#include "harness/compare.h"
#include "harness/merge.h"
#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

// As in the catalogue, one emulated profile after the other within a requirement. False: a case
// that the catalogue lacks.
bool SortAsInCatalogue(std::vector<CaseResult>& cases) {
  std::unordered_map<std::string_view, size_t> place;
  for (const Case& c : Catalogue()) place.emplace(c.id, place.size());
  std::unordered_map<std::string_view, size_t> requirement;
  for (const RequirementRow& row : Register()) requirement.emplace(row.id, requirement.size());
  using Key = std::tuple<size_t, std::string, size_t>;  // Requirement, profile, place.
  std::vector<std::pair<Key, size_t>> order;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string_view id = cases[i].id;
    std::string profile;
    if (place.count(id) == 0 && cases[i].emulated && id.ends_with("/" + *cases[i].emulated)) {
      profile = *cases[i].emulated;
      id.remove_suffix(profile.size() + 1);
    }
    if (place.count(id) == 0) return false;
    order.emplace_back(Key{requirement[cases[i].requirement], profile, place[id]}, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<CaseResult> sorted;
  for (const auto& [key, i] : order) sorted.push_back(std::move(cases[i]));
  cases = std::move(sorted);
  return true;
}

// Every script once, by name: shards share scripts.
Expected<std::string> MergeTraces(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> lines;
  for (const std::string& folder : folders) {
    const auto text = ReadRegularFile((fs::path(folder) / "traces.jsonl").string());
    if (!text) return text.error();
    std::istringstream stream(*text);
    for (std::string line; std::getline(stream, line);) {
      const auto stored = StoredOutcomeFromJson(line);
      if (!stored) return Error{fmt::format("{}/traces.jsonl: {}", folder, stored.error().message)};
      lines.emplace(stored->name, line);
    }
  }
  std::string all;
  for (const auto& [name, line] : lines) all += line + "\n";
  return all;
}

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
    auto all = MergeTraces(options.shards);
    if (!all) return Complain(kUsage, all.error().message);
    traces = std::move(*all);
  }
  if (Status dir = PrepareReportDir(options.out); !dir) {
    return Complain(kEngine, dir.error().message);
  }
  const Status written =
      WriteReports(options.out, options.formats, *merged, [&] { return traces; });
  if (!written) return Complain(kEngine, written.error().message);
  return Conclude(options.formats, *merged);
}

}  // namespace dlpc
