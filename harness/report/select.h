// Choosing and grouping cases for the reports that people read.
#ifndef DLPC_HARNESS_REPORT_SELECT_H_
#define DLPC_HARNESS_REPORT_SELECT_H_

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/results.h"

namespace dlpc {

using CaseList = std::vector<const CaseResult*>;

/// Cases of each requirement, in their order.
std::unordered_map<std::string_view, CaseList> CasesByRequirement(const RunResult& result);

/// Failing cases with the same status, expected and observed text; largest group first.
std::vector<CaseList> GroupAlike(const CaseList& cases,
                                 const std::function<bool(CaseStatus)>& want);

/// Number of cases that were executed.
size_t CountExecuted(const CaseList& cases);

/// "numpy 2.5.0"; "(unnamed producer)".
std::string ProducerText(const RunResult& result);

/// "python, CPython 3.13.0": kind and interpreter.
std::string KindText(const RunResult& result);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_SELECT_H_
