// One run: choose cases, run their scripts in a host, judge, sum up. Two fronts: through GoogleTest
// (the `run` verb, with its filters, shuffling, repeats and shards) and directly (the kill matrix).
#ifndef DLPC_CONFORMANCE_RUN_H_
#define DLPC_CONFORMANCE_RUN_H_

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"
#include "conformance/editions.h"
#include "harness/engine.h"
#include "harness/results.h"

namespace dlpc {

/// Which cases to run.
struct Selection {
  std::vector<std::string> globs;  // Of requirement or case ids, e.g. "SHAPE-*"; empty: all.
  Level lowest = Level::kInfo;     // kMust: only MUST rows; kShould: MUST and SHOULD; kInfo: all.
};

/// What an option --level says; any other word than must and should is the lowest.
Level LowestLevel(std::string_view option);

/// Whether the glob matches the id of a requirement.
bool MatchesRegister(const std::string& glob);

/// The selected cases in catalogue order; an Error if a glob matches no requirement or case.
Expected<std::vector<const Case*>> Select(const Selection& selection);

/// Outcomes of performed scripts, by script.
using Outcomes = std::map<const NamedScript*, Outcome>;

using Progress = std::function<void(size_t done, size_t total)>;

struct Performed {
  Claims claims;  // Of the host.
  Outcomes outcomes;
  std::vector<CaseResult> results;  // In the order of the cases.
  std::chrono::steady_clock::time_point first_script, last_verdict;
};

/// Memory of any device but the CPU is emulated by the reference producer, all of it in one host:
/// the name of the place; nullopt for other cases and producers.
std::optional<std::string> EmulatedProfile(const Case& c, const Claims& claims);

/// "memory/cuda/legacy/cuda-device": what ran under an emulated profile is another thing.
std::string WithProfile(std::string name, std::string_view emulated);

/// Performs each script that the cases need once, and judges its cases as soon as its trace is
/// there, while the host goes on with the next. `emulated`: the profile that the host runs under;
/// it becomes the end of the names of cases and scripts. `progress` may be empty.
Performed Perform(Engine& engine, const std::vector<const Case*>& cases,
                  const Editions& editions = {}, std::string_view emulated = {},
                  const Progress& progress = {});

/// A result with every row of the register and what is known of the run; cases to be added, then
/// Summarize (harness/results.h).
RunResult EmptyResult(const Claims& claims, const Editions& editions = {});

/// Adds the steps of every script whose case did not pass: reports show them beside the case.
void AddScriptTexts(const Outcomes& outcomes, RunResult& result, std::string_view emulated = {});

/// The scripts and what became of them, as traces.jsonl wants them.
std::vector<ScriptRecord> ScriptRecords(const Outcomes& outcomes, std::string_view emulated = {});

/// Everything at once, without GoogleTest.
Expected<RunResult> RunDirectly(const HostCommand& host, const EngineOptions& options,
                                const std::vector<const Case*>& cases);

/// This moment in UTC, "2026-11-30T08:15:00Z".
std::string Now();

/// The version of this suite, "0.1.0".
const char* SuiteVersion();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_RUN_H_
