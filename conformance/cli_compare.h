// The verbs `compare` and `merge`: stored results of two runs, and of the shards of one.
#ifndef DLPC_CONFORMANCE_CLI_COMPARE_H_
#define DLPC_CONFORMANCE_CLI_COMPARE_H_

#include <string>
#include <vector>

namespace dlpc {

struct CompareOptions {
  std::string before, after;  // results.json, or the folder that holds it.
  bool json = false, markdown = false;
};

struct MergeOptions {
  std::vector<std::string> shards;  // Report folders.
  std::string out = "dlpack-report";
  std::vector<std::string> formats = {"text", "json", "junit", "html", "md", "traces"};
};

/// Exit code: 0, 1 a MUST or SHOULD regressed, 2 an input is no result.
int CompareVerb(const CompareOptions& options);

/// Exit code: that of the run as a whole; 2 the shards are not one whole run, 3 cannot be written.
int MergeVerb(const MergeOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_COMPARE_H_
