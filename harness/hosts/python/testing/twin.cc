// The reference producer and its faulty twins for Python: what dlpc_reference_twin.py is made on.
// Only for tests of generated programs, which need a producer that they can import.
#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/hosts/python/py.h"
#include "harness/script.h"
#include "reference/exchange.h"
#include "reference/producer.h"

namespace dlpc {
namespace {

constexpr const char* kProducerName = "dlpc_twin_producer";
constexpr const char* kArrayName = "dlpc_twin_array";

// An array and the producer that it is of.
struct Held {
  RefProducer* producer = nullptr;
  RefArrayPtr array;
};

RefProducer* g_producer = nullptr;  // A program has one producer.

template <typename T>
T* Get(PyObject* capsule, const char* name) {
  return static_cast<T*>(PyCapsule_GetPointer(capsule, name));
}

// The array that is the only argument.
const Held* Only(PyObject* args) { return Get<Held>(PyTuple_GetItem(args, 0), kArrayName); }

PyObject* Raise(const Refusal& refusal) {
  const Ref builtins = Ref::Steal(PyImport_ImportModule("builtins"));
  const Ref type = Ref::Steal(PyObject_GetAttrString(builtins.get(), refusal.exception.c_str()));
  PyErr_SetString(type ? type.get() : PyExc_RuntimeError, refusal.message.c_str());
  return nullptr;
}

PyObject* Capsule(RefProducer* producer, RefArrayPtr array) {
  return PyCapsule_New(new Held{producer, std::move(array)}, kArrayName, [](PyObject* capsule) {
    auto* held = Get<Held>(capsule, kArrayName);
    held->producer->Drop(held->array);
    delete held;
  });
}

// ---- Producers and arrays -----------------------------------------------------------------------

PyObject* Open(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s", &name)) return nullptr;
  const MutantRow* row = FindMutant(name);
  // Lives as long as the process: so do exports that nobody gave back.
  auto* producer = new RefProducer(row == nullptr ? Mutant::kNone : row->mutant);
  g_producer = producer;
  Py_AtExit([] { g_producer->Interpreter().ended = true; });
  return PyCapsule_New(producer, kProducerName, nullptr);
}

PyObject* Make(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  const char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "Oy#", &capsule, &bytes, &size)) return nullptr;
  auto* producer = Get<RefProducer>(capsule, kProducerName);
  const Script script =
      DecodeScript({reinterpret_cast<const uint8_t*>(bytes), static_cast<size_t>(size)});
  return Capsule(producer, producer->Make(script.specs.at(0)));
}

PyObject* MakeInState(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  int state = 0, flags = 0;
  if (!PyArg_ParseTuple(args, "Oii", &capsule, &state, &flags)) return nullptr;
  auto* producer = Get<RefProducer>(capsule, kProducerName);
  ArraySpec spec;
  spec.layout = Contiguous({4});
  spec.flags = static_cast<uint8_t>(flags);
  return Capsule(producer, state == 0 ? producer->Make(spec)
                                      : producer->MakeInState(static_cast<ArrayState>(state)));
}

PyObject* Derived(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  int import = 0;
  if (!PyArg_ParseTuple(args, "Oi", &capsule, &import)) return nullptr;
  const auto* held = Get<Held>(capsule, kArrayName);
  RefArrayPtr made = import == 2   ? held->producer->WriteOut(held->array)
                     : import == 1 ? held->producer->Import(held->array)
                                   : held->producer->MakeSubclass(held->array);
  if (made == nullptr) return Raise({"BufferError", "the export cannot be imported"});
  return Capsule(held->producer, std::move(made));
}

PyObject* ImportText(PyObject*, PyObject* args) {
  const Held* held = Only(args);
  return PyUnicode_FromString(held->producer->ImportText(held->array).c_str());
}

PyObject* Methods(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  if (!PyArg_ParseTuple(args, "O", &capsule)) return nullptr;
  const RefProducer::Methods m = Get<RefProducer>(capsule, kProducerName)->MethodsOf();
  return Py_BuildValue("iiii", m.type_dlpack, m.type_device, m.instance_dlpack, m.instance_device);
}

