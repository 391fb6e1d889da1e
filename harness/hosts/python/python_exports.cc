// The part of PythonBackend that calls `__dlpack__` and looks at capsules.
#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "harness/consume_many.h"
#include "harness/hosts/python/python_backend.h"
#include "harness/threads.h"

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

// The lock is given back for the time of the call.
template <typename Call>
void WithoutLock(Call call) {
  PyThreadState* const state = PyEval_SaveThread();
  call();
  PyEval_RestoreThread(state);
}

bool HasDestructor(PyObject* capsule) {
  const bool has = PyCapsule_GetDestructor(capsule) != nullptr;
  if (!has) PyErr_Clear();
  return has;
}

uint64_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

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

Ref PythonBackend::CallExport(PyObject* object, const Request& request) {
  CallArguments call;
  Ref own;
  if (request.device == Arg::kOwn) {
    own = CallMethod(device_name_.get(), object);
    if (!own) return {};
  }
  if (!requests_.Get(request, own.get(), call)) return {};
  call.stack[0] = object;
  return CallMethod(dlpack_name_.get(), call);
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
  exported.name = std::string_view(name == nullptr ? "" : name).substr(0, 200);
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
  uint32_t tried = 0;
  const auto end = std::chrono::steady_clock::now() + kLongestLoop;
  for (bool late = false; tried < times && !late; ++tried) {
    late = drop_each && tried % 64 == 63 && std::chrono::steady_clock::now() > end;
    Ref result = CallExport(x, request);
    if (!result && error) PyErr_Clear();
    if (!result && !error) error = exceptions_->Take();
    if (!result || !PyCapsule_CheckExact(result.get())) continue;
    counter.Add(result.get());
    if (!drop_each) held.push_back(std::move(result));
  }
  held.clear();
  PyErr_Clear();
  return counter.Finish(tried, std::move(error));
}

Dropped PythonBackend::RunDeleter(Thread thread, bool pending, const std::function<void()>& call) {
  if (pending) PyErr_SetObject(TypeOf(pending_.get()), pending_.get());
  bool without_lock = false;
  if (thread == Thread::kLocked || thread == Thread::kCount_) {
    call();
  } else if (thread == Thread::kContended) {
    ForeignCall foreign(call);
    without_lock = foreign.EndsWithoutWaiting();
    // Not even then: what a deleter without the lock did must be seen before the lock changes
    // hands.
    if (!without_lock) WithoutLock([&] { foreign.Join(); });
  } else {
    WithoutLock([&] {
      if (thread == Thread::kFree) return call();
      const ForeignCall foreign(call);
    });
  }
  Dropped dropped = AfterDrop(pending);
  dropped.without_lock = without_lock;
  return dropped;
}

void PythonBackend::RunOnThreads(const std::vector<Work>& work) {
  WithoutLock([&work] {
    RunTogether(work, [] {  // Others find the lock taken at one time and free at another.
      const PyGILState_STATE state = PyGILState_Ensure();
      PyGILState_Release(state);
      std::this_thread::yield();
    });
  });
}

void PythonBackend::WithLock(const Work& f) {
  const PyGILState_STATE state = PyGILState_Ensure();
  f();
  PyGILState_Release(state);
}

}  // namespace dlpc
