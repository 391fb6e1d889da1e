#include "harness/hosts/python/python_backend.h"

#include <cstring>
#include <string_view>

namespace dlpc {
namespace {

// Static storage: a capsule keeps the pointer, not the text.
constexpr char kUsedLegacy[] = "used_dltensor";
constexpr char kUsedVersioned[] = "used_dltensor_versioned";
constexpr char kForeign[] = "foreign";

constexpr int64_t kUncounted = -1;

std::string TextItem(PyObject* info, const char* key) {
  PyObject* const value = PyDict_GetItemString(info, key);  // Borrowed.
  return value != nullptr && PyUnicode_Check(value) ? TextOf(value, 1 << 20) : std::string();
}

// The texts of a list; empty for anything else.
std::vector<std::string> TextList(PyObject* info, const char* key) {
  std::vector<std::string> texts;
  PyObject* const list = PyDict_GetItemString(info, key);  // Borrowed.
  if (list == nullptr || !PyList_Check(list)) return texts;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject* const item = PyList_GetItem(list, i);  // Borrowed.
    if (PyUnicode_Check(item)) texts.push_back(TextOf(item, 100));
  }
  return texts;
}

bool HasAttr(PyObject* object, PyObject* name) {
  return static_cast<bool>(OptionalAttr(object, name));
}

// The items of a plain pair, borrowed. Pairs of the very same objects are equal, with no need to
// ask them.
struct DevicePair {
  explicit DevicePair(PyObject* object) {
    if (!PyTuple_CheckExact(object) || PyTuple_Size(object) != 2) return;
    first = PyTuple_GetItem(object, 0);
    second = PyTuple_GetItem(object, 1);
  }
  bool Same(const DevicePair& other) const {
    return first != nullptr && first == other.first && second == other.second;
  }
  PyObject* first = nullptr;
  PyObject* second = nullptr;
};

}  // namespace

// Reference count as far as differences of it can tell something. The low half of the field is the
// count in every version (3.14 keeps flags above it); immortal objects (3.12) have a huge one.
int64_t PythonBackend::References(PyObject* object) {
  uint32_t count = 0;
  std::memcpy(&count, object, sizeof count);  // ob_refcnt is the first field; little-endian.
  return count < (1u << 30) ? static_cast<int64_t>(count) : kUncounted;
}

std::unique_ptr<PythonBackend> PythonBackend::Create(PyObject* adapter, PyObject* info) {
  std::unique_ptr<PythonBackend> backend(new PythonBackend);
  if (!backend->Init(adapter, info)) return nullptr;
  return backend;
}

bool PythonBackend::Init(PyObject* adapter, PyObject* info) {
  claims_ = {
      TextItem(info, "producer"),    TextItem(info, "version"), "python",
      TextItem(info, "interpreter"), TextItem(info, "adapter"), TextItem(info, "claims_json")};
  places_ = TextList(info, "places");
  absent_ = TextItem(info, "absent");
  host_memory_ = PyDict_GetItemString(info, "host_memory") == Py_True;
  dlpack_name_ = Ref::Steal(PyUnicode_InternFromString("__dlpack__"));
  device_name_ = Ref::Steal(PyUnicode_InternFromString("__dlpack_device__"));
  table_name_ = Ref::Steal(PyUnicode_InternFromString("__dlpack_c_exchange_api__"));
  Ref gc = Ref::Steal(PyImport_ImportModule("gc"));
  if (gc) collect_ = Ref::Steal(PyObject_GetAttrString(gc.get(), "collect"));
  Ref sys = Ref::Steal(PyImport_ImportModule("sys"));
  if (sys) {  // CPython only; absent elsewhere.
    allocated_blocks_ = Ref::Steal(PyObject_GetAttrString(sys.get(), "getallocatedblocks"));
    PyErr_Clear();
  }
  pending_ = Ref::Steal(PyObject_CallFunction(PyExc_ValueError, "s", "pending"));
  no_args_ = Ref::Steal(PyTuple_New(0));
  return dlpack_name_ && device_name_ && table_name_ && collect_ && pending_ && no_args_ &&
         InitCollaborators(adapter, info);
}

bool PythonBackend::InitCollaborators(PyObject* adapter, PyObject* info) {
  PyObject* const spec_class = PyDict_GetItemString(info, "spec_class");  // All borrowed.
  PyObject* const describe = PyDict_GetItemString(info, "describe");
  PyObject* const unraisable = PyDict_GetItemString(info, "unraisable");
  derive_ = Ref::Borrow(PyDict_GetItemString(info, "derive"));
  benchmark_ = Ref::Borrow(PyDict_GetItemString(info, "benchmark"));
  if (spec_class == nullptr || !derive_ || !benchmark_ || describe == nullptr ||
      unraisable == nullptr) {
    PyErr_SetString(PyExc_KeyError,
                    "info needs spec_class, derive, benchmark, describe and unraisable");
    return false;
  }
  Ref enums = Ref::Steal(PyImport_ImportModule("enum"));
  Ref enum_class = enums ? Ref::Steal(PyObject_GetAttrString(enums.get(), "Enum")) : Ref();
  if (!enum_class) return false;
  exceptions_ = std::make_unique<ExceptionReader>(describe, unraisable);
  adapter_ = std::make_unique<Adapter>(adapter, exceptions_.get());
  specs_ = std::make_unique<SpecCache>(spec_class);
  devices_ = std::make_unique<DeviceReader>(std::move(enum_class));
  return true;
}

