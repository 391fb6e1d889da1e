#include <algorithm>
#include <vector>

#include "fuzz/brute_force.h"
#include "fuzz/properties.h"
#include "harness/input_reader.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

struct Input {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  StructFacts facts;
};

Input Decode(std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
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

}  // namespace

Broken PropertyTensorCheck(std::span<const uint8_t> bytes) {
  const Input in = Decode(bytes);
  if (auto broken = StableVerdicts(in.facts)) return broken;
  if (DeviceText(in.facts.tensor.device).empty()) return "a device without a text";
  if (in.shape.size() != in.strides.size()) return std::nullopt;
  const size_t item = ElementBytes(in.facts.tensor.dtype);
  if (const auto offsets = ElementOffsets(in.shape, in.strides)) {
    return AgreesWithOffsets(in.shape, in.strides, static_cast<int64_t>(item), *offsets);
  }
  // Too large to enumerate: any answer will do, as long as nothing overflows.
  (void)ElementCount(in.shape);
  (void)TouchedBytes(in.shape, in.strides, item);
  (void)IsContiguous(in.shape, in.strides);
  (void)HasOverlap(in.shape, in.strides);
  (void)CompactStrides(in.shape);
  return std::nullopt;
}

}  // namespace dlpc
