// Reading and writing the wire forms of scripts and traces: little-endian, bounds-checked.
#ifndef DLPC_HARNESS_BYTES_H_
#define DLPC_HARNESS_BYTES_H_

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace dlpc {

static_assert(std::endian::native == std::endian::little, "the wire form is little-endian");

/// Appends to a string through a small buffer: one append for most traces.
class ByteWriter {
 public:
  explicit ByteWriter(std::string* out) : out_(out) {}
  ~ByteWriter() { Flush(); }
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  template <typename T>
  requires std::integral<T>
  void Int(T value) {
    if (used_ + sizeof value > sizeof buffer_) Flush();
    std::memcpy(buffer_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void Raw(const void* data, size_t size) {
    if (used_ + size > sizeof buffer_) Flush();
    if (size > sizeof buffer_) {
      out_->append(static_cast<const char*>(data), size);
    } else if (size != 0) {
      std::memcpy(buffer_ + used_, data, size);
      used_ += size;
    }
  }
  void Text(std::string_view text) {
    Int(static_cast<uint32_t>(text.size()));
    Raw(text.data(), text.size());
  }
  /// Seven bits a byte, low bits first: small numbers take one byte.
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Int(static_cast<uint8_t>(value | 0x80));
    Int(static_cast<uint8_t>(value));
  }
  void Zigzag(int64_t value) {
    Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  void Flush() {
    out_->append(buffer_, used_);
    used_ = 0;
  }

 private:
  std::string* out_;
  size_t used_ = 0;
  char buffer_[1024];
};

/// Past the end every read gives zero and `ok` becomes false for good.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  void Fail() { ok_ = false; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  template <typename T>
  requires std::integral<T> T Int() {
    T value = 0;
    if (Take(sizeof value)) std::memcpy(&value, at_ - sizeof value, sizeof value);
    return value;
  }
  void Raw(void* to, size_t size) {
    if (size != 0 && Take(size)) std::memcpy(to, at_ - size, size);
  }
  std::string_view Text() {
    const size_t size = Int<uint32_t>();
    if (!Take(size)) return {};
    return {reinterpret_cast<const char*>(at_ - size), size};
  }
  uint64_t Varint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;  // Most are small.
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Int<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  int64_t Zigzag() {
    const uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }

 private:
  bool Take(size_t size) {
    if (size > left()) {
      at_ = end_;
      ok_ = false;
      return false;
    }
    at_ += size;
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_BYTES_H_
