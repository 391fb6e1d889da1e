// Access to this process's own memory through addresses that cannot be trusted: a wrong one is an
// answer, never a fault. Nothing here throws; nothing allocates, save the map of executable memory.
#ifndef DLPC_HARNESS_MEMORY_H_
#define DLPC_HARNESS_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dlpc {

/// Copies the readable bytes from the first on, at most n, and returns how many. Pages are
/// remembered as readable until ForgetReadable: call it after foreign code ran, which may have
/// unmapped them.
size_t SafeRead(const void* from, void* to, size_t n);
void ForgetReadable();

/// For this thread from now on: pages stay remembered, as readable and as writable. For fuzzing a
/// producer that is known to leave its memory mapped, where the kernel's word is the dearest part.
void RememberPages();

/// Whether all n bytes could be read. If not, `to` holds nothing of use.
bool SafeReadAll(const void* from, void* to, size_t n);

/// Writes all n bytes, or returns false. Memory that is mapped read-only is not written.
bool SafeWrite(void* to, const void* from, size_t n);

/// Bytes that the C heap has handed out and not got back; absent where the C library does not tell.
std::optional<int64_t> HeapInUse();

/// Whether the address lies in memory mapped executable.
bool IsExecutable(const void* address);
/// The same, and whether the mapping is that of a file.
bool IsExecutableFile(const void* address);

}  // namespace dlpc

#endif  // DLPC_HARNESS_MEMORY_H_
