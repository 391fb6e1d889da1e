// What a host must be able to do with its kind of producer. The Machine performs scripts on top of
// it and does everything that is the same for all hosts (reading structs and elements, counting
// deleter calls, threads).
#ifndef DLPC_HARNESS_BACKEND_H_
#define DLPC_HARNESS_BACKEND_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/script.h"
#include "harness/timing.h"
#include "harness/trace.h"

namespace dlpc {

/// What a producer claims to support: goes into reports, and tells `not_supported` from `error`.
struct Claims {
  std::string producer;     // "numpy"
  std::string version;      // "2.5.0"
  std::string kind;         // "reference", "native" or "python"
  std::string interpreter;  // "CPython 3.13.0", empty for native code
  std::string adapter;      // Path or name of the adapter.
  std::string json;         // The adapter's claims() as a JSON object.
};

/// An export that the machine may read: the managed tensor behind capsule slot e.
struct ManagedRef {
  void* managed = nullptr;  // DLManagedTensor* or DLManagedTensorVersioned*, or nullptr.
  bool versioned = false;   // By the capsule's name.
};

/// Every function answers with an observation and never throws. Slots are in range. An array or
/// export slot that is overwritten releases what it held.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Claims GetClaims() = 0;

  virtual Observation Make(int a, const ArraySpec& spec) = 0;
  virtual Observation MakeRefusal(int a, uint32_t n) = 0;
  virtual Observation Probe(int a) = 0;
  virtual Observation Device(int a, uint32_t times) = 0;
  virtual Observation Export(int e, int a, const Request& request) = 0;
  virtual Observation ExportMany(int a, uint32_t times, const Request& request, bool drop_each) = 0;
  virtual Observation ReadOwn(int a) = 0;
  virtual Observation Poke(int a, const std::string& element) = 0;
  virtual Observation Rename(int e, Name name) = 0;
  virtual Observation DropCapsule(int e, bool pending) = 0;
  virtual Observation DropArray(int a) = 0;
  virtual Observation Collect() = 0;
  virtual Observation RefCount(int a) = 0;

  /// The struct behind e; managed is nullptr when e is empty or its capsule has an unknown name.
  /// Stays valid after the capsule is dropped if it was renamed to used_ before.
  virtual ManagedRef Managed(int e) = 0;
  /// Is a alive / does e hold a capsule?
  virtual bool HasArray(int a) = 0;
  virtual bool HasCapsule(int e) = 0;
  /// Forget e without touching the struct (its deleter ran).
  virtual void Forget(int e) = 0;

  /// Runs `call` as `thread` says, around a deleter call: lock held, lock free, foreign thread; an
  /// exception of the interpreter is pending meanwhile if `pending`. Reports those that were left
  /// behind or lost. C++ exceptions are caught by `call`.
  virtual Dropped RunDeleter(Thread thread, bool pending, const std::function<void()>& call) = 0;

  /// a := made of the array `from`, which exists.
  virtual Observation Derive(int /*a*/, int /*from*/, Derived /*how*/) {
    return Unsupported{"there are no classes and no consumer"};
  }
  /// Runs each function on a thread of its own that the interpreter never saw, all at once. This
  /// thread meanwhile takes and gives back the interpreter lock.
  virtual void RunOnThreads(const std::vector<std::function<void()>>& work);
  /// Runs f on the calling thread with the interpreter lock held.
  virtual void WithLock(const std::function<void()>& f) { f(); }

  /// Has the process an interpreter that comes to its end with it?
  virtual bool HasInterpreter() const { return false; }
  /// The host leaves; what follows happens after the interpreter's end.
  virtual void EndInterpreter() {}

  /// Whether all exported memory, of whatever device type, is memory of this process (emulation).
  virtual bool HostMemory() const { return false; }

  /// Live objects of the interpreter, absent if there is none or it does not tell.
  virtual std::optional<int64_t> LiveObjects() { return std::nullopt; }

  // ---- C exchange table. By default there is none ----
  // The machine reads the table and calls its functions itself, holding the lock if not said.

  /// TableSeen with everything up to `address`, which is where the table is if it is one.
  virtual Observation FindTable(int /*a*/, bool /*subclass*/) {
    return NotPerformed{"native code has no Python type that could offer an exchange table"};
  }
  /// a as the functions of the table take it (borrowed); an object of some other type.
  virtual void* TableObject(int /*a*/) { return nullptr; }
  virtual void* ForeignObject() { return nullptr; }
  /// The Python exception that is set, which is cleared.
  virtual std::optional<Raised> TakeRaised() { return std::nullopt; }
  /// Array slot `to` := `object`, owned, which the table of a's type made: Made, and whether the
  /// types are the same.
  virtual Observation Adopt(int /*to*/, void* /*object*/, int /*a*/, bool* /*same_type*/) {
    return NotPerformed{"there are no Python objects"};
  }
  /// kUseStream. Counted: the handle, or 1 for yes.
  virtual Observation UseStream(int /*a*/, uint32_t /*n: StreamUse*/) {
    return Unsupported{"there are no streams"};
  }

  /// Performs and times a benchmark's loop.
  virtual Timing Time(const Measurement& /*measurement*/) {
    return {"this kind of producer is not timed", 0, {}};
  }

  /// Drops every array and export; called between scripts.
  virtual void Reset() = 0;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_BACKEND_H_
