#include "harness/hosts/native_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr const char* kLegacyName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";
constexpr const char* kUsedLegacyName = "used_dltensor";
constexpr const char* kUsedVersionedName = "used_dltensor_versioned";
constexpr const char* kForeignName = "foreign";

using Message = std::array<char, 1024>;

struct StatusRow {
  dlpc_status status;
  const char* exception;
};
constexpr StatusRow kStatuses[] = {
    {DLPC_BUFFER_ERROR, "BufferError"},
    {DLPC_TYPE_ERROR, "TypeError"},
    {DLPC_VALUE_ERROR, "ValueError"},
    {DLPC_OTHER, "RuntimeError"},
};

Raised RaisedAs(const char* type, std::string message) {
  return {type, {type, "Exception", "BaseException", "object"}, std::move(message)};
}

/// What a status other than DLPC_OK means.
Observation Failure(dlpc_status status, const Message& message) {
  const std::string text(message.data(), strnlen(message.data(), message.size()));
  if (status == DLPC_UNSUPPORTED) return Unsupported{text};
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return RaisedAs(row.exception, text);
  }
  return AdapterFault{fmt::format("the plug-in returned the unknown status {}", status)};
}

/// Runs a call into the plug-in: nullopt when it returned DLPC_OK.
template <typename F>
std::optional<Observation> Guarded(F call) {
  Message message{};
  try {
    const dlpc_status status = call(message.data(), message.size());
    if (status == DLPC_OK) return {};
    return Failure(status, message);
  } catch (const std::exception& e) {
    return Raised{"C++ exception", {"C++ exception"}, e.what()};
  } catch (...) {
    return Raised{"C++ exception", {"C++ exception"}, ""};
  }
}

/// nullopt: dlpack.h 1.3 has no type that stands for this kind of memory alone.
std::optional<DLDeviceType> DeviceTypeOf(Memory memory) {
  constexpr DLDeviceType kTypes[] = {kDLCPU,  kDLCUDA,     kDLCUDAHost, kDLCUDAManaged,
                                     kDLROCM, kDLROCMHost, kDLOneAPI,   kDLExtDev};
  const auto index = static_cast<size_t>(memory);
  if (index >= std::size(kTypes)) return std::nullopt;
  return kTypes[index];
}

/// nullopt: the C call has no way to pass such arguments.
std::optional<dlpc_request> AsRequest(const Request& r) {
  if (r.extra != Extra::kNone) return {};
  for (const Arg arg : {r.version, r.copy, r.device, r.stream}) {
    if (arg == Arg::kOdd) return {};
  }
  dlpc_request c{};
  c.struct_size = sizeof c;
  c.has_max_version = r.version == Arg::kValue;
  c.max_version = r.max_version;
  c.copy = r.copy != Arg::kValue ? DLPC_COPY_NONE : r.copy_value ? DLPC_COPY_TRUE : DLPC_COPY_FALSE;
  c.has_dl_device = r.device == Arg::kValue;
  c.dl_device = r.dl_device;
  c.has_stream = r.stream == Arg::kValue;
  c.stream = r.stream_value;
  return c;
}

void ReadFacts(const NativeApi& api, dlpc_array* array, Made& made) {
  if (api.facts == nullptr) return;
  dlpc_array_facts facts{};
  facts.struct_size = sizeof facts;
  api.facts(array, &facts);
  const auto known = [&](uint32_t bit) { return (facts.known & bit) != 0; };
  if (known(DLPC_KNOWN_POINTER)) made.pointer = facts.pointer;
  if (known(DLPC_KNOWN_ALLOCATION)) made.allocation = {facts.allocation, facts.allocation_bytes};
  if (known(DLPC_KNOWN_READ_ONLY)) made.read_only = facts.read_only != 0;
  if (known(DLPC_KNOWN_DEVICE)) made.device = facts.device;
}

/// What a capsule's destructor does to a struct that nobody consumed.
Dropped DeleteManaged(const ManagedRef& ref) {
  Dropped dropped;
  const auto run = [&dropped](auto* managed) {
    if (managed->deleter == nullptr) return;
    try {
      managed->deleter(managed);
    } catch (...) {
      dropped.threw = true;
    }
  };
  if (ref.managed == nullptr) return dropped;
  if (ref.versioned) {
    run(static_cast<DLManagedTensorVersioned*>(ref.managed));
  } else {
    run(static_cast<DLManagedTensor*>(ref.managed));
  }
  return dropped;
}

bool IsConsumed(const char* name) { return name != kLegacyName && name != kVersionedName; }

}  // namespace

NativeBackend::~NativeBackend() { NativeBackend::Reset(); }

// ---- Arrays -------------------------------------------------------------------------------------

