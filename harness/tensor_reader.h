// What a consumer would see behind a capsule: fields and elements, read so that wrong ones are
// observations and not faults.
#ifndef DLPC_HARNESS_TENSOR_READER_H_
#define DLPC_HARNESS_TENSOR_READER_H_

#include <cstdint>

#include "harness/backend.h"

namespace dlpc {

inline constexpr size_t kMaxReadBytes = 1 << 20;
inline constexpr int64_t kMaxReadElements = 65536;

/// Every field, shape and strides. `deleter`, unless NULL, is shown in place of the field.
/// NotPerformed if the struct cannot be read.
Observation InspectTensor(const ManagedRef& ref, const void* deleter);

/// All elements in row-major order. `host_memory`: device memory is host memory here.
Observation ReadElements(const Inspected& inspected, bool host_memory);

/// Writes pattern element n over the first element.
Observation WriteFirst(const Inspected& inspected, bool host_memory, uint32_t n);

/// Whether memory of this device type can be addressed by the host.
bool IsHostAddressable(int32_t device_type);

}  // namespace dlpc

#endif  // DLPC_HARNESS_TENSOR_READER_H_
