// Memory that the CUDA producer made.
#ifndef DLPC_HARNESS_CUDA_BUFFER_H_
#define DLPC_HARNESS_CUDA_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/cuda/runtime.h"

namespace dlpc::cuda {

/// Of a kind; kUnregistered is main memory that CUDA does not know. Freed with the last owner.
class Buffer {
 public:
  static Expected<std::shared_ptr<Buffer>> Make(Runtime* runtime, Kind kind, size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint8_t* data() const { return static_cast<uint8_t*>(memory_); }
  size_t bytes() const { return bytes_; }
  Kind kind() const { return kind_; }

 private:
  Buffer(Runtime* runtime, Kind kind, size_t bytes)
      : runtime_(runtime), kind_(kind), bytes_(bytes) {}

  Runtime* runtime_;
  Kind kind_;
  size_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace dlpc::cuda

#endif  // DLPC_HARNESS_CUDA_BUFFER_H_
