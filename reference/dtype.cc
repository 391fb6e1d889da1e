#include "reference/dtype.h"

#include <fmt/format.h>

#include <array>

namespace dlpc {
namespace {

constexpr DTypeRow Row(std::string_view name, uint8_t code, uint8_t bits, uint16_t lanes = 1,
                       uint32_t since_minor = 0, bool array_api = false) {
  return {name, {code, bits, lanes}, since_minor, array_api, bits * lanes % 8 == 0};
}

constexpr DTypeRow ArrayApi(std::string_view name, uint8_t code, uint8_t bits) {
  return Row(name, code, bits, 1, 0, true);
}

// H13 142-182. float8_*, float6_* and float4_* came with 1.1.
constexpr DTypeRow kDTypes[] = {
    ArrayApi("bool", kDLBool, 8),
    ArrayApi("int8", kDLInt, 8),
    ArrayApi("int16", kDLInt, 16),
    ArrayApi("int32", kDLInt, 32),
    ArrayApi("int64", kDLInt, 64),
    ArrayApi("uint8", kDLUInt, 8),
    ArrayApi("uint16", kDLUInt, 16),
    ArrayApi("uint32", kDLUInt, 32),
    ArrayApi("uint64", kDLUInt, 64),
    ArrayApi("float32", kDLFloat, 32),
    ArrayApi("float64", kDLFloat, 64),
    ArrayApi("complex64", kDLComplex, 64),
    ArrayApi("complex128", kDLComplex, 128),
    Row("float16", kDLFloat, 16),
    Row("bfloat16", kDLBfloat, 16),
    Row("complex32", kDLComplex, 32),
    Row("float8_e3m4", kDLFloat8_e3m4, 8, 1, 1),
    Row("float8_e4m3", kDLFloat8_e4m3, 8, 1, 1),
    Row("float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8, 1, 1),
    Row("float8_e4m3fn", kDLFloat8_e4m3fn, 8, 1, 1),
    Row("float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8, 1, 1),
    Row("float8_e5m2", kDLFloat8_e5m2, 8, 1, 1),
    Row("float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8, 1, 1),
    Row("float8_e8m0fnu", kDLFloat8_e8m0fnu, 8, 1, 1),
    Row("float6_e2m3fn", kDLFloat6_e2m3fn, 6, 1, 1),
    Row("float6_e3m2fn", kDLFloat6_e3m2fn, 6, 1, 1),
    Row("float4_e2m1fn", kDLFloat4_e2m1fn, 4, 1, 1),
    Row("int4", kDLInt, 4),
    Row("uint4", kDLUInt, 4),
    Row("int2", kDLInt, 2),
    Row("uint2", kDLUInt, 2),
    Row("float32x4", kDLFloat, 32, 4),
};

using Places = std::array<const DTypeRow*, kDTypePlaces>;

// Throws, and so does not compile, where two rows have the same place.
consteval Places PlaceRows() {
  Places rows{};
  for (const DTypeRow& row : kDTypes) {
    const DTypeRow*& place = rows[DTypePlace(row.dtype)];
    if (place != nullptr) throw "the places of two types are the same: find other factors";
    place = &row;
  }
  return rows;
}
constexpr Places kByPlace = PlaceRows();

}  // namespace

std::span<const DTypeRow> DTypes() { return kDTypes; }

const DTypeRow* FindDType(DLDataType dtype) {
  const DTypeRow* row = kByPlace[DTypePlace(dtype)];
  return row != nullptr && row->dtype == dtype ? row : nullptr;
}

const DTypeRow* FindDType(std::string_view name) {
  for (const DTypeRow& row : kDTypes) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string DTypeName(DLDataType dtype) {
  if (const DTypeRow* row = FindDType(dtype)) return std::string(row->name);
  return fmt::format("({}, {}, {})", dtype.code, dtype.bits, dtype.lanes);
}

std::optional<uint32_t> CodeSinceMinor(uint8_t code) {
  if (code <= kDLBool) return 0;
  if (code <= kDLFloat4_e2m1fn) return 1;
  return std::nullopt;
}

}  // namespace dlpc
