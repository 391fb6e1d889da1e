// Python objects that scripts need again and again, built once per distinct value: the arguments of
// `__dlpack__` calls, the Spec objects that adapters get, and, where that is asked for, arrays.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_
#define DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/hosts/python/kept.h"
#include "harness/hosts/python/py.h"
#include "reference/layout.h"
#include "reference/request.h"

namespace dlpc {

/// The arguments of one call of a method, in the order of a vector call.
struct CallArguments {
  // The object, one argument by position, five keywords. Borrowed: of the cache, or of `made`.
  std::array<PyObject*, 7> stack{};
  size_t positional = 1;      // With the object.
  size_t count = 1;           // With the keywords.
  PyObject* names = nullptr;  // The keywords' names, a tuple; borrowed.
  std::array<Ref, 5> made;    // What the cache does not keep.
};

/// object.name(...), where stack[0] is the object; nothing with an exception set on failure.
Ref CallMethod(PyObject* name, const CallArguments& call);
/// object.name().
Ref CallMethod(PyObject* name, PyObject* object);

/// Values of keywords. Nothing is ever thrown out: threads may be in calls that use it.
class RequestCache {
 public:
  /// Fills what the request says; `own_device` is the value of Arg::kOwn. False with a Python
  /// exception set when memory runs out.
  bool Get(const Request& request, PyObject* own_device, CallArguments& call);

 private:
  struct PairSlot {
    uint64_t key = 0;
    Ref pair;
  };
  using Pairs = std::array<PairSlot, 256>;

  PyObject* Argument(int which, Arg arg, const Request& request, Ref& made);
  PyObject* Value(int which, const Request& request, Ref& made);
  PyObject* Pair(Pairs& pairs, int64_t first, int64_t second, Ref& made);
  PyObject* Names(uint32_t given);

  Pairs versions_, devices_;
  std::array<Ref, static_cast<size_t>(Odd::kCount_)> odd_;
  std::array<Ref, 32> names_;  // By the bits of the keywords that are given.
};

class SpecCache {
 public:
  explicit SpecCache(PyObject* spec_class) : spec_class_(Ref::Borrow(spec_class)) {}

  struct Entry {
    ArraySpec spec;
    Ref object;  // Spec object of host.py.
    std::unique_ptr<Kept> kept = {};
  };

  /// nullptr with a Python exception set on failure. Valid until Trim.
  Entry* Get(const ArraySpec& spec);
  /// Random scripts have no end of specs.
  void Trim();

 private:
  static constexpr size_t kMaxCached = 8192;
  struct Cell {
    size_t hash = 0;
    std::unique_ptr<Entry> entry;  // None: free.
  };
  Cell& Find(size_t hash, const ArraySpec& spec);
  void Grow();

  Ref spec_class_;
  std::vector<Cell> cells_;  // A power of two of them, at most half of them taken.
  size_t used_ = 0;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_CALL_CACHE_H_
