// A producer for the machine's own tests: real heap structs, capsules in miniature, one switch per
// fault. Keeps account of every struct, so that a leak or a second free is seen.
#ifndef DLPC_HARNESS_TESTING_FAKE_BACKEND_H_
#define DLPC_HARNESS_TESTING_FAKE_BACKEND_H_

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/backend.h"
#include "reference/dtype.h"

namespace dlpc {

enum class Fault : uint8_t {
  kNone,
  kNullShape,
  kBadShape,
  kNullStrides,
  kNegativeNdim,
  kHugeNdim,
  kHugeExtents,
  kManyElements,
  kHugeStrides,
  kOverflowingStrides,
  kBadData,
  kBadOffset,
  kDeviceMemory,
  kBadManaged,
  kDeleterIsData,
  kNullDeleter,
  kDeleterThrows,
  kDestructorFreesUsed,
  kDestructorFreesTwice,   // Harmless only behind a counter: see Breaks.
  kDestructorPassesOther,  // Likewise.
  kSameCapsule,
  kSameStruct,  // In two capsules.
  kUnknownName,
  kNotACapsule,
  kBackendThrows,
  kCount_,
};

class FakeBackend : public Backend {
 public:
  Fault fault = Fault::kNone;
  bool knows_read_only = true;

  FakeBackend() { Current() = this; }
  ~FakeBackend() override { ForgetLeaks(); }

  int live() const { return static_cast<int>(structs_.size()); }
  int double_frees() const { return double_frees_; }
  void ForgetLeaks() {
    while (!structs_.empty()) Free(structs_.begin()->first);
    for (void* managed : dead_) std::free(managed);
    dead_.clear();
  }

  Claims GetClaims() override { return {}; }

  Observation Make(int a, const ArraySpec& spec) override {
    if (spec.flags & kSharded) return Unsupported{"sharded"};
    arrays_[a] = std::make_shared<Array>(Array{spec, Resolve(spec.layout), PatternBase(spec)});
    Made made;
    made.pointer = reinterpret_cast<uintptr_t>(arrays_[a]->bytes.data());
    if (knows_read_only) made.read_only = (spec.flags & kReadOnly) != 0;
    return made;
  }
  Observation MakeRefusal(int, uint32_t) override { return Unsupported{"no refusals"}; }
  Observation Probe(int) override { return Probed{true, true, true, true}; }
  Observation Device(int, uint32_t times) override {
    DeviceAnswer answer;
    answer.calls = times;
    return answer;
  }

  Observation Export(int e, int a, const Request& request) override {
    if (fault == Fault::kBackendThrows) throw std::runtime_error("no export today");
    if (request.version == Arg::kValue && request.max_version.major > 8) {
      return Raised{"BufferError", {"BufferError"}, "version"};
    }
    exports_[e].reset();
    if (fault == Fault::kNotACapsule) return Exported{false, "list", "", 0, 0, false, false, {}};
    if (fault == Fault::kSameCapsule || fault == Fault::kSameStruct) {
      for (const auto& other : exports_) {
        if (!other || other->array != arrays_[a].get()) continue;
        if (fault == Fault::kSameCapsule) return Describe(exports_[e] = other);
        if (!other->name.starts_with("dltensor")) continue;
        exports_[e] = std::make_shared<Capsule>();
        exports_[e]->CopyFrom(*other);
        return Describe(exports_[e]);
      }
    }
    const bool versioned = request.version == Arg::kValue;
    return Describe(exports_[e] = MakeCapsule(arrays_[a], versioned));
  }

