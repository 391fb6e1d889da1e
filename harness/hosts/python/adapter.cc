#include "harness/hosts/python/adapter.h"

#include <vector>

namespace dlpc {
namespace {

Ref Call(const Ref& function, PyObject* argument) {
  return Ref::Steal(PyObject_CallFunctionObjArgs(function.get(), argument, nullptr));
}

// An integer of any kind with __index__. False without an exception if it is none or too large.
bool ToUint64(PyObject* object, uint64_t& value) {
  Ref index = object == nullptr ? Ref() : Ref::Steal(PyNumber_Index(object));
  if (index) value = PyLong_AsUnsignedLongLong(index.get());
  if (PyErr_Occurred() == nullptr) return static_cast<bool>(index);
  PyErr_Clear();
  return false;
}

bool ToInt64(PyObject* object, int64_t& value) {
  Ref index = object == nullptr ? Ref() : Ref::Steal(PyNumber_Index(object));
  if (index) value = PyLong_AsLongLong(index.get());
  if (PyErr_Occurred() == nullptr) return static_cast<bool>(index);
  PyErr_Clear();
  return false;
}

// The two items of a tuple, borrowed; false for anything else.
bool Pair(PyObject* object, PyObject*& first, PyObject*& second) {
  if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) return false;
  first = PyTuple_GetItem(object, 0);
  second = PyTuple_GetItem(object, 1);
  return true;
}

}  // namespace

Adapter::Adapter(PyObject* module, ExceptionReader* exceptions)
    : exceptions_(exceptions),
      module_(Ref::Borrow(module)),
      make_(OptionalAttr(module, "make")),
      pointer_(OptionalAttr(module, "pointer")),
      writable_(OptionalAttr(module, "writable")),
      label_(OptionalAttr(module, "label")),
      shape_(OptionalAttr(module, "shape")),
      allocation_(OptionalAttr(module, "allocation")),
      refusals_(OptionalAttr(module, "refusals")),
      read_(OptionalAttr(module, "read")),
      poke_(OptionalAttr(module, "poke")),
      use_stream_(OptionalAttr(module, "use_stream")),
      waits_(OptionalAttr(module, "waits")) {
  const Ref given = OptionalAttr(module, "given");
  given_ = given && given.get() == Py_True;
}

AdapterFault Adapter::Fault(const char* function) {
  return {std::string(function) + "() raised " + exceptions_->TakeLine()};
}

AdapterFault Adapter::Wrong(const char* function, const char* wanted, PyObject* got) {
  PyErr_Clear();
  return {std::string(function) + "() returned " + ReprOf(got) + ", not " + wanted};
}

Adapter::Object Adapter::Checked(const char* function, Ref object) {
  if (!object) return Observation(Fault(function));
  if (object.get() == Py_NotImplemented) {
    return Observation(Unsupported{"the adapter makes no such array"});
  }
  if (object.get() == Py_None) return Observation(Wrong(function, "an array", Py_None));
  return object;
}

Adapter::Object Adapter::Make(PyObject* spec) {
  if (!make_) return Observation(AdapterFault{"there is no function make(spec)"});
  return Checked("make", Call(make_, spec));
}

Adapter::Object Adapter::MakeRefusal(uint32_t n, std::string& name) {
  if (!refusals_) return Observation(Unsupported{"the adapter has no refusals()"});
  Ref iterable = Ref::Steal(PyObject_CallFunctionObjArgs(refusals_.get(), nullptr));
  Ref list = iterable ? Ref::Steal(PySequence_List(iterable.get())) : Ref();
  if (!list) return Observation(Fault("refusals"));
  if (n >= static_cast<uint64_t>(PyList_Size(list.get()))) {
    return Observation(Unsupported{"the adapter names no more objects in refusals()"});
  }
  PyObject* const entry = PyList_GetItem(list.get(), static_cast<Py_ssize_t>(n));
  PyObject *text = nullptr, *source = nullptr;
  if (!Pair(entry, text, source) || !PyUnicode_Check(text)) {
    return Observation(Wrong("refusals", "(name, object or function) tuples", entry));
  }
  name = TextOf(text);
  if (!PyCallable_Check(source)) return Checked("refusals", Ref::Borrow(source));
  const std::string function = "refusals: " + name;
  return Checked(function.c_str(), Ref::Steal(PyObject_CallFunctionObjArgs(source, nullptr)));
}

Adapter::Object Adapter::Derive(PyObject* derive, PyObject* x, int how, const std::string& name) {
  Ref made = Ref::Steal(PyObject_CallFunction(derive, "OOis", module_.get(), x, how, name.c_str()));
  if (made && made.get() == Py_NotImplemented) {
    return Observation(Unsupported{"the adapter offers no such thing"});
  }
  if (made && PyUnicode_Check(made.get())) return Observation(Unsupported{TextOf(made.get())});
  if (!made) return Observation(exceptions_->Take());
  return made;
}

std::optional<AdapterFault> Adapter::AddFacts(PyObject* x, Made& made) {
  made.given = given_;
  for (auto add : {&Adapter::AddPointer, &Adapter::AddWritable, &Adapter::AddLabel,
                   &Adapter::AddShape, &Adapter::AddAllocation}) {
    if (auto fault = (this->*add)(x, made)) return fault;
  }
  return std::nullopt;
}

std::optional<uint64_t> Adapter::PointerOf(PyObject* x) {
  Made facts;
  if (!AddPointer(x, facts)) return facts.pointer;
  PyErr_Clear();
  return std::nullopt;
}

