#include "harness/cuda/buffer.h"

#include <algorithm>
#include <new>

namespace dlpc::cuda {
namespace {

constexpr std::align_val_t kAlignment{256};  // dlpack.h 1.3, DLTensor.data.

}  // namespace

Expected<std::shared_ptr<Buffer>> Buffer::Make(Runtime* runtime, Kind kind, size_t bytes) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer(runtime, kind, bytes));
  const size_t size = std::max<size_t>(bytes, 1);
  if (kind == Kind::kUnregistered) {
    buffer->memory_ = ::operator new(size, kAlignment, std::nothrow);
    if (buffer->memory_ == nullptr) return Error{"out of memory"};
    return buffer;
  }
  const Expected<void*> memory = runtime->Allocate(kind, size);
  if (!memory) return memory.error();
  buffer->memory_ = *memory;
  return buffer;
}

Buffer::~Buffer() {
  if (memory_ == nullptr) return;
  if (kind_ == Kind::kUnregistered) {
    ::operator delete(memory_, kAlignment);
  } else {
    runtime_->Free(kind_, memory_);
  }
}

}  // namespace dlpc::cuda
