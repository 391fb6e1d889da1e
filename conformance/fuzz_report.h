// What a fuzzing campaign found, as text, JSON and files.
#ifndef DLPC_CONFORMANCE_FUZZ_REPORT_H_
#define DLPC_CONFORMANCE_FUZZ_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/fuzz_run.h"

namespace dlpc {

/// "SHAPE-06-1": file names of the findings, in their order.
std::vector<std::string> FindingNames(const FuzzReport& report);

/// A paragraph for each finding, one line at the end. `rerun`: the command that tries a finding
/// again, up to the file's name; empty: nothing was written.
std::string FuzzText(const FuzzReport& report, const std::string& rerun);
std::string FuzzJson(const FuzzReport& report);

/// NAME.json (a line as in traces.jsonl: what `--replay` and `promote` read), NAME.txt and, where
/// one can show it, the program NAME.py or NAME.cc for each finding, and findings.json.
Status WriteFindings(const std::string& folder, const FuzzReport& report);

/// The script of a stored finding and the name of the catalogue's script that it came from.
Expected<std::pair<std::string, Script>> ReadFinding(const std::string& path);

/// 1: a MUST is broken that the catalogue's cases keep. 3: our own fault or the adapter's. Else 0.
int FuzzExitCode(const FuzzReport& report);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FUZZ_REPORT_H_
