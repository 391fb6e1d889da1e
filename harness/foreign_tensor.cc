#include "harness/foreign_tensor.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <list>
#include <mutex>
#include <string>

#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr size_t kKept = 512;  // Random scripts import without end.

constexpr DLDataType kNoSuchDType{250, 7, 1};
constexpr DLDevice kNoSuchDevice{static_cast<DLDeviceType>(99), 0};

}  // namespace

TensorParts::TensorParts(const ArraySpec& spec, BadInput bad) {
  const View view = Resolve(spec.layout);
  shape_ = view.shape;
  strides_ = view.strides;
  if (bad == BadInput::kExtent) {
    if (shape_.empty()) {
      shape_.push_back(1);
      strides_.push_back(1);
    }
    shape_[0] = -1;
  }
  tensor.device = bad == BadInput::kDevice ? kNoSuchDevice : DLDevice{kDLCPU, 0};
  tensor.dtype = bad == BadInput::kDType ? kNoSuchDType : spec.dtype;
  tensor.ndim = static_cast<int32_t>(shape_.size());
  if (tensor.ndim > 0) {
    tensor.shape = shape_.data();
    tensor.strides = strides_.data();
  }
  tensor.byte_offset =
      static_cast<uint64_t>(view.offset) * (size_t{spec.dtype.bits} * spec.dtype.lanes) / 8;
}

ForeignTensor::ForeignTensor(const ArraySpec& spec, BadInput bad) : parts_(spec, bad) {
  const std::string base = PatternBase(spec);
  data_ = AlignedBlock(base.size());
  std::memcpy(data_.get(), base.data(), base.size());
  managed_.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed_.manager_ctx = this;
  managed_.deleter = &Deleter;
  managed_.dl_tensor = parts_.tensor;
  managed_.dl_tensor.data = base.empty() ? nullptr : data_.get();
}

struct ForeignTensor::Kept {
  std::mutex mutex;
  std::list<ForeignTensor> all;
  size_t most = 2 * kKept;

  // Forgets the oldest ones that are over. Looks for them again when there are twice as many as
  // now, so that those of a producer that never lets go cost little.
  void Trim() {
    if (all.size() < most) return;
    auto newest = std::prev(all.end(), kKept);
    for (auto tensor = all.begin(); tensor != newest;) {
      const bool over = tensor->refused_.load() || tensor->calls() > 0;
      tensor = over ? all.erase(tensor) : std::next(tensor);
    }
    most = 2 * std::max(all.size(), kKept);
  }

  static Kept& Get() {
    static auto* const kept = new Kept;
    return *kept;
  }
};

// By address: manager_ctx may be NULL.
void ForeignTensor::Deleter(DLManagedTensorVersioned* self) {
  Kept& kept = Kept::Get();
  const std::lock_guard lock(kept.mutex);
  for (auto tensor = kept.all.rbegin(); tensor != kept.all.rend(); ++tensor) {
    if (&tensor->managed_ != self) continue;
    tensor->calls_.fetch_add(1);
    return;
  }
}

// Packed elements share bytes, which strides and offsets cannot say: a tensor of them is compact.
static ArraySpec Expressible(ArraySpec spec) {
  const bool packed = size_t{spec.dtype.bits} * spec.dtype.lanes % 8 != 0;
  if (packed) spec.layout = Contiguous(Resolve(spec.layout).shape);
  return spec;
}

ForeignTensor* ForeignTensor::Make(const ArraySpec& spec, BadInput bad) {
  Kept& kept = Kept::Get();
  const std::lock_guard lock(kept.mutex);
  kept.Trim();
  return &kept.all.emplace_back(Expressible(spec), bad);
}

}  // namespace dlpc
