// The loops of benchmarks on the reference producer: the floor that any producer pays.
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/hosts/reference_backend.h"
#include "harness/timed_exports.h"

namespace dlpc {
namespace {

struct Nothing {
  static void Call() {}
};

// Not inlined, not known to do nothing.
void (*volatile nothing)() = Nothing::Call;

ArraySpec PlainSpec(const Measurement& m) {
  const bool floats = m.bytes % 4 == 0;
  std::vector<int64_t> shape(m.ndim, 1);
  if (m.ndim > 0) shape.back() = static_cast<int64_t>(floats ? m.bytes / 4 : m.bytes);
  ArraySpec spec;
  spec.dtype = floats ? DLDataType{kDLFloat, 32, 1} : DLDataType{kDLUInt, 8, 1};
  spec.layout = Contiguous(shape);
  return spec;
}

class Loops {
 public:
  Loops(ReferenceBackend* backend, RefProducer* producer, RefArrayPtr array, const Measurement& m)
      : backend_(backend), producer_(producer), array_(std::move(array)), m_(m) {
    if (m.versioned) request_ = WithVersion(1, 3);
    if (m.what == Timed::kCopyRelease) {
      request_.copy = Arg::kValue;
      request_.copy_value = true;
    }
    if (m.what == Timed::kRefusal) {
      request_.device = Arg::kValue;
      request_.dl_device = {kDLCUDA, 0};
    }
  }
  ~Loops() { producer_->Drop(array_); }
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  Timing Run();

 private:
  std::shared_ptr<RefCapsule> Export() {
    RefExport result = producer_->Export(array_, request_);
    auto* const capsule = std::get_if<std::shared_ptr<RefCapsule>>(&result);
    return capsule == nullptr ? nullptr : std::move(*capsule);
  }
  bool Consume(ManagedRef* out);
  bool Release();
  bool Refused() { return Export() == nullptr; }
  Timing Table();
  Timing Import();
  Timing Threads();

  ReferenceBackend* backend_;
  RefProducer* producer_;
  RefArrayPtr array_;
  const Measurement m_;
  Request request_;
};

bool Loops::Consume(ManagedRef* out) {
  std::shared_ptr<RefCapsule> capsule = Export();
  if (capsule == nullptr || capsule->managed == nullptr) return false;
  *out = {capsule->managed, m_.versioned};
  capsule->name = m_.versioned ? "used_dltensor_versioned" : "used_dltensor";
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
  return true;
}

bool Loops::Release() {
  ManagedRef ref;
  return Consume(&ref) && ReleaseExport(ref);
}

Timing Loops::Table() {
  const RefProducer::Table table = producer_->TableOf(array_);
  if (table.api == nullptr) return {"there is no exchange table", 0, {}};
  RefObject object{producer_, array_};
  return TimeTable(*table.api, &object, m_);
}

Timing Loops::Import() {
  return TimeLoop(m_.calls, [this] {
    RefArrayPtr imported = producer_->Import(array_);
    const bool made = imported != nullptr;
    if (made) producer_->Drop(imported);
    return made;
  });
}

Timing Loops::Threads() {
  const auto release = [this] {
    bool ok = false;
    backend_->WithLock([&] { ok = Release(); });
    return ok;
  };
  return TimeExportsOnThreads(m_, release, [this](ManagedRef* out) { return Consume(out); }, {});
}

Timing Loops::Run() {
  switch (m_.what) {
    case Timed::kNothing:
      return TimeLoop(m_.calls, [] { return nothing(), true; });
    case Timed::kDevice:
      return TimeLoop(m_.calls, [this] { return !producer_->Device(array_).refused; });
    case Timed::kExportDrop:
      return TimeLoop(m_.calls, [this] {
        std::shared_ptr<RefCapsule> capsule = Export();
        if (capsule == nullptr) return false;
        RefInterpreter interpreter;
        DropRefCapsule(capsule, &interpreter);
        return true;
      });
    case Timed::kExportRelease:
    case Timed::kCopyRelease:
      return TimeLoop(m_.calls, [this] { return Release(); });
    case Timed::kRefusal:
      return TimeLoop(m_.calls, [this] { return Refused(); });
    case Timed::kTableOwned:
    case Timed::kTableBorrowed:
      return Table();
    case Timed::kRoundTrip:
      return Import();
    case Timed::kThreads:
    case Timed::kReleaseThreads:
      return Threads();
    default:
      return {"there is no Python", 0, {}};
  }
}

}  // namespace

Timing ReferenceBackend::Time(const Measurement& m) {
  RefThread::SetCurrent(&thread_);
  if (!timed_ || timed_->bytes != m.bytes || timed_->ndim != m.ndim) {
    producer_.Drop(timed_array_);
    timed_array_ = producer_.Make(PlainSpec(m));
    timed_ = m;
  }
  producer_.Hold(timed_array_);
  return Loops(this, &producer_, timed_array_, m).Run();
}

}  // namespace dlpc
