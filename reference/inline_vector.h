// A vector of plain values of which a few need no memory of their own: recipes of arrays are copied
// all the time, and most have two axes.
#ifndef DLPC_REFERENCE_INLINE_VECTOR_H_
#define DLPC_REFERENCE_INLINE_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dlpc {

/// Like std::vector<T>, as far as it goes. Up to `kInline` values lie in the object itself.
template <typename T, uint32_t kInline>
class InlineVector {
  static_assert((std::is_trivially_copyable_v<T> && std::is_aggregate_v<T>) ||
                std::is_arithmetic_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  explicit InlineVector(size_t size) { resize(size); }
  template <std::forward_iterator It>
  InlineVector(It first, It last) {
    Assign(first, static_cast<size_t>(std::distance(first, last)));
  }
  InlineVector(const InlineVector& other) { Copy(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) Copy(other);
    return *this;
  }
  InlineVector(InlineVector&& other) noexcept { *this = std::move(other); }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    if (other.more_ == nullptr) {  // Fits here, too.
      Copy(other);
      other.size_ = 0;
    } else {
      more_ = std::move(other.more_);
      room_ = std::exchange(other.room_, kInline);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~InlineVector() = default;

  T* data() { return more_ == nullptr ? reinterpret_cast<T*>(few_) : more_.get(); }
  const T* data() const {
    return more_ == nullptr ? reinterpret_cast<const T*>(few_) : more_.get();
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  template <std::forward_iterator It>
  void assign(It first, It last) {
    Assign(first, static_cast<size_t>(std::distance(first, last)));
  }
  /// New values are T{}.
  void resize(size_t size) {
    Reserve(size);
    if (size > size_) std::fill(end(), data() + size, T{});
    size_ = static_cast<uint32_t>(size);
  }
  void push_back(const T& value) {
    const T copy = value;  // May lie in here.
    Reserve(size_ + size_t{1});
    data()[size_++] = copy;
  }
  void erase(const_iterator at) {
    T* const to = begin() + (at - begin());
    std::copy(to + 1, end(), to);
    --size_;
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void Reserve(size_t size) {
    if (size <= room_) return;
    if (size > std::numeric_limits<uint32_t>::max() / 2) throw std::length_error("InlineVector");
    const auto room = static_cast<uint32_t>(std::max<size_t>(size, size_t{room_} * 2));
    auto more = std::make_unique<T[]>(room);
    std::copy(begin(), end(), more.get());
    more_ = std::move(more);
    room_ = room;
  }
  void Copy(const InlineVector& other) {
    if (more_ != nullptr || other.more_ != nullptr) return Assign(other.data(), other.size_);
    std::memcpy(few_, other.few_, sizeof few_);  // Of a size that the compiler knows.
    size_ = other.size_;
  }
  template <typename It>
  void Assign(It first, size_t size) {
    size_ = 0;
    Reserve(size);
    std::copy_n(first, size, data());
    size_ = static_cast<uint32_t>(size);
  }

  uint32_t size_ = 0;
  uint32_t room_ = kInline;
  std::unique_ptr<T[]> more_;                      // All of them, once they do not fit.
  alignas(T) std::byte few_[kInline * sizeof(T)];  // Of these the first size_ have a value.
};

/// Extents or strides, one for each axis.
using Extents = InlineVector<int64_t, 3>;

}  // namespace dlpc

#endif  // DLPC_REFERENCE_INLINE_VECTOR_H_
