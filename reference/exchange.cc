#include "reference/exchange.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference/aligned_block.h"
#include "reference/contract.h"
#include "reference/dtype.h"
#include "reference/managed.h"
#include "reference/producer_impl.h"
#include "reference/shared_export.h"

namespace dlpc {
namespace {

using enum Mutant;
using SetErrorFunction = void (*)(void*, const char*, const char*);

constexpr int64_t kMaxAllocated = int64_t{1} << 24;  // Elements.

thread_local RefThread* t_thread = nullptr;

// -1 with an exception set, as every function of the table that fails (but in twins).
int Raise(Mutant m, Refusal refusal) {
  if (m == kTableThrows) throw std::runtime_error(refusal.message);
  if (m == kTableRefusalTypeError) refusal.exception = "TypeError";
  if (m != kTableErrorUnset) RefThread::Current()->raised = std::move(refusal);
  return -1;
}

// ---- Objects to tensors -------------------------------------------------------------------------

int FromObject(void* object, DLManagedTensorVersioned** out) {
  const auto& [producer, array] = *static_cast<RefObject*>(object);
  if (producer == nullptr) return Raise(kNone, {"TypeError", "not an array of the reference"});
  auto refusal = producer->ExportStruct(array, out);
  return refusal ? Raise(producer->mutant(), std::move(*refusal)) : 0;
}

int Borrow(void* object, DLTensor* out) {
  const auto& [producer, array] = *static_cast<RefObject*>(object);
  if (producer == nullptr) return Raise(kNone, {"TypeError", "not an array of the reference"});
  auto refusal = producer->Lend(array, out);
  return refusal ? Raise(producer->mutant(), std::move(*refusal)) : 0;
}

// ---- Allocator ----------------------------------------------------------------------------------

// A tensor that belongs to nobody but its consumer.
struct Allocated {
  DLManagedTensorVersioned managed{};
  Extents shape, strides;
  AlignedBlock data;

  static void Delete(DLManagedTensorVersioned* self) {
    delete static_cast<Allocated*>(self->manager_ctx);
  }
};

bool HasNegativeExtent(const DLTensor& tensor) {
  return std::any_of(tensor.shape, tensor.shape + tensor.ndim,
                     [](int64_t extent) { return extent < 0; });
}

// XAPI-10
const char* CannotAllocate(const DLTensor& prototype) {
  if (HasNegativeExtent(prototype)) return "Cannot allocate a tensor of negative extent";
  if (FindDType(prototype.dtype) == nullptr) return "Cannot allocate elements of this type";
  if (!IsKnownDeviceType(prototype.device.device_type)) return "Cannot allocate on this device";
  const auto count = ElementCount({prototype.shape, static_cast<size_t>(prototype.ndim)});
  if (count.value_or(kMaxAllocated) >= kMaxAllocated) return "Cannot allocate so many elements";
  return nullptr;
}

DLManagedTensorVersioned* NewTensor(const DLTensor& prototype) {
  auto* allocated = new Allocated;
  allocated->shape.assign(prototype.shape, prototype.shape + prototype.ndim);
  allocated->strides = CompactStrides(allocated->shape);
  const auto count = static_cast<size_t>(ElementCount(allocated->shape).value_or(0));
  allocated->data = AlignedBlock(count * ElementBytes(prototype.dtype));
  allocated->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  allocated->managed.manager_ctx = allocated;
  allocated->managed.deleter = &Allocated::Delete;
  DLTensor& tensor = allocated->managed.dl_tensor;
  tensor.device = prototype.device;
  tensor.dtype = prototype.dtype;
  tensor.ndim = prototype.ndim;
  if (tensor.ndim > 0) {  // H13 260, 269: else both may be NULL.
    tensor.shape = allocated->shape.data();
    tensor.strides = allocated->strides.data();
  }
  tensor.data = count == 0 ? nullptr : allocated->data.get();
  return &allocated->managed;
}

// XAPI-09 to XAPI-11. Needs no lock.
template <Mutant m>
int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
             SetErrorFunction set_error) {
  if (m == kAllocatorNeedsLock) ++RefThread::Current()->calls;
  if (const char* wrong = CannotAllocate(*prototype)) {
    if (m != kAllocatorSilent) set_error(context, "BufferError", wrong);
    return -1;
  }
  *out = NewTensor(*prototype);
  if (m == kAllocatorKeepsOffset) (*out)->dl_tensor.byte_offset = prototype->byte_offset;
  if (m == kAllocatorNullStrides) (*out)->dl_tensor.strides = nullptr;
  return 0;
}

// ---- Tensors to objects -------------------------------------------------------------------------

// XAPI-18: the tensor is deleted with the last user of its elements.
std::shared_ptr<void> OwnerOf(Mutant m, DLManagedTensorVersioned* tensor) {
  return {tensor, [m](void* self) {
            auto* managed = static_cast<DLManagedTensorVersioned*>(self);
            if (m != kImportNeverReleased && managed->deleter) managed->deleter(managed);
          }};
}

template <Mutant m>
int ToObject(DLManagedTensorVersioned* tensor, void** out) {
  const DLTensor& t = tensor->dl_tensor;
  if (FindDType(t.dtype) == nullptr) {
    for (int i = 0; m == kImportFreesTwice && i < 2; ++i) tensor->deleter(tensor);
    return Raise(m, {"BufferError", "Cannot import elements of this type"});
  }
  if (HasNegativeExtent(t)) {
    return Raise(m, {"BufferError", "Cannot import a tensor of negative extent"});
  }
  RefArrayPtr array = NewArray(nullptr);
  View& view = array->view;
  view.shape.assign(t.shape, t.shape + t.ndim);
  view.strides.assign(t.strides, t.strides + t.ndim);
  view.elements = view.base_elements = ElementCount(view.shape).value_or(0);
  array->spec.dtype = t.dtype;
  array->spec.layout = Contiguous(view.shape);
  const int64_t bits = int64_t{t.dtype.bits} * t.dtype.lanes;
  // data is NULL where there are no elements.
  uint8_t* const data = static_cast<uint8_t*>(t.data);
  array->elements = {data == nullptr ? nullptr : data + t.byte_offset, 0, bits};
  array->owner = OwnerOf(m, tensor);
  *out = new RefObject{nullptr, std::move(array)};
  return 0;
}

// ---- Streams ------------------------------------------------------------------------------------

template <Mutant m>
int CurrentStream(DLDeviceType type, int32_t id, void** out) {
  const RefThread& thread = *RefThread::Current();
  const auto index = static_cast<uint32_t>(type);
  if (!IsKnownDeviceType(type) || index >= thread.streams.size() || id != 0) {
    return Raise(m, {"BufferError", "There is no such device"});
  }
  if (m == kStreamUntouched && type == kDLCPU) return 0;
  *out = m == kStreamNull ? nullptr : reinterpret_cast<void*>(thread.streams[index]);
  return 0;
}

// ---- The tables ---------------------------------------------------------------------------------

template <Mutant m>
DLPackExchangeAPI table = {
    {{DLPACK_MAJOR_VERSION, m == kTableVersionOld ? 1u : DLPACK_MINOR_VERSION},
     m == kTablePrevSelf ? &table<m>.header : nullptr},
    &Allocate<m>,
    &FromObject,
    &ToObject<m>,
    m == kTableNoBorrow ? nullptr : &Borrow,
    m == kTableStreamNull ? nullptr : &CurrentStream<m>};

template <Mutant... twins>
const DLPackExchangeAPI* TableOfTwin(Mutant m) {
  const DLPackExchangeAPI* found = &table<kNone>;
  static_cast<void>(((m == twins && (found = &table<twins>, true)) || ...));
  return found;
}

}  // namespace

