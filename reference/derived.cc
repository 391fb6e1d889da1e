// Arrays of the reference producer that are made of others.
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "reference/managed.h"
#include "reference/producer_impl.h"

namespace dlpc {
namespace {

using enum Mutant;

// What DLPack has a type for, once it is written out.
bool HasPlainForm(ArrayState state) {
  return state != ArrayState::kDeleted && state != ArrayState::kBitPackedBool &&
         state != ArrayState::kObject && state != ArrayState::kLongDouble;
}

}  // namespace

RefArrayPtr RefProducer::MakeSubclass(const RefArrayPtr& array) {
  RefArrayPtr derived = NewArray(&impl_->storage);
  derived->spec = array->spec;
  derived->state = array->state;
  derived->view = array->view;
  derived->elements = array->elements;
  derived->source = array;
  derived->subclass = true;
  return derived;
}

RefArrayPtr RefProducer::Import(const RefArrayPtr& array) {
  RefExport exported = Export(array, ImportRequest(array));
  auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&exported);
  const Mutant m = impl_->mutant;
  const bool sound = m != kNameLies && m != kDeleterNotCode && m != kNoFlagsField;
  if (!sound) return nullptr;  // Would end the process, which says no more than the rows about it.
  if (capsule == nullptr || std::string_view((*capsule)->name) != "dltensor_versioned")
    return nullptr;
  auto* managed = static_cast<DLManagedTensorVersioned*>((*capsule)->managed);
  if (managed->deleter == nullptr) return nullptr;
  (*capsule)->name = "used_dltensor_versioned";
  RefInterpreter interpreter;
  DropRefCapsule(*capsule, &interpreter);
  RefArrayPtr derived = MakeSubclass(array);
  derived->subclass = false;
  const DLTensor& tensor = managed->dl_tensor;
  if (array->view.elements != 0) {
    derived->elements.base = static_cast<uint8_t*>(tensor.data);
    derived->elements.first_bit = static_cast<int64_t>(tensor.byte_offset) * 8;
  }
  derived->source = std::shared_ptr<void>(managed, [](void* self) {
    auto* owned = static_cast<DLManagedTensorVersioned*>(self);
    try {
      owned->deleter(owned);
    } catch (const std::exception&) {  // The twin deleter-throws.
    }
  });
  if (m == kImportCopies && tensor.device.device_type != kDLCPU) return WriteOut(derived);
  return derived;
}

RefArrayPtr RefProducer::WriteOut(const RefArrayPtr& array) {
  if (!HasPlainForm(array->state)) return nullptr;
  ArraySpec spec = array->spec;
  spec.flags = 0;
  spec.layout = Contiguous(array->view.shape);
  const bool raw = impl_->mutant == kResolvedRaw;
  const std::string values = raw ? GatherElements(*array) : Read(array);
  RefArrayPtr copy = Make(spec);
  std::memcpy(copy->buffer.data(), values.data(), values.size());
  return copy;
}

}  // namespace dlpc
