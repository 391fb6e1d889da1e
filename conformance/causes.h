// What a refusal's message should speak of.
#ifndef DLPC_CONFORMANCE_CAUSES_H_
#define DLPC_CONFORMANCE_CAUSES_H_

#include <string>
#include <string_view>
#include <vector>

namespace dlpc {

/// By the adapter's name of the object (lower case): a message that names the cause has one of
/// these words.
std::vector<std::string_view> CauseWords(const std::string& name);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CAUSES_H_
