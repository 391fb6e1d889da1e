// The verb `promote`.
#ifndef DLPC_CONFORMANCE_CLI_PROMOTE_H_
#define DLPC_CONFORMANCE_CLI_PROMOTE_H_

#include <string>

namespace dlpc {

struct PromoteOptions {
  std::string file;
  std::string target;  // Of a crash file; empty: by the file's name.
  std::string name;
  std::string root = ".";
};

/// Keeps a finding: a stored finding of `fuzz` becomes a seed of the target `script`, a crash file
/// of a target is kept for good; a stub of a case is printed where there is a script.
int PromoteVerb(const PromoteOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_PROMOTE_H_
