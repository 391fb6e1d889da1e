// The table of element types: every DLDataTypeCode of dlpack.h with the widths that the header
// allows, plus the version that introduced it.
#ifndef DLPC_REFERENCE_DTYPE_H_
#define DLPC_REFERENCE_DTYPE_H_

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dlpc {

/// One row: an element type that a producer may export.
struct DTypeRow {
  std::string_view name;  // Array API or ml_dtypes spelling: "float32", "float8_e4m3fn".
  DLDataType dtype;
  uint32_t since_minor;  // Lowest 1.x minor version whose header has the code (0: always).
  bool array_api;        // Listed by the array API standard.
  bool byte_sized;       // bits * lanes is a multiple of 8.
};

/// Every row; array API types first. Index into this table is stable within one build.
std::span<const DTypeRow> DTypes();

/// A number below kDTypePlaces, of which each row of the table has its own.
inline constexpr unsigned kDTypePlaces = 64;
constexpr unsigned DTypePlace(DLDataType t) {
  return (t.code + t.bits * 13u / 2 + t.lanes * 7u) % kDTypePlaces;
}

/// Row by exact (code, bits, lanes), or by name.
const DTypeRow* FindDType(DLDataType dtype);
const DTypeRow* FindDType(std::string_view name);

/// "float32" for a table row, otherwise "(code, bits, lanes)".
std::string DTypeName(DLDataType dtype);

inline bool operator==(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Bytes of one element, rounded up to whole bytes (H13 236-244).
constexpr size_t ElementBytes(DLDataType t) { return (size_t{t.bits} * t.lanes + 7) / 8; }

/// Lowest 1.x minor version that defines `code`, or nullopt for a code that no header has.
std::optional<uint32_t> CodeSinceMinor(uint8_t code);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_DTYPE_H_
