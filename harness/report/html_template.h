// The pages of the HTML reports, without their data.
#ifndef DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_
#define DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_

#include <string>
#include <string_view>

#include "harness/json.h"

namespace dlpc {

extern const char kReportHtml[];  // One producer.
extern const char kMatrixHtml[];  // Several producers.
extern const char kBenchHtml[];   // Benchmarks.

/// The page with its data in place of the marker; whatever the data holds, it stays data.
std::string FillPage(std::string_view page, const OrderedJson& data);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_
