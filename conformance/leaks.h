// What a message for users should not contain: addresses, and where the source code lies.
#ifndef DLPC_CONFORMANCE_LEAKS_H_
#define DLPC_CONFORMANCE_LEAKS_H_

#include <string_view>

namespace dlpc {

/// Whether the text has an address (0x and six digits or more), an absolute path of two parts or
/// more at its start or behind a space, parenthesis or quotation mark, or a line of a source file
/// ("array.cc:12"). Messages are judged in each run of a fuzzer: no regular expression.
bool HasLeak(std::string_view text);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_LEAKS_H_
