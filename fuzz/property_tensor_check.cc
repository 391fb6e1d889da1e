#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "fuzz/byte_reader.h"
#include "fuzz/properties.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr int64_t kBruteForceElements = 512;

struct Input {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  StructFacts facts;
};

Input Decode(std::span<const uint8_t> bytes) {
  ByteReader reader(bytes);
  Input in;
  const auto knobs = reader.Take<uint8_t>();
  in.facts.versioned = knobs & 1;
  in.facts.version = {reader.Take<uint8_t>(), reader.Take<uint8_t>()};
  in.facts.flags = knobs & 2 ? reader.Take<uint64_t>() : reader.Take<uint8_t>();
  DLTensor& tensor = in.facts.tensor;
  const auto rank = reader.Take<uint8_t>();
  tensor.ndim = knobs & 4 ? reader.Take<int32_t>() : rank % 5;
  tensor.dtype = {reader.Take<uint8_t>(), reader.Take<uint8_t>(), reader.Take<uint8_t>()};
  tensor.device.device_type = static_cast<DLDeviceType>(reader.Take<uint8_t>() % 32);
  tensor.device.device_id = reader.Take<uint8_t>() - 8;
  tensor.data = reinterpret_cast<void*>(reader.Take<uint64_t>());
  tensor.byte_offset = reader.Take<uint16_t>();
  const int readable = std::clamp(tensor.ndim, 0, 64);
  if (!(knobs & 8)) {
    for (int i = 0; i < readable; ++i) in.shape.push_back(reader.TakeExtent());
    tensor.shape = in.shape.data();
  }
  if (!(knobs & 16)) {
    for (int i = 0; i < readable; ++i) in.strides.push_back(reader.TakeExtent());
    tensor.strides = in.strides.data();
  }
  in.facts.shape = in.shape;
  in.facts.strides = in.strides;
  return in;
}

bool Same(const std::vector<Violation>& a, const std::vector<Violation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::string_view(x.requirement) == y.requirement && x.observed == y.observed;
  });
}

Broken StableVerdicts(const StructFacts& facts) {
  const auto all = CheckStruct(facts);
  if (!Same(all, CheckStruct(facts))) return "CheckStruct answers differently the second time";
  for (const Violation& violation : all) {
    const auto one = CheckStruct(facts, violation.requirement);
    if (!one) return std::string("CheckStruct of ") + violation.requirement + " alone disagrees";
    if (violation.observed.empty()) return std::string(violation.requirement) + " says nothing";
  }
  const auto none = CheckStruct(facts, "NO-99");
  if (none) return "CheckStruct knows NO-99";
  if (ImplausibleTensor(facts.tensor) != ImplausibleTensor(facts.tensor) ||
      ImplausibleHeader(facts.version, facts.flags) !=
          ImplausibleHeader(facts.version, facts.flags)) {
    return "plausibility answers differently the second time";
  }
  return std::nullopt;
}

/// The element offsets of a small array, or nullopt if it is not small.
std::optional<std::vector<int64_t>> Offsets(const Input& in) {
  int64_t elements = 1;
  for (const int64_t extent : in.shape) {
    if (extent < 0 || extent > kBruteForceElements) return std::nullopt;
    elements *= extent;
    if (elements > kBruteForceElements) return std::nullopt;
  }
  for (const int64_t stride : in.strides) {
    if (stride > 1'000'000 || stride < -1'000'000) return std::nullopt;
  }
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = in.shape.size(); axis-- > 0;) {
      offset += rest % in.shape[axis] * in.strides[axis];
      rest /= in.shape[axis];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

Broken AgreesWithBruteForce(const Input& in, const std::vector<int64_t>& offsets) {
  const auto count = ElementCount(in.shape);
  if (!count || *count != static_cast<int64_t>(offsets.size())) return "ElementCount is wrong";
  const auto item = static_cast<int64_t>(ElementBytes(in.facts.tensor.dtype));
  const auto range = TouchedBytes(in.shape, in.strides, item);
  if (!range) return "TouchedBytes gives up on a small array";
  ByteRange expected;
  if (!offsets.empty()) {
    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    expected = {*low * item, *high * item + item};
  }
  if (range->low != expected.low || range->high != expected.high) return "TouchedBytes is wrong";

  std::vector<int64_t> compact(offsets.size());
  std::iota(compact.begin(), compact.end(), 0);
  if (IsContiguous(in.shape, in.strides) != (offsets == compact)) return "IsContiguous is wrong";

  const bool overlaps = std::set(offsets.begin(), offsets.end()).size() != offsets.size();
  const Overlap answer = HasOverlap(in.shape, in.strides);
  if (answer != Overlap::kUnknown && (answer == Overlap::kYes) != overlaps) {
    return "HasOverlap is wrong";
  }
  if (!IsContiguous(in.shape, CompactStrides(in.shape))) return "CompactStrides are not compact";
  return std::nullopt;
}

}  // namespace

Broken PropertyTensorCheck(std::span<const uint8_t> bytes) {
  const Input in = Decode(bytes);
  if (auto broken = StableVerdicts(in.facts)) return broken;
  if (DeviceText(in.facts.tensor.device).empty()) return "a device without a text";
  if (in.shape.size() != in.strides.size()) return std::nullopt;
  if (const auto offsets = Offsets(in)) return AgreesWithBruteForce(in, *offsets);
  // Too large to enumerate: any answer will do, as long as nothing overflows.
  (void)ElementCount(in.shape);
  (void)TouchedBytes(in.shape, in.strides, ElementBytes(in.facts.tensor.dtype));
  (void)IsContiguous(in.shape, in.strides);
  (void)HasOverlap(in.shape, in.strides);
  (void)CompactStrides(in.shape);
  return std::nullopt;
}

}  // namespace dlpc
