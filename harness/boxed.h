// An optional that keeps its value elsewhere: rare parts of observations make all others larger.
#ifndef DLPC_HARNESS_BOXED_H_
#define DLPC_HARNESS_BOXED_H_

#include <memory>
#include <optional>
#include <utility>

namespace dlpc {

/// Like std::optional<T>, in the size of a pointer; copies copy the value.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(std::optional<T> value) {
    if (value) emplace() = std::move(*value);
  }
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed& operator=(const Boxed& other) {
    if (this != &other) *this = Boxed(other);
    return *this;
  }
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a && b ? *a == *b : a.has_value() == b.has_value();
  }

 private:
  std::unique_ptr<T> value_;
};

/// std::optional or Boxed.
template <typename T>
concept Optional = requires(T v) {
  v.has_value();
  v.emplace();
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_BOXED_H_
