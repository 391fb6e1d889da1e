#include "harness/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <string>
#include <thread>

namespace dlpc::cuda {
namespace {

cudaStream_t Handle(Stream stream) { return reinterpret_cast<cudaStream_t>(stream); }

Error Failure(const char* call, cudaError_t code) {
  return {std::string(call) + ": " + cudaGetErrorString(code)};
}

Status Check(const char* call, cudaError_t code) {
  if (code == cudaSuccess) return OkStatus();
  static_cast<void>(cudaGetLastError());  // Else the next call would report it again.
  return Failure(call, code);
}

void CUDART_CB Sleep(void* data) {
  const std::unique_ptr<std::chrono::milliseconds> time(
      static_cast<std::chrono::milliseconds*>(data));
  std::this_thread::sleep_for(*time);
}

class Real final : public Runtime {
 public:
  Expected<int> Devices() override {
    int count = 0;
    const Status status = Check("cudaGetDeviceCount", cudaGetDeviceCount(&count));
    if (!status) return Error{"no CUDA device (" + status.error().message + ")"};
    if (count == 0) return Error{"no CUDA device (the runtime counts 0)"};
    return count;
  }

  Expected<PointerFacts> Facts(const void* pointer) override {
    cudaPointerAttributes attributes{};
    const Status status =
        Check("cudaPointerGetAttributes", cudaPointerGetAttributes(&attributes, pointer));
    if (!status) return status.error();
    switch (attributes.type) {
      case cudaMemoryTypeDevice:
        return PointerFacts{Kind::kDevice, attributes.device};
      case cudaMemoryTypeHost:
        return PointerFacts{Kind::kHost, attributes.device};
      case cudaMemoryTypeManaged:
        return PointerFacts{Kind::kManaged, attributes.device};
      default:
        return PointerFacts{};
    }
  }

  Expected<void*> Allocate(Kind kind, size_t bytes) override {
    void* memory = nullptr;
    cudaError_t code = cudaErrorInvalidValue;
    if (kind == Kind::kDevice) code = cudaMalloc(&memory, bytes);
    if (kind == Kind::kHost) code = cudaMallocHost(&memory, bytes);
    if (kind == Kind::kManaged) code = cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal);
    const Status status = Check("allocation", code);
    if (!status) return status.error();
    return memory;
  }

  void Free(Kind kind, void* memory) override {
    static_cast<void>(kind == Kind::kHost ? cudaFreeHost(memory) : cudaFree(memory));
  }

  Expected<Stream> MakeStream() override {
    cudaStream_t stream = nullptr;
    const Status status = Check("cudaStreamCreateWithFlags",
                                cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (!status) return status.error();
    return reinterpret_cast<Stream>(stream);
  }

  void DropStream(Stream stream) override { static_cast<void>(cudaStreamDestroy(Handle(stream))); }

  Status Copy(void* to, const void* from, size_t bytes, Stream stream) override {
    return Check("cudaMemcpyAsync",
                 cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, Handle(stream)));
  }

  Status Delay(Stream stream, std::chrono::milliseconds time) override {
    auto data = std::make_unique<std::chrono::milliseconds>(time);
    Status status =
        Check("cudaLaunchHostFunc", cudaLaunchHostFunc(Handle(stream), Sleep, data.get()));
    if (status) static_cast<void>(data.release());  // Sleep has it now.
    return status;
  }

  Status LetWait(Stream waiting, Stream working) override {
    cudaEvent_t event = nullptr;
    if (Status made = Check("cudaEventCreateWithFlags",
                            cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        !made) {
      return made;
    }
    Status status = Check("cudaEventRecord", cudaEventRecord(event, Handle(working)));
    if (status) {
      status = Check("cudaStreamWaitEvent", cudaStreamWaitEvent(Handle(waiting), event, 0));
    }
    static_cast<void>(cudaEventDestroy(event));  // Is gone once it has happened.
    return status;
  }

  Status Synchronize(Stream stream) override {
    return Check("cudaStreamSynchronize", cudaStreamSynchronize(Handle(stream)));
  }
};

}  // namespace

std::unique_ptr<Runtime> RealRuntime() { return std::make_unique<Real>(); }

}  // namespace dlpc::cuda
