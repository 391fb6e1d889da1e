// What must hold for any input. Each property is a pure function from bytes to a violation, called
// by a fuzz target, by the replay of its corpus, and usable from any test.
#ifndef DLPC_FUZZ_PROPERTIES_H_
#define DLPC_FUZZ_PROPERTIES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dlpc {

/// The property that does not hold, in one line; nullopt if all do.
using Broken = std::optional<std::string>;

/// The bytes as a DLTensor with shape and strides of their own: the contract checks answer without
/// crashing or overflowing, the same every time, and agree with brute force on small shapes.
Broken PropertyTensorCheck(std::span<const uint8_t> bytes);

/// The bytes as a script: coding is stable, and the reference producer performs it with one
/// observation per step, twice the same, and exports nothing that breaks the contract.
Broken PropertyScript(std::span<const uint8_t> bytes);

}  // namespace dlpc

#endif  // DLPC_FUZZ_PROPERTIES_H_
