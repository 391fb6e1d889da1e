// Internal to reference/: memory of the reference producer. Buffers lie inside large slabs, so that
// whatever a faulty twin describes around them stays readable, and so that making one costs little.
#ifndef DLPC_REFERENCE_STORAGE_H_
#define DLPC_REFERENCE_STORAGE_H_

#include <dlpack/dlpack.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "reference/array_state.h"
#include "reference/layout.h"
#include "reference/mutants.h"
#include "reference/producer.h"

namespace dlpc {

class RefStorage;

/// Tells threads apart.
inline const void* ThisThread() {
  static thread_local char mark;
  return &mark;
}

/// The interpreter lock in miniature: nests, and knows whether this thread holds it. It is held for
/// moments, so a waiter looks again instead of being woken; giving it back is one store.
class RefLock {
 public:
  void Lock() {
    if (!HeldHere()) Acquire();
    ++depth_;
  }
  void Unlock() {
    if (--depth_ == 0) holder_.store(nullptr, std::memory_order_release);
  }
  bool HeldHere() const { return holder_.load(std::memory_order_relaxed) == ThisThread(); }

 private:
  void Acquire() {
    const void* free = nullptr;
    while (!holder_.compare_exchange_weak(free, ThisThread(), std::memory_order_acquire)) {
      free = nullptr;
      sched_yield();
    }
  }

  int depth_ = 0;
  std::atomic<const void*> holder_{nullptr};
};

/// A piece of a slab; returns to its storage when destroyed.
class RefBuffer {
 public:
  RefBuffer() = default;
  RefBuffer(RefStorage* storage, uint8_t* block, size_t bytes, size_t shift)
      : storage_(storage), block_(block), bytes_(bytes), shift_(shift) {}
  RefBuffer(RefBuffer&& other) noexcept { *this = std::move(other); }
  RefBuffer& operator=(RefBuffer&& other) noexcept;
  ~RefBuffer();

  uint8_t* data() const { return block_ + shift_; }  // 256-byte aligned, but in some mutants.
  size_t bytes() const { return bytes_; }
  explicit operator bool() const { return block_ != nullptr; }
  /// The block stays allocated until the storage dies.
  void Abandon() { storage_ = nullptr; }

 private:
  RefStorage* storage_ = nullptr;
  uint8_t* block_ = nullptr;
  size_t bytes_ = 0;
  size_t shift_ = 0;
};

/// ElementPlace in memory: where the first one is, and how far it is to the next.
struct ElementPlace {
  uint8_t* base = nullptr;      // Start of the allocation.
  int64_t first_bit = 0;        // Of the first element, from `base`.
  int64_t bits_per_stride = 0;  // Bits that a stride of 1 stands for.
};

/// One export: the managed tensor and what it keeps alive.
struct ExportNode {
  // The managed tensor. First, so that its address is the node's (MEM-13 lets a producer rely on
  // the address); twins with another layout need more room than either struct has.
  alignas(16) std::array<uint8_t, 128> raw;
  size_t deleter_at = 0;  // Where in `raw` the deleter is.
  Mutant mutant = Mutant::kNone;
  RefStorage* storage = nullptr;
  std::atomic<bool> live{false};
  RefArrayPtr array;             // Set when the elements are the array's own.
  int counted = 0;               // How often `array` counts this export.
  const void* thread = nullptr;  // That made the export.
  bool in_destructor = false;    // Released by its capsule, not by a consumer.
  std::shared_ptr<RefBuffer> copy;
  Extents shape;
  Extents strides;
  uint64_t serial = 0;     // Number of the export that uses the node.
  bool versioned = false;  // Which struct is in `raw`.
};

class RefStorage {
 public:
  explicit RefStorage(Mutant mutant);
  /// What twins leaked ends while all nodes are still there: an array may hold another's export.
  ~RefStorage();
  /// At least `bytes` bytes, 256-byte aligned. Thread-safe, like everything here.
  RefBuffer Take(size_t bytes);
  ExportNode* TakeNode();
  /// The node's struct was deleted. Twins may touch it again, so theirs rest for a while before
  /// reuse.
  void GiveNode(ExportNode* node);
  /// Every node, live or not.
  template <typename Visit>
  void ForEachNode(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (ExportNode& node : nodes_) visit(node);
  }

  RefLock interpreter;
  RefInterpreter state;

 private:
  friend class RefBuffer;
  void Give(uint8_t* block, size_t bytes);

  const Mutant mutant_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<uint8_t[]>> slabs_;
  uint8_t* next_ = nullptr;  // Free rest of the newest slab.
  uint8_t* end_ = nullptr;
  std::array<std::vector<uint8_t*>, 40> free_;  // By size class.
  uint64_t exports_ = 0;
  std::deque<ExportNode*> free_nodes_;
  std::deque<ExportNode> nodes_;  // Last: nodes own buffers.
};

/// What every plain export of an array says (shared_export.h), but for its manager_ctx.
struct SharedForm {
  bool usable = false;  // There are plain exports, and the array owns them.
  DLManagedTensorVersioned managed{};
  Extents shape, strides;
};

class RefArray;
/// A new array, to be filled in.
RefArrayPtr NewArray(RefStorage* storage);
/// One user less; the last one ends the array. Takes the storage's lock (PS 129-131: whoever calls,
/// and whatever he holds).
void DropUser(RefArray* array);
/// Overwrites the elements, as reuse of freed memory would.
void EndOfData(RefArray& array);

/// The array itself.
class RefArray {
 public:
  explicit RefArray(RefStorage* from) : storage(from) {}
  ~RefArray() { delete form.load(); }

  RefStorage* const storage;
  ArraySpec spec;
  ArrayState state = ArrayState::kPlain;
  View view;
  RefBuffer buffer;
  ElementPlace elements;
  std::atomic<int64_t> references{1};  // The caller and the live exports, but for shared ones.
  // All RefArrayPtr together, and each shared export. Like any count of an interpreter's object it
  // is changed under its lock, or where there is one thread.
  int64_t users = 1;
  std::atomic<const SharedForm*> form{nullptr};
  std::atomic<uint32_t> device_queries{0};
  std::shared_ptr<void> owner;  // Of elements that are not in `buffer`: an imported tensor.
  // What the exchange table lends of the array.
  Extents lent_shape, lent_strides;
  std::shared_ptr<RefBuffer> lent_copy;
  std::shared_ptr<void> source;  // Of a derived array: what keeps the elements.
  bool subclass = false;
  // Of mutants.
  const void* thread = ThisThread();  // That made it.
  bool released = false;              // An export was released.
  bool out_of_capsule = false;        // A consumed capsule was dropped.
  std::shared_ptr<RefBuffer> shared_copy;
  std::weak_ptr<RefCapsule> cached_capsule;
  uint64_t cached_key = 0;
  const DLPackExchangeAPI* table = nullptr;
  bool disabled = false;
};

}  // namespace dlpc

#endif  // DLPC_REFERENCE_STORAGE_H_
