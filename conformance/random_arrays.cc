#include "conformance/random_arrays.h"

#include <array>
#include <random>

#include "reference/dtype.h"

namespace dlpc {

Layout TakeLayout(InputReader& reader) {
  Layout layout;
  layout.axes.resize(reader.Take<uint8_t>() % 5);
  for (Axis& axis : layout.axes) {
    const auto kind = reader.Take<uint8_t>();
    axis.extent = 1 + kind % 8;
    axis.count = axis.extent;
    if (kind < 128) continue;  // The whole axis.
    if (kind >= 240) axis.extent = 0;
    axis.start = reader.Take<uint8_t>() % 8;
    axis.count = reader.Take<uint8_t>() % 9;
    axis.step = reader.Take<uint8_t>() % 7 - 3;
    if (axis.step == 0) axis.extent = 1;  // Broadcast.
  }
  if (reader.Take<uint8_t>() % 4 == 3) {
    for (size_t i = 0; i < layout.axes.size(); ++i) {
      layout.perm.push_back(reader.Take<uint8_t>() % 8);
    }
  }
  return layout;
}

namespace {

constexpr size_t kKnownLayouts = 128;

std::array<Layout, kKnownLayouts> MakeKnownLayouts() {
  std::array<Layout, kKnownLayouts> layouts;
  std::mt19937_64 random(1);
  for (Layout& layout : layouts) {
    std::array<uint64_t, 6> words{};
    for (uint64_t& word : words) word = random();
    InputReader reader({reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
    ArraySpec spec;
    spec.layout = TakeLayout(reader);
    Normalize(spec);
    layout = spec.layout;
  }
  return layouts;
}

}  // namespace

const Layout& TakeKnownLayout(InputReader& reader) {
  static const auto layouts = MakeKnownLayouts();
  return layouts[reader.Take<uint8_t>() % kKnownLayouts];
}

// A dtype of the same kind: packed types have scripts of their own.
DLDataType TakeDType(InputReader& reader, std::span<const DLDataType> dtypes, DLDataType old) {
  const auto tag = reader.Take<uint8_t>();
  if (dtypes.empty()) return old;
  const DTypeRow* row = FindDType(old);
  const DTypeRow* other = FindDType(dtypes[tag % dtypes.size()]);
  const bool alike = row != nullptr && other != nullptr && row->byte_sized == other->byte_sized;
  return alike ? other->dtype : old;
}

std::vector<DLDataType> AllDTypes() {
  std::vector<DLDataType> all;
  for (const DTypeRow& row : DTypes()) all.push_back(row.dtype);
  return all;
}

}  // namespace dlpc
