// What must hold for any input. Each property is a pure function from bytes to a violation, called
// by a fuzz target, by the replay of its corpus, and usable from any test.
#ifndef DLPC_FUZZ_PROPERTIES_H_
#define DLPC_FUZZ_PROPERTIES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reference/mutants.h"

namespace dlpc {

/// The property that does not hold, in one line; nullopt if all do.
using Broken = std::optional<std::string>;

/// The bytes as a DLTensor with shape and strides of their own: the contract checks answer without
/// crashing or overflowing, the same every time, and agree with brute force on small shapes.
Broken PropertyTensorCheck(std::span<const uint8_t> bytes);

/// The bytes as a script: the reference producer (or one of its faulty twins) performs it with one
/// observation per step, releases what it must, and exports nothing that breaks the contract. On a
/// sample: twice the same, with loops and threads, and coding is stable.
Broken PropertyScript(std::span<const uint8_t> bytes);
Broken PropertyScriptOf(Mutant mutant, std::span<const uint8_t> bytes);

/// The first byte as the number of a faulty twin of the reference, the rest as a script: the host
/// survives it, with one observation per step. Twins that break memory by intent are left out.
Broken PropertyTwins(std::span<const uint8_t> bytes);

/// The bytes as facts about an array: each profile of the device map answers as a second telling of
/// the same rules does, guard and map agree, and refusals are well-formed.
Broken PropertyDeviceMap(std::span<const uint8_t> bytes);

/// The bytes as the recipe of an array: it resolves to the elements that following it finds, inside
/// its base buffer, and the formulas of the contract agree with brute force.
Broken PropertyStrides(std::span<const uint8_t> bytes);

/// The bytes as the arguments of `__dlpack__`: the oracle has an answer, and the reference producer
/// (or one of its faulty twins) does what it allows.
Broken PropertyNegotiate(std::span<const uint8_t> bytes);
Broken PropertyNegotiateOf(Mutant mutant, std::span<const uint8_t> bytes);

/// The bytes as what a host or a runner writes: frames, claims, scripts, traces, text.
Broken PropertyWire(std::span<const uint8_t> bytes);

/// The bytes as an expectation file: entries that make sense or one line that says why not; what is
/// made of a run is the same every time and can be written and read again.
Broken PropertyExpectations(std::span<const uint8_t> bytes);

/// The bytes as results.json or a line of traces.jsonl: one line that says why not, or a value that
/// is the same after writing and reading.
Broken PropertyResults(std::span<const uint8_t> bytes);

/// The bytes as the answers of a native plug-in: every step has an observation, every array is
/// released and every struct deleted once.
Broken PropertyPluginReply(std::span<const uint8_t> bytes);

}  // namespace dlpc

#endif  // DLPC_FUZZ_PROPERTIES_H_
