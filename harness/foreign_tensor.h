// Managed tensors of ours that a producer is asked to take over: they count calls of their deleter.
#ifndef DLPC_HARNESS_FOREIGN_TENSOR_H_
#define DLPC_HARNESS_FOREIGN_TENSOR_H_

#include <dlpack/dlpack.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "harness/script.h"
#include "reference/aligned_block.h"

namespace dlpc {

/// The parts of a DLTensor in host memory like `spec`, but for `bad`.
class TensorParts {
 public:
  TensorParts(const ArraySpec& spec, BadInput bad);
  TensorParts(const TensorParts&) = delete;
  TensorParts& operator=(const TensorParts&) = delete;
  DLTensor tensor{};  // data is nullptr.

 private:
  Extents shape_, strides_;
};

class ForeignTensor {
 public:
  ForeignTensor(const ArraySpec& spec, BadInput bad);

  /// Makes one. It lives on: a producer that never lets go must not be left with freed memory, and
  /// one that lets go twice is counted. Those that were let go, or refused, end after many others.
  static ForeignTensor* Make(const ArraySpec& spec, BadInput bad);
  /// The producer did not take it.
  void Refused() { refused_.store(true); }

  DLManagedTensorVersioned* managed() { return &managed_; }
  uint32_t calls() const { return calls_.load(); }

 private:
  struct Kept;
  static void Deleter(DLManagedTensorVersioned* self);

  TensorParts parts_;
  AlignedBlock data_;
  DLManagedTensorVersioned managed_{};
  std::atomic<uint32_t> calls_{0};
  std::atomic<bool> refused_{false};
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_FOREIGN_TENSOR_H_
