#include "harness/consume_many.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/interpose.h"
#include "harness/memory.h"
#include "harness/tensor_reader.h"
#include "harness/threads.h"

namespace dlpc {
namespace {

// Can the struct be owned by a consumer: its deleter be read, and called if there is one?
bool IsSound(const ManagedRef& ref) {
  if (ref.managed == nullptr) return false;
  const DeleterField field = ReadDeleter(ref);
  return field.readable && (field.deleter == nullptr || IsExecutable(field.deleter));
}

// One export through slot e, out of its capsule. False if no more can be had. `owned` gets the
// struct unless the destructor freed it by its deleter, which a counter notices so that nothing is
// freed twice.
bool Consume(Backend* backend, const Step& s, int e, Many& many, std::vector<ManagedRef>& owned) {
  const Observation seen = backend->Export(e, s.a, s.request);
  if (const Raised* raised = std::get_if<Raised>(&seen)) many.first_error = *raised;
  if (!backend->HasCapsule(e)) return false;
  const ManagedRef ref = backend->Managed(e);
  if (!IsSound(ref)) {  // Its destructor must not touch the struct when the slot is used again.
    backend->Rename(e, Name::kUsed);
    backend->Forget(e);
    return false;
  }
  const std::unique_ptr<Interposition> counter = Interposition::Create(ref);
  if (!std::holds_alternative<Done>(backend->Rename(e, s.name))) return false;
  backend->DropCapsule(e, false);
  ForgetReadable();
  ++many.capsules;
  if (!counter || counter->calls().own == 0) owned.push_back(ref);
  return true;
}

const void* SoundDeleter(const ManagedRef& ref) {
  const DeleterField field = ReadDeleter(ref);
  return field.readable && IsExecutable(field.deleter) ? field.deleter : nullptr;
}

void Release(Backend* backend, std::vector<ManagedRef>& owned) {
  for (const ManagedRef& ref : owned) {
    const void* const deleter = SoundDeleter(ref);
    if (deleter == nullptr) continue;
    DeleterCall call{ref, const_cast<void*>(deleter)};
    backend->RunDeleter(Thread::kLocked, false, [&call] { call.Run(); });
    ForgetReadable();
  }
  owned.clear();
}

size_t CountDistinct(const std::vector<ManagedRef>& owned) {
  std::set<void*> distinct;
  for (const ManagedRef& ref : owned) distinct.insert(ref.managed);
  return distinct.size();
}

// ---- On several threads -------------------------------------------------------------------------

struct Worker {
  uint32_t share = 0;
  Many many;
  std::vector<ManagedRef> owned;
};

void ConsumeShare(Backend* backend, const Step& s, int e, Worker& worker) {
  bool more = true;
  while (more && worker.many.tried < worker.share) {
    backend->WithLock([&] {
      try {
        more = Consume(backend, s, e, worker.many, worker.owned);
      } catch (...) {  // A faulty backend must not end the host by way of a thread.
        more = false;
      }
    });
    if (more) ++worker.many.tried;
  }
}

void ReleaseShare(const std::vector<ManagedRef>& owned) {
  for (const ManagedRef& ref : owned) {
    const void* const deleter = SoundDeleter(ref);
    if (deleter == nullptr) continue;
    DeleterCall{ref, const_cast<void*>(deleter)}.Run();
    ForgetReadable();
  }
}

// What a consumer would see: type, shape and elements.
std::string Contents(Backend* backend, const ManagedRef& ref) {
  const Observation seen = InspectTensor(ref, nullptr);
  const Inspected* inspected = std::get_if<Inspected>(&seen);
  if (inspected == nullptr) return "unreadable";
  const DLTensor tensor = TensorOf(*inspected);
  std::string text(reinterpret_cast<const char*>(&tensor.dtype), sizeof tensor.dtype);
  text.append(reinterpret_cast<const char*>(inspected->shape.data()),
              inspected->shape.size() * sizeof(int64_t));
  const Observation read = ReadElements(*inspected, backend->HostMemory());
  if (const Elements* elements = std::get_if<Elements>(&read)) text += elements->bytes;
  return text;
}

void Add(const Worker& worker, Many& many) {
  many.tried += worker.share;
  many.capsules += worker.many.capsules;
  if (!many.first_error) many.first_error = worker.many.first_error;
}

}  // namespace

Observation ConsumeMany(Backend* backend, const Step& s) {
  if (backend->HasCapsule(s.e)) return NotPerformed{"the slot is in use"};
  Many many;
  std::vector<ManagedRef> owned;
  if (!s.pending) owned.reserve(s.n);
  const auto end = std::chrono::steady_clock::now() + kLongestLoop;
  while (many.tried < s.n && Consume(backend, s, s.e, many, owned)) {
    ++many.tried;
    if (!s.pending) continue;
    many.distinct_managed += static_cast<uint32_t>(owned.size());
    Release(backend, owned);
    if (std::chrono::steady_clock::now() > end) break;
  }
  many.distinct_capsules = many.capsules;  // One after the other.
  const size_t distinct = CountDistinct(owned);
  if (!s.pending) many.distinct_managed = static_cast<uint32_t>(distinct);
  if (distinct == owned.size()) Release(backend, owned);
  backend->Forget(s.e);
  return many;
}

Observation ReleaseTogether(Backend* backend, const Step& s) {
  constexpr uint32_t kWorkers = kExportSlots;
  Step each = s;
  each.name = Name::kUsed;
  Worker first;
  if (!Consume(backend, each, 0, first.many, first.owned)) {
    backend->Forget(0);
    if (first.many.first_error) return *first.many.first_error;
    return NotPerformed{"no sound export"};
  }
  std::vector<Worker> workers(kWorkers);
  std::vector<Work> exports, releases;
  for (uint32_t i = 0; i < kWorkers; ++i) {
    Worker& worker = workers[i];
    worker.share = s.n / kWorkers + (i < s.n % kWorkers ? 1 : 0);
    exports.emplace_back(
        [backend, &each, i, &worker] { ConsumeShare(backend, each, static_cast<int>(i), worker); });
    releases.emplace_back([&worker] { ReleaseShare(worker.owned); });
  }
  if (s.thread == Thread::kForeign) {
    backend->RunOnThreads(exports);
  } else {
    for (const Work& work : exports) work();
  }
  Many many;
  std::vector<ManagedRef> owned = first.owned;
  const std::string wanted = first.owned.empty() ? "" : Contents(backend, first.owned[0]);
  for (const Worker& worker : workers) {
    Add(worker, many);
    owned.insert(owned.end(), worker.owned.begin(), worker.owned.end());
    for (const ManagedRef& ref : worker.owned) {
      if (Contents(backend, ref) != wanted) ++many.differing;
    }
  }
  many.distinct_capsules = many.capsules;
  const size_t distinct = CountDistinct(owned);
  many.distinct_managed = static_cast<uint32_t>(distinct - first.owned.size());
  if (distinct == owned.size()) {
    backend->RunOnThreads(releases);
    Release(backend, first.owned);
  }
  for (int e = 0; e < kExportSlots; ++e) backend->Forget(e);
  return many;
}

}  // namespace dlpc
