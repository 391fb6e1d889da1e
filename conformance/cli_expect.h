// The verbs `expect check` and `expect update`. The format of the files: docs/expectations.md.
#ifndef DLPC_CONFORMANCE_CLI_EXPECT_H_
#define DLPC_CONFORMANCE_CLI_EXPECT_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dlpc {

struct ExpectOptions {
  std::vector<std::string> check;  // Files to look through.
  std::string results;             // update: results.json, or the folder that holds it.
  std::string file;                // update: the file to write; what it held is taken over.
};

void AddExpectOptions(CLI::App* expect, ExpectOptions* options);

/// Exit code: 0, 1 a file has rotten entries, 2 a file is none or the run was partial, 3 cannot be
/// written.
int ExpectVerb(const CLI::App& expect, const ExpectOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_EXPECT_H_
