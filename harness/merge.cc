#include "harness/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>

namespace dlpc {
namespace {

constexpr unsigned kMaxShards = 100'000;

struct Shard {
  unsigned index = 0, total = 0;
};

Expected<Shard> ShardOf(const RunResult& result) {
  const auto it = result.environment.find("shard");
  if (it == result.environment.end()) return Error{"a result that is no shard (run --shard I/N)"};
  Shard shard;
  char rest = 0;
  if (std::sscanf(it->second.c_str(), "%u/%u%c", &shard.index, &shard.total, &rest) != 2 ||
      shard.index >= shard.total || shard.total > kMaxShards) {
    return Error{fmt::format("'{}' is no shard", it->second)};
  }
  return shard;
}

// What all shards must have in common.
Status SameRun(const RunResult& a, const RunResult& b) {
  const std::tuple<const char*, const std::string&, const std::string&> fields[] = {
      {"suite version", a.suite_version, b.suite_version},
      {"catalogue", a.catalogue_sha256, b.catalogue_sha256},
      {"edition of DLPack", a.dlpack, b.dlpack},
      {"edition of the array API", a.array_api, b.array_api},
      {"producer", a.producer.producer, b.producer.producer},
      {"version", a.producer.version, b.producer.version},
      {"kind", a.producer.kind, b.producer.kind},
  };
  for (const auto& [what, x, y] : fields) {
    if (x != y) return Error{fmt::format("shards of different runs: {} {} and {}", what, x, y)};
  }
  return OkStatus();
}

// The shards by their index, each exactly once.
Expected<std::map<unsigned, RunResult*>> InOrder(std::vector<RunResult>& shards) {
  std::map<unsigned, RunResult*> ordered;
  unsigned total = 0;
  for (RunResult& result : shards) {
    const auto shard = ShardOf(result);
    if (!shard) return shard.error();
    if (total != 0 && shard->total != total) {
      return Error{fmt::format("shards of {} and of {}", total, shard->total)};
    }
    total = shard->total;
    if (!ordered.emplace(shard->index, &result).second) {
      return Error{fmt::format("shard {}/{} is there twice", shard->index, total)};
    }
    if (Status same = SameRun(shards.front(), result); !same) return same.error();
  }
  for (unsigned i = 0; i < total; ++i) {
    if (ordered.count(i) == 0) return Error{fmt::format("shard {}/{} is missing", i, total)};
  }
  return ordered;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  for (const std::string& line : more) {
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
  }
}

}  // namespace

Expected<RunResult> MergeShards(std::vector<RunResult> shards) {
  if (shards.empty()) return Error{"no shards"};
  const auto ordered = InOrder(shards);
  if (!ordered) return ordered.error();
  RunResult merged = *ordered->at(0);
  merged.cases.clear();
  merged.environment.erase("shard");
  merged.environment["shards"] = std::to_string(ordered->size());
  merged.checks_per_s = 0;  // They ran side by side, or not; nobody knows.
  merged.partial = true;
  std::unordered_set<std::string> seen;
  for (const auto& [index, shard] : *ordered) {
    for (CaseResult& c : shard->cases) {
      if (!seen.insert(c.id).second) return Error{fmt::format("case {} is in two shards", c.id)};
      merged.cases.push_back(std::move(c));
    }
    merged.wall_s = std::max(merged.wall_s, shard->wall_s);
    Append(merged.notes, shard->notes);
    Append(merged.stale_expectations, shard->stale_expectations);
    merged.script_text.merge(shard->script_text);
  }
  Summarize(merged);
  return merged;
}

}  // namespace dlpc
