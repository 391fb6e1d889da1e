#include "harness/emulation/elements.h"

#include <cstring>
#include <iterator>
#include <vector>

namespace dlpc::emulation {
namespace {

// clang-format off
constexpr uint8_t kBits[] = {
    0, 8,                           // Invalid, predicate.
    8, 16, 32, 64, 8, 16, 32, 64,   // Signed and unsigned integers.
    16, 32, 64, 16, 64, 128,        // Floats, bfloat16, complex.
    8, 8, 8, 8, 8,                  // float8_*
    4, 4, 0, 2, 2,                  // int4, uint4, token, int2, uint2.
    8, 8, 8, 4,                     // float8_*, float4_e2m1fn.
    1, 1, 8, 8,                     // int1, uint1, float6_* (a byte each, as the host has them).
};
// clang-format on
static_assert(std::size(kBits) == static_cast<size_t>(ElementType::kCount_));

/// Calls f(element) with the address of each element in row-major order.
template <typename F>
void ForEach(std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
             const std::byte* data, const F& f) {
  if (ElementCount(dims) == 0) return;
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    f(data);
    size_t axis = dims.size();
    while (axis-- > 0) {
      data += byte_strides[axis];
      if (++index[axis] < dims[axis]) break;
      data -= byte_strides[axis] * dims[axis];
      index[axis] = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

std::vector<int64_t> RowMajorStrides(std::span<const int64_t> dims, int64_t width) {
  std::vector<int64_t> strides(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = width;
    width *= dims[axis];
  }
  return strides;
}

}  // namespace

int BitWidth(ElementType type) {
  const auto index = static_cast<size_t>(type);
  return index < std::size(kBits) ? kBits[index] : 0;
}

size_t HostWidth(ElementType type) { return (static_cast<size_t>(BitWidth(type)) + 7) / 8; }

size_t ElementCount(std::span<const int64_t> dims) {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

size_t DeviceBytes(ElementType type, size_t count) {
  return (count * static_cast<size_t>(BitWidth(type)) + 7) / 8;
}

void ToDevice(ElementType type, std::span<const int64_t> dims,
              std::span<const int64_t> byte_strides, const std::byte* host, std::byte* device) {
  const auto bits = static_cast<size_t>(BitWidth(type));
  const size_t width = HostWidth(type);
  const std::vector<int64_t> dense = RowMajorStrides(dims, static_cast<int64_t>(width));
  if (byte_strides.empty()) byte_strides = dense;
  if (bits >= 8) {
    ForEach(dims, byte_strides, host, [&](const std::byte* element) {
      std::memcpy(device, element, width);
      device += width;
    });
    return;
  }
  const auto mask = static_cast<std::byte>((1u << bits) - 1);
  std::memset(device, 0, DeviceBytes(type, ElementCount(dims)));
  size_t at = 0;  // In bits.
  ForEach(dims, byte_strides, host, [&](const std::byte* element) {
    device[at / 8] |= (*element & mask) << (at % 8);
    at += bits;
  });
}

void ToHost(ElementType type, size_t count, const std::byte* device, std::byte* host) {
  const auto bits = static_cast<size_t>(BitWidth(type));
  if (bits >= 8) {
    if (count != 0) std::memcpy(host, device, count * HostWidth(type));
    return;
  }
  const auto mask = static_cast<std::byte>((1u << bits) - 1);
  for (size_t i = 0; i < count; ++i) {
    host[i] = device[i * bits / 8] >> (i * bits % 8) & mask;
  }
}

bool IsRowMajor(const Layout* layout, ElementType type, std::span<const int64_t> dims) {
  if (layout == nullptr) return true;
  if (layout->type == Layout::Type::kStrides) {
    const auto dense = RowMajorStrides(dims, static_cast<int64_t>(HostWidth(type)));
    const StridesLayout& strides = layout->strides;
    return strides.rank == dims.size() &&
           std::equal(dense.begin(), dense.end(), strides.byte_strides);
  }
  const TiledLayout& tiled = layout->tiled;
  if (tiled.tiles != 0 || tiled.rank != dims.size()) return false;
  for (size_t i = 0; i < tiled.rank; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(tiled.rank - 1 - i)) return false;
  }
  return true;
}

}  // namespace dlpc::emulation