PyObject* Device(PyObject*, PyObject* args) {
  const Held* held = Only(args);
  const RefDeviceTuple t = held->producer->Device(held->array);
  if (t.refused) return Raise(t.refusal);
  return Py_BuildValue("iiiii", int{t.device.device_type}, t.device.device_id, t.type_is_text,
                       t.id_is_none, t.items);
}

PyObject* Facts(PyObject*, PyObject* args) {
  const Held* held = Only(args);
  const auto [address, bytes] = held->producer->Allocation(held->array);
  const std::string read = held->producer->Read(held->array);
  return Py_BuildValue(
      "KKKLy#", static_cast<unsigned long long>(held->producer->Pointer(held->array)),
      static_cast<unsigned long long>(address), static_cast<unsigned long long>(bytes),
      static_cast<long long>(held->producer->RefCount(held->array)), read.data(),
      static_cast<Py_ssize_t>(read.size()));
}

PyObject* Poke(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  const char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "Oy#", &capsule, &bytes, &size)) return nullptr;
  const auto* held = Get<Held>(capsule, kArrayName);
  held->producer->Poke(held->array, std::string(bytes, static_cast<size_t>(size)));
  return Ref::Borrow(Py_None).Release();
}

// ---- Exports ------------------------------------------------------------------------------------

// The capsule of the interpreter stands for one of the reference's.
struct Export {
  std::shared_ptr<RefCapsule> capsule;
};

void Destroy(PyObject* capsule) {
  const std::unique_ptr<Export> own(static_cast<Export*>(PyCapsule_GetContext(capsule)));
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  own->capsule->name = PyCapsule_GetName(capsule);
  RefInterpreter interpreter;
  if (type != nullptr) interpreter.pending = "pending";
  DropRefCapsule(own->capsule, &interpreter);
  if (type != nullptr && interpreter.pending.empty()) return;  // A twin lost it.
  PyErr_Restore(type, value, trace);
}

PyObject* MakeExport(PyObject*, PyObject* args) {
  PyObject* capsule = nullptr;
  int version = 0, major = 0, minor = 0, copy = 0, copy_value = 0, device = 0, type = 0, id = 0;
  int stream = 0, odd = 0, extra = 0;
  long long handle = 0;
  if (!PyArg_ParseTuple(args, "O(iii)(ii)(iii)(iL)ii", &capsule, &version, &major, &minor, &copy,
                        &copy_value, &device, &type, &id, &stream, &handle, &odd, &extra)) {
    return nullptr;
  }
  Request r;
  r.version = static_cast<Arg>(version);
  r.max_version = {static_cast<uint32_t>(major), static_cast<uint32_t>(minor)};
  r.copy = static_cast<Arg>(copy);
  r.copy_value = copy_value != 0;
  r.device = static_cast<Arg>(device);
  r.dl_device = {static_cast<DLDeviceType>(type), id};
  r.stream = static_cast<Arg>(stream);
  r.stream_value = handle;
  r.odd = static_cast<Odd>(odd);
  r.extra = static_cast<Extra>(extra);
  const auto* held = Get<Held>(capsule, kArrayName);
  RefExport result = held->producer->Export(held->array, r);
  if (const auto* refusal = std::get_if<Refusal>(&result)) return Raise(*refusal);
  auto& made = std::get<std::shared_ptr<RefCapsule>>(result);
  if (made->wrapped) return Ref::Borrow(Py_None).Release();
  // Twins hand out one capsule again and again: then this one is as well.
  static std::map<RefCapsule*, PyObject*> given;
  if (made.use_count() > 1 && given.count(made.get()) != 0) {
    return Ref::Borrow(given[made.get()]).Release();
  }
  const bool owned = made->destructor != nullptr;
  PyObject* const object = PyCapsule_New(made->managed, made->name, owned ? Destroy : nullptr);
  if (made.use_count() > 1) given[made.get()] = Ref::Borrow(object).Release();
  PyCapsule_SetContext(object, new Export{made});
  return object;
}

// ---- The exchange table -------------------------------------------------------------------------

// The reference's functions take objects of its own; these take the interpreter's.
struct Table {
  const DLPackExchangeAPI* inner = nullptr;
  DLPackExchangeAPI outer{};
};
const DLPackExchangeAPI* g_inner = nullptr;
PyObject* g_adopt = nullptr;  // Makes an array object of what an import gave.
RefThread g_thread;

