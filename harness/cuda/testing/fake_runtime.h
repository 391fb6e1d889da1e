// A CUDA runtime in main memory: streams are queues that run when somebody waits for them.
#ifndef DLPC_HARNESS_CUDA_TESTING_FAKE_RUNTIME_H_
#define DLPC_HARNESS_CUDA_TESTING_FAKE_RUNTIME_H_

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/cuda/runtime.h"

namespace dlpc::cuda {

class FakeRuntime final : public Runtime {
 public:
  int devices = 1;                 // 0: there is none.
  std::string failing;             // Name of the call that fails from now on.
  std::vector<std::string> calls;  // E.g. "wait 2 for 100".

  Expected<int> Devices() override;
  Expected<PointerFacts> Facts(const void* pointer) override;
  Expected<void*> Allocate(Kind kind, size_t bytes) override;
  void Free(Kind kind, void* memory) override;
  Expected<Stream> MakeStream() override;
  void DropStream(Stream stream) override;
  Status Copy(void* to, const void* from, size_t bytes, Stream stream) override;
  Status Delay(Stream stream, std::chrono::milliseconds time) override;
  Status LetWait(Stream waiting, Stream working) override;
  Status Synchronize(Stream stream) override;

  size_t alive() const { return memory_.size(); }

 private:
  struct Block {
    Kind kind;
    size_t bytes;
  };
  Status Fails(const char* call) const;
  void RunTo(Stream stream, size_t count);  // The first `count` of what was ever put on it.

  std::map<const void*, Block> memory_;
  struct Queue {
    std::deque<std::function<void()>> waiting;
    size_t done = 0;
  };
  std::map<Stream, Queue> queues_;
  Stream next_ = 100;
};

}  // namespace dlpc::cuda

#endif  // DLPC_HARNESS_CUDA_TESTING_FAKE_RUNTIME_H_
