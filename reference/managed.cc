#include "reference/managed.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "reference/contract.h"
#include "reference/dtype.h"
#include "reference/elements.h"
#include "reference/managed_fields.h"
#include "reference/release.h"

namespace dlpc {
namespace {

using enum Mutant;

// Where the fields of a managed tensor lie; -1: the struct has none.
struct RawLayout {
  int version;
  int manager_ctx;
  int deleter;
  int flags;
  int tensor;
};
constexpr RawLayout kLegacyLayout = {-1, offsetof(DLManagedTensor, manager_ctx),
                                     offsetof(DLManagedTensor, deleter), -1,
                                     offsetof(DLManagedTensor, dl_tensor)};
constexpr RawLayout kVersionedLayout = {
    offsetof(DLManagedTensorVersioned, version), offsetof(DLManagedTensorVersioned, manager_ctx),
    offsetof(DLManagedTensorVersioned, deleter), offsetof(DLManagedTensorVersioned, flags),
    offsetof(DLManagedTensorVersioned, dl_tensor)};

RawLayout LayoutOf(Mutant m, bool versioned) {
  if (m == kNdim64 && !versioned) return {-1, 56, 64, -1, 0};
  if (m == kLegacyTailSwapped && !versioned) return {-1, 56, 48, -1, 0};
  if (m == kNoFlagsField && versioned) return {0, 8, 16, -1, 24};
  if (m == kHeaderReordered && versioned) return {8, 0, 16, 24, 32};
  return versioned ? kVersionedLayout : kLegacyLayout;
}

// ---- Data ----

std::shared_ptr<RefBuffer> MakeCopy(RefStorage* storage, RefArray& array, Mutant m) {
  const DLDataType t = array.spec.dtype;
  const int64_t bits = ElementBits(t);
  const View& view = array.view;
  const auto bytes = static_cast<size_t>((view.elements * bits + 7) / 8);
  std::shared_ptr<RefBuffer> copy = array.shared_copy;
  if (copy == nullptr) copy = std::make_shared<RefBuffer>(storage->Take(bytes));
  if (m == kCopiesShared) array.shared_copy = copy;
  const ElementPlace& from = array.elements;
  if (bits % 8 != 0) std::memset(copy->data(), 0, bytes);
  int64_t n = 0;
  ForEachOffset(view.shape, view.strides, 0, [&](int64_t offset) {
    if (m == kCopyIgnoresLayout) offset = n % view.base_elements - view.offset;
    uint8_t element[32];
    LoadElement(from.base, from.first_bit + offset * from.bits_per_stride, t, element);
    StoreElement(element, t, copy->data(), n++ * bits);
  });
  return copy;
}

void SwapNibbles(RefBuffer& copy, const RefArray& array) {
  const auto bytes = static_cast<size_t>((array.view.elements + 1) / 2);
  for (size_t i = 0; i < bytes; ++i) {
    uint8_t& byte = copy.data()[i];
    byte = static_cast<uint8_t>(byte << 4 | byte >> 4);
  }
}

bool IsView(const RefArray& array) { return array.spec.layout != Contiguous(array.view.shape); }

void SetData(const ExportNode& node, const RefArray& array, DLTensor& tensor) {
  const Mutant m = node.mutant;
  if (array.view.elements == 0) {  // H13 247-248: data of a zero-size tensor is NULL.
    tensor.data = m == kEmptyDataNotNull ? array.buffer.data() : nullptr;
    return;
  }
  if (node.copy != nullptr) {
    tensor.data = node.copy->data();
  } else {  // H13 222-231: data is the allocation, byte_offset leads to the first element.
    tensor.data = array.elements.base;
    tensor.byte_offset = static_cast<uint64_t>(array.elements.first_bit / 8);
    if (m == kReleaseDetaches && array.released) tensor.byte_offset += 4096;
    if (m == kOnePastTheEnd && IsView(array)) tensor.byte_offset += ElementBytes(tensor.dtype);
  }
  if (m == kLegacyOffsetLost && !node.versioned) tensor.byte_offset = 0;
  if (m == kOffsetFolded) {
    tensor.data = static_cast<uint8_t*>(tensor.data) + std::exchange(tensor.byte_offset, 0);
  }
  if (m == kScalarNullData && tensor.ndim == 0) tensor.data = nullptr;
}

// ---- Shape and strides ----

void MakeCompact(std::span<const int64_t> shape, std::span<int64_t> strides) {
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
}

void BreakStrides(Mutant m, DLDataType dtype, std::span<const int64_t> shape,
                  std::span<int64_t> strides) {
  bool broadcast = false;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t& stride = strides[axis];
    broadcast = broadcast || (stride == 0 && shape[axis] > 1);
    if (m == kNegativeStrideAbs) stride = std::abs(stride);
    if (m == kByteStrides) stride *= static_cast<int64_t>(ElementBytes(dtype));
    if (m == kUnitStrideHuge && shape[axis] == 1) stride = INT64_MAX;
  }
  if (m == kStridesReversed) std::reverse(strides.begin(), strides.end());
  if (m == kBroadcastCompact && broadcast) MakeCompact(shape, strides);
}

void DropUnitAxes(Extents& shape, Extents& strides) {
  size_t kept = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    shape[kept] = shape[axis];
    strides[kept++] = strides[axis];
  }
  shape.resize(kept);
  strides.resize(kept);
}

