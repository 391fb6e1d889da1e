// What the data of both pages, report.html and the page of several producers, have in common.
#ifndef DLPC_HARNESS_REPORT_PAGE_DATA_H_
#define DLPC_HARNESS_REPORT_PAGE_DATA_H_

#include "harness/json.h"
#include "harness/results.h"

namespace dlpc {

/// Numbers of must, should and info, in this order.
OrderedJson LevelsData(const RunResult& result);

/// The requirement as its row of the register says it; what became of it is added by the pages.
OrderedJson RowData(const RequirementResult& r);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_PAGE_DATA_H_
