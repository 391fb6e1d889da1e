// Owning references and text conversion on top of the limited API of CPython 3.10.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_PY_H_
#define DLPC_HARNESS_HOSTS_PYTHON_PY_H_

// Py_LIMITED_API is set by the build, so that no file can forget it. The headers of newer versions
// do not guard every newer function: module_symbols_test.py holds the allow-list.
#ifndef Py_LIMITED_API
#error "Py_LIMITED_API must be 0x030A0000"
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <string>
#include <utility>

namespace dlpc {

/// An owned reference, or nothing. Counts through functions of the interpreter that runs us, never
/// inline: object headers differ between versions (immortal objects since 3.12, flags since 3.14).
class Ref {
 public:
  Ref() = default;
  static Ref Steal(PyObject* object) { return Ref(object); }
  static Ref Borrow(PyObject* object) {
    Py_IncRef(object);
    return Ref(object);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    if (this != &other) Drop(std::exchange(object_, std::exchange(other.object_, nullptr)));
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Reset(); }

  /// Empties first: dropping may run code that looks at us.
  void Reset() { Drop(std::exchange(object_, nullptr)); }
  PyObject* get() const { return object_; }
  PyObject* Release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Ref(PyObject* object) : object_(object) {}
  static void Drop(PyObject* object) {
    if (object != nullptr) Py_DecRef(object);
  }
  PyObject* object_ = nullptr;
};

/// UTF-8 of a str; lone surrogates come out escaped. At most `limit` bytes, whole characters.
/// Leaves no exception behind.
std::string TextOf(PyObject* str, size_t limit = 4096);
/// str(object) and repr(object); "<unprintable TYPE>" when that raises.
std::string StrOf(PyObject* object, size_t limit = 2048);
std::string ReprOf(PyObject* object, size_t limit = 200);

/// "BufferError" for builtins, "jax.errors.JaxRuntimeError" for others.
std::string ClassName(PyObject* type);

/// A borrowed type of an object; Py_TYPE as an object.
inline PyObject* TypeOf(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)); }

/// An attribute that may be missing; no exception is left behind.
Ref OptionalAttr(PyObject* object, const char* name);
Ref OptionalAttr(PyObject* object, PyObject* name);

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_PY_H_