std::optional<AdapterFault> Adapter::AddPointer(PyObject* x, Made& made) {
  if (!pointer_) return std::nullopt;
  Ref answer = Call(pointer_, x);
  if (!answer) return Fault("pointer");
  if (answer.get() == Py_None) return std::nullopt;
  uint64_t value = 0;
  if (!ToUint64(answer.get(), value)) return Wrong("pointer", "an address or None", answer.get());
  made.pointer = value;
  return std::nullopt;
}

std::optional<AdapterFault> Adapter::AddWritable(PyObject* x, Made& made) {
  if (!writable_) return std::nullopt;
  Ref answer = Call(writable_, x);
  if (!answer) return Fault("writable");
  if (answer.get() == Py_None) return std::nullopt;
  const int truth = PyObject_IsTrue(answer.get());
  if (truth < 0) return Fault("writable");
  made.read_only = truth == 0;
  return std::nullopt;
}

std::optional<AdapterFault> Adapter::AddLabel(PyObject* x, Made& made) {
  if (!label_) return std::nullopt;
  Ref answer = Call(label_, x);
  if (!answer) return Fault("label");
  if (answer.get() == Py_None) return std::nullopt;
  PyObject *type = nullptr, *id = nullptr;
  int64_t type_value = 0, id_value = 0;
  if (!Pair(answer.get(), type, id) || !ToInt64(type, type_value) || !ToInt64(id, id_value)) {
    return Wrong("label", "a pair (device type, device id) or None", answer.get());
  }
  made.device = DLDevice{static_cast<DLDeviceType>(type_value), static_cast<int32_t>(id_value)};
  return std::nullopt;
}

std::optional<AdapterFault> Adapter::AddShape(PyObject* x, Made& made) {
  if (!shape_) return std::nullopt;
  Ref answer = Call(shape_, x);
  if (!answer) return Fault("shape");
  if (answer.get() == Py_None) return std::nullopt;
  Ref items = Ref::Steal(PySequence_Tuple(answer.get()));
  Extents shape(items ? static_cast<size_t>(PyTuple_Size(items.get())) : 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    PyObject* const item = PyTuple_GetItem(items.get(), static_cast<Py_ssize_t>(i));
    if (!ToInt64(item, shape[i])) return Wrong("shape", "a tuple of integers", answer.get());
  }
  if (!items) return Wrong("shape", "a tuple of integers", answer.get());
  made.shape = std::move(shape);
  return std::nullopt;
}

std::optional<AdapterFault> Adapter::AddAllocation(PyObject* x, Made& made) {
  if (!allocation_) return std::nullopt;
  Ref answer = Call(allocation_, x);
  if (!answer) return Fault("allocation");
  if (answer.get() == Py_None) return std::nullopt;
  PyObject *address = nullptr, *bytes = nullptr;
  std::pair<uint64_t, uint64_t> value;
  if (!Pair(answer.get(), address, bytes) || !ToUint64(address, value.first) ||
      !ToUint64(bytes, value.second)) {
    return Wrong("allocation", "a pair (address, bytes) or None", answer.get());
  }
  made.allocation = value;
  return std::nullopt;
}

Observation Adapter::Read(PyObject* x) {
  if (!read_) return Unsupported{"the adapter has no read()"};
  Ref answer = Call(read_, x);
  if (!answer) return Fault("read");
  if (answer.get() == Py_NotImplemented) return Unsupported{"the adapter cannot read this array"};
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!PyBytes_Check(answer.get()) || PyBytes_AsStringAndSize(answer.get(), &data, &size) != 0) {
    return Wrong("read", "bytes", answer.get());
  }
  Elements elements;
  elements.bytes.assign(data, static_cast<size_t>(size));
  return elements;
}

Observation Adapter::Poke(PyObject* x, const std::string& element) {
  if (!poke_) return Unsupported{"the adapter has no poke()"};
  Ref bytes = Ref::Steal(
      PyBytes_FromStringAndSize(element.data(), static_cast<Py_ssize_t>(element.size())));
  if (!bytes) return Fault("poke");
  Ref answer = Ref::Steal(PyObject_CallFunctionObjArgs(poke_.get(), x, bytes.get(), nullptr));
  if (!answer) return Fault("poke");
  if (answer.get() == Py_NotImplemented) return Unsupported{"the adapter cannot write this array"};
  return Done{};
}

Observation Adapter::UseStream(PyObject* x, uint32_t n) {
  if (!use_stream_) return Unsupported{"the adapter has no use_stream()"};
  Ref what = Ref::Steal(PyLong_FromLong(static_cast<long>(n)));
  if (!what) return Fault("use_stream");
  Ref answer = Ref::Steal(PyObject_CallFunctionObjArgs(use_stream_.get(), x, what.get(), nullptr));
  if (!answer) return Fault("use_stream");
  if (answer.get() == Py_NotImplemented) return Unsupported{"the adapter knows no such stream"};
  Counted handle;
  if (!ToInt64(answer.get(), handle.value)) return Wrong("use_stream", "a handle", answer.get());
  return handle;
}

std::optional<int64_t> Adapter::Waits(int64_t stream) {
  if (!waits_) return std::nullopt;
  Ref answer = Ref::Steal(PyObject_CallFunction(waits_.get(), "L", static_cast<long long>(stream)));
  int64_t count = 0;
  const bool counted = answer && ToInt64(answer.get(), count);
  PyErr_Clear();
  return counted ? std::optional(count) : std::nullopt;
}

}  // namespace dlpc
