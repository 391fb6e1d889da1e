#include "reference/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>

#include "reference/contract.h"
#include "reference/dtype.h"
#include "reference/elements.h"

namespace dlpc {
namespace {

using ::testing::ElementsAre;

const Layout& Named(std::string_view name) {
  for (const NamedLayout& row : Layouts()) {
    if (row.name == name) return row.layout;
  }
  ADD_FAILURE() << "no layout " << name;
  return Layouts()[0].layout;
}

std::string Element(DLDataType t, int64_t k) {
  std::string bytes(ElementBytes(t), '\xee');
  PatternElement(t, k, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

template <typename T>
std::vector<T> As(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(LayoutTest, NamedLayoutsAreValidAndUnique) {
  std::set<std::string_view> names;
  for (const NamedLayout& row : Layouts()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    ArraySpec spec;
    spec.layout = row.layout;
    Normalize(spec);
    EXPECT_EQ(spec.layout, row.layout) << row.name;
    const View view = Resolve(row.layout);
    EXPECT_LE(view.base_elements, kMaxElements);
    EXPECT_LE(view.elements, kMaxElements);
  }
}

TEST(LayoutTest, ResolvedNumbers) {
  View view = Resolve(Named("f-2x3"));
  EXPECT_THAT(view.shape, ElementsAre(2, 3));
  EXPECT_THAT(view.strides, ElementsAre(1, 2));
  view = Resolve(Named("interior-2d"));
  EXPECT_THAT(view.shape, ElementsAre(2, 3));
  EXPECT_THAT(view.strides, ElementsAre(5, 1));
  EXPECT_EQ(view.offset, 6);
  EXPECT_EQ(view.base_elements, 20);
  view = Resolve(Named("reversed-both-sliced"));
  EXPECT_THAT(view.shape, ElementsAre(3, 4));
  EXPECT_THAT(view.strides, ElementsAre(-14, -2));
  EXPECT_EQ(view.offset, 41);
  view = Resolve(Named("broadcast-rows"));
  EXPECT_THAT(view.shape, ElementsAre(2, 3));
  EXPECT_THAT(view.strides, ElementsAre(0, 1));
  EXPECT_EQ(view.base_elements, 3);
  EXPECT_EQ(Resolve(Named("scalar")).elements, 1);
  EXPECT_EQ(Resolve(Named("rank-64")).shape.size(), 64u);
  EXPECT_EQ(Resolve(Named("empty-sliced-at-end")).elements, 0);
}

TEST(LayoutTest, ValuesOfViews) {
  ArraySpec spec;
  spec.layout = Named("f-2x3");
  EXPECT_THAT(As<float>(PatternValues(spec)), ElementsAre(1, 3, 5, 2, 4, 6));
  spec.layout = Named("reversed-1d");
  EXPECT_THAT(As<float>(PatternValues(spec)), ElementsAre(5, 4, 3, 2, 1));
  spec.layout = Named("broadcast-rows");
  EXPECT_THAT(As<float>(PatternValues(spec)), ElementsAre(1, 2, 3, 1, 2, 3));
  spec.layout = Named("empty-0x3");
  EXPECT_EQ(PatternValues(spec), "");
}

// Whatever Normalize is given, every element of the result lies inside the base.
TEST(LayoutTest, NormalizeIsTotalAndIdempotent) {
  std::mt19937_64 random(3);
  const int64_t kValues[] = {0, 1, 2, 3, 7, -1, -2, 64, 4096, 4097, INT64_MIN, INT64_MAX};
  for (int n = 0; n < 20000; ++n) {
    ArraySpec spec;
    spec.layout.axes.resize(random() % (n % 50 == 0 ? 80 : 6));
    for (Axis& axis : spec.layout.axes) {
      for (int64_t* value : {&axis.extent, &axis.start, &axis.count, &axis.step}) {
        *value = kValues[random() % 12];
      }
    }
    spec.layout.perm.resize(random() % 7);
    for (uint8_t& axis : spec.layout.perm) axis = static_cast<uint8_t>(random() % 7);
    spec.dtype = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random()),
                  static_cast<uint16_t>(random())};
    spec.memory = static_cast<Memory>(random() % 256);
    spec.flags = static_cast<uint8_t>(random());
    Normalize(spec);
    ArraySpec again = spec;
    Normalize(again);
    ASSERT_TRUE(again == spec);
    ASSERT_NE(FindDType(spec.dtype), nullptr);
    ASSERT_LT(spec.memory, Memory::kCount_);
    const View view = Resolve(spec.layout);
    ASSERT_LE(view.shape.size(), static_cast<size_t>(kMaxRank));
    ASSERT_LE(view.elements, kMaxElements);
    ASSERT_LE(view.base_elements, kMaxElements);
    if (view.elements == 0) continue;
    const auto range = TouchedBytes(view.shape, view.strides, 1);
    ASSERT_TRUE(range);
    ASSERT_GE(view.offset + range->low, 0);
    ASSERT_LE(view.offset + range->high, view.base_elements);
  }
}

TEST(LayoutTest, OddStridesNeedAWideRow) {
  ArraySpec spec;
  spec.layout = Named("c-2x3");
  spec.flags = kOddStride;
  Normalize(spec);
  EXPECT_EQ(spec.layout, Contiguous({6}));
  EXPECT_EQ(spec.flags, kOddStride);
  spec.dtype = FindDType("int8")->dtype;  // Any stride is a whole number of bytes.
  Normalize(spec);
  EXPECT_EQ(spec.flags, 0);
}

TEST(LayoutTest, NeighboursDifferAndValuesAreTame) {
  for (const DTypeRow& row : DTypes()) {
    for (int64_t k = 0; k < 5000; ++k) {
      const std::string a = Element(row.dtype, k), b = Element(row.dtype, k + 1);
      if (row.name != "bool") {
        EXPECT_NE(a, b) << row.name << " " << k;
        EXPECT_NE(a, std::string(a.size(), '\0')) << row.name << " " << k;
      }
      const auto byte = static_cast<uint8_t>(a[0]);
      if (row.name == "bool") {
        EXPECT_LE(byte, 1) << k;
      }
      if (!row.byte_sized) {
        EXPECT_EQ(byte >> row.dtype.bits, 0) << row.name << " " << k;
      }
      // Below 0x70 and above 0x10: neither NaN, infinity nor zero in any float8 type.
      if (row.name.starts_with("float8")) {
        EXPECT_TRUE(byte > 0x10 && byte < 0x70) << k;
      }
      if (HasFailure()) return;
    }
  }
}

TEST(LayoutTest, PatternOfEachKind) {
  const auto t = [](const char* name) { return FindDType(name)->dtype; };
  EXPECT_THAT(As<double>(Element(t("float64"), 9)), ElementsAre(10));
  EXPECT_THAT(As<int16_t>(Element(t("int16"), 9)), ElementsAre(10));
  EXPECT_THAT(As<float>(Element(t("complex64"), 9)), ElementsAre(10, -10));
  EXPECT_THAT(As<uint16_t>(Element(t("float16"), 0)), ElementsAre(0x3c00));     // 1
  EXPECT_THAT(As<uint16_t>(Element(t("float16"), 2046)), ElementsAre(0x4800));  // 8
  EXPECT_THAT(As<uint16_t>(Element(t("bfloat16"), 1)), ElementsAre(0x4000));    // 2
  EXPECT_THAT(As<float>(Element(t("float32x4"), 1)), ElementsAre(5, 6, 7, 8));
}

TEST(LayoutTest, SubByteBasesArePackedLittleBitEndian) {
  ArraySpec spec;
  spec.layout = Contiguous({5});
  spec.dtype = FindDType("float4_e2m1fn")->dtype;
  EXPECT_EQ(PatternBase(spec), std::string("\x21\x43\x05", 3));  // First in the low nibble.
  EXPECT_EQ(PatternValues(spec), "\x01\x02\x03\x04\x05");
  spec.dtype = FindDType("float6_e2m3fn")->dtype;
  // 1 | 2 << 6 | 3 << 12 | 4 << 18 | 5 << 24
  EXPECT_EQ(PatternBase(spec), std::string("\x81\x30\x10\x05", 4));
}

// Whole and packed elements, dense and with gaps; what lies around them stays.
TEST(PatternTest, FilledMemoryIsElementAfterElement) {
  for (const DTypeRow& row : DTypes()) {
    const int64_t bits = ElementBits(row.dtype);
    for (const int64_t count : {0, 1, 2, 3, 7, 63, 64, 65}) {
      for (const int64_t step : {bits, bits + 8}) {
        for (const int64_t first : {int64_t{0}, int64_t{16}, bits % 8}) {
          std::vector<uint8_t> filled(2048, 0xA5), expected(2048, 0xA5);
          FillPattern(row.dtype, count, filled.data(), first, step);
          for (int64_t k = 0; k < count; ++k) {
            uint8_t element[16];
            PatternElement(row.dtype, k, element);
            StoreElement(element, row.dtype, expected.data(), first + k * step);
          }
          ASSERT_EQ(filled, expected) << row.name << ", " << count << " from " << first;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dlpc
