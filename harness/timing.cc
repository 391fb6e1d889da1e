#include "harness/timing.h"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "harness/bytes.h"
#include "harness/threads.h"

namespace dlpc {

std::string EncodeMeasurement(const Measurement& m) {
  std::string bytes;
  ByteWriter out(&bytes);
  out.Int(static_cast<uint8_t>(m.what));
  out.Int(static_cast<uint8_t>(m.versioned));
  out.Int(m.bytes);
  out.Int(m.ndim);
  out.Int(m.threads);
  out.Int(m.calls);
  out.Flush();
  return bytes;
}

Measurement DecodeMeasurement(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  Measurement m;
  m.what = static_cast<Timed>(in.Int<uint8_t>() % static_cast<uint8_t>(Timed::kCount_));
  m.versioned = in.Int<uint8_t>() != 0;
  m.bytes = in.Int<uint64_t>();
  m.ndim = in.Int<uint8_t>();
  m.threads = std::max<uint8_t>(in.Int<uint8_t>(), 1);
  m.calls = in.Int<uint32_t>();
  return m;
}

std::string EncodeTiming(const Timing& timing) {
  std::string bytes;
  ByteWriter out(&bytes);
  out.Text(timing.absent);
  out.Int(timing.ns);
  out.Int(static_cast<uint8_t>(timing.heap.has_value()));
  const HeapUse heap = timing.heap.value_or(HeapUse{});
  for (const int64_t value : {heap.blocks, heap.bytes, heap.kept_blocks}) out.Int(value);
  out.Flush();
  return bytes;
}

Expected<Timing> DecodeTiming(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  Timing timing;
  timing.absent = in.Text();
  timing.ns = in.Int<uint64_t>();
  const bool counted = in.Int<uint8_t>() != 0;
  HeapUse heap;
  for (int64_t* value : {&heap.blocks, &heap.bytes, &heap.kept_blocks}) *value = in.Int<int64_t>();
  if (counted) timing.heap = heap;
  if (!in.ok() || in.left() != 0) return Error{"timing: malformed"};
  return timing;
}

std::optional<HeapUse> HeapUseSoFar() {
  using Counts = void (*)(int64_t*);
  static const auto counts =
      reinterpret_cast<Counts>(dlsym(RTLD_DEFAULT, "dlpc_allocation_counts"));
  if (counts == nullptr) return std::nullopt;
  int64_t values[3];
  counts(values);
  return HeapUse{values[0], values[1], values[0] - values[2]};
}

namespace {

constexpr size_t kPage = 4096;

// The compiler must not see that a block is never used.
void Keep(void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

Timing TimeMallocFree(uint32_t calls) {
  return TimeLoop(calls, [] {
    void* const block = std::malloc(sizeof(DLManagedTensorVersioned));
    Keep(block);
    std::free(block);
    return block != nullptr;
  });
}

Timing TimeMemcpy(uint64_t bytes, uint32_t calls) {
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  // On whole pages: a copy that goes a few bytes up within a page is many times slower on some
  // CPUs.
  const size_t whole = (bytes + kPage - 1) / kPage * kPage;
  const std::unique_ptr<void, Free> from(std::aligned_alloc(kPage, whole));
  const std::unique_ptr<void, Free> to(std::aligned_alloc(kPage, whole));
  if (from == nullptr || to == nullptr) return {"not enough memory", 0, {}};
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 2, bytes);
  return TimeLoop(calls, [&] {
    std::memcpy(to.get(), from.get(), bytes);
    Keep(to.get());
    return true;
  });
}

}  // namespace

Timing TimeThreads(const std::vector<std::function<bool()>>& work,
                   const std::function<void(const std::function<void()>&)>& release_lock) {
  using Clock = std::chrono::steady_clock;
  struct Span {
    Clock::time_point begin, end;
    bool done = false;
  };
  std::vector<Span> spans(work.size());
  std::vector<Work> timed;
  for (size_t i = 0; i < work.size(); ++i) {
    timed.emplace_back([&mine = spans[i], &call = work[i]] {
      mine.begin = Clock::now();
      mine.done = call();
      mine.end = Clock::now();
    });
  }
  const auto all = [&timed] { RunTogether(timed, {}); };
  release_lock ? release_lock(all) : all();
  Timing timing;
  Clock::time_point begin = Clock::time_point::max(), end = Clock::time_point::min();
  for (const Span& span : spans) {
    if (!span.done) timing.absent = "a call failed";
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  timing.ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
  return timing;
}

std::optional<Timing> TimeFloor(const Measurement& m) {
  if (m.what == Timed::kMallocFree) return TimeMallocFree(m.calls);
  if (m.what == Timed::kMemcpy) return TimeMemcpy(m.bytes, m.calls);
  return std::nullopt;
}

PinnedToOneCpu::PinnedToOneCpu(bool wanted) {
  cpu_set_t all, one;
  if (!wanted || sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&one);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {  // The first ones get the interrupts.
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  if (sched_setaffinity(0, sizeof one, &one) != 0) return;
  earlier_.assign(reinterpret_cast<const char*>(&all), sizeof all);
}

PinnedToOneCpu::~PinnedToOneCpu() {
  if (earlier_.empty()) return;
  cpu_set_t all;
  std::memcpy(&all, earlier_.data(), sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace dlpc