// Twins that change rank or extents.
void BreakAxes(Mutant m, const RefArray& array, Extents& shape, Extents& strides) {
  if (m == kShardedExported && (array.spec.flags & kSharded) && !shape.empty()) {
    shape[0] = (shape[0] + 1) / 2;
  }
  if (m == kOddStrideFloored && (array.spec.flags & kOddStride)) {
    strides[0] =
        array.elements.bits_per_stride / 8 / static_cast<int64_t>(ElementBytes(array.spec.dtype));
  }
  if (m == kUnitAxisDropped) DropUnitAxes(shape, strides);
}

void SetAxes(ExportNode& node, const RefArray& array, bool copied, DLTensor& tensor) {
  const Mutant m = node.mutant;
  const size_t rank = array.view.shape.size();
  node.shape.assign(array.view.shape.begin(), array.view.shape.end());
  node.strides.resize(rank);
  // A copy is compact. So are the strides of what could be read as compact, whatever the size-1
  // axes of the view said: SHAPE-10 lets them hold anything, consumers like them normal.
  if (copied || IsContiguous(array.view.shape, array.view.strides)) {
    MakeCompact(node.shape, node.strides);
  } else {
    std::copy(array.view.strides.begin(), array.view.strides.end(), node.strides.begin());
  }
  const bool compact = copied || IsContiguous(node.shape, node.strides);
  if (m != kNone) {
    BreakAxes(m, array, node.shape, node.strides);
    BreakStrides(m, tensor.dtype, node.shape, node.strides);
  }
  tensor.ndim = static_cast<int32_t>(node.shape.size());
  if (tensor.ndim == 0) {  // H13 260, 269: both may be NULL.
    if (m == kScalarShapeDangles) tensor.shape = reinterpret_cast<int64_t*>(uintptr_t{16});
    return;
  }
  tensor.shape = node.shape.data();
  tensor.strides = node.strides.data();  // Never NULL since 1.2 (H13 264-273).
  if (m == kNullStrides && node.versioned && compact) tensor.strides = nullptr;
  if (m == kLegacyNullStridesWrong && !node.versioned) tensor.strides = nullptr;
  if (m == kEmptyNullShape && array.view.elements == 0) tensor.shape = nullptr;
}

// ---- The struct ----

template <typename T>
void Put(ExportNode& node, int at, const T& value) {
  if (at >= 0) std::memcpy(node.raw.data() + at, &value, sizeof(value));
}

void PutTensor(ExportNode& node, int at, DLTensor tensor) {
  if (node.mutant == kDTypeFieldOrder) std::swap(tensor.dtype.code, tensor.dtype.bits);
  Put(node, at, tensor);
  if (node.mutant != kNdim64 || node.versioned) return;
  Put(node, at + 16, int64_t{tensor.ndim});
  Put(node, at + 24, tensor.dtype);
  Put(node, at + 32, tensor.shape);
  Put(node, at + 40, tensor.strides);
  Put(node, at + 48, tensor.byte_offset);
}

void PutManaged(ExportNode& node, const RefArray& array, const DLTensor& tensor, Plan::Data data,
                bool is_static) {
  const Mutant m = node.mutant;
  const RawLayout layout = LayoutOf(m, node.versioned);
  node.raw.fill(0);
  PutTensor(node, layout.tensor, tensor);
  Put(node, layout.version, DeclaredVersion(m, tensor.dtype));
  Put(node, layout.flags, Flags(m, array, data, node.serial));
  if (!is_static && m != kNullContextLeaks) Put<void*>(node, layout.manager_ctx, &node);
  node.deleter_at = static_cast<size_t>(layout.deleter);
  if (m == kDeleterNotCode || !is_static) Put(node, layout.deleter, DeleterOf(node));
}

}  // namespace

