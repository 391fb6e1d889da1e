#include "harness/memory.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
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

enum class CodeKind : uint8_t { kNone, kAnonymous, kFile };
struct CodeRange {
  uintptr_t begin = 0, end = 0;
  CodeKind kind = CodeKind::kNone;
};

constexpr uintptr_t kPage = 4096;  // Where pages are larger, each is asked about several times.

// Pages that were readable a moment ago: an inspection touches the same one or two again and again,
// and a system call is dearer than everything else that it does.
struct KnownPages {
  static constexpr size_t kFew = 32, kMany = 4096;
  uintptr_t few[kFew] = {};
  // After RememberPages these instead, and what code was asked about last. Never given back.
  uintptr_t* readable = nullptr;
  uintptr_t* writable = nullptr;
  CodeRange code;

  uintptr_t& Readable(uintptr_t page) {
    return readable != nullptr ? readable[page / kPage % kMany] : few[page / kPage % kFew];
  }
};
constinit thread_local KnownPages t_known;

// A call that reads a signal set first and only then objects to its other argument: EFAULT tells
// that the memory cannot be read. Unlike process_vm_readv this works for memory that a device
// driver mapped (pinned CUDA memory), and no sandbox forbids it.
bool PageIsReadable(KnownPages& pages, uintptr_t page) {
  if (page == 0) return false;  // To the call below, NULL would be no set at all.
  uintptr_t& known = pages.Readable(page);
  if (known == page) return true;
  constexpr size_t kSignalSetBytes = 8;
  constexpr int kNoSuchAction = ~0;
  const int saved = errno;
  const bool readable =
      syscall(SYS_rt_sigprocmask, kNoSuchAction, page, nullptr, kSignalSetBytes) == 0 ||
      errno != EFAULT;
  errno = saved;
  if (readable) known = page;
  return readable;
}

// A pipe per thread: reading from it into bad memory is an error and not a fault.
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

  bool Copy(const char* from, char* to, size_t n) {
    for (size_t part; n > 0; from += part, to += part, n -= part) {
      part = std::min<size_t>(n, kPage);  // Fits in any pipe.
      if (Retry([&] { return write(fds_[1], from, part); }) != static_cast<ssize_t>(part) ||
          Retry([&] { return read(fds_[0], to, part); }) != static_cast<ssize_t>(part)) {
        Drain();
        return false;
      }
    }
    return true;
  }

 private:
  template <typename F>
  static ssize_t Retry(F call) {
    ssize_t result;
    do {
      result = call();
    } while (result < 0 && errno == EINTR);
    return result;
  }
  void Drain() {
    char rest[kPage];
    while (Retry([&] { return read(fds_[0], rest, sizeof rest); }) > 0) {
    }
  }

  int fds_[2] = {-1, -1};
};

// Executable mappings of this process, sorted. Libraries loaded later miss, which re-reads the
// file.
class ExecutableMap {
 public:
  using Kind = CodeKind;
  using Range = CodeRange;

  /// The range that the address lies in.
  Range Of(uintptr_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Range range = Find(address); range.kind != Kind::kNone) return range;
    Load();
    return Find(address);
  }

 private:
  Range Find(uintptr_t address) const {
    for (const Range& range : ranges_) {
      if (address >= range.begin && address < range.end) return range;
    }
    return {};
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
        ranges_.push_back(
            {begin, end, std::strchr(line, '/') != nullptr ? Kind::kFile : Kind::kAnonymous});
      }
      at_start = std::strchr(line, '\n') != nullptr;
    }
    std::fclose(file);
  }

  std::mutex mutex_;
  std::vector<Range> ranges_;
};

}  // namespace

void ForgetReadable() {
  KnownPages& pages = t_known;
  if (pages.readable == nullptr) std::fill(std::begin(pages.few), std::end(pages.few), 0);
}

void RememberPages() {
  KnownPages& pages = t_known;
  if (pages.readable != nullptr) return;
  pages.readable = new uintptr_t[KnownPages::kMany]();
  pages.writable = new uintptr_t[KnownPages::kMany]();
}

size_t SafeRead(const void* from, void* to, size_t n) {
  n = Unpoisoned(from, n);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(from);
  KnownPages& pages = t_known;
  for (uintptr_t page = begin / kPage * kPage; page < begin + n; page += kPage) {
    if (!PageIsReadable(pages, page)) {
      n = page > begin ? page - begin : 0;
      break;
    }
  }
  if (n != 0) std::memcpy(to, from, n);
  return n;
}

bool SafeReadAll(const void* from, void* to, size_t n) { return SafeRead(from, to, n) == n; }

bool SafeWrite(void* to, const void* from, size_t n) {
  if (Unpoisoned(to, n) != n) return false;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(to), page = begin / kPage * kPage;
  uintptr_t* const writable = t_known.writable;
  const bool one = writable != nullptr && begin + n <= page + kPage;  // Lies in one page.
  const size_t place = page / kPage % KnownPages::kMany;
  if (one && writable[place] == page) {
    std::memcpy(to, from, n);
    return true;
  }
  thread_local Pipe pipe;
  const bool written = pipe.Copy(static_cast<const char*>(from), static_cast<char*>(to), n);
  if (one && written) writable[place] = page;
  return written;
}

namespace {
CodeKind KindOf(const void* address) {
  static ExecutableMap* map = new ExecutableMap;  // Never destroyed: deleters may run at exit.
  if (address == nullptr) return CodeKind::kNone;
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  KnownPages& pages = t_known;
  if (at >= pages.code.begin && at < pages.code.end) return pages.code.kind;
  const CodeRange range = map->Of(at);
  if (pages.readable != nullptr && range.kind != CodeKind::kNone) pages.code = range;
  return range.kind;
}
}  // namespace

bool IsExecutable(const void* address) { return KindOf(address) != CodeKind::kNone; }

bool IsExecutableFile(const void* address) { return KindOf(address) == CodeKind::kFile; }

std::optional<int64_t> HeapInUse() {
  // A sanitizer, even one that was only preloaded, has a heap of its own.
  using Bytes = size_t (*)();
  static const auto bytes =
      reinterpret_cast<Bytes>(dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
  if (bytes != nullptr) return static_cast<int64_t>(bytes());
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  // Looked up, not linked: the Python host must load where the C library is older.
  using Info = struct mallinfo2 (*)();
  static const auto info = reinterpret_cast<Info>(dlsym(RTLD_DEFAULT, "mallinfo2"));
  if (info == nullptr) return std::nullopt;
  const struct mallinfo2 now = info();
  return static_cast<int64_t>(now.uordblks + now.hblkhd);
#else
  return std::nullopt;
#endif
}

}  // namespace dlpc
