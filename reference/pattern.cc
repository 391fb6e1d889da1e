// What the elements of every array are: a pattern that depends on dtype and index alone.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "reference/dtype.h"
#include "reference/elements.h"
#include "reference/layout.h"

namespace dlpc {
namespace {

uint64_t Modulus(unsigned bits) {
  if (bits < 4) return 3;
  if (bits < 8) return bits == 4 ? 13 : 29;
  return bits < 16 ? 251 : 4093;
}

uint64_t IntegerModulus(unsigned bits) {  // Positive values of a signed type.
  if (bits < 4) return 3;
  if (bits < 8) return 7;
  return bits < 16 ? 113 : 4093;
}

// The bits of a small positive integer as IEEE binary16.
uint64_t HalfBits(uint64_t n) {
  const unsigned exponent = static_cast<unsigned>(std::bit_width(n)) - 1;
  return (uint64_t{exponent} + 15) << 10 | ((n << (10 - exponent)) & 0x3ff);
}

uint64_t FloatBits(unsigned bits, uint64_t k) {
  switch (bits) {
    case 16:
      return HalfBits(1 + k % 2039);
    case 32:
      return std::bit_cast<uint32_t>(static_cast<float>(1 + k % 4093));
    case 64:
      return std::bit_cast<uint64_t>(static_cast<double>(1 + k % 4093));
    default:
      return 1 + k % Modulus(bits);
  }
}

// Moduli are primes, so that no slice of a power-of-two base repeats; no value is zero, infinite or
// NaN (checked for each float8 type: 0x20..0x54 are ordinary positive numbers in all of them).
uint64_t ScalarBits(uint8_t code, unsigned bits, uint64_t k) {
  if (code == kDLBool) return k % 3 == 0;
  if (code == kDLInt) return 1 + k % IntegerModulus(bits);
  if (code == kDLFloat) return FloatBits(bits, k);
  if (code == kDLBfloat) return FloatBits(32, k % 251) >> 16;
  if (code >= kDLFloat8_e3m4 && code <= kDLFloat8_e8m0fnu) return 0x20 + k % 53;
  if (code == kDLFloat6_e2m3fn || code == kDLFloat6_e3m2fn) return 1 + k % 29;
  if (code == kDLFloat4_e2m1fn) return 1 + k % 7;
  return 1 + k % Modulus(bits);
}

template <typename T>
void Store(uint8_t* out, uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(out, &narrow, sizeof(T));
}

// Writes `bits` bits at bit position `at`: whole native words, or little bit-endian (H13 199-200).
void PutBits(uint8_t* out, uint64_t at, unsigned bits, uint64_t value) {
  uint8_t* byte = out + at / 8;
  switch (bits) {
    case 8:
      return Store<uint8_t>(byte, value);
    case 16:
      return Store<uint16_t>(byte, value);
    case 32:
      return Store<uint32_t>(byte, value);
    case 64:
      return Store<uint64_t>(byte, value);
  }
  for (unsigned i = 0; i < bits; ++i, ++at) {
    const uint8_t mask = static_cast<uint8_t>(1u << at % 8);
    const bool one = i < 64 && (value >> i & 1) != 0;
    out[at / 8] = static_cast<uint8_t>(one ? out[at / 8] | mask : out[at / 8] & ~mask);
  }
}

// Writes element k of the pattern at bit position `at`.
void PutElement(DLDataType t, uint64_t k, uint8_t* out, uint64_t at) {
  for (unsigned lane = 0; lane < t.lanes; ++lane, at += t.bits) {
    const uint64_t n = k * t.lanes + lane;
    if (t.code != kDLComplex) {
      PutBits(out, at, t.bits, ScalarBits(t.code, t.bits, n));
      continue;
    }
    // Real part first (H13 155-159); the imaginary part is its negative.
    const unsigned half = t.bits / 2u;
    const uint64_t real = FloatBits(half, n);
    PutBits(out, at, half, real);
    PutBits(out, at + half, half, half == 0 ? 0 : real ^ (uint64_t{1} << (half - 1)));
  }
}

// The first elements of a type as they lie in memory one after the other: arrays are small, and
// made more often than anything else.
class Prefix {
 public:
  static constexpr int64_t kElements = 64;
  static constexpr int64_t kMostBits = 128;  // Of an element.

  const uint8_t* Of(DLDataType t) {
    if (!(type_ == t)) {
      type_ = t;
      for (int64_t k = 0; k < kElements; ++k) {
        PutElement(t, static_cast<uint64_t>(k), bytes_, static_cast<uint64_t>(k * ElementBits(t)));
      }
    }
    return bytes_;
  }

 private:
  DLDataType type_{};
  uint8_t bytes_[kElements * kMostBits / 8];
};

// Of one type each: the types of the table have a place of their own.
const uint8_t* PrefixOf(DLDataType t) {
  // Not in the thread's own block: of that a module that is loaded late gets a kilobyte.
  static thread_local std::vector<Prefix> prefixes(kDTypePlaces);
  return prefixes[DTypePlace(t)].Of(t);
}

// Copies bits from the start of a byte to the start of a byte; those behind them stay.
void CopyBits(const uint8_t* from, int64_t bits, uint8_t* to) {
  std::copy_n(from, bits / 8, to);
  if (bits % 8 == 0) return;
  const auto mask = static_cast<uint8_t>((1u << bits % 8) - 1);
  uint8_t& last = to[bits / 8];
  last = static_cast<uint8_t>((last & ~mask) | (from[bits / 8] & mask));
}

}  // namespace

void PatternElement(DLDataType dtype, int64_t index, uint8_t* out) {
  if (dtype.bits % 8 != 0) std::memset(out, 0, ElementBytes(dtype));
  PutElement(dtype, static_cast<uint64_t>(index), out, 0);
}

void FillPattern(DLDataType t, int64_t count, uint8_t* base, int64_t first, int64_t step) {
  const int64_t bits = ElementBits(t);
  const bool dense = step == bits;
  const bool bytes = first % 8 == 0 && (dense || (bits % 8 == 0 && step % 8 == 0));
  if (!bytes || bits > Prefix::kMostBits || count > Prefix::kElements || t.lanes == 0) {
    for (int64_t k = 0; k < count; ++k, first += step) {
      PutElement(t, static_cast<uint64_t>(k), base, static_cast<uint64_t>(first));
    }
    return;
  }
  const uint8_t* from = PrefixOf(t);
  uint8_t* to = base + first / 8;
  if (dense) return CopyBits(from, count * bits, to);
  for (; count > 0; --count, from += bits / 8, to += step / 8) std::copy_n(from, bits / 8, to);
}

std::string PatternBase(const ArraySpec& spec) {
  const int64_t bits = ElementBits(spec.dtype);
  const int64_t elements = Resolve(spec.layout).base_elements;
  std::string bytes(static_cast<size_t>((elements * bits + 7) / 8), '\0');
  FillPattern(spec.dtype, elements, reinterpret_cast<uint8_t*>(bytes.data()), 0, bits);
  return bytes;
}

std::string PatternValues(const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  const size_t bytes = ElementBytes(spec.dtype);
  std::string values(bytes * static_cast<size_t>(view.elements), '\0');
  auto* out = reinterpret_cast<uint8_t*>(values.data());
  ForEachOffset(view.shape, view.strides, view.offset, [&](int64_t k) {
    PatternElement(spec.dtype, k, out);
    out += bytes;
  });
  return values;
}

}  // namespace dlpc
