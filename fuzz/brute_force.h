// Answers by enumerating every element, to compare the closed formulas with.
#ifndef DLPC_FUZZ_BRUTE_FORCE_H_
#define DLPC_FUZZ_BRUTE_FORCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/properties.h"

namespace dlpc {

inline constexpr int64_t kMostElements = 96;

/// The offset of each element in row-major order, or nullopt if there are more than `most` of them.
std::optional<std::vector<int64_t>> ElementOffsets(std::span<const int64_t> shape,
                                                   std::span<const int64_t> strides,
                                                   int64_t most = kMostElements);

/// ElementCount, TouchedBytes, IsContiguous, HasOverlap and CompactStrides of reference/contract.h
/// against what `offsets` shows.
Broken AgreesWithOffsets(std::span<const int64_t> shape, std::span<const int64_t> strides,
                         int64_t element_bytes, const std::vector<int64_t>& offsets);

}  // namespace dlpc

#endif  // DLPC_FUZZ_BRUTE_FORCE_H_
