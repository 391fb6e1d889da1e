// Files that verbs of the command line read and write.
#ifndef DLPC_CONFORMANCE_CLI_FILES_H_
#define DLPC_CONFORMANCE_CLI_FILES_H_

#include <string>
#include <vector>

#include "conformance/repro/repro.h"
#include "harness/expectations.h"
#include "harness/results.h"

namespace dlpc {

/// A regular file of at most 256 MiB, whole. Errors name the file.
Expected<std::string> ReadRegularFile(const std::string& path);

/// results.json, or the one in a folder. Errors name the file.
Expected<RunResult> ReadResults(const std::string& input);

/// The entries of all files, in order. Errors name file and line.
Expected<std::vector<Expectation>> ReadExpectations(const std::vector<std::string>& files);

/// What a report holds beside the result. `repros` replace those of an earlier run, or come beside
/// them.
struct ReportText {
  const std::vector<std::string>& formats;
  const std::string& traces;  // Of traces.jsonl.
  const std::vector<ReproFile>& repros;
  bool keep_repros = false;
};
/// Writes the report of a run into the folder `out`, all files or none, and what is for the
/// terminal ("text") to standard output.
Status WriteReports(const std::string& out, const RunResult& result, const ReportText& text);

/// Where not all could be written: leaves results.json and traces.jsonl with as many cases as there
/// is room for, for `rerun` to go on with, if the folder has no report yet. The cases kept.
size_t WriteWhatFits(const std::string& out, const std::string& traces, RunResult result);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_FILES_H_
