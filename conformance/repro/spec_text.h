// Arrays and values as Python source.
#ifndef DLPC_CONFORMANCE_REPRO_SPEC_TEXT_H_
#define DLPC_CONFORMANCE_REPRO_SPEC_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/layout.h"

namespace dlpc {

/// bytes.fromhex('...'), or an expression of that many bytes.
std::string BytesText(std::string_view bytes);
/// "(2, 3)", "(4,)"
std::string TupleText(std::span<const int64_t> values);
/// A string literal.
std::string StringText(std::string_view text);

/// Is some axis repeated?
bool HasBroadcast(const Layout& layout);
/// The view of a base buffer in NumPy's words; `dtype` is an expression.
std::string NumpyText(const ArraySpec& spec, const std::string& dtype);
/// What make() of an adapter is given (docs/adapters.md).
std::string SpecText(const ArraySpec& spec);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_SPEC_TEXT_H_
