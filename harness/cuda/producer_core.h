// A DLPack producer over CUDA device, pinned and managed memory. It obeys the rules, so that a
// verdict on a real GPU can be checked against it. Arrays are filled on a stream of the producer's
// own, which exports let the consumer's stream wait for.
#ifndef DLPC_HARNESS_CUDA_PRODUCER_CORE_H_
#define DLPC_HARNESS_CUDA_PRODUCER_CORE_H_

#include <dlpack/dlpack.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "harness/cuda/buffer.h"
#include "harness/cuda/runtime.h"
#include "harness/include/dlpc/producer.h"

namespace dlpc::cuda {

struct Array {
  std::shared_ptr<Buffer> buffer;  // Exports share it.
  DLDataType dtype{};
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;  // In elements.
  bool read_only = false;
};

/// A refusal, as the plug-in interface has it.
struct Refused {
  dlpc_status status = DLPC_OTHER;
  std::string message;
};

template <typename T>
using OrRefused = std::variant<T, Refused>;

class Producer {
 public:
  /// `runtime` must outlive every array and export.
  explicit Producer(Runtime* runtime);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  OrRefused<Array> Make(const dlpc_spec& spec);
  DLDevice Device(const Array& array) const;
  OrRefused<dlpc_exported> Export(const Array& array, const dlpc_request& request);
  dlpc_array_facts Facts(const Array& array) const;
  /// Elements in row-major order, or one element to index 0, by way of a copy of the whole buffer.
  OrRefused<std::monostate> Access(const Array& array, int32_t mode, void* bytes, size_t size);

  /// Overwrites the buffer with `bytes` on the producer's stream, after that long: the work that a
  /// consumer must, or must not, wait for.
  OrRefused<std::monostate> OverwriteLater(const Array& array, std::chrono::milliseconds time,
                                           const std::vector<uint8_t>& bytes);

 private:
  OrRefused<Array> CopyWithin(const Array& array);
  OrRefused<Array> CopyToHost(const Array& array);
  OrRefused<std::monostate> Order(const Array& array, DLDevice target, const dlpc_request& request);

  Runtime* const runtime_;
  Expected<Stream> work_;  // Where arrays are filled; an Error where there is no device.
  std::vector<std::shared_ptr<Buffer>> staged_;  // Sources of copies that may still run.
};

}  // namespace dlpc::cuda

#endif  // DLPC_HARNESS_CUDA_PRODUCER_CORE_H_
