#include "reference/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string_view>

#include "reference/dtype.h"
#include "reference/elements.h"
#include "reference/managed.h"
#include "reference/producer_impl.h"
#include "reference/shared_export.h"

namespace dlpc {
namespace {

using enum Mutant;

// Elements of a packed type cannot be addressed, so the base starts at the bit that puts the first
// element of the view at the start of a byte.
int64_t LeadingBits(int64_t offset, int64_t bits) { return (8 - offset * bits % 8) % 8; }

void OverwriteShapes(RefStorage& storage, const RefArray* array) {
  storage.ForEachNode([&](ExportNode& node) {
    if (!node.live.load() || node.array.get() != array) return;
    constexpr auto kDead = static_cast<int64_t>(0xDDDDDDDDDDDDDDDD);
    std::fill(node.shape.begin(), node.shape.end(), kDead);
    std::fill(node.strides.begin(), node.strides.end(), kDead);
  });
}

void SwapBytes(RefArray& array) {
  const size_t item = ElementBytes(array.spec.dtype);
  for (int64_t i = 0; i < array.view.elements; ++i) {
    uint8_t* const element = array.buffer.data() + static_cast<size_t>(i) * item;
    std::reverse(element, element + item);
  }
}

// Waits for the elements of a pending array.
void Wait(RefArray& array) {
  if (array.state != ArrayState::kPending) return;
  // Of another array, where this one was derived.
  FillPattern(array.spec.dtype, array.view.base_elements, array.elements.base, 0,
              ElementBits(array.spec.dtype));
  array.state = ArrayState::kPlain;
}

uint64_t CacheKey(const Plan& plan) {
  return uint64_t{static_cast<uint32_t>(plan.device.device_type)} << 40 |
         uint64_t{static_cast<uint32_t>(plan.device.device_id)} << 8 |
         static_cast<uint64_t>(plan.data) << 1 | uint64_t{plan.versioned};
}

std::string AddressText(const RefArray* array) {
  return fmt::format(" (array at {})", fmt::ptr(array));
}

}  // namespace

RefProducer::Impl::Impl(Mutant m, std::string_view profile, MapFault fault)
    : mutant(m), truth("generic"), claimed(profile, fault), storage(m) {
  if (m == kPlaceTextOther) {
    claimed = PlaceMap(profile, {MapFault::Kind::kText, DeviceRules(profile).size() - 1});
  }
}

PlanFacts RefProducer::Impl::Facts(const RefArray& array) const {
  const bool sharded = (array.spec.flags & kSharded) != 0 && mutant != kShardedExported;
  const DeviceAnswerOrRefusal& answer = claimed.At(array.spec.memory, array.spec.place, sharded);
  PlanFacts facts{mutant, array.spec.memory, {}, array.spec.flags, array.spec.place, nullptr};
  facts.unplaced = std::get_if<Refusal>(&answer);
  if (const auto* device = std::get_if<DLDevice>(&answer)) facts.label = *device;
  facts.state = array.state;
  facts.dtype = array.spec.dtype;
  return facts;
}

PlanOrRefusal RefProducer::Impl::PlanFor(RefArray& array, const PlanFacts& facts,
                                         const Request& request) const {
  PlanOrRefusal planned = PlanExport(facts, request);
  if (mutant == kRefusalDisables && array.disabled) {
    return Refusal{"BufferError", "array is in use"};
  }
  if (auto* refusal = std::get_if<Refusal>(&planned)) {
    if (mutant == kLeakOnError) array.references.fetch_add(1);
    array.disabled = true;
    if (mutant == kAddressInText) refusal->message += AddressText(&array);
    return planned;
  }
  const bool versioned = std::get_if<Plan>(&planned)->versioned;
  if (mutant == kLegacyRefusesViews && !versioned &&
      array.spec.layout != Contiguous(array.view.shape)) {
    return Refusal{"BufferError", "Cannot export a view"};
  }
  if (mutant != kPendingExported) Wait(array);  // STREAM-10
  return planned;
}
RefProducer::RefProducer(Mutant mutant, std::string_view profile, MapFault fault)
    : impl_(std::make_unique<Impl>(mutant, profile, fault)) {}
RefProducer::~RefProducer() = default;

RefArrayPtr RefProducer::Make(const ArraySpec& spec) {
  RefArrayPtr array = NewArray(&impl_->storage);
  array->spec = spec;
  array->view = Resolve(spec.layout);
  const View& view = array->view;
  const int64_t bits = ElementBits(spec.dtype);
  const bool odd = (spec.flags & kOddStride) != 0;
  const int64_t step = odd ? bits + 8 : bits;  // Records of one element and one byte.
  const int64_t lead = LeadingBits(view.offset, step);
  const int64_t bytes = view.base_elements == 0 ? 0 : (lead + view.base_elements * step + 7) / 8;
  array->buffer = impl_->storage.Take(static_cast<size_t>(bytes));
  uint8_t* base = array->buffer.data();
  if (odd || bits % 8 != 0) std::memset(base, 0, static_cast<size_t>(bytes));
  FillPattern(spec.dtype, view.base_elements, base, lead, step);
  array->elements = {base, lead + view.offset * step, step};
  if (spec.flags & kStaticStorage) array->buffer.Abandon();
  return array;
}

RefArrayPtr RefProducer::MakeInState(ArrayState state) {
  ArraySpec spec;
  spec.layout = Contiguous({4});
  if (state == ArrayState::kBitPackedBool) spec.dtype = {kDLUInt, 8, 1};
  if (state == ArrayState::kObject) spec.dtype = {kDLUInt, 64, 1};
  if (state == ArrayState::kLongDouble) spec.dtype = {kDLUInt, 64, 2};
  if (state == ArrayState::kConjugate) spec.dtype = {kDLComplex, 64, 1};
  RefArrayPtr array = Make(spec);
  // What twins take the elements for.
  if (state == ArrayState::kObject) array->spec.dtype = {kDLOpaqueHandle, 64, 1};
  if (state == ArrayState::kLongDouble) array->spec.dtype = {kDLFloat, 128, 1};
  array->state = state;
  if (state == ArrayState::kByteSwapped) SwapBytes(*array);
  if (state == ArrayState::kPending) std::memset(array->buffer.data(), 0, array->buffer.bytes());
  return array;
}

void RefProducer::Lock() { impl_->storage.interpreter.Lock(); }
void RefProducer::Unlock() { impl_->storage.interpreter.Unlock(); }

RefInterpreter& RefProducer::Interpreter() { return impl_->storage.state; }

RefDeviceTuple RefProducer::Device(const RefArrayPtr& array) {
  const Mutant m = impl_->mutant;
  RefDeviceTuple tuple;
  const PlanFacts facts = impl_->Facts(*array);
  if (facts.unplaced != nullptr) {  // DEV-13
    tuple.refused = true;
    tuple.refusal = *facts.unplaced;
    if (m == kAddressInText) tuple.refusal.message += AddressText(array.get());
    if (m == kShardedQueryTypeError && (facts.flags & kSharded)) {
      tuple.refusal.exception = "TypeError";
    }
    return tuple;
  }
  tuple.device = ClaimedDevice(facts);
  if (m == kDeviceFlips && array->device_queries.fetch_add(1) % 50 == 49) ++tuple.device.device_id;
  tuple.type_is_text = m == kDeviceTypeText;
  tuple.id_is_none = m == kDeviceIdNone;
  tuple.items = m == kDeviceTriple ? 3 : 2;
  return tuple;
}

RefExport RefProducer::Export(const RefArrayPtr& array, const Request& request) {
  const Mutant m = impl_->mutant;
  if (m == kExactTypeOnly && array->subclass) {
    return Refusal{"TypeError", "__dlpack__ of a subclass is not implemented"};
  }
  if (IsPlain(request)) {
    if (const SharedForm* form = impl_->FormOf(*array)) {
      auto capsule = ShareInCapsule(*array, *form);
      TellStreams(m, {true, form->managed.dl_tensor.device}, request, *capsule);
      return capsule;
    }
  }
  const PlanFacts facts = impl_->Facts(*array);
  PlanOrRefusal planned = impl_->PlanFor(*array, facts, request);
  if (auto* refusal = std::get_if<Refusal>(&planned)) return std::move(*refusal);
  const Plan& plan = *std::get_if<Plan>(&planned);
  if (m == kRemedyRefused && array->disabled && plan.data == Plan::Data::kCopy) {
    return Refusal{"BufferError", "Cannot copy an array of this device after a refusal"};
  }
  if (m != kCachedCapsule) {
    auto capsule = MakeCapsule(&impl_->storage, array, facts, plan);
    capsule->wrapped = m == kWrappedCapsule && request.stream == Arg::kNone;
    TellStreams(m, plan, request, *capsule);
    return capsule;
  }
  std::shared_ptr<RefCapsule> capsule = array->cached_capsule.lock();
  if (capsule == nullptr || array->cached_key != CacheKey(plan)) {
    capsule = MakeCapsule(&impl_->storage, array, facts, plan);
    array->cached_capsule = capsule;
    array->cached_key = CacheKey(plan);
  }
  TellStreams(m, plan, request, *capsule);
  return capsule;
}

RefProducer::Methods RefProducer::MethodsOf() const {
  Methods methods;
  methods.type_dlpack = impl_->mutant != kMethodsOnInstanceOnly;
  methods.type_device = methods.type_dlpack && impl_->mutant != kNoDeviceMethod;
  return methods;
}

uint64_t RefProducer::Pointer(const RefArrayPtr& array) const {
  if (array->view.elements == 0) return 0;
  const ElementPlace& place = array->elements;
  return reinterpret_cast<uint64_t>(place.base) + static_cast<uint64_t>(place.first_bit / 8);
}

bool RefProducer::ReadOnly(const RefArrayPtr& array) const {
  return (array->spec.flags & kReadOnly) != 0;
}

std::optional<DLDevice> RefProducer::Label(const RefArrayPtr& array) const {
  const auto* device = std::get_if<DLDevice>(
      &impl_->truth.At(array->spec.memory, array->spec.place, (array->spec.flags & kSharded) != 0));
  return device == nullptr ? std::nullopt : std::optional(*device);
}

const View& RefProducer::ViewOf(const RefArrayPtr& array) const { return array->view; }

std::pair<uint64_t, uint64_t> RefProducer::Allocation(const RefArrayPtr& array) const {
  return {reinterpret_cast<uint64_t>(array->buffer.data()), array->buffer.bytes()};
}

std::string RefProducer::Read(const RefArrayPtr& array) const {
  Wait(*array);
  std::string bytes = GatherElements(*array);
  const size_t item = ElementBytes(array->spec.dtype);
  for (size_t at = 0; at + item <= bytes.size(); at += item) {
    if (array->state == ArrayState::kByteSwapped) {
      std::reverse(bytes.begin() + static_cast<ptrdiff_t>(at),
                   bytes.begin() + static_cast<ptrdiff_t>(at + item));
    } else if (array->state == ArrayState::kConjugate) {  // The sign of the imaginary part.
      bytes[at + item - 1] = static_cast<char>(bytes[at + item - 1] ^ 0x80);
    }
  }
  return bytes;
}

bool RefProducer::Poke(const RefArrayPtr& array, const std::string& element) {
  const DLDataType t = array->spec.dtype;
  if (array->view.elements == 0 || element.size() < ElementBytes(t)) return false;
  StoreElement(reinterpret_cast<const uint8_t*>(element.data()), t, array->elements.base,
               array->elements.first_bit);
  return true;
}

int64_t RefProducer::RefCount(const RefArrayPtr& array) const {
  return array->references.load() + array->users - 1;
}

void RefProducer::Hold(const RefArrayPtr& array) { array->references.fetch_add(1); }

void RefProducer::Drop(RefArrayPtr& array) {
  if (array == nullptr) return;
  const bool is_static = (array->spec.flags & kStaticStorage) != 0;
  const Mutant m = impl_->mutant;
  const bool dies =
      m == kCapsuleOwnsNothing || (m == kDataDiesWithCapsule && array->out_of_capsule);
  if (dies && !is_static) EndOfData(*array);
  if (m == kShapeDies) OverwriteShapes(impl_->storage, array.get());
  if (array->references.fetch_sub(1) == 1 && m == kExportedFlag) EndOfData(*array);
  array.reset();
}

void DropRefCapsule(std::shared_ptr<RefCapsule>& capsule, RefInterpreter* interpreter) {
  // Like any object, a capsule dies with its last reference (one twin hands out several).
  if (capsule != nullptr && capsule.use_count() == 1 && capsule->destructor != nullptr) {
    capsule->destructor(capsule.get(), interpreter);
  }
  capsule.reset();
}

}  // namespace dlpc
