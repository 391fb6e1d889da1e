#include "reference/storage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace dlpc {
namespace {

constexpr size_t kAlignment = 256;  // H13 222-224.
constexpr size_t kSlab = size_t{16} << 20;
constexpr size_t kSlack = size_t{1} << 20;  // Readable on both sides of every buffer.
constexpr size_t kNodesAtRest = 128;        // Fewer than the shortest loop, which warms up.

size_t SizeClass(size_t bytes) {
  return static_cast<size_t>(std::bit_width((std::max(bytes, size_t{1}) - 1) / kAlignment));
}

// Where a buffer starts in its block (mutants align-64 and element-misaligned).
size_t Shift(Mutant mutant) {
  if (mutant == Mutant::kAlign64) return 64;
  return mutant == Mutant::kElementMisaligned ? 1 : 0;
}

}  // namespace

RefBuffer& RefBuffer::operator=(RefBuffer&& other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(block_, other.block_);
  std::swap(bytes_, other.bytes_);
  std::swap(shift_, other.shift_);
  return *this;
}

RefBuffer::~RefBuffer() {
  if (storage_ != nullptr) storage_->Give(block_, bytes_ + shift_);
}

// The nodes at rest are there from the start, so that a twin's memory does not grow by them.
RefStorage::RefStorage(Mutant mutant) : mutant_(mutant) {
  if (mutant == Mutant::kNone) return;
  for (size_t i = 0; i < kNodesAtRest; ++i) {
    ExportNode& node = nodes_.emplace_back();
    node.mutant = mutant;
    node.storage = this;
    free_nodes_.push_back(&node);
  }
}

RefStorage::~RefStorage() {
  std::vector<RefArrayPtr> leaked;
  ForEachNode([&leaked](ExportNode& node) {
    node.live.store(false);
    leaked.push_back(std::move(node.array));
  });
}

RefArrayPtr NewArray(RefStorage* storage) { return {new RefArray(storage), &DropUser}; }

void DropUser(RefArray* array) {
  RefStorage* const storage = array->storage;  // None where a tensor of somebody else is kept.
  if (storage != nullptr) storage->interpreter.Lock();
  if (--array->users == 0) delete array;
  if (storage != nullptr) storage->interpreter.Unlock();
}

void EndOfData(RefArray& array) {
  if (array.buffer) std::memset(array.buffer.data(), 0xDD, array.buffer.bytes());
}

RefBuffer RefStorage::Take(size_t bytes) {
  const size_t shift = Shift(mutant_);
  const size_t size_class = SizeClass(bytes + shift);
  const size_t capacity = kAlignment << size_class;
  const std::lock_guard lock(mutex_);
  std::vector<uint8_t*>& free = free_[size_class];
  if (!free.empty()) {
    uint8_t* block = free.back();
    free.pop_back();
    return {this, block, bytes, shift};
  }
  if (static_cast<size_t>(end_ - next_) < capacity) {
    const size_t size = std::max(kSlab, capacity) + 2 * kSlack + kAlignment;
    slabs_.emplace_back(new uint8_t[size]);  // Pages are not touched before they are used.
    const auto start = reinterpret_cast<uintptr_t>(slabs_.back().get()) + kSlack;
    next_ = slabs_.back().get() + kSlack + (kAlignment - start % kAlignment) % kAlignment;
    end_ = slabs_.back().get() + size - kSlack;
  }
  uint8_t* block = next_;
  next_ += capacity;
  return {this, block, bytes, shift};
}

void RefStorage::Give(uint8_t* block, size_t bytes) {
  const std::lock_guard lock(mutex_);
  free_[SizeClass(bytes)].push_back(block);
}

ExportNode* RefStorage::TakeNode() {
  const std::lock_guard lock(mutex_);
  const size_t resting = mutant_ == Mutant::kNone ? 0 : kNodesAtRest;
  ExportNode* node = nullptr;
  if (free_nodes_.size() > resting) {
    node = free_nodes_.front();
    free_nodes_.pop_front();
  } else {
    node = &nodes_.emplace_back();
    node->mutant = mutant_;
    node->storage = this;
  }
  node->thread = ThisThread();
  node->serial = ++exports_;
  node->live.store(true, std::memory_order_relaxed);
  return node;
}

void RefStorage::GiveNode(ExportNode* node) {
  const std::lock_guard lock(mutex_);
  free_nodes_.push_back(node);
}

}  // namespace dlpc
