// Writes the files of a report folder.
#ifndef DLPC_HARNESS_REPORT_H_
#define DLPC_HARNESS_REPORT_H_

#include <string>
#include <string_view>
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

/// One line of traces.jsonl, read back. Text that was invalid UTF-8 comes back with U+FFFD in it;
/// all else is as it was.
struct StoredOutcome {
  std::string name;
  Script script;
  Outcome outcome;
};
Expected<StoredOutcome> StoredOutcomeFromJson(std::string_view line);
Expected<Trace> TraceFromJson(std::string_view line);

/// Checks that `dir` can be written (creates it), without touching earlier files.
Status PrepareReportDir(const std::string& dir);

/// Writes a file so that an earlier one is replaced whole or not at all (temporary name, rename).
Status WriteFileAtomically(const std::string& path, const std::string& contents);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_H_
