#include "conformance/repro/spec_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr size_t kMaxLiteral = 256;  // Bytes that are written out.

std::string SliceText(const Axis& axis) {
  if (axis.step == 0 || (axis.start == 0 && axis.count == axis.extent && axis.step == 1)) {
    return ":";
  }
  const int64_t stop = axis.start + axis.count * axis.step;
  return fmt::format("{}:{}{}", axis.start, stop < 0 ? "" : std::to_string(stop),
                     axis.step == 1 ? "" : fmt::format(":{}", axis.step));
}

bool IsBroadcast(const Axis& axis) { return axis.step == 0 && axis.count != 1; }

// "[0:2, ::2]" or nothing.
std::string IndexText(const Layout& layout) {
  std::string text;
  bool whole = true;
  for (const Axis& axis : layout.axes) {
    const std::string slice = SliceText(axis);
    whole &= slice == ":";
    text += (text.empty() ? "" : ", ") + slice;
  }
  return whole ? "" : "[" + text + "]";
}

std::vector<int64_t> BaseShape(const Layout& layout) {
  std::vector<int64_t> extents;
  for (const Axis& axis : layout.axes) extents.push_back(axis.extent);
  return extents;
}

std::vector<int64_t> Permutation(const Layout& layout) {
  return {layout.perm.begin(), layout.perm.end()};
}

// An index as make() of an adapter gets it.
std::string SlicesText(const Layout& layout) {
  if (layout.axes.empty()) return "(...,)";
  std::string text;
  for (const Axis& axis : layout.axes) {
    const int64_t stop = axis.step == 0 ? 1 : axis.start + axis.count * axis.step;
    text += fmt::format("slice({}, {}, {}), ", axis.start, stop < 0 ? "None" : std::to_string(stop),
                        axis.step == 0 ? 1 : axis.step);
  }
  return "(" + text + ")";
}

const char* Bool(bool value) { return value ? "True" : "False"; }

}  // namespace

std::string BytesText(std::string_view bytes) {
  if (bytes.size() > kMaxLiteral) {
    return fmt::format("bytes(i % 128 for i in range({}))", bytes.size());
  }
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex.empty() ? "b''" : "bytes.fromhex('" + hex + "')";
}

std::string TupleText(std::span<const int64_t> values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string StringText(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "'";
}

bool HasBroadcast(const Layout& layout) {
  return std::any_of(layout.axes.begin(), layout.axes.end(), IsBroadcast);
}

// The view of a base in NumPy's words.
std::string NumpyText(const ArraySpec& spec, const std::string& dtype) {
  const Layout& layout = spec.layout;
  std::string text =
      fmt::format("np.frombuffer(bytearray({}), {}).reshape({}){}", BytesText(PatternBase(spec)),
                  dtype, TupleText(BaseShape(layout)), IndexText(layout));
  if (!layout.perm.empty()) text += fmt::format(".transpose({})", TupleText(Permutation(layout)));
  if (!HasBroadcast(layout)) return text;
  return fmt::format("np.broadcast_to({}, {})", text, TupleText(Resolve(layout).shape));
}

std::string SpecText(const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  const size_t item = ElementBytes(spec.dtype);
  const auto factor = static_cast<int64_t>(item) + ((spec.flags & kOddStride) != 0 ? 1 : 0);
  Extents byte_strides = view.strides;
  for (int64_t& stride : byte_strides) stride *= factor;
  const Layout& layout = spec.layout;
  return fmt::format(
      "types.SimpleNamespace(dtype={}, code={}, bits={}, lanes={}, itemsize={}, shape={}, "
      "strides={}, byte_strides={}, offset={}, base={}, base_shape={}, index={}, axes={}, "
      "broadcast_to={}, memory='{}', place='{}', read_only={}, static={}, sharded={}, "
      "odd_stride={}, is_default={})",
      StringText(DTypeName(spec.dtype)), spec.dtype.code, spec.dtype.bits, spec.dtype.lanes, item,
      TupleText(view.shape), TupleText(view.strides), TupleText(byte_strides), view.offset,
      BytesText(PatternBase(spec)), TupleText(BaseShape(layout)), SlicesText(layout),
      layout.perm.empty() ? "None" : TupleText(Permutation(layout)),
      HasBroadcast(layout) ? TupleText(view.shape) : "None", MemoryName(spec.memory),
      PlaceName(spec.place), Bool((spec.flags & kReadOnly) != 0),
      Bool((spec.flags & kStaticStorage) != 0), Bool((spec.flags & kSharded) != 0),
      Bool((spec.flags & kOddStride) != 0),
      Bool(spec == ArraySpec{{kDLFloat, 32, 1}, Contiguous({2, 3})}));
}

}  // namespace dlpc
