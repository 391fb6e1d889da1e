// Python objects that scripts need again and again, built once per distinct value: the arguments of
// `__dlpack__` calls and the Spec objects that adapters get.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_
#define DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "harness/hosts/python/py.h"
#include "harness/trace.h"
#include "reference/layout.h"
#include "reference/request.h"

namespace dlpc {

/// Arguments of one call.
struct CallArguments {
  Ref args;    // Tuple.
  Ref kwargs;  // Dict, or nothing.
};

class RequestCache {
 public:
  /// nullptr with a Python exception set when memory runs out. Valid until the next call. Ignores
  /// Arg::kOwn, whose value is known only at the call.
  const CallArguments* Get(const Request& request);

 private:
  using Key = std::array<uint64_t, 4>;
  std::map<Key, CallArguments> calls_;
  Key last_key_{};
  const CallArguments* last_ = nullptr;
};

class SpecCache {
 public:
  explicit SpecCache(PyObject* spec_class) : spec_class_(Ref::Borrow(spec_class)) {}

  struct Entry {
    ArraySpec spec;
    Ref object;  // Spec object of host.py.
    // What it was made into, where arrays are used again.
    Ref array = {};
    Made made = {};
  };

  /// nullptr with a Python exception set on failure. Valid until the next call.
  Entry* Get(const ArraySpec& spec);

 private:
  Ref spec_class_;
  std::unordered_multimap<size_t, Entry> specs_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_