  Observation ExportMany(int, uint32_t times, const Request&, bool) override {
    Many many;
    many.tried = times;
    return many;
  }
  Observation ReadOwn(int a) override {
    Elements elements;
    elements.bytes = arrays_[a]->bytes;
    return elements;
  }
  Observation Poke(int a, const std::string& element) override {
    std::string& bytes = arrays_[a]->bytes;
    if (bytes.size() >= element.size()) bytes.replace(0, element.size(), element);
    return Done{};
  }
  Observation Rename(int e, Name name) override {
    std::string& own = exports_[e]->name;
    if (name == Name::kForeign) {
      own = "foreign";
    } else {
      own = exports_[e]->versioned ? "used_dltensor_versioned" : "used_dltensor";
    }
    return Done{};
  }
  Observation DropCapsule(int e, bool) override {
    exports_[e].reset();
    return Dropped{};
  }
  Observation DropArray(int a) override {
    arrays_[a].reset();
    return Done{};
  }
  Observation Collect() override { return Done{}; }
  Observation RefCount(int a) override {
    return Counted{40 + static_cast<int64_t>(arrays_[a].use_count()), true};
  }

  ManagedRef Managed(int e) override {
    const auto& capsule = exports_[e];
    if (!capsule || capsule->name.find("dltensor") == std::string::npos) return {};
    return {capsule->managed, capsule->versioned};
  }
  bool HasArray(int a) override { return arrays_[a] != nullptr; }
  bool HasCapsule(int e) override { return exports_[e] != nullptr; }
  void Forget(int e) override {
    if (exports_[e]) exports_[e]->managed = nullptr;
    exports_[e].reset();
  }
  Dropped RunDeleter(Thread thread, bool, const std::function<void()>& call) override {
    if (thread >= Thread::kForeign) {
      std::thread(call).join();
    } else {
      call();
    }
    return {};
  }
  void WithLock(const std::function<void()>& f) override {
    const std::lock_guard<std::mutex> lock(exports_mutex_);
    f();
  }
  void Reset() override {
    for (auto& capsule : exports_) capsule.reset();
    for (auto& array : arrays_) array.reset();
  }

 private:
  struct Array {
    ArraySpec spec;
    View view;
    std::string bytes;
  };
  // Runs its destructor's work when the last slot lets go.
  struct Capsule {
    Fault fault;
    const Array* array = nullptr;
    std::string name;
    void* managed = nullptr;
    bool versioned = false;

    void CopyFrom(const Capsule& other) {
      fault = other.fault;
      array = other.array;
      name = other.name;
      managed = other.managed;
      versioned = other.versioned;
    }
    ~Capsule() {
      const bool used = name.starts_with("used_");
      const bool own = name.starts_with("dltensor") || name == "odd";
      if (managed == nullptr || !(own || (used && fault == Fault::kDestructorFreesUsed))) return;
      Current()->destroying_ = true;
      if (versioned) {
        Destroy(static_cast<DLManagedTensorVersioned*>(managed));
      } else {
        Destroy(static_cast<DLManagedTensor*>(managed));
      }
      Current()->destroying_ = false;
    }
    template <typename M>
    void Destroy(M* m) {
      const auto deleter = m->deleter;
      if (deleter == nullptr) return;
      const bool ours = deleter == &Deleter<M>;  // Nobody counts: the second call would be fatal.
      M other{};
      if (fault == Fault::kDestructorPassesOther && !ours) deleter(&other);
      deleter(m);
      if (fault == Fault::kDestructorFreesTwice && !ours) deleter(m);
    }
  };
  struct Tensor {  // What lies behind a struct.
    Extents shape, strides;
    std::shared_ptr<Array> array;
  };

  static FakeBackend*& Current() {
    static FakeBackend* current = nullptr;
    return current;
  }

  template <typename M>
  static void Deleter(M* managed) {
    const bool throws = Current()->fault == Fault::kDeleterThrows;
    Current()->Free(managed);
    // Out of a capsule's destructor nothing may throw: only RunDeleter's callers can take it.
    if (throws && !Current()->destroying_) throw 42;
  }

  void Free(void* managed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (structs_.erase(managed) == 0) {
      ++double_frees_;
    } else if (fault == Fault::kDestructorFreesUsed || fault == Fault::kDestructorFreesTwice ||
               fault == Fault::kSameStruct) {
      dead_.push_back(managed);  // Will be read again.
    } else {
      std::free(managed);
    }
  }

