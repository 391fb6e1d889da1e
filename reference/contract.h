// Every check on the three DLPack structs that can be made from the struct alone, without knowing
// the array behind it. Pure: never follows a pointer of the producer; shape and strides come as
// copies.
#ifndef DLPC_REFERENCE_CONTRACT_H_
#define DLPC_REFERENCE_CONTRACT_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/inline_vector.h"

namespace dlpc {

/// A broken rule: which requirement, and what was seen. E.g. {"SHAPE-03", "strides is NULL, ndim
/// 2"}.
struct Violation {
  const char* requirement;
  std::string observed;
};

/// What is known of an exported struct.
struct StructFacts {
  bool versioned = false;
  DLPackVersion version{0, 0};  // {0, 0} for the legacy struct.
  uint64_t flags = 0;
  DLTensor tensor{};
  std::span<const int64_t> shape;    // ndim entries, empty when NULL or unreadable.
  std::span<const int64_t> strides;  // Likewise.
};

/// All broken rules: ABI-05, ABI-06, DEV-05, DEV-17, DT-08, DT-09, DT-12, DT-13, SHAPE-01 (ndim and
/// extents non-negative), SHAPE-03, SHAPE-11, SHAPE-12, SHAPE-13, VER-06. Deterministic order.
std::vector<Violation> CheckStruct(const StructFacts& facts);

/// The violation of one requirement, if it is broken.
std::optional<Violation> CheckStruct(const StructFacts& facts, std::string_view requirement);

/// Could these bytes be this struct at all? A reason if not: ndim out of range, impossible dtype...
/// Used to tell a wrong layout from a wrong value.
std::optional<std::string> ImplausibleTensor(const DLTensor& tensor);
std::optional<std::string> ImplausibleHeader(DLPackVersion version, uint64_t flags);

/// Compact row-major strides in elements.
Extents CompactStrides(std::span<const int64_t> shape);

/// Number of elements, or nullopt on overflow or a negative extent.
std::optional<int64_t> ElementCount(std::span<const int64_t> shape);

/// Lowest and one-past-highest byte that the elements touch, relative to the first element; nullopt
/// on overflow. Empty arrays give {0, 0}. Strides are in elements.
struct ByteRange {
  int64_t low = 0;
  int64_t high = 0;
};
std::optional<ByteRange> TouchedBytes(std::span<const int64_t> shape,
                                      std::span<const int64_t> strides, size_t element_bytes);

/// Row-major compact, ignoring the strides of size-1 axes and of empty arrays.
bool IsContiguous(std::span<const int64_t> shape, std::span<const int64_t> strides);

/// Can two indices share an element? Exact for small shapes; "unknown" when too large to decide.
enum class Overlap : uint8_t { kNo, kYes, kUnknown };
Overlap HasOverlap(std::span<const int64_t> shape, std::span<const int64_t> strides);

/// "kDLCUDAHost" for an enumerator of dlpack.h or of the numbers merged after 1.3, else "device 5".
std::string DeviceTypeName(int32_t type);
/// Enumerator of released headers (1.3); numbers 19-21 were merged later.
bool IsKnownDeviceType(int32_t type);
bool IsPost13DeviceType(int32_t type);
/// Listed by the array API page: 1, 2, 3, 4, 7, 8, 9, 10, 13, 14 (AO 505-518).
bool IsArrayApiDeviceType(int32_t type);

/// "(1, 0)"; "kDLCPU (1, 0)".
std::string DeviceText(DLDevice device);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_CONTRACT_H_
