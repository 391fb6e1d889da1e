#include "harness/consume_many.h"

#include <memory>
#include <set>
#include <vector>

#include "harness/interpose.h"
#include "harness/memory.h"
#include "harness/tensor_reader.h"

namespace dlpc {
namespace {

// Can the struct be owned by a consumer: its deleter be read, and called if there is one?
bool IsSound(const ManagedRef& ref) {
  if (ref.managed == nullptr) return false;
  const DeleterField field = ReadDeleter(ref);
  return field.readable && (field.deleter == nullptr || IsExecutable(field.deleter));
}

// One export, out of its capsule. False if no more can be had. `owned` gets the struct unless the
// destructor freed it by its deleter, which a counter notices so that nothing is freed twice.
bool Consume(Backend* backend, const Step& s, Many& many, std::vector<ManagedRef>& owned) {
  const Observation seen = backend->Export(s.e, s.a, s.request);
  if (const Raised* raised = std::get_if<Raised>(&seen)) many.first_error = *raised;
  if (!backend->HasCapsule(s.e)) return false;
  const ManagedRef ref = backend->Managed(s.e);
  if (!IsSound(ref)) {  // Its destructor must not touch the struct when the slot is used again.
    backend->Rename(s.e, Name::kUsed);
    backend->Forget(s.e);
    return false;
  }
  const std::unique_ptr<Interposition> counter = Interposition::Create(ref);
  if (!std::holds_alternative<Done>(backend->Rename(s.e, s.name))) return false;
  backend->DropCapsule(s.e, false);
  ForgetReadable();
  ++many.capsules;
  if (!counter || counter->calls().own == 0) owned.push_back(ref);
  return true;
}

void Release(Backend* backend, const std::vector<ManagedRef>& owned) {
  for (const ManagedRef& ref : owned) {
    const DeleterField field = ReadDeleter(ref);
    if (!field.readable || field.deleter == nullptr || !IsExecutable(field.deleter)) continue;
    DeleterCall call{ref, const_cast<void*>(static_cast<const void*>(field.deleter))};
    backend->RunDeleter(Thread::kLocked, [&call] { call.Run(); });
    ForgetReadable();
  }
}

}  // namespace

Observation ConsumeMany(Backend* backend, const Step& s) {
  if (backend->HasCapsule(s.e)) return NotPerformed{"the slot is in use"};
  Many many;
  std::vector<ManagedRef> owned;
  while (many.tried < s.n && Consume(backend, s, many, owned)) ++many.tried;
  std::set<void*> distinct;
  for (const ManagedRef& ref : owned) distinct.insert(ref.managed);
  many.distinct_managed = static_cast<uint32_t>(distinct.size());
  many.distinct_capsules = many.capsules;  // One after the other.
  if (distinct.size() == owned.size()) Release(backend, owned);
  backend->Forget(s.e);
  return many;
}

}  // namespace dlpc
