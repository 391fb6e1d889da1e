#include "reference/release.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "reference/storage.h"

namespace dlpc {
namespace {

using enum Mutant;

constexpr const char* kLegacy = "dltensor";  // Static, as CAP-08 demands.
constexpr const char* kVersioned = "dltensor_versioned";

// ---- Deleter ----

// Twins whose deleter reaches beyond its own export.
void BreakOthers(const ExportNode& node) {
  if (node.mutant == kReleaseDetaches && !node.in_destructor) node.array->released = true;
  if (node.mutant == kReleaseClearsSource && node.array->buffer) {
    std::memset(node.array->buffer.data(), 0xDD, node.array->buffer.bytes());
  }
  if (node.mutant != kReleaseHitsSiblings) return;
  node.storage->ForEachNode([&](ExportNode& other) {
    if (!other.live.load() || other.array != node.array) return;
    std::fill(other.shape.begin(), other.shape.end(), 0x5D5D);
  });
}

// The heap's own account sees the loss. It stays reachable, so that LeakSanitizer reports only what
// is lost by mistake.
void Lose(std::shared_ptr<RefBuffer> copy) {
  static std::mutex mutex;
  static auto* const lost = new std::deque<std::shared_ptr<RefBuffer>>;
  const std::lock_guard<std::mutex> lock(mutex);
  lost->push_back(std::move(copy));
}

// Gives back what the export took, once. Twins call deleters twice; they must survive it.
void Release(ExportNode* node) {
  if (!node->live.exchange(false)) return;
  const Mutant m = node->mutant;
  if (node->array != nullptr) BreakOthers(*node);
  const int counted = std::exchange(node->counted, 0);
  if (counted > 0 && node->array->references.fetch_sub(1) == 1 && m == kExportedFlag) {
    EndOfData(*node->array);
  }
  node->array.reset();
  if (m == kCopyLeaks && node->copy) Lose(std::move(node->copy));
  node->copy.reset();
  if (m != kStructLeaks) node->storage->GiveNode(node);
}

// Twins whose deleter does nothing.
bool GivesUp(const ExportNode& node) {
  const Mutant m = node.mutant;
  return m == kNullContextLeaks || (m == kDeleterThreadBound && node.thread != ThisThread()) ||
         (m == kDeleterLockNotReentrant && node.storage->interpreter.HeldHere());
}

void Delete(void* self) {
  auto* node = static_cast<ExportNode*>(self);
  const Mutant m = node->mutant;
  if (GivesUp(*node)) return;
  RefStorage& storage = *node->storage;
  if (storage.state.ended) {  // PS 139-149: leaking is fine now, touching an object is not.
    if (m == kDeleterAfterEnd) std::abort();
    return;
  }
  if (m == kDeleterWithoutLock) return Release(node);
  storage.interpreter.Lock();  // PS 129-131: whoever calls, and whatever he holds.
  if (m == kDeleterClearsException) storage.state.pending.clear();
  Release(node);
  storage.interpreter.Unlock();
  if (m == kDeleterThrows) throw std::runtime_error("deleter failed");
}

extern "C" {
static void DeleteLegacy(DLManagedTensor* self) { Delete(self); }
static void DeleteVersioned(DLManagedTensorVersioned* self) { Delete(self); }
}

// What the twin deleter-not-code points at.
alignas(16) unsigned char not_code[64];

// ---- Capsule destructor ----

bool IsOwnDeleter(void (*deleter)(void*)) {
  return reinterpret_cast<void*>(deleter) == reinterpret_cast<void*>(&DeleteLegacy) ||
         reinterpret_cast<void*>(deleter) == reinterpret_cast<void*>(&DeleteVersioned);
}

// Calls the deleter that the struct holds by now: a consumer may have replaced it.
void CallDeleter(ExportNode* node) {
  void (*deleter)(void*) = nullptr;
  std::memcpy(&deleter, node->raw.data() + node->deleter_at, sizeof(deleter));
  // Static storage has nothing to free but the struct (CAP-06: guard against a NULL deleter).
  const bool guarded = deleter == nullptr && node->mutant != kNullDeleterUnguarded;
  if (guarded || reinterpret_cast<unsigned char*>(deleter) == not_code) return Release(node);
  auto raw = node->raw.data();
  node->in_destructor = true;
  std::array<uint8_t, 128> copy = node->raw;
  if (node->mutant == kDestructorPassesCopy) {
    if (IsOwnDeleter(deleter)) return Release(node);
    raw = copy.data();
  }
  const auto call = [&] {
    if (node->versioned) {
      auto* self = reinterpret_cast<DLManagedTensorVersioned*>(raw);
      return reinterpret_cast<void (*)(DLManagedTensorVersioned*)>(deleter)(self);
    }
    auto* self = reinterpret_cast<DLManagedTensor*>(raw);
    reinterpret_cast<void (*)(DLManagedTensor*)>(deleter)(self);
  };
  if (node->mutant != kDeleterThrows) return call();
  try {
    call();
  } catch (const std::exception&) {  // Its fault shows where a consumer calls the deleter.
  }
}

}  // namespace

const void* DeleterOf(const ExportNode& node) {
  if (node.mutant == kDeleterNotCode) return not_code;
  return node.versioned ? reinterpret_cast<const void*>(&DeleteVersioned)
                        : reinterpret_cast<const void*>(&DeleteLegacy);
}

// How many references to the array an export takes.
int References(Mutant m, const RefArray& array) {
  if (m == kTwoReferences) return 2;
  const bool exported = array.references.load() > 1;
  return m == kCapsuleOwnsNothing || (m == kExportedFlag && exported) ? 0 : 1;
}

const char* CapsuleName(Mutant m, bool versioned) {
  if (versioned) return m == kVersionedName ? "dltensor-versioned" : kVersioned;
  return m == kLegacyName ? "dltensor_legacy" : kLegacy;
}

bool IsUsedName(std::string_view name) {
  return name == "used_dltensor" || name == "used_dltensor_versioned";
}

void ReportUnknownName(std::string_view name, RefInterpreter* interpreter) {
  interpreter->unraisable = "capsule has the unknown name '" + std::string(name) + "'";
}

// PS 97-123: the deleter runs only under the original name; nothing happens once consumed; anything
// else is reported. A pending exception is none of its business (CAP-09).
void DestroyCapsule(RefCapsule* capsule, RefInterpreter* interpreter) {
  auto* node = static_cast<ExportNode*>(capsule->managed);
  const Mutant m = capsule->mutant;
  const std::string_view name = capsule->name;
  if (m == kDestructorClearsException) interpreter->pending.clear();
  if (m == kDestructorDoesNothing) return;
  if (IsUsedName(name)) {
    if (m == kDataDiesWithCapsule && node->array) node->array->out_of_capsule = true;
    const bool again = m == kUsedFreedLate && !node->live.load();
    if (again || m == kDestructorFreesConsumed) CallDeleter(node);
    return;
  }
  if (name == CapsuleName(m, false) || name == CapsuleName(m, true)) return CallDeleter(node);
  ReportUnknownName(name, interpreter);
  if (m == kForeignNameFrees || m == kDestructorFreesConsumed) CallDeleter(node);
}

}  // namespace dlpc