Observation NativeBackend::Make(int a, const ArraySpec& spec) {
  DropArray(a);
  if ((spec.flags & ~kReadOnly) != 0) {
    return Unsupported{"plug-ins make no static, sharded or oddly strided arrays"};
  }
  const auto device_type = DeviceTypeOf(spec.memory);
  if (!device_type || spec.place != Place::kOrdinary) {
    return Unsupported{fmt::format("plug-ins cannot be asked for {} memory, place: {}",
                                   MemoryName(spec.memory), PlaceName(spec.place))};
  }
  const View view = Resolve(spec.layout);
  const std::string base = PatternBase(spec);
  const bool scalar = view.shape.empty();
  dlpc_spec c{};
  c.struct_size = sizeof c;
  c.dtype = spec.dtype;
  c.ndim = static_cast<int32_t>(view.shape.size());
  c.shape = scalar ? nullptr : view.shape.data();
  c.strides = scalar ? nullptr : view.strides.data();
  c.offset = view.offset;
  c.base = base.data();
  c.base_bytes = base.size();
  c.device_type = *device_type;
  c.flags = (spec.flags & kReadOnly) != 0 ? DLPC_SPEC_READ_ONLY : 0;
  dlpc_array* array = nullptr;
  auto failed = Guarded([&](char* text, size_t size) { return api_.make(&c, &array, text, size); });
  if (failed && std::holds_alternative<Unsupported>(*failed)) return *failed;
  if (failed) return AdapterFault{"dlpc_make failed: " + ObservationText(*failed)};
  if (array == nullptr) return AdapterFault{"dlpc_make returned DLPC_OK and no array"};
  const size_t element_bytes = ElementBytes(spec.dtype);
  arrays_[a] = {array, element_bytes, element_bytes * static_cast<size_t>(view.elements)};
  Made made;
  made.shape = view.shape;
  failed = Guarded([&](char*, size_t) {
    ReadFacts(api_, array, made);
    return DLPC_OK;
  });
  if (failed) return AdapterFault{"dlpc_facts failed: " + ObservationText(*failed)};
  return made;
}

Observation NativeBackend::MakeRefusal(int a, uint32_t) {
  DropArray(a);
  return Unsupported{"plug-ins have no list of objects that DLPack cannot describe"};
}

Observation NativeBackend::Probe(int) {
  const bool device = api_.device != nullptr;
  return Probed{true, device, true, device};
}

Observation NativeBackend::Device(int a, uint32_t times) {
  if (api_.device == nullptr) return Unsupported{"the plug-in has no dlpc_device"};
  DeviceAnswer answer;
  answer.calls = std::max<uint32_t>(times, 1);
  DLDevice first{};
  for (uint32_t i = 0; i < answer.calls; ++i) {
    DLDevice device{};
    const auto failed = Guarded([&](char* text, size_t size) {
      return api_.device(arrays_[a].handle, &device, text, size);
    });
    if (failed && i == 0) return *failed;
    if (i == 0) first = device;
    const bool same =
        device.device_type == first.device_type && device.device_id == first.device_id;
    if (failed || !same) ++answer.differing;
  }
  answer.is_tuple = true;
  answer.size = 2;
  answer.type_kind = answer.id_kind = Item::kInt;
  answer.type = first.device_type;
  answer.id = first.device_id;
  answer.repr = fmt::format("({}, {})", answer.type, answer.id);
  return answer;
}

Observation NativeBackend::ReadOwn(int a) {
  if (api_.access == nullptr) return Unsupported{"the plug-in has no dlpc_access"};
  Elements elements;
  elements.bytes.resize(arrays_[a].value_bytes);
  const auto failed = Guarded([&](char* text, size_t size) {
    return api_.access(arrays_[a].handle, DLPC_READ_ALL, elements.bytes.data(),
                       elements.bytes.size(), text, size);
  });
  return failed ? *failed : elements;
}

Observation NativeBackend::Poke(int a, const std::string& element) {
  if (api_.access == nullptr) return Unsupported{"the plug-in has no dlpc_access"};
  if (arrays_[a].value_bytes == 0) return NotPerformed{"array is empty"};
  std::string bytes = element;
  const auto failed = Guarded([&](char* text, size_t size) {
    return api_.access(arrays_[a].handle, DLPC_WRITE_FIRST, bytes.data(), bytes.size(), text, size);
  });
  return failed ? *failed : Done{};
}

Observation NativeBackend::DropArray(int a) {
  dlpc_array* array = std::exchange(arrays_[a], {}).handle;
  if (array == nullptr) return Done{};
  const auto failed = Guarded([&](char*, size_t) {
    api_.release(array);
    return DLPC_OK;
  });
  return failed ? *failed : Done{};
}

