// The part of ReferenceBackend that gives exports back: capsules dropped, deleters run.
#include <functional>
#include <optional>
#include <string_view>

#include "harness/hosts/reference_backend.h"
#include "harness/threads.h"

namespace dlpc {
namespace {

constexpr std::string_view kPending = "RuntimeError: raised before the capsule was dropped";

}  // namespace

Observation ReferenceBackend::DropCapsule(int e, bool pending) {
  ExportSlot& slot = exports_[e];
  const bool consumed = std::string_view(slot.capsule->name).starts_with("used_");
  RefInterpreter interpreter;
  if (pending) interpreter.pending = kPending;
  Dropped dropped;
  try {
    DropRefCapsule(slot.capsule, &interpreter);
  } catch (...) {
    dropped.threw = true;
    slot.capsule.reset();
  }
  if (!consumed) slot.managed = {};
  dropped.left_exception = !pending && !interpreter.pending.empty();
  dropped.lost_exception = pending && interpreter.pending != kPending;
  dropped.unraisable = interpreter.unraisable;
  return dropped;
}

void ReferenceBackend::Forget(int e) {
  if (exports_[e].capsule != nullptr) exports_[e].capsule->destructor = nullptr;
  exports_[e] = {};
}

Dropped ReferenceBackend::RunDeleter(Thread thread, bool pending,
                                     const std::function<void()>& call) {
  constexpr const char* kBefore = "RuntimeError: raised before the deleter was called";
  RefInterpreter& interpreter = producer_.Interpreter();
  interpreter = {pending ? kBefore : "", "", false};
  RefThread* const outside = RefThread::Current();
  RefThread::SetCurrent(thread == Thread::kLocked ? &thread_ : nullptr);
  Dropped dropped;
  if (thread == Thread::kFree) {
    call();
  } else if (thread == Thread::kForeign) {
    const ForeignCall foreign(call);
  } else {
    producer_.Lock();
    std::optional<ForeignCall> foreign;
    if (thread == Thread::kContended) {
      foreign.emplace(call);
      dropped.without_lock = foreign->EndsWithoutWaiting();
    } else {
      call();
    }
    producer_.Unlock();
  }
  RefThread::SetCurrent(outside);
  dropped.lost_exception = pending && interpreter.pending != kBefore;
  dropped.left_exception = TakeRaised().has_value() || (!pending && !interpreter.pending.empty());
  return dropped;
}

void ReferenceBackend::WithLock(const std::function<void()>& f) {
  producer_.Lock();
  f();
  producer_.Unlock();
}

void ReferenceBackend::Reset() {
  for (RefObject& object : objects_) object = {};
  thread_ = {};
  consumers_stream_ = 0;
  waiting_.clear();
  RefThread::SetCurrent(nullptr);
  RefInterpreter interpreter;
  for (ExportSlot& slot : exports_) {
    DropRefCapsule(slot.capsule, &interpreter);
    slot = {};
  }
  for (RefArrayPtr& array : arrays_) producer_.Drop(array);
}

}  // namespace dlpc