std::string GatherElements(const RefArray& array) {
  const View& view = array.view;
  const DLDataType t = array.spec.dtype;
  std::string bytes(ElementBytes(t) * static_cast<size_t>(view.elements), '\0');
  auto* out = reinterpret_cast<uint8_t*>(bytes.data());
  const ElementPlace& place = array.elements;
  ForEachOffset(view.shape, view.strides, 0, [&](int64_t offset) {
    LoadElement(place.base, place.first_bit + offset * place.bits_per_stride, t, out);
    out += ElementBytes(t);
  });
  return bytes;
}

// The elements, and the tensor that describes them: but for the owner this is an export.
static DLTensor Describe(ExportNode& node, RefStorage* storage, RefArray& array,
                         const PlanFacts& facts, const Plan& plan) {
  const Mutant m = facts.mutant;
  const bool copied = plan.data != Plan::Data::kShared;
  const bool swap = m == kNibblesSwapped && array.spec.dtype.bits == 4;
  if ((copied || swap) && array.view.elements != 0) node.copy = MakeCopy(storage, array, m);
  if (swap && node.copy != nullptr) SwapNibbles(*node.copy, array);
  DLTensor tensor{};
  tensor.device = StructDevice(facts, plan.device);
  tensor.dtype = ExportedDType(m, array.spec.dtype);
  if (m == kExportThreadBound && node.thread != array.thread) ++tensor.dtype.code;
  SetAxes(node, array, copied, tensor);
  SetData(node, array, tensor);
  return tensor;
}

std::shared_ptr<RefCapsule> MakeCapsule(RefStorage* storage, const RefArrayPtr& array,
                                        const PlanFacts& facts, const Plan& plan) {
  const Mutant m = facts.mutant;
  ExportNode& node = *storage->TakeNode();
  node.versioned = plan.versioned && m != kNameLies;
  node.in_destructor = false;
  const bool copied = plan.data != Plan::Data::kShared;
  // Data in static storage need no owner: manager_ctx and deleter are NULL (ABI-07, ABI-08).
  const bool is_static = !copied && (array->spec.flags & kStaticStorage) != 0;
  const DLTensor tensor = Describe(node, storage, *array, facts, plan);
  if (plan.data != Plan::Data::kCopy && !is_static) {
    node.array = array;  // Twins that own nothing keep the memory, so that reads stay in bounds.
    node.counted = References(m, *array);
    array->references.fetch_add(node.counted);
  }
  PutManaged(node, *array, tensor, plan.data, is_static);

  auto capsule = std::make_shared<RefCapsule>();
  capsule->mutant = m;
  capsule->managed = node.raw.data();
  capsule->name = CapsuleName(m, plan.versioned);
  if (m == kHeapName) {
    auto name = std::make_shared<std::string>(capsule->name);
    capsule->name = name->c_str();
    capsule->keep = std::move(name);
  }
  if (m != kNoDestructor) capsule->destructor = &DestroyCapsule;
  return capsule;
}

DLTensor Describe(RefStorage* storage, RefArray& array, const PlanFacts& facts, const Plan& plan,
                  Extents& shape, Extents& strides) {
  ExportNode node;  // Only what describing needs of it.
  node.mutant = facts.mutant;
  node.versioned = true;
  node.thread = ThisThread();
  DLTensor tensor = Describe(node, storage, array, facts, plan);
  if (facts.mutant == kDTypeFieldOrder) std::swap(tensor.dtype.code, tensor.dtype.bits);
  array.lent_copy = node.copy;
  shape = node.shape;
  strides = node.strides;
  if (tensor.shape == node.shape.data()) tensor.shape = shape.data();
  if (tensor.strides == node.strides.data()) tensor.strides = strides.data();
  return tensor;
}

// XAPI-14: shape and strides belong to the array, which reuses their memory.
DLTensor LendTensor(RefStorage* storage, RefArray& array, const PlanFacts& facts,
                    const Plan& plan) {
  return Describe(storage, array, facts, plan, array.lent_shape, array.lent_strides);
}

}  // namespace dlpc
