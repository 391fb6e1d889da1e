// Files that verbs of the command line read and write.
#ifndef DLPC_CONFORMANCE_CLI_FILES_H_
#define DLPC_CONFORMANCE_CLI_FILES_H_

#include <functional>
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

/// Writes the report of a run into the folder `out`, and what is for the terminal ("text") to
/// standard output. `traces` gives the contents of traces.jsonl.
Status WriteReports(const std::string& out, const std::vector<std::string>& formats,
                    const RunResult& result, const std::function<std::string()>& traces);

/// Writes the programs into the folder `out`/repro; those of an earlier run go unless they are
/// kept.
Status WriteRepros(const std::string& out, const std::vector<ReproFile>& files, bool keep);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_FILES_H_
