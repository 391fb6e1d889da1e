#include "harness/memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define DLPC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DLPC_ASAN 1
#endif
#endif
#if !defined(__x86_64__)
#undef DLPC_ASAN  // The layout of the shadow below is that of x86-64 Linux.
#endif
#ifdef DLPC_ASAN
extern "C" void* __asan_region_is_poisoned(void* begin, size_t size);
#endif

namespace dlpc {
namespace {

using internal::Access;
std::atomic<Access> g_access{Access::kAuto};

// How many bytes from `address` the sanitizer knows to be good: the kernel would read freed memory.
size_t Unpoisoned(const void* address, size_t n) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  n = std::min<size_t>(n, UINTPTR_MAX - begin);
#ifdef DLPC_ASAN
  // Unmapped shadow (the gap, non-canonical addresses) would fault: only user addresses are asked.
  constexpr uintptr_t kLow = 0x7fff8000, kHigh = 0x10007fff8000, kEnd = 0x800000000000;
  const bool known = begin < kLow ? begin + n <= kLow : begin >= kHigh && begin + n <= kEnd;
  if (!known) return 0;
  const void* bad = __asan_region_is_poisoned(const_cast<void*>(address), n);
  if (bad != nullptr) n = reinterpret_cast<uintptr_t>(bad) - begin;
#endif
  return n;
}

// A pipe per thread for kernels that refuse process_vm_readv: write() reports EFAULT where a load
// would fault. One page at a time fits in any pipe.
class Pipe {
 public:
  Pipe() {
    if (pipe2(fds_, O_CLOEXEC | O_NONBLOCK) != 0) fds_[0] = fds_[1] = -1;
  }
  ~Pipe() {
    for (int fd : fds_) {
      if (fd >= 0) close(fd);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// Bytes of [from, from + n) that are readable, moved to `to`; `from` and `to` may be bad.
  size_t Copy(const void* from, void* to, size_t n) {
    size_t done = 0;
    while (done < n) {
      const char* at = static_cast<const char*>(from) + done;
      // Up to the end of the page: a write that crosses into a bad page may fail as a whole.
      const size_t page_left = kPage - reinterpret_cast<uintptr_t>(at) % kPage;
      const ssize_t in = Retry([&] { return write(fds_[1], at, std::min(n - done, page_left)); });
      if (in <= 0) break;
      const ssize_t out = Take(static_cast<char*>(to) + done, static_cast<size_t>(in));
      done += static_cast<size_t>(std::max<ssize_t>(out, 0));
      if (out != in) break;
    }
    return done;
  }

 private:
  static constexpr size_t kPage = 4096;

  template <typename F>
  static ssize_t Retry(F call) {
    ssize_t result;
    do {
      result = call();
    } while (result < 0 && errno == EINTR);
    return result;
  }

  ssize_t Take(char* to, size_t n) {
    const ssize_t out = Retry([&] { return read(fds_[0], to, n); });
    if (out != static_cast<ssize_t>(n)) {  // `to` is bad: nothing may stay in the pipe.
      char rest[kPage];
      while (Retry([&] { return read(fds_[0], rest, sizeof rest); }) > 0) {
      }
    }
    return out;
  }

  int fds_[2] = {-1, -1};
};

size_t PipeCopy(const void* from, void* to, size_t n) {
  thread_local Pipe pipe;
  return pipe.Copy(from, to, n);
}

bool Refused(ssize_t result) {
  return result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
}

using VmCall = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                           unsigned long);

// `ours` is good memory of this module, `theirs` is not trusted.
size_t Transfer(VmCall vm_call, void* ours, const void* theirs, size_t n, bool reading) {
  const Access access = g_access.load(std::memory_order_relaxed);
  if (access != Access::kPipe) {
    const iovec local{ours, n};
    const iovec remote{const_cast<void*>(theirs), n};
    const ssize_t done = vm_call(getpid(), &local, 1, &remote, 1, 0);
    if (!Refused(done)) return static_cast<size_t>(std::max<ssize_t>(done, 0));
    if (access == Access::kVm) return 0;
    g_access.store(Access::kPipe, std::memory_order_relaxed);
  }
  return reading ? PipeCopy(theirs, ours, n) : PipeCopy(ours, const_cast<void*>(theirs), n);
}

// Executable mappings of this process, sorted. Libraries loaded later miss, which re-reads the
// file.
class ExecutableMap {
 public:
  bool Contains(uintptr_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Find(address)) return true;
    Load();
    return Find(address);
  }

 private:
  struct Range {
    uintptr_t begin, end;
  };

  bool Find(uintptr_t address) const {
    for (const Range& range : ranges_) {
      if (address >= range.begin && address < range.end) return true;
    }
    return false;
  }

  void Load() {
    std::FILE* file = std::fopen("/proc/self/maps", "re");
    if (file == nullptr) return;
    ranges_.clear();
    char line[512];
    bool at_start = true;  // Lines longer than the buffer come in pieces.
    while (std::fgets(line, sizeof line, file) != nullptr) {
      uintptr_t begin = 0, end = 0;
      char mode[5] = "";
      if (at_start && std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, mode) == 3 &&
          mode[2] == 'x') {
        ranges_.push_back({begin, end});
      }
      at_start = std::strchr(line, '\n') != nullptr;
    }
    std::fclose(file);
  }

  std::mutex mutex_;
  std::vector<Range> ranges_;
};

}  // namespace

namespace internal {
void ForceAccess(Access access) { g_access = access; }
}  // namespace internal

size_t SafeRead(const void* from, void* to, size_t n) {
  n = Unpoisoned(from, n);
  if (n == 0) return 0;
  return Transfer(process_vm_readv, to, from, n, true);
}

bool SafeReadAll(const void* from, void* to, size_t n) { return SafeRead(from, to, n) == n; }

bool SafeWrite(void* to, const void* from, size_t n) {
  if (Unpoisoned(to, n) != n) return false;
  return n == 0 || Transfer(process_vm_writev, const_cast<void*>(from), to, n, false) == n;
}

bool IsExecutable(const void* address) {
  static ExecutableMap* map = new ExecutableMap;  // Never destroyed: deleters may run at exit.
  return address != nullptr && map->Contains(reinterpret_cast<uintptr_t>(address));
}

}  // namespace dlpc
