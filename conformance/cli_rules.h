// The verbs about the suite itself: `list`, `explain`, `doctor`, `mutants`.
#ifndef DLPC_CONFORMANCE_CLI_RULES_H_
#define DLPC_CONFORMANCE_CLI_RULES_H_

#include <string>
#include <vector>

namespace dlpc {

struct MutantsOptions {
  bool json = false, markdown = false;
  int jobs = 2;                    // Host processes at a time.
  std::vector<std::string> globs;  // Of requirement ids; empty: all.
};

/// Exit code: 0.
int ListVerb(bool json);
int DoctorVerb();

/// Exit code: 0, 2 no such requirement.
int ExplainVerb(const std::string& id);

/// Exit code: 0, 1 the kill matrix has holes, 2 a glob matches nothing.
int MutantsVerb(const MutantsOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_RULES_H_
