// Access to this process's own memory through addresses that cannot be trusted: a wrong one is an
// answer, never a fault. Nothing here throws; nothing allocates, save the map of executable memory.
#ifndef DLPC_HARNESS_MEMORY_H_
#define DLPC_HARNESS_MEMORY_H_

#include <cstddef>

namespace dlpc {

/// Copies up to n bytes and returns how many, counted from the first. Where the memory ends before
/// n, the last readable bytes may be left out.
size_t SafeRead(const void* from, void* to, size_t n);

/// Whether all n bytes could be read. If not, `to` holds nothing of use.
bool SafeReadAll(const void* from, void* to, size_t n);

/// Writes all n bytes, or returns false. Memory that is mapped read-only is not written.
bool SafeWrite(void* to, const void* from, size_t n);

/// Whether the address lies in memory mapped executable.
bool IsExecutable(const void* address);

namespace internal {

/// How reads and writes are made; tests set what a restricted kernel would leave.
enum class Access { kAuto, kVm, kPipe };
void ForceAccess(Access access);

}  // namespace internal
}  // namespace dlpc

#endif  // DLPC_HARNESS_MEMORY_H_
