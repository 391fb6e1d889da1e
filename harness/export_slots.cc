#include "harness/export_slots.h"

#include <cstddef>
#include <cstring>
#include <functional>

#include "harness/memory.h"
#include "harness/tensor_reader.h"

namespace dlpc {
namespace {

constexpr const char* kDeleterRan = "deleter ran";
constexpr const char* kCapsuleDropped = "capsule was dropped";
constexpr const char* kBadDeleter = "deleter is not a function";
constexpr const char* kUnreadable = "managed tensor cannot be read";

// Why dropping an unconsumed capsule would only jump into the void: its destructor calls the
// deleter.
const char* DropProblem(const ManagedRef& ref) {
  const DeleterField field = ReadDeleter(ref);
  if (!field.readable) return kUnreadable;
  return field.deleter == nullptr || IsExecutable(field.deleter) ? nullptr : kBadDeleter;
}

}  // namespace

// Two slots hold one struct where a producer hands out the same capsule, or struct, twice.
template <typename F>
void ExportSlots::ForAliases(const void* managed, F f) {
  for (Slot& slot : slots_) {
    if (slot.no_struct == nullptr && slot.ref.managed == managed) f(slot);
  }
}

void ExportSlots::MarkGone(const void* managed) {
  ForAliases(managed, [](Slot& slot) { slot.no_struct = kDeleterRan; });
}

// Deleters also run from capsule destructors, or whenever a faulty producer likes.
void ExportSlots::NoticeDeleters() {
  for (const Slot& slot : slots_) {
    if (slot.no_struct == nullptr && slot.counter && slot.counter->calls().own > 0) {
      MarkGone(slot.ref.managed);
    }
  }
}

Observation ExportSlots::UseStream(const Step& s) {
  Observation observation = backend_->UseStream(s.a, s.n);
  const Counted* counted = std::get_if<Counted>(&observation);
  const bool made = counted != nullptr && static_cast<StreamUse>(s.n) == StreamUse::kConsumer;
  if (made) consumers_stream_ = counted->value;
  return observation;
}

Observation ExportSlots::Export(const Step& s, std::optional<bool> read_only) {
  Release(s.e);
  Slot& slot = slots_[s.e];
  slot = Slot{};
  slot.read_only = read_only;
  slot.no_capsule = slot.no_struct = "export was refused";
  Request request = s.request;
  if (request.stream == Arg::kValue && request.stream_value == kConsumersStream) {
    if (!consumers_stream_) return NotPerformed{"there is no stream of the consumer's"};
    request.stream_value = *consumers_stream_;
  }
  Observation observation = backend_->Export(s.e, s.a, request);
  const Exported* exported = std::get_if<Exported>(&observation);
  if (exported == nullptr) return observation;
  slot.no_capsule = slot.no_struct = "export is not a capsule";
  if (!exported->is_capsule) return observation;
  slot.no_capsule = nullptr;
  slot.no_struct = "capsule has an unknown name";
  slot.consumed = exported->name.starts_with("used_");
  const ManagedRef ref = backend_->Managed(s.e);
  if (ref.managed == nullptr) return observation;
  bool shared = false;
  ForAliases(ref.managed, [&](const Slot& alias) {
    shared = true;
    slot.counter = alias.counter;
    slot.interposed = alias.interposed;
  });
  // A capsule that was used before: who used it may have deleted the struct.
  slot.no_struct = "capsule was consumed before";
  if (slot.consumed && !shared) return observation;
  slot.ref = ref;
  slot.no_struct = nullptr;
  return observation;
}

void ExportSlots::Vacate(int e) {
  Release(e);
  slots_[e] = Slot{};
  slots_[e].no_capsule = slots_[e].no_struct = "export was refused";
}

void ExportSlots::Hold(int e, void* managed, std::optional<bool> read_only) {
  if (managed == nullptr) return;
  Slot& slot = slots_[e];
  slot.no_capsule = "a table gives structs without a capsule";
  slot.consumed = true;  // Ours to delete.
  slot.read_only = read_only;
  slot.ref = {managed, true};
  ForAliases(managed, [&](const Slot& alias) {
    slot.counter = alias.counter;
    slot.interposed = alias.interposed;
  });
  slot.no_struct = nullptr;
}

Observation ExportSlots::Perform(const Step& s) {
  NoticeDeleters();
  Slot& slot = slots_[s.e];
  switch (s.op) {
    case Op::kRename:
      if (slot.no_capsule) return NotPerformed{slot.no_capsule};
      return Rename(slot, s.e, s.name);
    case Op::kDropCapsule:
      if (slot.no_capsule) return NotPerformed{slot.no_capsule};
      if (slot.no_struct == nullptr) {
        if (const char* problem = DropProblem(slot.ref)) return NotPerformed{problem};
      }
      return DropCapsule(slot, s.e, s.pending);
    case Op::kDeleterCalls:
      return DeleterCalls(slot);
    default:
      if (slot.no_struct) return NotPerformed{slot.no_struct};
      return OnStruct(s, slot);
  }
}

Observation ExportSlots::OnStruct(const Step& s, Slot& slot) {
  switch (s.op) {
    case Op::kInspect:
      return Inspect(slot);
    case Op::kRead: {
      const Observation observation = Inspect(slot);
      const auto* inspected = std::get_if<Inspected>(&observation);
      return inspected ? ReadElements(*inspected, backend_->HostMemory()) : observation;
    }
    case Op::kWrite:
      return Write(slot, s.n);
    case Op::kInterpose:
      return Interpose(slot);
    case Op::kCallDeleter:
      return CallDeleter(slot, s.e, s);
    default:
      return NotPerformed{"no such operation"};
  }
}

Observation ExportSlots::Inspect(const Slot& slot) {
  // With a counter in front the producer's own deleter is shown.
  return InspectTensor(slot.ref, slot.counter ? slot.counter->original() : nullptr);
}

Observation ExportSlots::Write(const Slot& slot, uint32_t n) {
  Observation observation = Inspect(slot);
  const auto* inspected = std::get_if<Inspected>(&observation);
  if (inspected == nullptr) return observation;
  if (FlagsOf(*inspected) & DLPACK_FLAG_BITMASK_READ_ONLY) {
    return NotPerformed{"export is flagged read-only"};
  }
  // The legacy struct cannot say that it is read-only: there only the library's own word allows it.
  if (slot.read_only.value_or(!slot.ref.versioned)) {
    return NotPerformed{slot.read_only ? "array is read-only"
                                       : "whether the array is read-only is not known"};
  }
  return WriteFirst(*inspected, backend_->HostMemory(), n);
}

Observation ExportSlots::Interpose(Slot& slot) {
  if (slot.counter) return Done{};
  const DeleterField field = ReadDeleter(slot.ref);
  if (!field.readable) return NotPerformed{kUnreadable};
  if (field.deleter == nullptr) return NotPerformed{"deleter is NULL"};
  if (!IsExecutable(field.deleter)) return NotPerformed{kBadDeleter};
  std::shared_ptr<Interposition> counter = Interposition::Create(slot.ref);
  if (!counter) return NotPerformed{"managed tensor cannot be written"};
  ForAliases(slot.ref.managed, [&](Slot& alias) {
    alias.counter = counter;
    alias.interposed = true;
  });
  return Done{};
}

Observation ExportSlots::Rename(Slot& slot, int e, Name name) {
  Observation observation = backend_->Rename(e, name);
  if (!std::holds_alternative<Done>(observation)) return observation;
  slot.consumed = true;
  if (slot.no_struct != nullptr) return observation;  // Its address may belong to another by now.
  ForAliases(slot.ref.managed, [](Slot& alias) { alias.consumed = true; });
  return observation;
}

Observation ExportSlots::DropCapsule(Slot& slot, int e, bool pending) {
  // A destructor that frees a struct which is not its own, or not only its own, is noticed by a
  // counter for as long as it runs, so that nothing is freed twice.
  std::shared_ptr<Interposition> counter = slot.counter;
  const bool alive = slot.no_struct == nullptr;
  int holders = 0;
  ForAliases(slot.ref.managed, [&holders](const Slot&) { ++holders; });
  if (!counter && alive && (slot.consumed || holders > 1)) {
    counter = Interposition::Create(slot.ref);
  }
  Observation observation = backend_->DropCapsule(e, pending);
  ForgetReadable();
  slot.no_capsule = kCapsuleDropped;
  if (!slot.consumed && alive) slot.no_struct = kCapsuleDropped;
  if (!counter) return observation;
  const Interposition::Calls calls = counter->calls();
  if (alive && calls.own > 0) MarkGone(slot.ref.managed);
  if (auto* dropped = std::get_if<Dropped>(&observation)) dropped->threw |= calls.threw;
  return observation;
}

Dropped ExportSlots::RunDeleter(Slot& slot, const Step& s, const void* deleter) {
  DeleterCall call{slot.ref, const_cast<void*>(deleter)};
  Dropped dropped = backend_->RunDeleter(s.thread, s.pending, [&call] { call.Run(); });
  ForgetReadable();
  dropped.threw |= call.threw || (slot.counter && slot.counter->calls().threw);
  MarkGone(slot.ref.managed);
  return dropped;
}

Observation ExportSlots::CallDeleter(Slot& slot, int e, const Step& s) {
  const DeleterField field = ReadDeleter(slot.ref);
  if (!field.readable) return NotPerformed{kUnreadable};
  if (field.deleter == nullptr) return NotPerformed{"deleter is NULL"};
  if (!IsExecutable(field.deleter)) return NotPerformed{kBadDeleter};
  // Only who took the tensor out of its capsule may call the deleter; else the capsule does it
  // again.
  if (slot.no_capsule == nullptr && !slot.consumed) Rename(slot, e, Name::kUsed);
  // A faulty destructor may free again when the capsule goes: with luck the freed struct still
  // names our counter then, which keeps the heap whole.
  if (slot.no_capsule == nullptr && !slot.counter) slot.counter = Interposition::Create(slot.ref);
  return RunDeleter(slot, s, ReadDeleter(slot.ref).deleter);
}

Observation ExportSlots::DeleterCalls(const Slot& slot) {
  if (!slot.interposed) return NotPerformed{"no deleter was interposed"};
  const Interposition::Calls calls = slot.counter->calls();
  return Counted{int64_t{calls.own} + calls.stray, calls.stray == 0};
}

void ExportSlots::Release(int e) {
  NoticeDeleters();
  Slot& slot = slots_[e];
  const bool held = slot.no_capsule == nullptr;
  if (held && !slot.consumed) {
    const bool sound = slot.no_struct == nullptr ? DropProblem(slot.ref) == nullptr
                                                 : slot.no_struct != kDeleterRan;
    if (sound) {
      DropCapsule(slot, e, false);
      return;
    }
    Rename(slot, e, Name::kUsed);  // Its destructor must not touch the struct.
    slot.no_struct = kDeleterRan;
  }
  if (slot.no_struct != nullptr) {
    if (held) backend_->Forget(e);
    return;
  }
  if (held) {
    Rename(slot, e, Name::kUsed);  // From whatever foreign name; an alias may still have its own.
    DropCapsule(slot, e, false);
  }
  if (slot.no_struct == nullptr && slot.consumed) {
    const DeleterField field = ReadDeleter(slot.ref);
    if (IsExecutable(field.deleter)) RunDeleter(slot, Step{}, field.deleter);
  }
  slot.no_struct = kDeleterRan;
  backend_->Forget(e);
}

void ExportSlots::ReleaseAll() {
  for (int e = 0; e < kExportSlots; ++e) Release(e);
}

std::vector<ManagedRef> ExportSlots::Keep() {
  NoticeDeleters();
  std::vector<ManagedRef> kept;
  for (Slot& slot : slots_) {
    if (slot.no_struct != nullptr || !slot.consumed || slot.no_capsule == nullptr) continue;
    if (!IsExecutable(ReadDeleter(slot.ref).deleter)) continue;
    kept.push_back(slot.ref);
    MarkGone(slot.ref.managed);
  }
  return kept;
}

void ExportSlots::Clear() {
  consumers_stream_.reset();
  for (Slot& slot : slots_) slot = Slot{};
}

}  // namespace dlpc
