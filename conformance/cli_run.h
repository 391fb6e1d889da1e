// The verbs `run` and `rerun`.
#ifndef DLPC_CONFORMANCE_CLI_RUN_H_
#define DLPC_CONFORMANCE_CLI_RUN_H_

#include <string>
#include <vector>

#include "conformance/producers.h"
#include "conformance/run.h"

namespace dlpc {

struct RunOptions {
  ProducerOptions producer;
  Selection selection;
  Editions editions;
  std::string level = "may";
  std::string out = "dlpack-report";
  std::vector<std::string> formats = {"text", "json", "junit", "html", "md", "traces", "repro"};
  EngineOptions engine;
  std::vector<std::string> emulate;
  std::string device;   // "cpu", "cuda" or empty.
  std::string profile;  // Only what this certificate profile is judged by; empty: all.
  std::string shard;
  std::vector<std::string> expect;  // Expectation files.
  std::vector<std::string> gtest_args;
  int repeat = 1;       // How often each case is performed.
  bool verify = false;  // A case that changes its verdict meanwhile is unexpected.
  // Of `rerun`:
  std::string report;   // Folder of the earlier run.
  bool failed = false;  // Perform what failed there, not what is missing.
};

/// What a result's exit code is, with a line on stderr where nothing else says why.
int Conclude(const std::vector<std::string>& formats, const RunResult& result);

/// Exit code as in docs/results.md.
int RunVerb(RunOptions& options);

/// Performs what a stored run lacks, or what failed there, and puts both together.
int RerunVerb(RunOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_RUN_H_
