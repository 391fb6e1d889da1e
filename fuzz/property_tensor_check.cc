#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/brute_force.h"
#include "fuzz/properties.h"
#include "fuzz/sample.h"
#include "harness/input_reader.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// Points into itself: not to be copied.
struct Input {
  explicit Input(InputReader& reader);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  std::array<int64_t, 64> shape;
  std::array<int64_t, 64> strides;
  StructFacts facts;
};

// Codes of the header and their neighbours, now and then any; likewise bits and lanes.
DLDataType TakeType(InputReader& reader) {
  const auto tag = reader.Take<uint8_t>();
  if (tag < 224) return DTypes()[tag % DTypes().size()].dtype;
  return {reader.Take<uint8_t>(), reader.Take<uint8_t>(), reader.Take<uint8_t>()};
}

std::span<const int64_t> TakeNumbers(InputReader& reader, int count, std::span<int64_t> to) {
  to = to.first(static_cast<size_t>(count));
  for (int64_t& number : to) number = reader.TakeExtent();
  return to;
}

Input::Input(InputReader& reader) {
  const auto knobs = reader.Take<uint8_t>();
  facts.versioned = knobs & 1;
  const auto major = reader.Take<uint8_t>();
  facts.version = {major < 224 ? 1 : major % 8u, reader.Take<uint8_t>() % 5u};
  facts.flags = knobs & 2 ? reader.Take<uint64_t>() : reader.Take<uint8_t>() % 8;
  DLTensor& tensor = facts.tensor;
  const auto rank = reader.Take<uint8_t>();
  tensor.ndim = knobs & 4 ? reader.Take<int32_t>() : rank % 5;
  tensor.dtype = TakeType(reader);
  tensor.device.device_type = static_cast<DLDeviceType>(reader.Take<uint8_t>() % 32);
  tensor.device.device_id = reader.Take<uint8_t>() - 8;
  tensor.data = reinterpret_cast<void*>(reader.Take<uint64_t>());
  tensor.byte_offset = reader.Take<uint16_t>();
  const int readable = std::clamp(tensor.ndim, 0, 64);
  if (!(knobs & 8)) {
    facts.shape = TakeNumbers(reader, readable, shape);
    tensor.shape = shape.data();
  }
  if (!(knobs & 16)) {
    facts.strides = TakeNumbers(reader, readable, strides);
    tensor.strides = strides.data();
  }
}

bool Same(const std::vector<Violation>& a, const std::vector<Violation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::string_view(x.requirement) == y.requirement && x.observed == y.observed;
  });
}

// Asking for one requirement gives the first of its violations.
Broken StableVerdicts(const StructFacts& facts, const std::vector<Violation>& all) {
  if (!Same(all, CheckStruct(facts))) return "CheckStruct answers differently the second time";
  for (const Violation& violation : all) {
    const auto one = CheckStruct(facts, violation.requirement);
    if (!one) return std::string("CheckStruct of ") + violation.requirement + " alone disagrees";
    const auto first = std::find_if(all.begin(), all.end(), [&](const Violation& each) {
      return std::string_view(each.requirement) == violation.requirement;
    });
    if (one->observed != first->observed) return "CheckStruct alone says something else";
  }
  const auto none = CheckStruct(facts, "NO-99");
  if (none) return "CheckStruct knows NO-99";
  if (ImplausibleTensor(facts.tensor) != ImplausibleTensor(facts.tensor) ||
      ImplausibleHeader(facts.version, facts.flags) !=
          ImplausibleHeader(facts.version, facts.flags)) {
    return "plausibility answers differently the second time";
  }
  const DLDevice device = facts.tensor.device;
  if (DeviceText(device).empty()) return "a device without a text";
  if (IsArrayApiDeviceType(device.device_type) && !IsKnownDeviceType(device.device_type)) {
    return "the array API lists a device type that no header has";
  }
  return std::nullopt;
}

// The rules that need no text to be told again: what must be found, and what must not.
Broken RightVerdicts(const StructFacts& facts, const std::vector<Violation>& all) {
  const auto has = [&all](std::string_view id) {
    return std::any_of(all.begin(), all.end(),
                       [id](const Violation& each) { return id == each.requirement; });
  };
  const DLTensor& t = facts.tensor;
  const bool negative = std::any_of(facts.shape.begin(), facts.shape.end(),
                                    [](int64_t extent) { return extent < 0; });
  const bool no_shape = t.ndim > 0 && facts.shape.size() != static_cast<size_t>(t.ndim);
  if (has("SHAPE-01") != (t.ndim < 0 || negative || no_shape)) return "SHAPE-01 is wrong";
  if (has("SHAPE-13") != (t.ndim == 0 && t.data == nullptr)) return "SHAPE-13 is wrong";
  if (has("DT-12") != (t.dtype.lanes == 0)) return "DT-12 is wrong";
  if (has("DT-13") != (t.dtype.code > kDLFloat4_e2m1fn)) return "DT-13 is wrong";
  const auto [major, minor] = facts.version;
  const bool unknown = major != DLPACK_MAJOR_VERSION || minor > DLPACK_MINOR_VERSION;
  if (has("ABI-05") != (facts.versioned && unknown)) return "ABI-05 is wrong";
  if (has("ABI-06") != (facts.versioned && facts.flags > 7)) return "ABI-06 is wrong";
  for (const Violation& violation : all) {
    if (violation.observed.empty()) return std::string(violation.requirement) + " says nothing";
  }
  return std::nullopt;
}

// Too large to enumerate: any answer will do, as long as nothing overflows. Whether thousands of
// elements overlap takes as long as a thousand inputs: `overlap` says whether to ask all the same.
void TryFormulas(const StructFacts& facts, size_t item, bool overlap) {
  constexpr int64_t kFew = 64;
  const auto count = ElementCount(facts.shape);
  (void)TouchedBytes(facts.shape, facts.strides, item);
  (void)IsContiguous(facts.shape, facts.strides);
  if (overlap || !count || *count <= kFew) (void)HasOverlap(facts.shape, facts.strides);
  (void)CompactStrides(facts.shape);
}

}  // namespace

Broken PropertyTensorCheck(std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
  const Input in(reader);
  const StructFacts& facts = in.facts;
  const std::vector<Violation> all = CheckStruct(facts);
  if (auto broken = RightVerdicts(facts, all)) return broken;
  const bool thorough = Sampled(bytes, 32);
  if (thorough) {
    if (auto broken = StableVerdicts(facts, all)) return broken;
  }
  if (facts.shape.size() != facts.strides.size()) return std::nullopt;
  const size_t item = ElementBytes(facts.tensor.dtype);
  const int64_t most = thorough ? kMostElements : 12;
  const auto offsets = ElementOffsets(facts.shape, facts.strides, most);
  if (!offsets) {
    TryFormulas(facts, item, Sampled(bytes, 4096));
    return std::nullopt;
  }
  return AgreesWithOffsets(facts.shape, facts.strides, static_cast<int64_t>(item), *offsets);
}

}  // namespace dlpc
