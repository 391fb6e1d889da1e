#include "harness/hosts/reference_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/json.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// Arrays that DLPack cannot describe.
struct RefusalRow {
  const char* name;
  uint8_t flags;
  ArrayState state = ArrayState::kPlain;
};
constexpr RefusalRow kRefusals[] = {
    {"array sharded over two devices", kSharded},
    {"odd stride: no multiple of the element size", kOddStride},
    {"bit-packed booleans", 0, ArrayState::kBitPackedBool},
    {"object references", 0, ArrayState::kObject},
    {"long double", 0, ArrayState::kLongDouble},
    {"byte-swapped float32", 0, ArrayState::kByteSwapped},
    {"deleted", 0, ArrayState::kDeleted},
    {"missing values", 0, ArrayState::kMissing},
    {"conjugate view", 0, ArrayState::kConjugate},
    {"pending computation", 0, ArrayState::kPending},
};

Raised AsRaised(const Refusal& refusal) {
  return {refusal.exception,
          {refusal.exception, "Exception", "BaseException", "object"},
          refusal.message};
}

std::string DeviceRepr(const RefDeviceTuple& tuple) {
  std::string text = "(";
  text += tuple.type_is_text ? "'cpu'" : std::to_string(int32_t{tuple.device.device_type});
  text += ", ";
  text += tuple.id_is_none ? "None" : std::to_string(tuple.device.device_id);
  return text += tuple.items > 2 ? ", 0)" : ")";
}

DeviceAnswer AsAnswer(const RefDeviceTuple& tuple) {
  DeviceAnswer answer;
  answer.is_tuple = true;
  answer.size = tuple.items;
  answer.type_kind = tuple.type_is_text ? Item::kOther : Item::kInt;
  answer.id_kind = tuple.id_is_none ? Item::kNone : Item::kInt;
  answer.type = tuple.device.device_type;
  answer.id = tuple.device.device_id;
  answer.repr = DeviceRepr(tuple);
  return answer;
}

ManagedRef AsManaged(const RefCapsule& capsule) {
  const std::string_view name = capsule.name;
  if (name == "dltensor" || name == "used_dltensor") return {capsule.managed, false};
  if (name == "dltensor_versioned" || name == "used_dltensor_versioned") {
    return {capsule.managed, true};
  }
  return {};
}

uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

uint32_t CountDistinct(std::vector<uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<uint32_t>(std::unique(values.begin(), values.end()) - values.begin());
}

// What is counted of the capsules of kExportMany.
struct Tally {
  std::vector<uint64_t> capsules, managed, names;
  std::set<std::string, std::less<>> distinct_names;

  void Add(const RefCapsule& capsule) {
    capsules.push_back(Address(&capsule));
    managed.push_back(Address(capsule.managed));
    names.push_back(Address(capsule.name));
    if (distinct_names.find(std::string_view(capsule.name)) == distinct_names.end()) {
      distinct_names.insert(capsule.name);
    }
  }

  void Fill(Many& many) {
    many.capsules = static_cast<uint32_t>(capsules.size());
    many.distinct_capsules = CountDistinct(capsules);
    many.distinct_managed = CountDistinct(managed);
    many.distinct_name_pointers = CountDistinct(names);
    many.names.assign(distinct_names.begin(), distinct_names.end());
  }
};

std::string ClaimsJson(const std::string& profile) {
  Json json;
  for (const DTypeRow& row : DTypes()) json["dtypes"].push_back(row.name);
  for (const NamedLayout& row : Layouts()) json["layouts"].push_back(row.name);
  for (size_t i = 0; i < static_cast<size_t>(Memory::kCount_); ++i) {
    json["memory_kinds"].push_back(MemoryName(static_cast<Memory>(i)));
  }
  json["features"] = {"read_only", "static_storage", "sharded", "odd_stride", "copy", "legacy"};
  json["device_maps"] = {{"query", profile}, {"export", profile}};
  return DumpJson(json);
}

}  // namespace

ReferenceBackend::ReferenceBackend(Mutant mutant, std::string_view profile, MapFault fault)
    : mutant_(mutant), profile_(profile), producer_(mutant, profile, fault) {}
ReferenceBackend::~ReferenceBackend() {
  producer_.Drop(timed_array_);
  ReferenceBackend::Reset();
}

