// Internal to reference/: walking strided elements and moving them in and out of memory, packed
// (little bit-endian, H13 199-200) or in whole bytes.
#ifndef DLPC_REFERENCE_ELEMENTS_H_
#define DLPC_REFERENCE_ELEMENTS_H_

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "reference/dtype.h"

namespace dlpc {

/// Calls visit(element offset) for every index in row-major order, starting at `offset`.
template <typename Visit>
void ForEachOffset(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                   Visit visit) {
  int64_t elements = 1;
  for (int64_t extent : shape) elements *= extent;
  if (elements == 0) return;
  if (shape.size() <= 1) {  // The usual case, without the odometer.
    const int64_t stride = shape.empty() ? 0 : strides[0];
    for (int64_t n = 0; n < elements; ++n, offset += stride) visit(offset);
    return;
  }
  int64_t index[64] = {};  // Rank is at most kMaxRank.
  for (int64_t n = 0; n < elements; ++n) {
    visit(offset);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// Bits from one element to the next in packed memory.
constexpr int64_t ElementBits(DLDataType t) { return int64_t{t.bits} * t.lanes; }

/// Copies one element from bit position `at` of `base` to whole bytes at `out` (low bits first).
inline void LoadElement(const uint8_t* base, int64_t at, DLDataType t, uint8_t* out) {
  const int64_t bits = ElementBits(t);
  if (bits % 8 == 0 && at % 8 == 0) {
    std::memcpy(out, base + at / 8, static_cast<size_t>(bits / 8));
    return;
  }
  std::memset(out, 0, ElementBytes(t));
  for (int64_t i = 0; i < bits; ++i) {
    const int bit = base[(at + i) / 8] >> ((at + i) % 8) & 1;
    out[i / 8] = static_cast<uint8_t>(out[i / 8] | bit << i % 8);
  }
}

/// The reverse of LoadElement; neighbouring bits keep their value.
inline void StoreElement(const uint8_t* in, DLDataType t, uint8_t* base, int64_t at) {
  const int64_t bits = ElementBits(t);
  if (bits % 8 == 0 && at % 8 == 0) {
    std::memcpy(base + at / 8, in, static_cast<size_t>(bits / 8));
    return;
  }
  for (int64_t i = 0; i < bits; ++i, ++at) {
    const auto mask = static_cast<uint8_t>(1u << at % 8);
    const bool one = (in[i / 8] >> i % 8 & 1) != 0;
    base[at / 8] = static_cast<uint8_t>(one ? base[at / 8] | mask : base[at / 8] & ~mask);
  }
}

/// Writes pattern elements [0, count) to memory, element k at bit position first + k * step.
void FillPattern(DLDataType t, int64_t count, uint8_t* base, int64_t first, int64_t step);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_ELEMENTS_H_
