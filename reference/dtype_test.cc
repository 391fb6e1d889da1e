#include "reference/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dlpc {
namespace {

TEST(DTypeTest, RowsAreUniqueAndFound) {
  std::set<std::string_view> names;
  bool after_array_api = false;
  for (const DTypeRow& row : DTypes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindDType(row.dtype), &row);
    EXPECT_EQ(FindDType(row.name), &row);
    EXPECT_EQ(DTypeName(row.dtype), row.name);
    EXPECT_EQ(row.byte_sized, row.dtype.bits * row.dtype.lanes % 8 == 0);
    EXPECT_EQ(CodeSinceMinor(row.dtype.code), row.since_minor);
    EXPECT_FALSE(after_array_api && row.array_api) << "array API types come first";
    after_array_api = !row.array_api;
  }
  EXPECT_EQ(FindDType("float42"), nullptr);
  EXPECT_EQ(FindDType(DLDataType{kDLFloat, 42, 1}), nullptr);
  EXPECT_EQ(DTypeName({kDLFloat, 42, 1}), "(2, 42, 1)");
}

TEST(DTypeTest, ArrayApiTypes) {
  std::set<std::string_view> names;
  for (const DTypeRow& row : DTypes()) {
    if (row.array_api) names.insert(row.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"bool", "int8", "int16", "int32", "int64", "uint8",
                                               "uint16", "uint32", "uint64", "float32", "float64",
                                               "complex64", "complex128"}));
}

TEST(DTypeTest, EveryCodeOfTheHeaderHasARowButOpaqueHandles) {
  std::set<int> codes;
  for (const DTypeRow& row : DTypes()) codes.insert(row.dtype.code);
  for (int code = 0; code < 256; ++code) {
    const bool in_header = CodeSinceMinor(static_cast<uint8_t>(code)).has_value();
    EXPECT_EQ(codes.contains(code), in_header && code != kDLOpaqueHandle) << code;
  }
}

TEST(DTypeTest, Sizes) {
  EXPECT_EQ(ElementBytes(FindDType("complex128")->dtype), 16u);
  EXPECT_EQ(ElementBytes(FindDType("float32x4")->dtype), 16u);
  EXPECT_EQ(ElementBytes(FindDType("float4_e2m1fn")->dtype), 1u);
  EXPECT_EQ(ElementBytes({kDLFloat6_e2m3fn, 6, 4}), 3u);
  EXPECT_EQ(CodeSinceMinor(kDLFloat8_e5m2), 1u);
  EXPECT_EQ(CodeSinceMinor(kDLBool), 0u);
  EXPECT_FALSE(CodeSinceMinor(18));
}

}  // namespace
}  // namespace dlpc
