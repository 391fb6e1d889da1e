#include "harness/hosts/python/exceptions.h"

#include <algorithm>

namespace dlpc {
namespace {

constexpr size_t kMaxClasses = 256;  // Producers may make classes on the fly.

// The exception instance that is set; none is set afterwards.
Ref TakeInstance() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref owned_type = Ref::Steal(type), owned_traceback = Ref::Steal(traceback);
  Ref instance = Ref::Steal(value);
  if (instance && owned_traceback) {
    PyException_SetTraceback(instance.get(), owned_traceback.get());
  }
  return instance;
}

}  // namespace

ExceptionReader::ExceptionReader(PyObject* describe, PyObject* unraisable)
    : describe_(Ref::Borrow(describe)), unraisable_(Ref::Borrow(unraisable)) {}

const ExceptionReader::ClassText& ExceptionReader::Describe(PyObject* type) {
  if (last_ != nullptr && last_->type.get() == type) return *last_;
  const auto found = classes_.find(type);
  if (found != classes_.end()) {
    last_ = &found->second;
    return *last_;
  }
  last_ = nullptr;
  if (classes_.size() >= kMaxClasses) classes_.clear();
  ClassText& text = classes_[type];
  text.type = Ref::Borrow(type);
  text.name = ClassName(type);
  Ref mro = OptionalAttr(type, "__mro__");
  const Py_ssize_t size = mro && PyTuple_Check(mro.get()) ? PyTuple_Size(mro.get()) : 0;
  for (Py_ssize_t i = 0; i < size; ++i) {
    text.bases.push_back(ClassName(PyTuple_GetItem(mro.get(), i)));
  }
  return text;
}

Raised ExceptionReader::Take() {
  Ref instance = TakeInstance();
  if (!instance) return {"SystemError", {"SystemError"}, "a call failed without an exception"};
  const ClassText& text = Describe(TypeOf(instance.get()));
  return {text.name, text.bases, StrOf(instance.get())};
}

std::string ExceptionReader::TakeLine() {
  Ref instance = TakeInstance();
  if (!instance) return "SystemError: a call failed without an exception";
  if (describe_) {
    Ref line = Ref::Steal(PyObject_CallFunctionObjArgs(describe_.get(), instance.get(), nullptr));
    if (line && PyUnicode_Check(line.get())) return TextOf(line.get());
    PyErr_Clear();
  }
  return Describe(TypeOf(instance.get())).name + ": " + StrOf(instance.get());
}

std::string ExceptionReader::TakeUnraisable() {
  if (!unraisable_) return {};
  const Py_ssize_t size = PyList_Size(unraisable_.get());
  if (size <= 0) return {};
  std::string text;
  for (Py_ssize_t i = 0; i < std::min<Py_ssize_t>(size, 4); ++i) {
    if (i > 0) text += "; ";
    text += StrOf(PyList_GetItem(unraisable_.get(), i), 500);
  }
  if (PyList_SetSlice(unraisable_.get(), 0, size, nullptr) != 0) PyErr_Clear();
  return text;
}

}  // namespace dlpc
