// The verb `repro`: a program that shows one failure of a stored run.
#ifndef DLPC_CONFORMANCE_CLI_REPRO_H_
#define DLPC_CONFORMANCE_CLI_REPRO_H_

#include <string>

namespace dlpc {

struct ReproOptions {
  std::string id;                         // Of a case, or of a requirement: its first failure.
  std::string results = "dlpack-report";  // Report folder.
  bool any = false;                       // Also of a case that did not fail.
};

/// Prints the program. Exit code: 0, 1 the case did not fail or no program can show it, 2 there is
/// no such case or report.
int ReproVerb(const ReproOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_REPRO_H_
