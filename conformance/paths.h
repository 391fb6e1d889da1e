// The ways out of one array - legacy, versioned, owned and borrowed from the exchange table - must
// describe the same tensor and refuse the same arrays.
#ifndef DLPC_CONFORMANCE_PATHS_H_
#define DLPC_CONFORMANCE_PATHS_H_

#include <optional>
#include <string>

#include "conformance/evidence.h"

namespace dlpc {

/// The first field in which two descriptions of the array of the first kMake differ. Strides of
/// axes that are never stepped along may differ, and NULL strides are compact ones. Addresses are
/// compared where both lie in the array's own memory: which path copies is the business of COPY.
std::optional<Wording> FirstDifferentField(const Evidence& e, const Inspected& a,
                                           const Inspected& b);

/// data + byte_offset
uint64_t FirstElement(const Inspected& in);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_PATHS_H_
