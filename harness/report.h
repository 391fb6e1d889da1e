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

/// What results.json names itself; docs/results.schema.json.
inline constexpr const char* kResultsSchema = "dlpack-conformance-results-1";

/// results.json, read back: whatever the text holds, a result or one line that names what is wrong.
/// The steps of scripts are not in it.
Expected<RunResult> RunResultFromJson(std::string_view text);

/// One page for several producers: requirements x producers. A producer may occur more than once.
std::string MatrixHtml(const std::vector<RunResult>& results);

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
