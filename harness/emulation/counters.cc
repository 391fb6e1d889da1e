#include "harness/emulation/counters.h"

#include <atomic>
#include <map>
#include <mutex>

namespace dlpc::emulation {
namespace {

std::atomic<int64_t> calls[kSlots];

struct WaitCounts {
  std::mutex mutex;
  std::map<int64_t, int64_t> of_stream;
};

// Never destroyed: threads of the caller may outlive static destructors.
WaitCounts& GetWaits() {
  static auto* counts = new WaitCounts;
  return *counts;
}

}  // namespace

void CountCall(Slot slot) { ++calls[static_cast<size_t>(slot)]; }

void CountWait(int64_t stream) {
  WaitCounts& counts = GetWaits();
  const std::lock_guard lock(counts.mutex);
  ++counts.of_stream[stream];
}

int64_t Calls(std::string_view name) {
  for (size_t i = 0; i < kSlots; ++i) {
    if (name == kSlotNames[i]) return calls[i];
  }
  return -1;
}

int64_t Waits(int64_t stream) {
  WaitCounts& counts = GetWaits();
  const std::lock_guard lock(counts.mutex);
  const auto found = counts.of_stream.find(stream);
  return found == counts.of_stream.end() ? 0 : found->second;
}

int64_t AllWaits() {
  WaitCounts& counts = GetWaits();
  const std::lock_guard lock(counts.mutex);
  int64_t sum = 0;
  for (const auto& [stream, count] : counts.of_stream) sum += count;
  return sum;
}

}  // namespace dlpc::emulation
