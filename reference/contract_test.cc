#include "reference/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
using Dims = Extents;

// A correct versioned struct of shape 2x3, owning what it points at.
struct Sample {
  Sample() {
    facts.versioned = true;
    facts.version = {1, 3};
    facts.tensor.data = this;
    facts.tensor.device = {kDLCPU, 0};
    facts.tensor.dtype = {kDLFloat, 32, 1};
    Set({2, 3}, {3, 1});
  }
  void Set(Dims new_shape, Dims new_strides) {
    shape = std::move(new_shape);
    strides = std::move(new_strides);
    facts.tensor.ndim = static_cast<int32_t>(shape.size());
    facts.tensor.shape = shape.data();
    facts.tensor.strides = strides.data();
    facts.shape = shape;
    facts.strides = strides;
  }
  void NullShape() {
    facts.tensor.shape = nullptr;
    facts.shape = {};
  }
  void NullStrides() {
    facts.tensor.strides = nullptr;
    facts.strides = {};
  }
  Dims shape, strides;
  StructFacts facts;
};

std::string Ids(const Sample& sample) {
  std::string ids;
  for (const Violation& v : CheckStruct(sample.facts)) {
    EXPECT_NE(v.observed, "");
    EXPECT_TRUE(CheckStruct(sample.facts, v.requirement));
    ids += (ids.empty() ? "" : ",") + std::string(v.requirement);
  }
  return ids;
}

TEST(ContractTest, EachRule) {
  using Edit = std::function<void(Sample&)>;
  const std::pair<const char*, Edit> kRows[] = {
      {"", [](Sample&) {}},
      {"ABI-05",
       [](Sample& s) {
         s.facts.version = {0, 0};
       }},
      {"ABI-05",
       [](Sample& s) {
         s.facts.version = {1, 77};
       }},
      {"ABI-06", [](Sample& s) { s.facts.flags = 1 << 7; }},
      {"", [](Sample& s) { s.facts.flags = 7; }},
      {"DEV-05",
       [](Sample& s) {
         s.facts.tensor.device = {static_cast<DLDeviceType>(5), 0};
       }},
      {"DEV-05",
       [](Sample& s) {
         s.facts.tensor.device = {static_cast<DLDeviceType>(-1), 0};
       }},
      {"DEV-17",
       [](Sample& s) {
         s.facts.tensor.device = {static_cast<DLDeviceType>(20), 0};
       }},
      {"DT-08",
       [](Sample& s) {
         s.facts.tensor.dtype = {kDLFloat6_e2m3fn, 8, 1};
       }},
      {"DT-09",
       [](Sample& s) {
         s.facts.tensor.dtype = {kDLFloat4_e2m1fn, 8, 1};
       }},
      {"",
       [](Sample& s) {
         s.facts.tensor.dtype = {kDLFloat4_e2m1fn, 4, 2};
       }},
      {"DT-12", [](Sample& s) { s.facts.tensor.dtype.lanes = 0; }},
      {"DT-13", [](Sample& s) { s.facts.tensor.dtype.code = 18; }},
      {"SHAPE-01", [](Sample& s) { s.facts.tensor.ndim = -1; }},
      {"SHAPE-01",
       [](Sample& s) {
         s.Set({2, -3}, {3, 1});
       }},
      {"SHAPE-01", [](Sample& s) { s.NullShape(); }},
      {"SHAPE-03", [](Sample& s) { s.NullStrides(); }},
      {"",
       [](Sample& s) {
         s.NullStrides(), s.facts.version = {1, 1};
       }},
      {"", [](Sample& s) { s.NullStrides(), s.facts.versioned = false; }},
      {"SHAPE-11",
       [](Sample& s) {
         s.Set({0, 3}, {3, 1});
       }},
      {"",
       [](Sample& s) {
         s.Set({0, 3}, {3, 1}), s.facts.tensor.data = nullptr;
       }},
      {"SHAPE-03,SHAPE-12",
       [](Sample& s) { s.Set({0}, {1}), s.facts.tensor.data = nullptr, s.NullStrides(); }},
      {"SHAPE-01,SHAPE-12",
       [](Sample& s) { s.Set({0}, {1}), s.facts.tensor.data = nullptr, s.NullShape(); }},
      {"SHAPE-13", [](Sample& s) { s.Set({}, {}), s.facts.tensor.data = nullptr; }},
      {"VER-06",
       [](Sample& s) {
         s.facts.tensor.dtype = {kDLFloat8_e5m2, 8, 1}, s.facts.version = {1, 0};
       }},
      {"VER-06",
       [](Sample& s) {
         s.facts.flags = 4, s.facts.version = {1, 0};
       }},
  };
  int row = 0;
  for (const auto& [ids, edit] : kRows) {
    Sample sample;
    edit(sample);
    EXPECT_EQ(Ids(sample), ids) << "row " << row;
    ++row;
  }
  EXPECT_FALSE(CheckStruct(Sample().facts, "SHAPE-03"));
}

