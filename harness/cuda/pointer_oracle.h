// What the CUDA driver says of an address, against what an export says: an oracle that shares
// nothing with the framework under test.
#ifndef DLPC_HARNESS_CUDA_POINTER_ORACLE_H_
#define DLPC_HARNESS_CUDA_POINTER_ORACLE_H_

#include <dlpack/dlpack.h>

#include <optional>
#include <string>

#include "harness/cuda/runtime.h"

namespace dlpc::cuda {

/// The device that an export of memory with these facts must name; memory that CUDA does not know
/// is the CPU's. Pinned and managed memory may carry any id >= 0 (DEV-07, DEV-08): 0 here.
DLDevice DeviceOf(const PointerFacts& facts);

/// One line on how `claimed` contradicts the driver; nullopt if it does not.
std::optional<std::string> Contradiction(const PointerFacts& facts, DLDevice claimed);

/// The same for an address; also where the driver cannot be asked.
std::optional<std::string> Contradiction(Runtime& runtime, const void* data, DLDevice claimed);

}  // namespace dlpc::cuda

#endif  // DLPC_HARNESS_CUDA_POINTER_ORACLE_H_
