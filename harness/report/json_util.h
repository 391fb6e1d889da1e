// What the JSON writers share.
#ifndef DLPC_HARNESS_REPORT_JSON_UTIL_H_
#define DLPC_HARNESS_REPORT_JSON_UTIL_H_

#include <nlohmann/json.hpp>
#include <string>

namespace dlpc {

inline constexpr const char* kResultsSchema = "dlpack-conformance-results-1";

/// Never throws: invalid UTF-8 is replaced by U+FFFD. indent -1: one line.
std::string DumpJson(const nlohmann::ordered_json& json, int indent);

/// The adapter's claims as an object; {"unreadable": text} when it is none.
nlohmann::ordered_json ClaimsJson(const std::string& text);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_JSON_UTIL_H_