  static Observation Describe(const std::shared_ptr<Capsule>& capsule) {
    const auto managed = reinterpret_cast<uintptr_t>(capsule->managed);
    return Exported{true, "PyCapsule", capsule->name, 0, managed, true, false, {}};
  }

  std::shared_ptr<Capsule> MakeCapsule(const std::shared_ptr<Array>& array, bool versioned) {
    auto capsule = std::make_shared<Capsule>();
    capsule->fault = fault;
    capsule->array = array.get();
    capsule->versioned = versioned;
    capsule->name = versioned ? "dltensor_versioned" : "dltensor";
    if (versioned) {
      auto* m = MakeStruct<DLManagedTensorVersioned>(array);
      m->version = {1, 3};
      m->flags = array->spec.flags & kReadOnly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
      capsule->managed = m;
    } else {
      capsule->managed = MakeStruct<DLManagedTensor>(array);
    }
    if (fault == Fault::kUnknownName) capsule->name = "odd";
    if (fault == Fault::kBadManaged) capsule->managed = reinterpret_cast<void*>(16);
    return capsule;
  }

  template <typename M>
  M* MakeStruct(const std::shared_ptr<Array>& array) {
    M* m = static_cast<M*>(std::calloc(1, sizeof(M)));
    Tensor& tensor = structs_[m] = Tensor{array->view.shape, array->view.strides, array};
    m->deleter = &Deleter<M>;
    DLTensor& t = m->dl_tensor;
    t.data = array->bytes.data();
    t.device = {kDLCPU, 0};
    t.dtype = array->spec.dtype;
    t.ndim = static_cast<int32_t>(tensor.shape.size());
    t.shape = tensor.shape.data();  // Never NULL, for 0-d tensors too.
    t.strides = tensor.strides.data();
    t.byte_offset = static_cast<uint64_t>(array->view.offset) * t.dtype.bits / 8;
    Break(m, tensor);
    return m;
  }

  template <typename M>
  void Break(M* m, Tensor& tensor) {
    static int data = 0;
    DLTensor& t = m->dl_tensor;
    auto* const bad = reinterpret_cast<int64_t*>(16);
    const auto fill = [](Extents& values, int64_t value) {
      for (int64_t& v : values) v = value;
    };
    switch (fault) {
      case Fault::kNullShape:
        t.shape = nullptr;
        break;
      case Fault::kBadShape:
        t.shape = bad;
        break;
      case Fault::kNullStrides:
        t.strides = nullptr;
        break;
      case Fault::kNegativeNdim:
        t.ndim = -1;
        break;
      case Fault::kHugeNdim:
        t.ndim = INT32_MAX;
        break;
      case Fault::kHugeExtents:
        fill(tensor.shape, INT64_MAX / 2);
        break;
      case Fault::kManyElements:
        fill(tensor.shape, 1000);
        break;
      case Fault::kHugeStrides:
        fill(tensor.strides, int64_t{1} << 55);
        break;
      case Fault::kOverflowingStrides:
        fill(tensor.strides, INT64_MIN);
        break;
      case Fault::kBadData:
        t.data = bad;
        break;
      case Fault::kBadOffset:
        t.byte_offset = UINT64_MAX - 2;
        break;
      case Fault::kDeviceMemory:
        t.device = {kDLCUDA, 0};
        break;
      case Fault::kDeleterIsData:
        m->deleter = reinterpret_cast<decltype(m->deleter)>(&data);
        break;
      case Fault::kNullDeleter:
        m->deleter = nullptr;
        break;
      default:
        break;
    }
  }

  std::shared_ptr<Array> arrays_[kArraySlots];
  std::shared_ptr<Capsule> exports_[kExportSlots];
  std::mutex mutex_, exports_mutex_;
  std::map<void*, Tensor> structs_;
  std::vector<void*> dead_;
  int double_frees_ = 0;
  bool destroying_ = false;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_TESTING_FAKE_BACKEND_H_
