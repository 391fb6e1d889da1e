// The producer is any Python object with `__dlpack__`, made by an adapter: a Python module with
// make(spec), pointer(x), label(x) and so on (docs/adapters.md). Every function is called with the
// interpreter lock held.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_PYTHON_BACKEND_H_
#define DLPC_HARNESS_HOSTS_PYTHON_PYTHON_BACKEND_H_

#include <array>
#include <memory>
#include <string>

#include "harness/backend.h"
#include "harness/hosts/python/adapter.h"
#include "harness/hosts/python/call_cache.h"
#include "harness/hosts/python/device_reader.h"
#include "harness/hosts/python/exceptions.h"
#include "harness/hosts/python/kept.h"
#include "harness/hosts/python/py.h"

namespace dlpc {

class PythonBackend final : public Backend {
 public:
  /// `info` is the dict that host.py made. nullptr with a Python exception set if something is
  /// missing.
  static std::unique_ptr<PythonBackend> Create(PyObject* adapter, PyObject* info);
  ~PythonBackend() override { Reset(); }

  Claims GetClaims() override { return claims_; }
  Observation Make(int a, const ArraySpec& spec) override;
  /// Whether Make may give the array of an earlier script again. Not so at first.
  void ReuseArrays(Reuse reuse) { reuse_ = reuse; }
  Observation MakeRefusal(int a, uint32_t n) override;
  Observation Probe(int a) override;
  Observation Device(int a, uint32_t times) override;
  Observation Export(int e, int a, const Request& request) override;
  Observation ExportMany(int a, uint32_t times, const Request& request, bool drop_each) override;
  Observation ReadOwn(int a) override;
  Observation Poke(int a, const std::string& element) override;
  Observation Rename(int e, Name name) override;
  Observation DropCapsule(int e, bool pending) override;
  Observation DropArray(int a) override;
  Observation Collect() override;
  Observation RefCount(int a) override;
  ManagedRef Managed(int e) override;
  bool HasArray(int a) override { return static_cast<bool>(Array(a).object); }
  bool HasCapsule(int e) override { return static_cast<bool>(Slot(e).capsule); }
  void Forget(int e) override { Slot(e).managed = nullptr; }
  Dropped RunDeleter(Thread thread, bool pending, const std::function<void()>& call) override;
  Observation Derive(int a, int from, Derived how) override;
  void RunOnThreads(const std::vector<std::function<void()>>& work) override;
  void WithLock(const std::function<void()>& f) override;
  bool HasInterpreter() const override { return true; }
  bool HostMemory() const override { return host_memory_; }
  std::optional<int64_t> LiveObjects() override;
  Observation FindTable(int a, bool subclass) override;
  void* TableObject(int a) override { return Array(a).object.get(); }
  void* ForeignObject() override { return collect_.get(); }
  std::optional<Raised> TakeRaised() override;
  Observation Adopt(int to, void* object, int a, bool* same_type) override;
  Observation UseStream(int a, uint32_t n) override;
  Timing Time(const Measurement& measurement) override;
  void Reset() override;

 private:
  friend class PythonLoops;  // Benchmarks.

  struct ArraySlot {
    Ref object;
    int64_t references = 0;  // When it was made; kUncounted if its count tells nothing.
    std::string name = {};   // In refusals(); else empty.
    Kept* kept = nullptr;    // If it is used again.
  };
  /// What the capsule's name promises.
  enum class NameKind : uint8_t { kUnknown, kFresh, kUsed };
  struct ExportSlot {
    Ref capsule;
    void* managed = nullptr;
    bool versioned = false;
    NameKind name = NameKind::kUnknown;
  };

  /// The last one that was derived from a producer's class.
  struct Subclass {
    Ref base, derived;
  };

  PythonBackend() = default;
  static int64_t References(PyObject* object);
  bool Init(PyObject* adapter, PyObject* info);
  bool InitCollaborators(PyObject* adapter, PyObject* info);
  ArraySlot& Array(int a) { return arrays_[static_cast<size_t>(a)]; }
  ExportSlot& Slot(int e) { return exports_[static_cast<size_t>(e)]; }

  Observation MakeAnew(int a, PyObject* spec, bool maybe_absent);
  Observation MakeRefusalAnew(int a, uint32_t n);
  Observation DeriveAnew(int a, int from, Derived how);
  template <typename MakeIt>
  Observation Again(int a, std::unique_ptr<Kept>& kept, MakeIt make);
  Observation Keep(int a, Ref object, Made made);
  Observation KeepRemedied(int a, PyObject* remedied);
  Ref CallExport(PyObject* object, const Request& request);
  Exported Describe(PyObject* result, ExportSlot& slot);
  Dropped AfterDrop(bool was_pending);
  Ref SubclassOf(PyObject* type);

  Claims claims_;
  std::vector<std::string> places_;  // Beside the ordinary one: what the adapter says it can make.
  bool host_memory_ = false;
  Reuse reuse_ = Reuse::kNever;
  std::string absent_;  // Why there are no arrays on the GPU that was asked for.
  std::unique_ptr<ExceptionReader> exceptions_;
  std::unique_ptr<Adapter> adapter_;
  std::unique_ptr<SpecCache> specs_;
  std::unique_ptr<DeviceReader> devices_;
  RequestCache requests_;
  std::array<std::unique_ptr<Kept>, 64> refusals_;
  Ref dlpack_name_, device_name_, table_name_;  // Interned.
  Subclass subclass_;
  Ref collect_;           // gc.collect
  Ref derive_;            // host.py: derive(adapter, array, how, name)
  Ref benchmark_;         // host.py: benchmark(what, bytes, ndim)
  Ref allocated_blocks_;  // sys.getallocatedblocks
  Ref pending_;           // ValueError('pending')
  Ref no_args_;
  std::array<ArraySlot, kArraySlots> arrays_;
  std::array<ExportSlot, kExportSlots> exports_;
};

/// A new capsule around a float32 vector of so many bytes in memory of ours that is shared by all
/// of them: what benchmarks let a library import. nullptr with an exception set on failure.
PyObject* PlainCapsule(uint64_t bytes, bool versioned);

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_PYTHON_BACKEND_H_
