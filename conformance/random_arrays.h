// Arrays out of random bytes: small, of every kind of layout that the catalogue knows.
#ifndef DLPC_CONFORMANCE_RANDOM_ARRAYS_H_
#define DLPC_CONFORMANCE_RANDOM_ARRAYS_H_

#include <span>
#include <vector>

#include "harness/input_reader.h"
#include "reference/layout.h"

namespace dlpc {

/// Up to four axes: whole, sliced, reversed, broadcast or empty; at times permuted. To be
/// normalized.
Layout TakeLayout(InputReader& reader);

/// One of 128 layouts of that kind, always the same ones: arrays that can be made once and kept.
const Layout& TakeKnownLayout(InputReader& reader);

/// One of `dtypes`, but of the same kind as `old`, byte-sized or packed; `old` where another kind
/// was drawn.
DLDataType TakeDType(InputReader& reader, std::span<const DLDataType> dtypes, DLDataType old);
std::vector<DLDataType> AllDTypes();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_RANDOM_ARRAYS_H_
