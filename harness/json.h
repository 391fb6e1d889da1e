// JSON text in and out. One translation unit holds nlohmann's parser and writer, which are dear to
// compile, and the limits for text from somebody else.
#ifndef DLPC_HARNESS_JSON_H_
#define DLPC_HARNESS_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/expected.h"

namespace dlpc {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // What we write: members in the order of writing.

/// Nothing deeper is read. Our own files reach 8.
inline constexpr int kMaxJsonDepth = 64;

/// The value, or one line that says where the text goes wrong. Never throws.
Expected<Json> ParseJson(std::string_view text);

/// indent -1: one line. Never throws: invalid UTF-8 is replaced by U+FFFD.
std::string DumpJson(const Json& json, int indent = -1);
std::string DumpJson(const OrderedJson& json, int indent = -1);

}  // namespace dlpc

#endif  // DLPC_HARNESS_JSON_H_
