// The loops of benchmarks on a Python producer. Nothing of ours but the calls that any consumer
// makes lies between the clock's two looks.
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "harness/hosts/python/python_backend.h"
#include "harness/timed_exports.h"

namespace dlpc {
namespace {

PyObject* ReturnNone(PyObject*, PyObject*) {
  Py_IncRef(Py_None);
  return Py_None;
}
PyMethodDef kNothing = {"nothing", ReturnNone, METH_NOARGS, nullptr};

Request RequestOf(const Measurement& m) {
  Request request;
  if (m.versioned) request = WithVersion(1, 3);
  if (m.what == Timed::kCopyRelease) {
    request.copy = Arg::kValue;
    request.copy_value = true;
  }
  if (m.what == Timed::kRefusal) {  // A device that no machine of these days has.
    request.device = Arg::kValue;
    request.dl_device = {kDLVPI, 0};
  }
  return request;
}

// Takes the managed tensor out of a capsule and drops that, as consumers do.
bool Consume(Ref capsule, ManagedRef* out) {
  const char* const names[2][2] = {{"dltensor", "used_dltensor"},
                                   {"dltensor_versioned", "used_dltensor_versioned"}};
  for (const bool versioned : {true, false}) {
    if (PyCapsule_IsValid(capsule.get(), names[versioned][0]) == 0) continue;
    *out = {PyCapsule_GetPointer(capsule.get(), names[versioned][0]), versioned};
    return PyCapsule_SetName(capsule.get(), names[versioned][1]) == 0;
  }
  return false;
}

}  // namespace

// The loops on one array.
class PythonLoops {
 public:
  PythonLoops(PythonBackend* backend, PyObject* x, const Measurement& m)
      : backend_(*backend), x_(x), m_(m), request_(RequestOf(m)) {}
  Timing Run();
  Timing Calls(PyObject* function, PyObject* argument);

 private:
  Ref Export() { return backend_.CallExport(x_, request_); }
  bool ExportConsumed(ManagedRef* out) {
    Ref capsule = Export();
    return capsule && Consume(std::move(capsule), out);
  }
  bool Release() {
    ManagedRef ref;
    return ExportConsumed(&ref) && ReleaseExport(ref);
  }
  bool Refused() {
    const Ref capsule = Export();
    if (capsule) return false;
    PyErr_Clear();
    return true;
  }
  Timing Device();
  Timing Table();
  Timing Threads();

