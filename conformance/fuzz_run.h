// Random variants of the catalogue's scripts, performed in hosts and judged as its cases are.
#ifndef DLPC_CONFORMANCE_FUZZ_RUN_H_
#define DLPC_CONFORMANCE_FUZZ_RUN_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/variants.h"
#include "harness/engine.h"

namespace dlpc {

struct FuzzOptions {
  double seconds = 60;
  uint64_t most_scripts = 0;  // 0: no limit but the time.
  uint64_t seed = 1;
  std::vector<std::string> globs;  // Of requirements that findings may be about; empty: all.
  Level lowest = Level::kInfo;
  std::set<std::string, std::less<>> until;  // Stops when one of these requirements is broken.
  bool shrink = true;
  std::string module;  // dlpc_fuzz: libFuzzer inside the interpreter looks for them; empty: we do.
};

/// A rule that is broken, and the simplest script that shows it.
struct Finding {
  std::string requirement;
  Level level = Level::kMust;
  CaseStatus status = CaseStatus::kFail;
  std::string expected, observed;
  std::string text;    // `observed` without what differs from script to script.
  std::string origin;  // Name of the script of the catalogue that it is a variant of.
  Script script;
  Outcome outcome;
  uint64_t count = 1;  // Variants that showed it.
  double found_s = 0;  // When, and after how many scripts.
  uint64_t found_scripts = 0;
  bool known = false;  // The cases of the catalogue break this requirement, too.
};

struct FuzzReport {
  Claims claims;
  std::vector<Finding> findings;  // In the order of the register; those not known first.
  uint64_t scripts = 0;
  uint64_t checks = 0;
  double seconds = 0;
  int deaths = 0;            // Of hosts.
  bool stopped = false;      // A requirement of `until` was broken.
  bool interrupted = false;  // By EngineOptions::stop.
  bool replayed = false;     // Of stored findings: none is new.
};

/// `known`: requirements that the catalogue's cases break. `progress` (may be empty) is told of
/// scripts and findings so far.
Expected<FuzzReport> Fuzz(const HostCommand& host, const EngineOptions& engine,
                          const FuzzOptions& options, const std::set<std::string>& known,
                          const std::function<void(uint64_t scripts, size_t findings)>& progress);

/// Performs the scripts of stored findings again and judges them. Findings that no longer show are
/// left out.
Expected<FuzzReport> Replay(const HostCommand& host, const EngineOptions& engine,
                            const std::vector<std::pair<std::string, Script>>& stored);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FUZZ_RUN_H_
