// The part of PythonBackend that finds the C exchange table and takes over what it makes.
#include "harness/hosts/python/python_backend.h"

namespace dlpc {
namespace {

constexpr char kOldAttribute[] = "__c_dlpack_exchange_api__";  // DLPack 1.2: an int.
constexpr char kTableName[] = "dlpack_exchange_api";

TableForm FormOf(PyObject* attribute) {
  if (attribute == nullptr) return TableForm::kMissing;
  if (!PyCapsule_CheckExact(attribute)) return TableForm::kNoCapsule;
  return PyCapsule_IsValid(attribute, kTableName) ? TableForm::kTable : TableForm::kOtherName;
}

std::string TextOfAttribute(PyObject* attribute) {
  if (attribute == nullptr) return "";
  if (!PyCapsule_CheckExact(attribute)) return "an object of type " + ClassName(TypeOf(attribute));
  const char* const name = PyCapsule_GetName(attribute);
  if (name == nullptr) PyErr_Clear();
  return name == nullptr ? "a capsule without a name"
                         : "a capsule named \"" + std::string(name).substr(0, 200) + "\"";
}

}  // namespace

// A class derived from `type`, or nothing where that is forbidden. Making one takes as long as
// several scripts: where arrays are used again, so is this.
Ref PythonBackend::SubclassOf(PyObject* type) {
  const bool again = reuse_ != Reuse::kNever;
  if (again && subclass_.base.get() == type) return Ref::Borrow(subclass_.derived.get());
  Ref derived = Ref::Steal(PyObject_CallFunction(TypeOf(type), "s(O){}", "Derived", type));
  if (!derived) PyErr_Clear();
  if (again && derived) subclass_ = {Ref::Borrow(type), Ref::Borrow(derived.get())};
  return derived;
}

Observation PythonBackend::FindTable(int a, bool subclass) {
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  PyErr_Clear();
  TableSeen seen;
  const Ref on_type = OptionalAttr(TypeOf(x), table_name_.get());
  seen.on_type = FormOf(on_type.get());
  if (seen.on_type == TableForm::kTable) {
    seen.address = reinterpret_cast<uintptr_t>(PyCapsule_GetPointer(on_type.get(), kTableName));
  }
  seen.on_instance = FormOf(OptionalAttr(x, table_name_.get()).get());
  if (!subclass) return seen;
  seen.found = TextOfAttribute(on_type.get());
  seen.old_name = static_cast<bool>(OptionalAttr(TypeOf(x), kOldAttribute));
  if (const Ref derived = SubclassOf(TypeOf(x))) {
    seen.on_subclass = FormOf(OptionalAttr(derived.get(), table_name_.get()).get());
  }
  return seen;
}

std::optional<Raised> PythonBackend::TakeRaised() {
  if (PyErr_Occurred() == nullptr) return std::nullopt;
  return exceptions_->Take();
}

Observation PythonBackend::Adopt(int to, void* object, int a, bool* same_type) {
  Ref made = Ref::Steal(static_cast<PyObject*>(object));
  PyObject* const like = Array(a).object.get();
  *same_type = like != nullptr && PyObject_IsInstance(made.get(), TypeOf(like)) == 1;
  PyErr_Clear();
  return Keep(to, std::move(made), {});
}

Observation PythonBackend::UseStream(int a, uint32_t n) {
  PyObject* const x = Array(a).object.get();
  if (x == nullptr) return NotPerformed{"there is no array"};
  return adapter_->UseStream(x, n);
}

}  // namespace dlpc
