// Takes numbers from random input. Total: past the end everything is zero.
#ifndef DLPC_HARNESS_INPUT_READER_H_
#define DLPC_HARNESS_INPUT_READER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace dlpc {

class InputReader {
 public:
  explicit InputReader(std::span<const uint8_t> bytes) : rest_(bytes) {}

  /// The next sizeof(T) bytes as an integer.
  template <typename T>
  T Take() {
    T value{};
    const size_t size = std::min(sizeof(T), rest_.size());
    if (size > 0) std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }

  /// An extent or stride: mostly small, at times any 64-bit number, so that both brute force and
  /// overflow are reached often.
  int64_t TakeExtent() {
    const auto tag = Take<uint8_t>();
    if (tag >= 240) return Take<int64_t>();
    if (tag >= 224) return INT64_MAX - (tag - 224);
    return static_cast<int64_t>(tag % 16) - 4;
  }

 private:
  std::span<const uint8_t> rest_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_INPUT_READER_H_