Observation PythonBackend::Probe(int a) {
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  return Probed{HasAttr(TypeOf(x), dlpack_name_.get()), HasAttr(TypeOf(x), device_name_.get()),
                HasAttr(x, dlpack_name_.get()), HasAttr(x, device_name_.get())};
}

Observation PythonBackend::Device(int a, uint32_t times) {
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  const Ref first = CallMethod(device_name_.get(), x);
  if (!first) return exceptions_->Take();
  const DevicePair pair(first.get());
  DeviceAnswer result = devices_->Read(first.get());
  for (; result.calls < times; ++result.calls) {
    const Ref answer = CallMethod(device_name_.get(), x);
    if (!answer) return exceptions_->Take();
    if (pair.Same(DevicePair(answer.get()))) continue;
    if (PyObject_RichCompareBool(first.get(), answer.get(), Py_EQ) != 1) {
      PyErr_Clear();
      ++result.differing;
    }
  }
  return result;
}

Observation PythonBackend::Poke(int a, const std::string& element) {
  if (!HasArray(a)) return NotPerformed{"there is no array"};
  return adapter_->Poke(Array(a).object.get(), element);
}

Observation PythonBackend::Rename(int e, Name name) {
  ExportSlot& slot = Slot(e);
  if (!slot.capsule) return NotPerformed{"there is no capsule"};
  if (name == Name::kUsed && slot.managed == nullptr) {
    return NotPerformed{"the capsule's name was unknown, so it has no used_ name"};
  }
  const char* const used = slot.versioned ? kUsedVersioned : kUsedLegacy;
  if (PyCapsule_SetName(slot.capsule.get(), name == Name::kUsed ? used : kForeign) != 0) {
    return exceptions_->Take();
  }
  slot.name = name == Name::kUsed ? NameKind::kUsed : NameKind::kUnknown;
  return Done{};
}

Observation PythonBackend::DropCapsule(int e, bool pending) {
  ExportSlot& slot = Slot(e);
  if (!slot.capsule) return NotPerformed{"there is no capsule"};
  if (slot.name != NameKind::kUsed) slot.managed = nullptr;  // Its destructor's business.
  if (pending) PyErr_SetObject(TypeOf(pending_.get()), pending_.get());
  slot.capsule.Reset();
  return AfterDrop(pending);
}

Dropped PythonBackend::AfterDrop(bool was_pending) {
  Dropped dropped;
  if (!was_pending && PyErr_Occurred() == nullptr) {
    dropped.unraisable = exceptions_->TakeUnraisable();
    return dropped;
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref owned_type = Ref::Steal(type), owned_traceback = Ref::Steal(traceback);
  const Ref now = Ref::Steal(value);
  dropped.lost_exception = was_pending && now.get() != pending_.get();
  dropped.left_exception = owned_type && (!was_pending || dropped.lost_exception);
  dropped.unraisable = exceptions_->TakeUnraisable();
  return dropped;
}

Observation PythonBackend::DropArray(int a) {
  Array(a) = {};
  PyErr_Clear();
  return Done{};
}

Observation PythonBackend::Collect() {
  Ref found = Ref::Steal(PyObject_Call(collect_.get(), no_args_.get(), nullptr));
  if (!found) return exceptions_->Take();
  // A producer may hand work to threads of its own that wait for the lock.
  PyThreadState* const state = PyEval_SaveThread();
  PyEval_RestoreThread(state);
  return Done{};
}

std::optional<int64_t> PythonBackend::LiveObjects() {
  if (!allocated_blocks_) return std::nullopt;
  Ref blocks = Ref::Steal(PyObject_Call(allocated_blocks_.get(), no_args_.get(), nullptr));
  const long long count = blocks ? PyLong_AsLongLong(blocks.get()) : -1;
  PyErr_Clear();
  if (count < 0) return std::nullopt;
  return count;
}

Observation PythonBackend::RefCount(int a) {
  const ArraySlot& slot = Array(a);
  if (!slot.object) return NotPerformed{"there is no array"};
  const int64_t now = References(slot.object.get());
  if (now == kUncounted || slot.references == kUncounted) {
    return Unsupported{"the object is immortal: its reference count tells nothing"};
  }
  Counted counted;
  counted.value = now - slot.references;
  return counted;
}

void PythonBackend::Reset() {
  for (ExportSlot& slot : exports_) slot = {};
  for (ArraySlot& slot : arrays_) {
    if (slot.object) slot = {};
  }
  PyErr_Clear();
  if (exceptions_) exceptions_->TakeUnraisable();
  if (specs_) specs_->Trim();
}

}  // namespace dlpc