  PythonBackend& backend_;
  PyObject* x_;
  const Measurement m_;
  const Request request_;
};

// function(argument), or function() for nullptr.
Timing PythonLoops::Calls(PyObject* function, PyObject* argument) {
  Ref args =
      argument == nullptr ? Ref::Steal(PyTuple_New(0)) : Ref::Steal(PyTuple_Pack(1, argument));
  return TimeLoop(m_.calls, [&] {
    return static_cast<bool>(Ref::Steal(PyObject_Call(function, args.get(), nullptr)));
  });
}

Timing PythonLoops::Device() {
  return TimeLoop(
      m_.calls, [this] { return static_cast<bool>(CallMethod(backend_.device_name_.get(), x_)); });
}

Timing PythonLoops::Table() {
  const Ref capsule = OptionalAttr(TypeOf(x_), "__dlpack_c_exchange_api__");
  if (!capsule || PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api") == 0) {
    return {"there is no exchange table", 0, {}};
  }
  const auto* const api = static_cast<const DLPackExchangeAPI*>(
      PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  return TimeTable(*api, x_, m_);
}

Timing PythonLoops::Threads() {
  const auto release = [this] {
    bool ok = false;
    backend_.WithLock([&] {
      ok = Release();
      PyErr_Clear();
    });
    return ok;
  };
  const auto consume = [this](ManagedRef* out) { return ExportConsumed(out); };
  return TimeExportsOnThreads(m_, release, consume, [](const std::function<void()>& all) {
    PyThreadState* const state = PyEval_SaveThread();
    all();
    PyEval_RestoreThread(state);
  });
}

Timing PythonLoops::Run() {
  switch (m_.what) {
    case Timed::kNothing: {
      const Ref nothing = Ref::Steal(PyCFunction_NewEx(&kNothing, nullptr, nullptr));
      return nothing ? Calls(nothing.get(), nullptr) : Timing{"no function", 0, {}};
    }
    case Timed::kDevice:
      return Device();
    case Timed::kExportDrop:
      return TimeLoop(m_.calls, [this] { return static_cast<bool>(Export()); });
    case Timed::kExportRelease:
    case Timed::kCopyRelease:
      return TimeLoop(m_.calls, [this] { return Release(); });
    case Timed::kRefusal:
      return TimeLoop(m_.calls, [this] { return Refused(); });
    case Timed::kTableOwned:
    case Timed::kTableBorrowed:
      return Table();
    case Timed::kThreads:
    case Timed::kReleaseThreads:
      return Threads();
    default:
      return {"not a step of Python producers", 0, {}};
  }
}

// benchmark(what, bytes, ndim), by host.py: an array or a pair (function, argument);
// NotImplemented, or a text that says why there is none.
Timing PythonBackend::Time(const Measurement& m) {
  const char* const what = m.what == Timed::kImport      ? "import"
                           : m.what == Timed::kRoundTrip ? "round trip"
                           : m.what == Timed::kToNumpy   ? "to numpy"
                                                         : "array";
  Ref made = Ref::Steal(PyObject_CallFunction(benchmark_.get(), "sKi", what,
                                              static_cast<unsigned long long>(m.bytes),
                                              static_cast<int>(m.ndim)));
  Timing timing;
  if (!made) {
    timing.absent = exceptions_->TakeLine();
  } else if (PyUnicode_Check(made.get())) {
    timing.absent = TextOf(made.get());
  } else if (what[0] == 'a') {
    timing = PythonLoops(this, made.get(), m).Run();
  } else {
    PyObject *function = nullptr, *argument = nullptr;
    if (PyArg_ParseTuple(made.get(), "OO", &function, &argument)) {
      timing = PythonLoops(this, nullptr, m).Calls(function, argument);
    }
  }
  if (PyErr_Occurred() != nullptr) timing.absent = exceptions_->TakeLine();
  return timing;
}

namespace {

std::vector<uint8_t>& SharedData() {
  static auto* const data = new std::vector<uint8_t>;
  return *data;
}

// A tensor of ours, as small as it can be: one block for struct, shape and strides.
template <typename Managed>
struct Plain {
  Managed managed;
  int64_t shape[1], strides[1];

  static void Free(Managed* self) { std::free(self); }
};

constexpr const char* NameOf(const DLManagedTensor*) { return "dltensor"; }
constexpr const char* NameOf(const DLManagedTensorVersioned*) { return "dltensor_versioned"; }

template <typename Managed>
void DropCapsule(PyObject* capsule) {
  const char* const name = NameOf(static_cast<Managed*>(nullptr));
  if (PyCapsule_IsValid(capsule, name) != 0) std::free(PyCapsule_GetPointer(capsule, name));
}

// In memory that all of them share, aligned as dlpack.h wants it.
void* DataOf(uint64_t bytes) {
  auto& data = SharedData();
  if (data.size() < bytes + 256) data.resize(bytes + 256);
  return data.data() + (256 - reinterpret_cast<uintptr_t>(data.data()) % 256) % 256;
}

template <typename Managed>
PyObject* NewCapsule(uint64_t bytes) {
  void* const data = DataOf(bytes);
  auto* const plain = static_cast<Plain<Managed>*>(std::calloc(1, sizeof(Plain<Managed>)));
  if (plain == nullptr) return PyErr_NoMemory();
  plain->shape[0] = static_cast<int64_t>(bytes / 4);
  plain->strides[0] = 1;
  DLTensor& tensor = plain->managed.dl_tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = plain->shape;
  tensor.strides = plain->strides;
  if constexpr (requires { plain->managed.version; }) {
    plain->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  }
  plain->managed.deleter = Plain<Managed>::Free;
  PyObject* const capsule =
      PyCapsule_New(&plain->managed, NameOf(&plain->managed), DropCapsule<Managed>);
  if (capsule == nullptr) std::free(plain);
  return capsule;
}

}  // namespace

PyObject* PlainCapsule(uint64_t bytes, bool versioned) {
  return versioned ? NewCapsule<DLManagedTensorVersioned>(bytes)
                   : NewCapsule<DLManagedTensor>(bytes);
}

}  // namespace dlpc
