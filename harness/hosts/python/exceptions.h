// From Python exceptions to observations.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_EXCEPTIONS_H_
#define DLPC_HARNESS_HOSTS_PYTHON_EXCEPTIONS_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/hosts/python/py.h"
#include "harness/trace.h"

namespace dlpc {

class ExceptionReader {
 public:
  /// `describe` (may be nullptr) turns an exception into one line with its place; `unraisable` is
  /// the list that host.py's sys.unraisablehook appends texts to.
  ExceptionReader(PyObject* describe, PyObject* unraisable);

  /// The exception that is set, which is cleared. Pre: one is set.
  Raised Take();

  /// The same as one line for whoever wrote the adapter: "ValueError: x (my_adapter.py:12)".
  std::string TakeLine();

  /// What reached sys.unraisablehook since the last call. Pre: no exception is set.
  std::string TakeUnraisable();

 private:
  struct ClassText {
    Ref type;  // Keeps the key valid.
    std::string name;
    std::vector<std::string> bases;
  };
  const ClassText& Describe(PyObject* type);

  Ref describe_;
  Ref unraisable_;
  std::unordered_map<PyObject*, ClassText> classes_;
  const ClassText* last_ = nullptr;  // Of classes_.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_EXCEPTIONS_H_
