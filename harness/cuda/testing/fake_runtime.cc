#include "harness/cuda/testing/fake_runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace dlpc::cuda {

Status FakeRuntime::Fails(const char* call) const {
  if (failing == call) return Error{std::string(call) + ": out of luck"};
  return OkStatus();
}

Expected<int> FakeRuntime::Devices() {
  if (devices == 0) return Error{"no CUDA device (fake)"};
  return devices;
}

Expected<PointerFacts> FakeRuntime::Facts(const void* pointer) {
  if (const Status status = Fails("Facts"); !status) return status.error();
  auto after = memory_.upper_bound(pointer);
  if (after == memory_.begin()) return PointerFacts{};
  const auto& [start, block] = *--after;
  const auto* address = static_cast<const char*>(pointer);
  if (address >= static_cast<const char*>(start) + block.bytes) return PointerFacts{};
  return PointerFacts{block.kind, 0};
}

Expected<void*> FakeRuntime::Allocate(Kind kind, size_t bytes) {
  if (const Status status = Fails("Allocate"); !status) return status.error();
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  memory_[memory] = {kind, bytes};
  return memory;
}

void FakeRuntime::Free(Kind kind, void* memory) {
  const auto found = memory_.find(memory);
  if (found == memory_.end() || found->second.kind != kind) {
    calls.push_back("wrong free");
    return;
  }
  memory_.erase(found);
  // Like cudaFree, which waits for the device.
  for (auto& [stream, queue] : queues_) RunTo(stream, queue.done + queue.waiting.size());
  std::free(memory);
}

Expected<Stream> FakeRuntime::MakeStream() {
  if (const Status status = Fails("MakeStream"); !status) return status.error();
  return next_++;
}

void FakeRuntime::DropStream(Stream stream) { queues_.erase(stream); }

Status FakeRuntime::Copy(void* to, const void* from, size_t bytes, Stream stream) {
  if (const Status status = Fails("Copy"); !status) return status.error();
  queues_[stream].waiting.push_back([=] { std::memcpy(to, from, bytes); });
  return OkStatus();
}

Status FakeRuntime::Delay(Stream stream, std::chrono::milliseconds time) {
  calls.push_back(fmt::format("delay {} by {}", stream, time.count()));
  return Fails("Delay");
}

void FakeRuntime::RunTo(Stream stream, size_t count) {
  Queue& queue = queues_[stream];
  while (queue.done < count && !queue.waiting.empty()) {
    const std::function<void()> work = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    ++queue.done;
    work();
  }
}

Status FakeRuntime::LetWait(Stream waiting, Stream working) {
  if (const Status status = Fails("LetWait"); !status) return status.error();
  calls.push_back(fmt::format("wait {} for {}", waiting, working));
  const size_t until = queues_[working].done + queues_[working].waiting.size();
  queues_[waiting].waiting.push_back([this, working, until] { RunTo(working, until); });
  return OkStatus();
}

Status FakeRuntime::Synchronize(Stream stream) {
  if (const Status status = Fails("Synchronize"); !status) return status.error();
  Queue& queue = queues_[stream];
  RunTo(stream, queue.done + queue.waiting.size());
  return OkStatus();
}

}  // namespace dlpc::cuda