Observation NativeBackend::RefCount(int) {
  return Unsupported{"plug-ins do not tell reference counts"};
}

// ---- Exports ------------------------------------------------------------------------------------

/// One export: Done and `managed`, or why there is none.
Observation NativeBackend::Call(int a, const Request& request, ManagedRef& managed) {
  auto c = AsRequest(request);
  if (!c) return Unsupported{"a C call cannot pass such arguments"};
  if (request.device == Arg::kOwn) {
    if (api_.device == nullptr) return Unsupported{"the plug-in has no dlpc_device"};
    c->has_dl_device = 1;
    if (auto failed = Guarded([&](char* text, size_t size) {
          return api_.device(arrays_[a].handle, &c->dl_device, text, size);
        })) {
      return *failed;
    }
  }
  dlpc_exported out{sizeof out, nullptr, nullptr};
  if (auto failed = Guarded([&](char* text, size_t size) {
        return api_.export_array(arrays_[a].handle, &*c, &out, text, size);
      })) {
    return *failed;
  }
  if ((out.versioned == nullptr) == (out.legacy == nullptr)) {
    return AdapterFault{"dlpc_export returned DLPC_OK and not exactly one struct"};
  }
  managed.versioned = out.versioned != nullptr;
  managed.managed = managed.versioned ? static_cast<void*>(out.versioned) : out.legacy;
  return Done{};
}

Observation NativeBackend::Export(int e, int a, const Request& request) {
  if (HasCapsule(e)) DropCapsule(e, false);
  ExportSlot slot;
  Observation result = Call(a, request, slot.managed);
  exports_[e] = {};
  if (!std::holds_alternative<Done>(result)) return result;
  slot.name = slot.managed.versioned ? kVersionedName : kLegacyName;
  exports_[e] = slot;
  Exported exported;
  exported.is_capsule = true;
  exported.emulated_capsule = true;
  exported.has_destructor = true;
  exported.type_name = slot.managed.versioned ? "DLManagedTensorVersioned" : "DLManagedTensor";
  exported.name = slot.name;
  exported.name_pointer = reinterpret_cast<uint64_t>(slot.name);
  exported.managed = reinterpret_cast<uint64_t>(slot.managed.managed);
  return exported;
}

Observation NativeBackend::ExportMany(int a, uint32_t times, const Request& request,
                                      bool drop_each) {
  Many many;
  many.tried = times;
  std::vector<ManagedRef> held;
  std::set<void*> managed;
  std::set<std::string> names;
  for (uint32_t i = 0; i < times; ++i) {
    ManagedRef ref;
    Observation result = Call(a, request, ref);
    if (const auto* raised = std::get_if<Raised>(&result)) {
      if (!many.first_error) many.first_error = *raised;
      continue;
    }
    if (!std::holds_alternative<Done>(result)) {
      for (const ManagedRef& each : held) DeleteManaged(each);
      return result;
    }
    ++many.capsules;
    managed.insert(ref.managed);
    names.insert(ref.versioned ? kVersionedName : kLegacyName);
    if (drop_each) {
      DeleteManaged(ref);
    } else {
      held.push_back(ref);
    }
  }
  for (const ManagedRef& each : held) DeleteManaged(each);
  many.distinct_capsules = many.capsules;
  many.distinct_managed = static_cast<uint32_t>(managed.size());
  many.distinct_name_pointers = static_cast<uint32_t>(names.size());
  many.names.assign(names.begin(), names.end());
  return many;
}

Observation NativeBackend::Rename(int e, Name name) {
  ExportSlot& slot = exports_[e];
  if (slot.managed.managed == nullptr) return NotPerformed{"capsule has an unknown name"};
  slot.name = name == Name::kForeign   ? kForeignName
              : slot.managed.versioned ? kUsedVersionedName
                                       : kUsedLegacyName;
  return Done{};
}

Observation NativeBackend::DropCapsule(int e, bool) {
  ExportSlot& slot = exports_[e];
  const char* name = std::exchange(slot.name, nullptr);
  if (name == nullptr || IsConsumed(name)) return Dropped{};  // The struct is its consumer's.
  return DeleteManaged(std::exchange(slot.managed, {}));
}

Dropped NativeBackend::RunDeleter(Thread thread, bool, const std::function<void()>& call) {
  if (thread >= Thread::kForeign) {
    std::thread(call).join();
  } else {
    call();  // There is no interpreter lock to hold or to release.
  }
  return {};
}

void NativeBackend::Reset() {
  for (int e = 0; e < kExportSlots; ++e) {
    DropCapsule(e, false);
    Forget(e);
  }
  for (int a = 0; a < kArraySlots; ++a) DropArray(a);
}

}  // namespace dlpc