TEST(ContractTest, PlausibleStructs) {
  const Sample sample;
  EXPECT_FALSE(ImplausibleTensor(sample.facts.tensor));
  for (const DTypeRow& row : DTypes()) {
    DLTensor tensor = sample.facts.tensor;
    tensor.dtype = row.dtype;
    EXPECT_FALSE(ImplausibleTensor(tensor)) << row.name;
    // With fields in another order it shows; but 16 is also a code, and float8_e4m3 is (8, 8).
    std::swap(tensor.dtype.code, tensor.dtype.bits);
    if (row.dtype.bits != 16 && row.name != "float8_e4m3") {
      EXPECT_TRUE(ImplausibleTensor(tensor)) << row.name;
    }
  }
  DLTensor tensor = sample.facts.tensor;
  tensor.ndim = 1 << 20;
  EXPECT_TRUE(ImplausibleTensor(tensor));
  tensor = sample.facts.tensor;
  tensor.device.device_id = 0x7ffe1234;
  EXPECT_TRUE(ImplausibleTensor(tensor));
  EXPECT_FALSE(ImplausibleHeader({1, 3}, 3));
  EXPECT_FALSE(ImplausibleHeader({0, 0}, uint64_t{0xBEBEBEBE} << 32));
  EXPECT_TRUE(ImplausibleHeader({1, 3}, 0x7f12'3456'7880));
  EXPECT_TRUE(ImplausibleHeader({0x12345678, 0x7f00}, 0));
}

// All offsets that the indices reach.
std::vector<int64_t> Offsets(const Dims& shape, const Dims& strides) {
  std::vector<int64_t> offsets{0};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<int64_t> next;
    for (int64_t base : offsets) {
      for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + i * strides[axis]);
    }
    offsets = next;
  }
  return offsets;
}

TEST(ContractTest, AgreesWithBruteForce) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int overlapping = 0, contiguous = 0;
  for (int n = 0; n < 20000; ++n) {
    Dims shape(static_cast<size_t>(draw(0, 4))), strides;
    for (int64_t& extent : shape) extent = draw(n % 10 == 0 ? 0 : 1, 4);
    strides = CompactStrides(shape);
    for (int64_t& stride : strides) {
      if (random() % 3 == 0) stride = draw(-9, 9);
    }
    const std::vector<int64_t> offsets = Offsets(shape, strides);
    const std::set<int64_t> distinct(offsets.begin(), offsets.end());
    const bool overlap = distinct.size() != offsets.size();
    EXPECT_EQ(HasOverlap(shape, strides), overlap ? Overlap::kYes : Overlap::kNo);
    EXPECT_EQ(ElementCount(shape), static_cast<int64_t>(offsets.size()));
    const auto range = TouchedBytes(shape, strides, 4);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->low, offsets.empty() ? 0 : *distinct.begin() * 4);
    EXPECT_EQ(range->high, offsets.empty() ? 0 : *distinct.rbegin() * 4 + 4);
    // Compact row-major: index by index the offsets are 0, 1, 2...
    bool counts = true;
    for (size_t i = 0; i < offsets.size(); ++i) {
      counts = counts && offsets[i] == static_cast<int64_t>(i);
    }
    EXPECT_EQ(IsContiguous(shape, strides), counts);
    EXPECT_TRUE(IsContiguous(shape, CompactStrides(shape)));
    overlapping += overlap;
    contiguous += counts;
    if (HasFailure()) return;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(contiguous, 1000);
}

