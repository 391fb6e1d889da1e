#include "harness/interpose.h"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "harness/memory.h"

namespace dlpc {
namespace {

using LegacyDeleter = void (*)(DLManagedTensor*);
using VersionedDeleter = void (*)(DLManagedTensorVersioned*);

char* FieldAddress(const ManagedRef& ref) {
  return static_cast<char*>(ref.managed) + (ref.versioned
                                                ? offsetof(DLManagedTensorVersioned, deleter)
                                                : offsetof(DLManagedTensor, deleter));
}

}  // namespace

// Who is interposed at the moment. Never destroyed: a late thread may still call a deleter.
struct Interposer {
  std::mutex mutex;
  std::vector<Interposition*> live;

  static Interposer& Get() {
    static Interposer* interposer = new Interposer;
    return *interposer;
  }

  // Counts the call; the original if this is the first of its struct.
  const void* Count(void* managed) {
    const std::lock_guard<std::mutex> lock(mutex);
    // Newest first: an address that was freed and used again belongs to the newer struct.
    const auto found = std::find_if(live.rbegin(), live.rend(), [&](const Interposition* i) {
      return i->ref_.managed == managed;
    });
    if (found == live.rend()) {
      for (Interposition* i : live) ++i->calls_.stray;
      return nullptr;
    }
    return ++(*found)->calls_.own == 1 ? (*found)->original_ : nullptr;
  }

  void Threw(void* managed) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (Interposition* i : live) i->calls_.threw |= i->ref_.managed == managed;
  }

  template <typename Managed>
  static void Deleter(Managed* managed) {
    const void* original = Get().Count(managed);
    if (original == nullptr) return;
    try {
      reinterpret_cast<void (*)(Managed*)>(const_cast<void*>(original))(managed);
    } catch (...) {
      Get().Threw(managed);
    }
  }

  static void* Ours(bool versioned) {
    return versioned ? reinterpret_cast<void*>(VersionedDeleter{&Deleter<DLManagedTensorVersioned>})
                     : reinterpret_cast<void*>(LegacyDeleter{&Deleter<DLManagedTensor>});
  }
};

DeleterField ReadDeleter(const ManagedRef& ref) {
  DeleterField field;
  if (ref.managed == nullptr) return field;
  field.readable = SafeReadAll(FieldAddress(ref), &field.deleter, sizeof field.deleter);
  return field;
}

std::unique_ptr<Interposition> Interposition::Create(const ManagedRef& ref) {
  const DeleterField field = ReadDeleter(ref);
  if (!field.readable || !IsExecutable(field.deleter)) return nullptr;
  Interposer& interposer = Interposer::Get();
  const std::lock_guard<std::mutex> lock(interposer.mutex);
  const void* ours = Interposer::Ours(ref.versioned);
  if (field.deleter == ours || !SafeWrite(FieldAddress(ref), &ours, sizeof ours)) return nullptr;
  std::unique_ptr<Interposition> made(new Interposition);
  made->ref_ = ref;
  made->original_ = field.deleter;
  interposer.live.push_back(made.get());
  return made;
}

Interposition::~Interposition() {
  Interposer& interposer = Interposer::Get();
  const std::lock_guard<std::mutex> lock(interposer.mutex);
  auto& live = interposer.live;
  const auto next = live.erase(std::find(live.begin(), live.end(), this));
  // A newer one at the same address: the memory was freed and holds another struct.
  const bool reused = std::any_of(
      next, live.end(), [this](const Interposition* i) { return i->ref_.managed == ref_.managed; });
  if (reused || calls_.own > 0) return;
  if (ReadDeleter(ref_).deleter == Interposer::Ours(ref_.versioned)) {
    SafeWrite(FieldAddress(ref_), &original_, sizeof original_);
  }
}

Interposition::Calls Interposition::calls() const {
  const std::lock_guard<std::mutex> lock(Interposer::Get().mutex);
  return calls_;
}

}  // namespace dlpc
