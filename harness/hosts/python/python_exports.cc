// The part of PythonBackend that calls `__dlpack__` and looks at capsules.
#include <algorithm>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/hosts/python/python_backend.h"

namespace dlpc {
namespace {

constexpr size_t kMaxNames = 64;  // A faulty producer may invent a name for each capsule.

// nullptr for a capsule without a name.
const char* CapsuleName(PyObject* capsule) {
  const char* const name = PyCapsule_GetName(capsule);
  if (name == nullptr) PyErr_Clear();
  return name;
}

void* CapsulePointer(PyObject* capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule, name);
  if (pointer == nullptr) PyErr_Clear();
  return pointer;
}

bool HasDestructor(PyObject* capsule) {
  const bool has = PyCapsule_GetDestructor(capsule) != nullptr;
  if (!has) PyErr_Clear();
  return has;
}

uint64_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void RunOnNewThread(const std::function<void()>& call) {
  std::thread thread;
  try {
    thread = std::thread(call);
  } catch (const std::system_error&) {
    call();  // No thread to be had: the deleter must run all the same, exactly once.
    return;
  }
  thread.join();
}

template <typename T>
uint32_t SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return static_cast<uint32_t>(values.size());
}

// Collects what ExportMany saw.
class ManyCounter {
 public:
  void Add(PyObject* capsule) {
    ++many_.capsules;
    const char* const name = CapsuleName(capsule);
    capsules_.push_back(Address(capsule));
    managed_.push_back(Address(CapsulePointer(capsule, name)));
    if (name_pointers_.empty() || name_pointers_.back() != Address(name)) {
      name_pointers_.push_back(Address(name));
      AddName(name == nullptr ? "" : name);
    }
  }

  Many Finish(uint32_t tried, std::optional<Raised> error) {
    many_.tried = tried;
    many_.distinct_capsules = SortUnique(capsules_);
    many_.distinct_managed = SortUnique(managed_);
    many_.distinct_name_pointers = SortUnique(name_pointers_);
    std::sort(many_.names.begin(), many_.names.end());
    many_.first_error = std::move(error);
    return std::move(many_);
  }

 private:
  void AddName(std::string_view name) {
    if (many_.names.size() >= kMaxNames) return;
    if (std::find(many_.names.begin(), many_.names.end(), name) == many_.names.end()) {
      many_.names.emplace_back(name.substr(0, 200));
    }
  }

  Many many_;
  std::vector<uint64_t> capsules_, managed_, name_pointers_;
};

}  // namespace

// The arguments plus dl_device=x.__dlpack_device__(); nothing with an exception set on failure.
Ref PythonBackend::KwargsWithOwnDevice(PyObject* object, const CallArguments& call) {
  Ref kwargs = Ref::Steal(call.kwargs ? PyDict_Copy(call.kwargs.get()) : PyDict_New());
  Ref method = Ref::Steal(PyObject_GetAttr(object, device_name_.get()));
  if (!kwargs || !method) return {};
  Ref device = Ref::Steal(PyObject_Call(method.get(), no_args_.get(), nullptr));
  if (!device || PyDict_SetItemString(kwargs.get(), "dl_device", device.get()) != 0) return {};
  return kwargs;
}

Ref PythonBackend::CallExport(PyObject* object, const Request& request) {
  const CallArguments* const call = requests_.Get(request);
  if (call == nullptr) return {};
  Ref own;
  PyObject* kwargs = call->kwargs.get();
  if (request.device == Arg::kOwn) {
    own = KwargsWithOwnDevice(object, *call);
    if (!own) return {};
    kwargs = own.get();
  }
  Ref method = Ref::Steal(PyObject_GetAttr(object, dlpack_name_.get()));
  if (!method) return {};
  return Ref::Steal(PyObject_Call(method.get(), call->args.get(), kwargs));
}

Observation PythonBackend::Export(int e, int a, const Request& request) {
  ExportSlot& slot = Slot(e);
  slot = {};
  PyErr_Clear();
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  const bool streamed = request.stream == Arg::kValue;
  const auto before = streamed ? adapter_->Waits(request.stream_value) : std::nullopt;
  Ref result = CallExport(x, request);
  if (!result) return exceptions_->Take();
  Exported exported = Describe(result.get(), slot);
  if (before) {
    const auto after = adapter_->Waits(request.stream_value);
    if (after) exported.waits = *after - *before;
  }
  if (exported.is_capsule) slot.capsule = std::move(result);
  return exported;
}

Exported PythonBackend::Describe(PyObject* result, ExportSlot& slot) {
  Exported exported;
  exported.is_capsule = PyCapsule_CheckExact(result) != 0;
  exported.type_name = exported.is_capsule ? "PyCapsule" : ClassName(TypeOf(result));
  if (!exported.is_capsule) return exported;
  const char* const name = CapsuleName(result);
  void* const managed = CapsulePointer(result, name);
  exported.name = std::string(name == nullptr ? "" : name).substr(0, 200);
  exported.name_pointer = Address(name);
  exported.managed = Address(managed);
  exported.has_destructor = HasDestructor(result);
  if (exported.name == "dltensor" || exported.name == "dltensor_versioned") {
    slot.name = NameKind::kFresh;
  } else if (exported.name == "used_dltensor" || exported.name == "used_dltensor_versioned") {
    slot.name = NameKind::kUsed;
  } else {
    return exported;
  }
  slot.managed = managed;
  slot.versioned = exported.name.ends_with("_versioned");
  return exported;
}

ManagedRef PythonBackend::Managed(int e) {
  const ExportSlot& slot = Slot(e);
  if (slot.name == NameKind::kUnknown) return {};
  return {slot.managed, slot.versioned};
}

Observation PythonBackend::ExportMany(int a, uint32_t times, const Request& request,
                                      bool drop_each) {
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  ManyCounter counter;
  std::optional<Raised> error;
  std::vector<Ref> held;
  for (uint32_t i = 0; i < times; ++i) {
    Ref result = CallExport(x, request);
    if (!result && error) PyErr_Clear();
    if (!result && !error) error = exceptions_->Take();
    if (!result || !PyCapsule_CheckExact(result.get())) continue;
    counter.Add(result.get());
    if (!drop_each) held.push_back(std::move(result));
  }
  held.clear();
  PyErr_Clear();
  return counter.Finish(times, std::move(error));
}

Dropped PythonBackend::RunDeleter(Thread thread, const std::function<void()>& call) {
  if (thread == Thread::kLocked || thread == Thread::kCount_) {
    call();
    return AfterDrop(false);
  }
  PyThreadState* const state = PyEval_SaveThread();
  if (thread == Thread::kForeign) {
    RunOnNewThread(call);
  } else {
    call();
  }
  PyEval_RestoreThread(state);
  return AfterDrop(false);
}

}  // namespace dlpc
