// Putting stored runs together: shards, and a run with what continues it.
#ifndef DLPC_CONFORMANCE_STORED_RUNS_H_
#define DLPC_CONFORMANCE_STORED_RUNS_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/catalogue.h"
#include "harness/results.h"

namespace dlpc {

/// As in the catalogue, one emulated profile after the other within a requirement. False: a case
/// that the catalogue lacks.
bool SortAsInCatalogue(std::vector<CaseResult>& cases);

/// Every script of these traces.jsonl (path, text) once, sorted by name; a later one replaces an
/// earlier one. Errors name the path.
Expected<std::string> JoinTraces(const std::vector<std::pair<std::string, std::string>>& texts);

/// Takes out the cases that `before` has already; with `failed` keeps those that failed there or
/// ended in an error.
void KeepForRerun(const RunResult& before, bool failed, std::vector<const Case*>& cases);

/// Can `now` continue `before`? Same producer, catalogue and editions.
Status CanContinue(const RunResult& before, const RunResult& now);

/// Adds the cases of `before` that `now` did not try again.
Status Continue(RunResult before, RunResult& now);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_STORED_RUNS_H_