Claims ReferenceBackend::GetClaims() {
  Claims claims;
  claims.producer = "reference";
  claims.version = fmt::format("{}.{}", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  claims.kind = "reference";
  for (const MutantRow& row : Mutants()) {
    if (row.mutant == mutant_) claims.adapter = row.name;
  }
  claims.json = ClaimsJson(profile_);
  return claims;
}

Observation ReferenceBackend::Make(int a, const ArraySpec& spec) {
  return Keep(a, producer_.Make(spec), (spec.flags & kSharded) != 0);
}

Observation ReferenceBackend::Keep(int a, RefArrayPtr made_array, bool sharded) {
  objects_[a] = {};
  producer_.Drop(arrays_[a]);
  RefArrayPtr& array = arrays_[a] = std::move(made_array);
  Made made;
  made.shape = producer_.ViewOf(array).shape;
  made.read_only = producer_.ReadOnly(array);
  made.allocation = producer_.Allocation(array);
  if (producer_.ViewOf(array).elements != 0) made.pointer = producer_.Pointer(array);
  if (!sharded) made.device = producer_.Label(array);
  return made;
}

Observation ReferenceBackend::MakeRefusal(int a, uint32_t n) {
  if (n >= std::size(kRefusals)) {
    producer_.Drop(arrays_[a]);
    return Unsupported{"there is no such object"};
  }
  const RefusalRow& row = kRefusals[n];
  ArraySpec spec;
  spec.layout = Contiguous({4});
  spec.flags = row.flags;
  const bool plain = row.state == ArrayState::kPlain;
  Observation observation = Keep(a, plain ? producer_.Make(spec) : producer_.MakeInState(row.state),
                                 (row.flags & kSharded) != 0);
  std::get_if<Made>(&observation)->description = row.name;
  return observation;
}

Observation ReferenceBackend::Probe(int) {
  const RefProducer::Methods m = producer_.MethodsOf();
  return Probed{m.type_dlpack, m.type_device, m.instance_dlpack, m.instance_device};
}

Observation ReferenceBackend::Device(int a, uint32_t times) {
  const RefDeviceTuple first = producer_.Device(arrays_[a]);
  if (first.refused) return AsRaised(first.refusal);
  DeviceAnswer answer = AsAnswer(first);
  answer.calls = std::max<uint32_t>(times, 1);
  for (uint32_t i = 1; i < answer.calls; ++i) {
    const RefDeviceTuple again = producer_.Device(arrays_[a]);
    if (again.refused || !SameDevice(again.device, first.device)) ++answer.differing;
  }
  return answer;
}

Observation ReferenceBackend::Export(int e, int a, const Request& request) {
  ExportSlot& slot = exports_[e];
  RefInterpreter interpreter;
  DropRefCapsule(slot.capsule, &interpreter);
  slot = {};
  RefExport result = producer_.Export(arrays_[a], request);
  if (const auto* refusal = std::get_if<Refusal>(&result)) return AsRaised(*refusal);
  slot.capsule = std::move(*std::get_if<std::shared_ptr<RefCapsule>>(&result));
  slot.managed = AsManaged(*slot.capsule);
  waiting_.insert(slot.capsule->waiting);
  if (slot.capsule->ends_stream) consumers_stream_ = 0;
  Exported exported;
  exported.is_capsule = !slot.capsule->wrapped;
  if (!exported.is_capsule) {
    slot.managed = {};
    exported.type_name = "Wrapper";
    return exported;
  }
  exported.type_name = "PyCapsule";
  exported.name = slot.capsule->name;
  exported.name_pointer = Address(slot.capsule->name);
  exported.managed = Address(slot.capsule->managed);
  exported.has_destructor = slot.capsule->destructor != nullptr;
  if (request.stream == Arg::kValue) exported.waits = slot.capsule->waits;
  return exported;
}

Observation ReferenceBackend::ExportMany(int a, uint32_t times, const Request& request,
                                         bool drop_each) {
  Many many;
  many.tried = times;
  Tally tally;
  RefInterpreter interpreter;
  std::vector<std::shared_ptr<RefCapsule>> held;
  for (uint32_t i = 0; i < times; ++i) {
    RefExport result = producer_.Export(arrays_[a], request);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      if (!many.first_error) many.first_error = AsRaised(*refusal);
      continue;
    }
    auto& capsule = *std::get_if<std::shared_ptr<RefCapsule>>(&result);
    tally.Add(*capsule);
    if (drop_each) {
      DropRefCapsule(capsule, &interpreter);
    } else {
      held.push_back(std::move(capsule));
    }
  }
  tally.Fill(many);
  for (auto& capsule : held) DropRefCapsule(capsule, &interpreter);
  return many;
}

Observation ReferenceBackend::ReadOwn(int a) {
  Elements elements;
  elements.bytes = producer_.Read(arrays_[a]);
  return elements;
}

Observation ReferenceBackend::Poke(int a, const std::string& element) {
  if (!producer_.Poke(arrays_[a], element)) return NotPerformed{"array has no element"};
  return Done{};
}

Observation ReferenceBackend::Rename(int e, Name name) {
  ExportSlot& slot = exports_[e];
  if (name == Name::kForeign) {
    slot.capsule->name = "foreign";
    return Done{};
  }
  if (slot.managed.managed == nullptr) return NotPerformed{"capsule has an unknown name"};
  slot.capsule->name = slot.managed.versioned ? "used_dltensor_versioned" : "used_dltensor";
  return Done{};
}

Observation ReferenceBackend::DropArray(int a) {
  objects_[a] = {};
  producer_.Drop(arrays_[a]);
  return Done{};
}

Observation ReferenceBackend::Collect() { return Done{}; }

Observation ReferenceBackend::RefCount(int a) {
  Counted counted;
  counted.value = producer_.RefCount(arrays_[a]);
  return counted;
}

ManagedRef ReferenceBackend::Managed(int e) { return exports_[e].managed; }
bool ReferenceBackend::HasArray(int a) { return arrays_[a] != nullptr; }
bool ReferenceBackend::HasCapsule(int e) { return exports_[e].capsule != nullptr; }

std::unique_ptr<Backend> MakeReferenceBackend(Mutant mutant) {
  return std::make_unique<ReferenceBackend>(mutant);
}

}  // namespace dlpc
