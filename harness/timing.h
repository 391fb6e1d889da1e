// Benchmarks are timed steps: what a host is asked to do again and again, and what it answers. The
// host only runs the loop; which loops, how often and what the figures mean is the runner's
// business (harness/benchmarks).
#ifndef DLPC_HARNESS_TIMING_H_
#define DLPC_HARNESS_TIMING_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/expected.h"

namespace dlpc {

/// What is timed.
enum class Timed : uint8_t {
  // Floors, in the same process.
  kNothing,     // A call of a function that does nothing, as the producer's kind of code is called.
  kMallocFree,  // One malloc/free pair of the size of a managed tensor.
  kMemcpy,      // A copy of so many bytes into memory that is there.
  // The producer.
  kDevice,          // __dlpack_device__
  kExportDrop,      // Export; drop the capsule unconsumed.
  kExportRelease,   // Export; consume; drop the capsule; call the deleter.
  kCopyRelease,     // The same with copy=True.
  kRefusal,         // An export that must be refused: dl_device is a device that is not there.
  kTableOwned,      // managed_tensor_from_py_object_no_sync of the exchange table, and the deleter.
  kTableBorrowed,   // dltensor_from_py_object_no_sync.
  kImport,          // The library's own consumer takes a tensor of ours.
  kRoundTrip,       // ... takes an array of the library itself.
  kToNumpy,         // numpy.from_dlpack takes it.
  kThreads,         // kExportRelease on several threads, each takes the lock for each call.
  kReleaseThreads,  // Only the deleters, on threads that the interpreter never saw, without the
                    // lock.
  kCount_,
};

struct Measurement {
  Timed what = Timed::kNothing;
  bool versioned = true;  // Which struct is asked for.
  uint64_t bytes = 0;     // Of the array (zeros, C-contiguous); 0: the operation needs none.
  uint8_t ndim = 1;
  uint8_t threads = 1;
  uint32_t calls = 1;  // Over all threads.
};

/// What the C heap did over all calls; exact. The blocks of a Python object count too if the
/// interpreter takes them from there (PYTHONMALLOC=malloc).
struct HeapUse {
  int64_t blocks = 0;       // Allocated.
  int64_t bytes = 0;        // Asked for by these.
  int64_t kept_blocks = 0;  // Allocated minus freed.
};

struct Timing {
  std::string absent;           // Why there is no figure; empty: there is one.
  uint64_t ns = 0;              // All calls.
  std::optional<HeapUse> heap;  // Where the counter is loaded (AllocationCounter).
};

std::string EncodeMeasurement(const Measurement& measurement);
Measurement DecodeMeasurement(std::span<const uint8_t> bytes);  // Total.
std::string EncodeTiming(const Timing& timing);
Expected<Timing> DecodeTiming(std::span<const uint8_t> bytes);

/// What the counting library has seen in this process so far; nullopt if it is not loaded
/// (LD_PRELOAD). `bytes` of kept blocks cannot be told by it.
std::optional<HeapUse> HeapUseSoFar();

/// Runs `call` (returns false to give up) `calls` times. `absent` is set when it gave up.
template <typename Call>
Timing TimeLoop(uint32_t calls, Call call) {
  Timing timing;
  const auto before = HeapUseSoFar();
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < calls; ++i) {
    if (!call()) {
      timing.absent = "a call failed";
      return timing;
    }
  }
  const auto end = std::chrono::steady_clock::now();
  timing.ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
  if (const auto after = HeapUseSoFar(); after && before) {
    timing.heap = {after->blocks - before->blocks, after->bytes - before->bytes,
                   after->kept_blocks - before->kept_blocks};
  }
  return timing;
}

/// Runs each function on a thread of its own, all at once; the time is from the first one's begin
/// to the last one's end, so that it does not hold the making of threads. A function returns false
/// to give up. `release_lock` (may be empty) runs around all of it: it gets the work to do.
Timing TimeThreads(const std::vector<std::function<bool()>>& work,
                   const std::function<void(const std::function<void()>&)>& release_lock);

/// kMallocFree and kMemcpy, which are the same in every host; nullopt for all others.
std::optional<Timing> TimeFloor(const Measurement& measurement);

/// Keeps this process on one CPU while it lives, where that is allowed: single-threaded figures
/// scatter less.
class PinnedToOneCpu {
 public:
  explicit PinnedToOneCpu(bool wanted);
  ~PinnedToOneCpu();
  PinnedToOneCpu(const PinnedToOneCpu&) = delete;
  PinnedToOneCpu& operator=(const PinnedToOneCpu&) = delete;

 private:
  std::string earlier_;  // The process' set of CPUs, as bytes; empty: not pinned.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_TIMING_H_
