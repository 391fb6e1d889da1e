// Writes the files of a report folder.
#ifndef DLPC_HARNESS_REPORT_H_
#define DLPC_HARNESS_REPORT_H_

#include <string>
#include <vector>

#include "harness/results.h"
#include "reference/expected.h"

namespace dlpc {

/// Readable table for the terminal: verdict first, then failures with expected and observed, counts
/// per area, where the report is.
std::string TextReport(const RunResult& result, bool color);

/// Contents of the files.
std::string ResultsJson(const RunResult& result);
std::string JUnitXml(const RunResult& result);
std::string HtmlReport(const RunResult& result);
std::string MarkdownSummary(const RunResult& result);
std::string TracesJsonl(const std::vector<ScriptRecord>& scripts);

/// Checks that `dir` can be written (creates it), without touching earlier files.
Status PrepareReportDir(const std::string& dir);

/// Writes a file so that an earlier one is replaced whole or not at all (temporary name, rename).
Status WriteFileAtomically(const std::string& path, const std::string& contents);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_H_
