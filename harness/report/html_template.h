// The page of the HTML report, without its data.
#ifndef DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_
#define DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_

namespace dlpc {

extern const char kReportHtml[];

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_HTML_TEMPLATE_H_
