// The verb `report`: stored results as one page.
#ifndef DLPC_CONFORMANCE_CLI_REPORT_H_
#define DLPC_CONFORMANCE_CLI_REPORT_H_

#include <string>
#include <vector>

namespace dlpc {

struct ReportOptions {
  std::vector<std::string> inputs;  // results.json, or the folder that holds it.
  std::string out = "dlpack-report/all.html";
};

/// Exit code: 0 written, 2 an input is missing or no results, 3 cannot be written.
int ReportVerb(const ReportOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_REPORT_H_