RefThread* RefThread::Current() { return t_thread; }
void RefThread::SetCurrent(RefThread* thread) { t_thread = thread; }

const DLPackExchangeAPI* ExchangeTable(Mutant mutant) {
  return TableOfTwin<kTableThrows, kTableErrorUnset, kTableRefusalTypeError, kAllocatorNeedsLock,
                     kAllocatorSilent, kAllocatorKeepsOffset, kAllocatorNullStrides,
                     kImportNeverReleased, kImportFreesTwice, kStreamUntouched, kStreamNull,
                     kTableVersionOld, kTablePrevSelf, kTableNoBorrow, kTableStreamNull>(mutant);
}

// ---- RefProducer --------------------------------------------------------------------------------

Mutant RefProducer::mutant() const { return impl_->mutant; }

RefProducer::Table RefProducer::TableOf(const RefArrayPtr& array) {
  const Mutant m = impl_->mutant;
  Table found;
  if (m == kTableAbsent) return found;
  found.api = ExchangeTable(m);
  found.on_type = m != kTableOnInstanceOnly;
  if (m == kTableCapsuleName) found.name = "dlpack_exchange_api_v1";
  if (m == kTablePerInstance) {
    if (array->table == nullptr) array->table = &impl_->tables.emplace_back(*found.api);
    found.api = array->table;
  }
  return found;
}

namespace {
// XAPI-20: the table asks what `__dlpack__(max_version=(1, 3))` would answer, but in twins.
PlanFacts TableFacts(PlanFacts facts) {
  if (facts.mutant == kTableExportsConjugate && facts.state == ArrayState::kConjugate) {
    facts.state = ArrayState::kPlain;
  }
  return facts;
}
}  // namespace

std::optional<Refusal> RefProducer::ExportStruct(const RefArrayPtr& array,
                                                 DLManagedTensorVersioned** out) {
  if (const SharedForm* form = impl_->FormOf(*array)) {
    *out = ExportShared(*array, *form);
    return std::nullopt;
  }
  const PlanFacts facts = TableFacts(impl_->Facts(*array));
  PlanOrRefusal planned = impl_->PlanFor(*array, facts, WithVersion(1, 3));
  if (auto* refusal = std::get_if<Refusal>(&planned)) return std::move(*refusal);
  if (impl_->mutant == kTableSyncs) RefThread::Current()->busy = false;
  Plan plan = *std::get_if<Plan>(&planned);
  plan.versioned = true;
  // The capsule is not handed out: it goes without its destructor.
  const auto capsule = MakeCapsule(&impl_->storage, array, facts, plan);
  *out = static_cast<DLManagedTensorVersioned*>(capsule->managed);
  if (impl_->mutant == kTableStructOld) (*out)->version = {1, 0};
  return std::nullopt;
}

std::optional<Refusal> RefProducer::Lend(const RefArrayPtr& array, DLTensor* out) {
  if (const SharedForm* form = impl_->FormOf(*array)) {
    *out = form->managed.dl_tensor;  // XAPI-14: shape and strides belong to the array.
    return std::nullopt;
  }
  const PlanFacts facts = TableFacts(impl_->Facts(*array));
  PlanOrRefusal planned = impl_->PlanFor(*array, facts, WithVersion(1, 3));
  if (auto* refusal = std::get_if<Refusal>(&planned)) return std::move(*refusal);
  *out = LendTensor(&impl_->storage, *array, facts, *std::get_if<Plan>(&planned));
  if (impl_->mutant == kBorrowLeaks) {
    out->shape = impl_->leaked.emplace_back(array->view.shape).data();
    impl_->leaked.emplace_back(64);
  }
  if (impl_->mutant == kBorrowOffsetLost) out->byte_offset = 0;
  return std::nullopt;
}

}  // namespace dlpc
