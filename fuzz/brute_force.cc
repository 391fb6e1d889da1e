#include "fuzz/brute_force.h"

#include <algorithm>

#include "reference/contract.h"

namespace dlpc {
namespace {

constexpr int64_t kLargestStride = 1'000'000;

}  // namespace

std::optional<std::vector<int64_t>> ElementOffsets(std::span<const int64_t> shape,
                                                   std::span<const int64_t> strides, int64_t most) {
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || extent > most) return std::nullopt;
    elements *= extent;
    if (elements > most) return std::nullopt;
  }
  for (const int64_t stride : strides) {
    if (stride > kLargestStride || stride < -kLargestStride) return std::nullopt;
  }
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += rest % shape[axis] * strides[axis];
      rest /= shape[axis];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

Broken AgreesWithOffsets(std::span<const int64_t> shape, std::span<const int64_t> strides,
                         int64_t element_bytes, const std::vector<int64_t>& offsets) {
  const auto count = ElementCount(shape);
  if (!count || *count != static_cast<int64_t>(offsets.size())) return "ElementCount is wrong";
  const auto range = TouchedBytes(shape, strides, static_cast<size_t>(element_bytes));
  if (!range) return "TouchedBytes gives up on a small array";
  ByteRange expected;
  if (!offsets.empty()) {
    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    expected = {*low * element_bytes, *high * element_bytes + element_bytes};
  }
  if (range->low != expected.low || range->high != expected.high) return "TouchedBytes is wrong";

  bool compact = true;
  for (size_t i = 0; i < offsets.size() && compact; ++i) {
    compact = offsets[i] == static_cast<int64_t>(i);
  }
  if (IsContiguous(shape, strides) != compact) return "IsContiguous is wrong";

  std::vector<int64_t> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  const bool overlaps = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  const Overlap answer = HasOverlap(shape, strides);
  if (answer != Overlap::kUnknown && (answer == Overlap::kYes) != overlaps) {
    return "HasOverlap is wrong";
  }
  if (!IsContiguous(shape, CompactStrides(shape))) return "CompactStrides are not compact";
  return std::nullopt;
}

}  // namespace dlpc
