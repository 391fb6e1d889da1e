#include "harness/hosts/python/py.h"

// In the stable ABI since 3.13, and older headers do not declare it: NULL where it is missing.
extern "C" __attribute__((weak)) int PyObject_GetOptionalAttr(PyObject* object, PyObject* name,
                                                              PyObject** value);

namespace dlpc {
namespace {

// Cuts at a character's first byte.
std::string Cut(const char* text, size_t size, size_t limit) {
  if (size > limit) {
    size = limit;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  }
  return std::string(text, size);
}

std::string Converted(PyObject* object, Ref str, size_t limit) {
  if (str) return TextOf(str.get(), limit);
  PyErr_Clear();
  return "<unprintable " + ClassName(TypeOf(object)) + ">";
}

}  // namespace

std::string TextOf(PyObject* str, size_t limit) {
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(str, &size)) {
    return Cut(text, static_cast<size_t>(size), limit);
  }
  PyErr_Clear();
  Ref bytes = Ref::Steal(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace"));
  char* text = nullptr;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &text, &size) != 0) {
    PyErr_Clear();
    return "<not text>";
  }
  return Cut(text, static_cast<size_t>(size), limit);
}

std::string StrOf(PyObject* object, size_t limit) {
  return Converted(object, Ref::Steal(PyObject_Str(object)), limit);
}

std::string ReprOf(PyObject* object, size_t limit) {
  return Converted(object, Ref::Steal(PyObject_Repr(object)), limit);
}

std::string ClassName(PyObject* type) {
  Ref name = OptionalAttr(type, "__qualname__");
  Ref module = OptionalAttr(type, "__module__");
  std::string text = name && PyUnicode_Check(name.get()) ? TextOf(name.get()) : "<nameless class>";
  if (!module || !PyUnicode_Check(module.get())) return text;
  const std::string prefix = TextOf(module.get());
  return prefix == "builtins" ? text : prefix + "." + text;
}

Ref OptionalAttr(PyObject* object, const char* name) {
  Ref value = Ref::Steal(PyObject_GetAttrString(object, name));
  if (!value) PyErr_Clear();
  return value;
}

Ref OptionalAttr(PyObject* object, PyObject* name) {
  PyObject* value = nullptr;
  if (PyObject_GetOptionalAttr == nullptr) {
    value = PyObject_GetAttr(object, name);
    if (value == nullptr) PyErr_Clear();
  } else if (PyObject_GetOptionalAttr(object, name, &value) < 0) {  // Makes no AttributeError.
    PyErr_Clear();
  }
  return Ref::Steal(value);
}

}  // namespace dlpc
