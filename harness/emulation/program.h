// What can be said of a program without compiling it. Nothing here translates programs: the only
// one that is run is the copy of one array, and it is known by its names.
#ifndef DLPC_HARNESS_EMULATION_PROGRAM_H_
#define DLPC_HARNESS_EMULATION_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlpc::emulation {

/// Why `code`, portable StableHLO bytecode, is not the copy that JAX makes for copy=True; nullopt
/// if it is. Bytecode ends with every name that occurs in it, operations as name_v1.
std::optional<std::string> WhyNotCopy(std::string_view code);

/// Which of these memory kinds the program names; empty if none. Pre: it is a copy.
std::string NamedMemoryKind(std::string_view code, std::span<const std::string> kinds);

/// Device ids in a serialized CompileOptionsProto; empty if it does not say.
std::vector<int64_t> AssignedDevices(std::string_view compile_options);

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_PROGRAM_H_
