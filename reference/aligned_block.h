// Memory for elements as the header asks for it.
#ifndef DLPC_REFERENCE_ALIGNED_BLOCK_H_
#define DLPC_REFERENCE_ALIGNED_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace dlpc {

inline constexpr size_t kDataAlignment = 256;  // H13 222-224.

/// At least one byte of heap memory, aligned to kDataAlignment; nullptr if default-constructed.
/// Throws std::bad_alloc.
class AlignedBlock {
 public:
  AlignedBlock() = default;
  explicit AlignedBlock(size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    constexpr bool kExact = true;
#elif defined(__has_feature)
    constexpr bool kExact = __has_feature(address_sanitizer);
#else
    constexpr bool kExact = false;
#endif
    bytes = std::max<size_t>(bytes, 1);
    aligned_ = kExact || bytes > kDataAlignment;
    if (aligned_) {
      block_ = ::operator new (bytes, std::align_val_t{kDataAlignment});
    } else {  // An allocator serves a small block many times as fast if nothing is asked of it.
      block_ = ::operator new(2 * kDataAlignment);
    }
  }
  AlignedBlock(AlignedBlock&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), aligned_(other.aligned_) {}
  AlignedBlock& operator=(AlignedBlock&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(aligned_, other.aligned_);
    return *this;
  }
  ~AlignedBlock() {
    if (aligned_) {
      ::operator delete (block_, std::align_val_t{kDataAlignment});
    } else {
      ::operator delete(block_);
    }
  }

  uint8_t* get() const {
    const auto at = reinterpret_cast<uintptr_t>(block_);
    const uintptr_t first =
        aligned_ ? at : (at + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
    return reinterpret_cast<uint8_t*>(first);
  }

 private:
  void* block_ = nullptr;
  bool aligned_ = false;
};

}  // namespace dlpc

#endif  // DLPC_REFERENCE_ALIGNED_BLOCK_H_