TEST(ContractTest, OverflowIsAnAnswer) {
  EXPECT_FALSE(ElementCount(Dims{kMax, 2}));
  EXPECT_FALSE(ElementCount(Dims{-1, 0}));
  EXPECT_EQ(ElementCount(Dims{kMax, 2, 0}), 0);
  EXPECT_FALSE(TouchedBytes(Dims{kMax}, Dims{kMax}, 1));
  EXPECT_FALSE(TouchedBytes(Dims{2, 2}, Dims{kMax, kMax}, 1));
  EXPECT_FALSE(TouchedBytes(Dims{2}, Dims{kMin}, 2));
  EXPECT_FALSE(TouchedBytes(Dims{2}, Dims{}, 1));
  EXPECT_FALSE(TouchedBytes(Dims{-2}, Dims{1}, 1));
  EXPECT_FALSE(TouchedBytes(Dims{2}, Dims{1}, std::numeric_limits<size_t>::max()));
  EXPECT_EQ(TouchedBytes(Dims{1}, Dims{kMin}, 8)->high, 8);
  EXPECT_FALSE(IsContiguous(Dims{kMax, kMax, 2}, Dims{kMax, 2, 1}));
  EXPECT_FALSE(IsContiguous(Dims{2}, Dims{}));
  EXPECT_EQ(HasOverlap(Dims{2}, Dims{kMin}), Overlap::kUnknown);
  EXPECT_EQ(HasOverlap(Dims{2, 2}, Dims{kMin, kMax}), Overlap::kUnknown);
  EXPECT_EQ(HasOverlap(Dims{kMax, 1}, Dims{1, kMin}), Overlap::kNo);
  EXPECT_EQ(HasOverlap(Dims{1000, 1000}, Dims{1000, 1001}), Overlap::kUnknown);
  EXPECT_EQ(HasOverlap(Dims{1000, 1000}, Dims{0, 1}), Overlap::kYes);
  EXPECT_EQ(CompactStrides(Dims{3, kMax, kMax}).front(), kMax);
}

TEST(ContractTest, TotalOnGarbage) {
  std::mt19937_64 random(2);
  const int64_t kValues[] = {0, 1, -1, 2, 3, kMin, kMax, 1 << 20, -(1 << 20)};
  for (int n = 0; n < 20000; ++n) {
    Dims shape(random() % 5), strides(random() % 5);
    for (int64_t& v : shape) v = kValues[random() % 9];
    for (int64_t& v : strides) v = kValues[random() % 9];
    StructFacts facts;
    for (size_t i = 0; i < sizeof(DLTensor); ++i) {
      reinterpret_cast<uint8_t*>(&facts.tensor)[i] = static_cast<uint8_t>(random());
    }
    facts.versioned = n % 2 == 0;
    facts.version = {static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random())};
    facts.flags = random();
    facts.shape = shape;
    facts.strides = strides;
    EXPECT_EQ(CheckStruct(facts).size(), CheckStruct(facts).size());
    ImplausibleTensor(facts.tensor);
    ImplausibleHeader(facts.version, facts.flags);
    HasOverlap(shape, strides);
    TouchedBytes(shape, strides, random());
    IsContiguous(shape, strides);
    CompactStrides(shape);
    ElementCount(shape);
  }
}

TEST(ContractTest, CompactStrides) {
  EXPECT_THAT(CompactStrides(Dims{}), IsEmpty());
  EXPECT_THAT(CompactStrides(Dims{2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(CompactStrides(Dims{2, 0, 3}), ElementsAre(3, 3, 1));
}

TEST(ContractTest, DeviceTypes) {
  int known = 0, listed = 0;
  for (int32_t type = -2; type < 40; ++type) {
    known += IsKnownDeviceType(type);
    listed += IsArrayApiDeviceType(type);
    EXPECT_FALSE(IsKnownDeviceType(type) && IsPost13DeviceType(type));
    const bool named = IsKnownDeviceType(type) || IsPost13DeviceType(type);
    EXPECT_EQ(DeviceTypeName(type).starts_with("kDL"), named) << type;
  }
  EXPECT_EQ(known, 16);   // H13 71-123
  EXPECT_EQ(listed, 10);  // AO 505-518
  EXPECT_EQ(DeviceTypeName(3), "kDLCUDAHost");
  EXPECT_EQ(DeviceTypeName(5), "device 5");
  EXPECT_EQ(DeviceText({kDLCPU, 0}), "kDLCPU (1, 0)");
  EXPECT_EQ(DeviceText({static_cast<DLDeviceType>(5), 2}), "(5, 2)");
}

}  // namespace
}  // namespace dlpc
