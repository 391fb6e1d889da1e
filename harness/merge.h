// The results of the shards of one run, as the one result that they are together.
#ifndef DLPC_HARNESS_MERGE_H_
#define DLPC_HARNESS_MERGE_H_

#include <vector>

#include "harness/results.h"
#include "reference/expected.h"

namespace dlpc {

/// The shards in any order. An Error names what is wrong: a shard that is missing or there twice
/// (environment "shard": "0/3"), a case in two of them, another producer, suite, catalogue, edition
/// or number of shards. Cases keep the order of the shards; `partial` is true until the caller, who
/// knows the catalogue, says otherwise. Summarize was called.
Expected<RunResult> MergeShards(std::vector<RunResult> shards);

}  // namespace dlpc

#endif  // DLPC_HARNESS_MERGE_H_
