// The verbs `expect check` and `expect update`. The format of the files: docs/expectations.md.
#ifndef DLPC_CONFORMANCE_CLI_EXPECT_H_
#define DLPC_CONFORMANCE_CLI_EXPECT_H_

#include <string>
#include <vector>

namespace dlpc {

struct ExpectOptions {
  std::vector<std::string> check;  // Files to look through.
  std::string results;             // results.json, or the folder that holds it.
  std::string file;                // The file to write; what it held is taken over.
};

/// Exit code: 0, 1 a file has rotten entries, 2 a file is none.
int ExpectCheckVerb(const ExpectOptions& options);

/// Exit code: 0, 2 an input is none or the run was partial, 3 cannot be written.
int ExpectUpdateVerb(const ExpectOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_EXPECT_H_
