// The part of PythonBackend that gets arrays from the adapter.
#include <algorithm>

#include "harness/hosts/python/python_backend.h"

namespace dlpc {
namespace {

bool IsCuda(Memory memory) {
  return memory == Memory::kCuda || memory == Memory::kCudaPinned || memory == Memory::kCudaManaged;
}

// What an importer asked of one of our wrappers.
std::string AskedText(PyObject* x) {
  const Ref asked = Ref::Steal(PyObject_GetAttrString(x, "dlpc_asked"));
  PyErr_Clear();
  return asked && PyUnicode_Check(asked.get()) ? TextOf(asked.get()) : "";
}

}  // namespace

// What was made before, where that may be used again; else what `make` makes.
template <typename MakeIt>
Observation PythonBackend::Again(int a, std::unique_ptr<Kept>& kept, MakeIt make) {
  if (reuse_ == Reuse::kNever) return make();
  if (!kept) {
    Observation answer = make();
    const bool made = std::holds_alternative<Made>(answer);
    if (!made && !std::holds_alternative<Unsupported>(answer)) return answer;
    kept = std::make_unique<Kept>(Array(a).object.get(), answer, Array(a).name);
  }
  Kept* const array = kept.get();
  // No two arrays of a script that writes are the same.
  const bool taken = std::any_of(arrays_.begin(), arrays_.end(),
                                 [&](const ArraySlot& slot) { return slot.kept == array; });
  const bool free = !taken && array->CanRestore();
  if (reuse_ == Reuse::kRestored && array->array() != nullptr && !free) return make();
  if (array->array() == nullptr) return array->answer();
  if (array->CanRestore()) array->Restore();
  Array(a) = {Ref::Borrow(array->array()), References(array->array()), array->name(), array};
  return array->answer();
}

Observation PythonBackend::Make(int a, const ArraySpec& spec) {
  Array(a) = {};
  if (spec.place != Place::kOrdinary &&
      std::find(places_.begin(), places_.end(), PlaceName(spec.place)) == places_.end()) {
    return Unsupported{"no arrays are claimed for the place " + std::string(PlaceName(spec.place))};
  }
  SpecCache::Entry* const entry = specs_->Get(spec);
  if (entry == nullptr) return AdapterFault{"no Spec: " + exceptions_->TakeLine()};
  return Again(a, entry->kept,
               [&] { return MakeAnew(a, entry->object.get(), IsCuda(spec.memory)); });
}

Observation PythonBackend::MakeAnew(int a, PyObject* spec, bool maybe_absent) {
  Adapter::Object object = adapter_->Make(spec);
  if (auto* failure = std::get_if<Observation>(&object)) {
    const bool absent = maybe_absent && !absent_.empty();
    if (absent && std::holds_alternative<Unsupported>(*failure)) return Unsupported{absent_};
    return std::move(*failure);
  }
  return Keep(a, std::get<Ref>(std::move(object)), {});
}

Observation PythonBackend::MakeRefusal(int a, uint32_t n) {
  Array(a) = {};
  std::unique_ptr<Kept> none;
  return Again(a, n < refusals_.size() ? refusals_[n] : none,
               [&] { return MakeRefusalAnew(a, n); });
}

Observation PythonBackend::MakeRefusalAnew(int a, uint32_t n) {
  Made made;
  Adapter::Object object = adapter_->MakeRefusal(n, made.description);
  if (auto* failure = std::get_if<Observation>(&object)) return std::move(*failure);
  // No facts: pointer() and label() need not understand what DLPack cannot describe.
  Array(a) = {std::get<Ref>(std::move(object)), 0, made.description};
  Array(a).references = References(Array(a).object.get());
  return made;
}

Observation PythonBackend::Keep(int a, Ref object, Made made) {
  if (auto fault = adapter_->AddFacts(object.get(), made)) return *fault;
  const int64_t references = References(object.get());
  Array(a) = {std::move(object), references};
  return made;
}

// (array, what was done, right values), by host.py.
Observation PythonBackend::KeepRemedied(int a, PyObject* remedied) {
  PyObject* const values = PyTuple_GetItem(remedied, 2);  // These are borrowed.
  PyObject* const array = PyTuple_GetItem(remedied, 0);
  Made made;
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(values, &data, &size) != 0) return exceptions_->Take();
  made.values.assign(data, static_cast<size_t>(size));
  made.description = TextOf(PyTuple_GetItem(remedied, 1));
  return Keep(a, Ref::Borrow(array), std::move(made));
}

Observation PythonBackend::Derive(int a, int from, Derived how) {
  if (!HasArray(from)) return NotPerformed{"there is no array"};
  // Importing is what is looked at, and a wrapper remembers what it was asked.
  const bool lasting = how == Derived::kSubclass || how == Derived::kRemedied;
  Kept* const kept = Array(from).kept;
  if (reuse_ != Reuse::kUnchanged || kept == nullptr || a == from || !lasting) {
    return DeriveAnew(a, from, how);
  }
  Array(a) = {};
  return Again(a, kept->derived(how), [&] { return DeriveAnew(a, from, how); });
}

Observation PythonBackend::DeriveAnew(int a, int from, Derived how) {
  PyObject* const x = Array(from).object.get();
  Adapter::Object object =
      adapter_->Derive(derive_.get(), x, static_cast<int>(how), Array(from).name);
  if (a != from) Array(a) = {};
  if (auto* failure = std::get_if<Observation>(&object)) return std::move(*failure);
  Ref made = std::get<Ref>(std::move(object));
  if (how == Derived::kRemedied) return KeepRemedied(a, made.get());
  Made answer;  // No more facts: it need not be an array of the library.
  if (how == Derived::kImported) {
    answer.description = AskedText(x);
    answer.pointer = adapter_->PointerOf(made.get());
  }
  const int64_t references = References(made.get());
  Array(a) = {std::move(made), references};
  return answer;
}

Observation PythonBackend::ReadOwn(int a) {
  const ArraySlot& slot = Array(a);
  if (!slot.object) return NotPerformed{"there is no array"};
  const bool as_before =
      slot.kept != nullptr && (reuse_ == Reuse::kUnchanged || !slot.kept->Changed());
  if (as_before && slot.kept->elements) return *slot.kept->elements;
  Observation seen = adapter_->Read(slot.object.get());
  if (as_before && std::holds_alternative<Elements>(seen)) slot.kept->elements = seen;
  return seen;
}

}  // namespace dlpc
