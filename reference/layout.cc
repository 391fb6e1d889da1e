#include "reference/layout.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reference/dtype.h"

namespace dlpc {
namespace {

// Fits `axis` into its base extent. Valid axes come out unchanged.
void NormalizeAxis(Axis& axis) {
  axis.count = std::clamp<int64_t>(axis.count, 0, kMaxElements);
  axis.step = std::clamp<int64_t>(axis.step, -kMaxElements, kMaxElements);
  if (axis.extent == 1 && axis.step == 0) {
    axis.start = 0;  // Broadcast.
    return;
  }
  if (axis.step == 0) axis.step = 1;
  if (axis.extent == 0) axis.count = 0;
  axis.start = std::clamp<int64_t>(axis.start, 0, axis.count == 0 ? axis.extent : axis.extent - 1);
  if (axis.count > 1) {
    const int64_t room = axis.step > 0 ? axis.extent - 1 - axis.start : axis.start;
    axis.count = std::min(axis.count, 1 + room / std::abs(axis.step));
  }
}

// A permutation is kept; anything else becomes one: first the entries that make sense, in order.
void NormalizePerm(InlineVector<uint8_t, 8>& perm, size_t rank) {
  static_assert(kMaxRank <= 64, "one bit each");
  if (perm.empty()) return;
  InlineVector<uint8_t, 8> fixed;
  uint64_t seen = 0;
  const auto take = [&](size_t axis) {
    const uint64_t bit = axis < rank ? uint64_t{1} << axis : 0;
    if (bit != 0 && (seen & bit) == 0) {
      seen |= bit;
      fixed.push_back(static_cast<uint8_t>(axis));
    }
  };
  for (uint8_t axis : perm) take(axis);
  for (size_t axis = 0; axis < rank; ++axis) take(axis);
  perm = std::move(fixed);
}

void NormalizeLayout(Layout& layout) {
  if (layout.axes.size() > kMaxRank) layout.axes.resize(kMaxRank);
  int64_t base = 1;   // Product of the extents so far, zeros left out.
  int64_t total = 1;  // Likewise of the counts.
  for (Axis& axis : layout.axes) {
    axis.extent = std::clamp<int64_t>(axis.extent, 0, kMaxElements / base);
    NormalizeAxis(axis);
    axis.count = std::min(axis.count, kMaxElements / total);
    base *= std::max<int64_t>(axis.extent, 1);
    total *= std::max<int64_t>(axis.count, 1);
  }
  NormalizePerm(layout.perm, layout.axes.size());
}

Axis Full(int64_t extent) { return {extent, 0, extent, 1}; }
Axis Slice(int64_t extent, int64_t start, int64_t count, int64_t step = 1) {
  return {extent, start, count, step};
}
Axis Reversed(int64_t extent) { return {extent, extent - 1, extent, -1}; }
Axis Broadcast(int64_t count) { return {1, 0, count, 0}; }

// Rank n of extent 1, but 2 on each axis whose number is a multiple of `every`.
Layout Ranked(int n, int every) {
  Extents shape(static_cast<size_t>(n));
  std::fill(shape.begin(), shape.end(), 1);
  for (int i = 0; i < n; i += every) shape[static_cast<size_t>(i)] = 2;
  return Contiguous(shape);
}

std::vector<NamedLayout> MakeLayouts() {  // Few shapes: some frameworks compile each copy of one.
  return {
      {"c-2x3", Contiguous({2, 3})},
      {"c-2x3x4", Contiguous({2, 3, 4})},
      {"f-2x3", {{Full(3), Full(2)}, {1, 0}}},
      {"transposed-3d", {{Full(2), Full(3), Full(4)}, {2, 0, 1}}},
      {"sliced-step2", {{Slice(11, 0, 6, 2)}, {}}},
      {"offset-1d", {{Slice(10, 3, 6)}, {}}},
      {"interior-2d", {{Slice(4, 1, 2), Slice(5, 1, 3)}, {}}},
      {"columns", {{Full(2), Slice(3, 0, 2)}, {}}},
      {"sliced-2axes", {{Slice(7, 1, 3, 2), Slice(9, 2, 3, 3)}, {}}},
      {"reversed-1d", {{Reversed(5)}, {}}},
      {"reversed-last", {{Full(2), Reversed(3)}, {}}},
      {"reversed-both-sliced", {{Slice(6, 5, 3, -2), Slice(7, 6, 4, -2)}, {}}},
      {"broadcast-rows", {{Broadcast(2), Full(3)}, {}}},
      {"broadcast-all", {{Broadcast(10)}, {}}},
      {"unit-first", Contiguous({1, 77})},
      {"unit-last", Contiguous({64, 1})},
      {"unit-mixed", Contiguous({3, 1, 6, 2})},
      {"unit-sliced", {{Slice(16, 3, 1, 3)}, {}}},
      {"unit-reversed", {{Reversed(1), Full(10), Full(20)}, {}}},
      {"empty-1d", Contiguous({0})},
      {"empty-0x3", Contiguous({0, 3})},
      {"empty-2x0x3", Contiguous({2, 0, 3})},
      {"empty-sliced-at-end", {{Slice(6, 6, 0)}, {}}},
      {"scalar", Contiguous({})},
      {"single", Contiguous({1})},
      {"rank-8", Ranked(8, 1)},
      {"rank-16", Ranked(16, 5)},
      {"rank-32", Ranked(32, 9)},
      {"rank-64", Ranked(64, 21)},
  };
}

}  // namespace

bool operator==(const ArraySpec& a, const ArraySpec& b) {
  return a.dtype == b.dtype && a.layout == b.layout && a.memory == b.memory && a.flags == b.flags &&
         a.place == b.place;
}

std::string_view MemoryName(Memory memory) {
  constexpr std::string_view kNames[] = {
      "cpu",       "cuda", "cuda_pinned", "cuda_managed", "rocm",          "rocm_pinned",  "oneapi",
      "extension", "tpu",  "tpu_pinned",  "tpu_unpinned", "oneapi_pinned", "cuda_unpinned"};
  static_assert(std::size(kNames) == static_cast<size_t>(Memory::kCount_));
  return memory < Memory::kCount_ ? kNames[static_cast<size_t>(memory)] : "unknown";
}

std::string_view PlaceName(Place place) {
  constexpr std::string_view kNames[] = {"ordinary",    "second_device",    "no_hardware_id",
                                         "replicated",  "unknown_platform", "name_only",
                                         "version_only"};
  static_assert(std::size(kNames) == static_cast<size_t>(Place::kCount_));
  return place < Place::kCount_ ? kNames[static_cast<size_t>(place)] : "unknown";
}

void Normalize(ArraySpec& spec) {
  if (FindDType(spec.dtype) == nullptr) {
    spec.dtype = DTypes()[(spec.dtype.code * 31u + spec.dtype.bits) % DTypes().size()].dtype;
  }
  constexpr unsigned kMemories = static_cast<unsigned>(Memory::kCount_);
  spec.memory = static_cast<Memory>(static_cast<unsigned>(spec.memory) % kMemories);
  constexpr unsigned kPlaces = static_cast<unsigned>(Place::kCount_);
  spec.place = static_cast<Place>(static_cast<unsigned>(spec.place) % kPlaces);
  spec.flags &= kReadOnly | kStaticStorage | kSharded | kOddStride;
  NormalizeLayout(spec.layout);
  // One-byte elements have no odd stride; others lie in a plain row of packed records.
  if (ElementBytes(spec.dtype) == 1) spec.flags &= static_cast<uint8_t>(~kOddStride);
  if (spec.flags & kOddStride) {
    const Layout row = Contiguous({std::max<int64_t>(Resolve(spec.layout).elements, 2)});
    if (spec.layout != row) spec.layout = row;
  }
}

View Resolve(const Layout& layout) {
  const size_t rank = layout.axes.size();
  View view;
  view.shape.resize(rank);
  view.strides.resize(rank);
  view.base_elements = view.elements = 1;
  size_t place[kMaxRank];  // place[a]: where sliced axis a ends up.
  for (size_t i = 0; i < rank; ++i) place[layout.perm.empty() ? i : layout.perm[i]] = i;
  int64_t stride = 1;
  for (size_t a = rank; a-- > 0;) {
    const Axis& axis = layout.axes[a];
    view.shape[place[a]] = axis.count;
    view.strides[place[a]] = axis.step * stride;
    view.offset += axis.start * stride;
    view.elements *= axis.count;
    view.base_elements *= axis.extent;
    stride *= std::max<int64_t>(axis.extent, 1);
  }
  return view;
}

Layout Contiguous(std::span<const int64_t> shape) {
  Layout layout;
  for (int64_t extent : shape) layout.axes.push_back(Full(extent));
  return layout;
}

const std::vector<NamedLayout>& Layouts() {
  static const std::vector<NamedLayout> layouts = MakeLayouts();
  return layouts;
}

}  // namespace dlpc
