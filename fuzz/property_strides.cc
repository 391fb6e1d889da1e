#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "fuzz/brute_force.h"
#include "fuzz/properties.h"
#include "harness/input_reader.h"
#include "reference/contract.h"
#include "reference/dtype.h"
#include "reference/layout.h"

namespace dlpc {
namespace {

constexpr int64_t kBruteForceBase = 1024;

ArraySpec DecodeSpec(InputReader& reader) {
  ArraySpec spec;
  const auto types = DTypes();
  spec.dtype = types[reader.Take<uint8_t>() % types.size()].dtype;
  const auto rank = reader.Take<uint8_t>();
  if (rank >= 248) {  // One of the catalogue's.
    spec.layout = Layouts()[reader.Take<uint8_t>() % Layouts().size()].layout;
    return spec;
  }
  spec.layout.axes.resize(rank % 6);
  for (Axis& axis : spec.layout.axes) {
    for (int64_t* value : {&axis.extent, &axis.start, &axis.count, &axis.step}) {
      *value = reader.TakeExtent();
    }
  }
  spec.layout.perm.resize(reader.Take<uint8_t>() % (spec.layout.axes.size() + 2));
  for (uint8_t& axis : spec.layout.perm) axis = reader.Take<uint8_t>() % 8;
  return spec;
}

/// Index of each element in the base buffer, by following the recipe one index at a time.
std::vector<int64_t> FollowRecipe(const Layout& layout) {
  const size_t rank = layout.axes.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (!layout.perm.empty()) order.assign(layout.perm.begin(), layout.perm.end());
  int64_t elements = 1;
  for (const Axis& axis : layout.axes) elements *= axis.count;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < elements; ++i) {
    std::vector<int64_t> index(rank);  // Into the base, axis by axis.
    int64_t rest = i;
    for (size_t k = rank; k-- > 0;) {
      const Axis& axis = layout.axes[order[k]];
      index[order[k]] = axis.start + rest % axis.count * axis.step;
      rest /= axis.count;
    }
    int64_t place = 0;
    for (size_t k = 0; k < rank; ++k) {
      if (index[k] < 0 || index[k] >= layout.axes[k].extent) return {-1};
      place = place * layout.axes[k].extent + index[k];
    }
    places.push_back(place);
  }
  return places;
}

/// The values that readers must see are those of the base at the places of the recipe.
Broken PatternFits(const ArraySpec& spec, const std::vector<int64_t>& places) {
  const size_t item = ElementBytes(spec.dtype);
  const std::string values = PatternValues(spec);
  if (item * 8 != size_t{spec.dtype.bits} * spec.dtype.lanes) return std::nullopt;  // Packed.
  if (values.size() != item * places.size()) return "PatternValues has another size";
  std::string element(item, '\0');
  for (size_t i = 0; i < places.size(); ++i) {
    PatternElement(spec.dtype, places[i], reinterpret_cast<uint8_t*>(element.data()));
    if (values.compare(i * item, item, element) != 0) {
      return "PatternValues differs at element " + std::to_string(i);
    }
  }
  return std::nullopt;
}

}  // namespace

Broken PropertyStrides(std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
  ArraySpec spec = DecodeSpec(reader);
  Normalize(spec);
  ArraySpec again = spec;
  Normalize(again);
  if (!(again == spec)) return "Normalize changes a normalized spec";

  const View view = Resolve(spec.layout);
  if (view.base_elements > kMaxElements || view.elements > kMaxElements) return "a huge layout";
  if (view.elements > kBruteForceBase) return std::nullopt;
  const auto offsets = ElementOffsets(view.shape, view.strides);
  if (!offsets) return std::nullopt;
  const auto item = static_cast<int64_t>(ElementBytes(spec.dtype));
  if (auto broken = AgreesWithOffsets(view.shape, view.strides, item, *offsets)) return broken;
  const auto range = TouchedBytes(view.shape, view.strides, static_cast<size_t>(item));
  const int64_t first = view.offset * item;
  if (!offsets->empty() &&
      (first + range->low < 0 || first + range->high > view.base_elements * item)) {
    return "Resolve leaves the base buffer";
  }
  const std::vector<int64_t> places = FollowRecipe(spec.layout);
  if (places.size() != offsets->size()) return "Resolve has another number of elements";
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] != view.offset + (*offsets)[i]) {
      return "Resolve puts element " + std::to_string(i) + " elsewhere than the recipe";
    }
  }
  return PatternFits(spec, places);
}

}  // namespace dlpc