// The array of an object of our class; none for any other.
RefObject ObjectOf(void* object) {
  const Ref core = OptionalAttr(static_cast<PyObject*>(object), "_core");
  if (!core || PyCapsule_IsValid(core.get(), kArrayName) == 0) return {};
  const auto* held = Get<Held>(core.get(), kArrayName);
  return {held->producer, held->array};
}

template <typename Function>
int Calling(Function function) {
  RefThread::SetCurrent(&g_thread);
  const int code = function();
  RefThread::SetCurrent(nullptr);
  if (const auto raised = std::exchange(g_thread.raised, std::nullopt)) Raise(*raised);
  return code;
}

int Owned(void* object, DLManagedTensorVersioned** out) {
  RefObject own = ObjectOf(object);
  return Calling([&] { return g_inner->managed_tensor_from_py_object_no_sync(&own, out); });
}

int Borrowed(void* object, DLTensor* out) {
  RefObject own = ObjectOf(object);
  return Calling([&] { return g_inner->dltensor_from_py_object_no_sync(&own, out); });
}

int Stream(DLDeviceType type, int32_t id, void** out) {
  return Calling([&] { return g_inner->current_work_stream(type, id, out); });
}

int Adopt(DLManagedTensorVersioned* tensor, void** out) {
  void* object = nullptr;
  const int code =
      Calling([&] { return g_inner->managed_tensor_to_py_object_no_sync(tensor, &object); });
  if (object == nullptr) return code;
  const std::unique_ptr<RefObject> made(static_cast<RefObject*>(object));
  const Ref core = Ref::Steal(Capsule(g_producer, made->array));
  *out = PyObject_CallFunctionObjArgs(g_adopt, core.get(), nullptr);
  return code;
}

const DLPackExchangeAPI* Wrapped(const DLPackExchangeAPI* inner) {
  static std::map<const DLPackExchangeAPI*, Table> tables;
  g_inner = inner;
  const auto [at, fresh] = tables.try_emplace(inner);
  if (!fresh) return &at->second.outer;
  at->second = {inner, *inner};
  DLPackExchangeAPI& api = at->second.outer;
  if (inner->header.prev_api == &inner->header) api.header.prev_api = &api.header;
  if (api.managed_tensor_from_py_object_no_sync) api.managed_tensor_from_py_object_no_sync = Owned;
  if (api.managed_tensor_to_py_object_no_sync) api.managed_tensor_to_py_object_no_sync = Adopt;
  if (api.dltensor_from_py_object_no_sync) api.dltensor_from_py_object_no_sync = Borrowed;
  if (api.current_work_stream) api.current_work_stream = Stream;
  return &api;
}

// (capsule or None, is it on the type?) for an array; `adopt` makes objects.
PyObject* FindTable(PyObject*, PyObject* args) {
  PyObject *capsule = nullptr, *adopt = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &capsule, &adopt)) return nullptr;
  const auto* held = Get<Held>(capsule, kArrayName);
  const RefProducer::Table table = held->producer->TableOf(held->array);
  if (table.api == nullptr) return Py_BuildValue("Oi", Py_None, 0);
  g_adopt = adopt;
  Py_IncRef(adopt);
  auto* const api = const_cast<DLPackExchangeAPI*>(Wrapped(table.api));
  return Py_BuildValue("Ni", PyCapsule_New(api, table.name, nullptr), table.on_type);
}

PyMethodDef kMethods[] = {
    {"open", Open, METH_VARARGS, nullptr},
    {"make", Make, METH_VARARGS, nullptr},
    {"make_in_state", MakeInState, METH_VARARGS, nullptr},
    {"derived", Derived, METH_VARARGS, nullptr},
    {"import_text", ImportText, METH_VARARGS, nullptr},
    {"methods", Methods, METH_VARARGS, nullptr},
    {"device", Device, METH_VARARGS, nullptr},
    {"facts", Facts, METH_VARARGS, nullptr},
    {"poke", Poke, METH_VARARGS, nullptr},
    {"export", MakeExport, METH_VARARGS, nullptr},
    {"table", FindTable, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "dlpc_twin", nullptr, -1, kMethods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace dlpc

PyMODINIT_FUNC PyInit_dlpc_twin() { return PyModule_Create(&dlpc::kModule); }
