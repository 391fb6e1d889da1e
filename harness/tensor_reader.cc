#include "harness/tensor_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "harness/memory.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr uint64_t kPaddedFlag = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

// `count` entries at `from`, if they can be read. A 0-d tensor may point to anything: one entry is
// tried, to tell a dangling pointer.
bool ReadEntries(const int64_t* from, size_t count, Extents& to) {
  if (from == nullptr) return false;
  int64_t one;
  if (count == 0) return SafeReadAll(from, &one, sizeof one);
  to.resize(count);
  if (SafeReadAll(from, to.data(), count * sizeof one)) return true;
  to.clear();
  return false;
}

// Where the elements lie, worked out from the struct alone.
struct Span {
  Extents strides;  // In elements, one for each axis.
  int64_t count = 0;
  size_t item = 0;   // Bytes of an element; 0: packed, `bytes` in all.
  size_t bytes = 0;  // All elements in row-major order.
  uint64_t first = 0;
  uint64_t low = 0;
  uint64_t high = 0;
};

std::optional<std::string> CannotAddress(const Inspected& in, bool host_memory) {
  const DLTensor t = TensorOf(in);
  if (auto reason = ImplausibleTensor(t)) return reason;
  if (t.ndim > 0 && !in.shape_readable) return "shape cannot be read";
  if (t.ndim > 0 && t.strides != nullptr && !in.strides_readable) return "strides cannot be read";
  if (!host_memory && !IsHostAddressable(t.device.device_type)) return "device memory";
  return std::nullopt;
}

// Packed elements share bytes, which strides cannot say: only compact tensors have a known order.
std::optional<std::string> SizeElements(const Inspected& in, Span& span) {
  const DLDataType dtype = TensorOf(in).dtype;
  const auto count = ElementCount(in.shape);
  if (!count) return "extents overflow or are negative";
  if (*count > kMaxReadElements) return "more than 65536 elements";
  span.count = *count;
  const size_t bits = size_t{dtype.bits} * dtype.lanes;
  const bool packed = bits % 8 != 0 && (FlagsOf(in) & kPaddedFlag) == 0;
  span.item = packed ? 0 : ElementBytes(dtype);
  const auto elements = static_cast<size_t>(span.count);
  span.bytes = packed ? (elements * bits + 7) / 8 : elements * span.item;
  if (span.bytes > kMaxReadBytes) return "more than 1 MiB";
  if (packed && !IsContiguous(in.shape, span.strides)) return "packed elements are not compact";
  return std::nullopt;
}

// Fills low and high; false if an address leaves 64 bits.
bool Place(const DLTensor& t, const ByteRange& range, Span& span) {
  const uint64_t data = reinterpret_cast<uintptr_t>(t.data);
  const auto shifted = [&](int64_t by, uint64_t& to) {
    return by < 0 ? !__builtin_sub_overflow(span.first, 0 - static_cast<uint64_t>(by), &to)
                  : !__builtin_add_overflow(span.first, static_cast<uint64_t>(by), &to);
  };
  return !__builtin_add_overflow(data, t.byte_offset, &span.first) &&
         shifted(range.low, span.low) && shifted(range.high, span.high);
}

// The reason if elements cannot even be addressed.
std::optional<std::string> Locate(const Inspected& in, bool host_memory, Span& span) {
  if (auto reason = CannotAddress(in, host_memory)) return reason;
  const DLTensor t = TensorOf(in);
  // NULL strides mean compact in structs before 1.2 (H13 287-300).
  span.strides = in.strides_readable && t.ndim > 0 ? in.strides : CompactStrides(in.shape);
  if (auto reason = SizeElements(in, span)) return reason;
  ByteRange range{0, static_cast<int64_t>(span.bytes)};
  if (span.item != 0) {
    const auto touched = TouchedBytes(in.shape, span.strides, span.item);
    if (!touched) return "strides overflow";
    range = *touched;
  }
  if (!Place(t, range, span)) return "data + byte_offset overflows";
  return std::nullopt;
}

// Calls f(byte distance from the first element) for each element in row-major order, while true.
// Distances wrap around: a step past the last element may leave 63 bits, no element does.
template <typename F>
bool ForEachElement(const Extents& shape, const Span& span, F f) {
  std::array<int64_t, kMaxRank> index{};
  uint64_t at = 0;
  for (int64_t i = 0; i < span.count; ++i) {
    if (!f(at)) return false;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const uint64_t step = static_cast<uint64_t>(span.strides[axis]) * span.item;
      at += step;
      if (++index[axis] < shape[axis]) break;
      at -= step * static_cast<uint64_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return true;
}

// Reads the whole range at once and picks the elements. False if the range cannot be read.
bool Gather(const Extents& shape, const Span& span, std::string& to) {
  const size_t size = span.high - span.low;
  const void* from = reinterpret_cast<const void*>(span.low);
  if (span.item == 0 || (size == span.bytes && IsContiguous(shape, span.strides))) {
    return SafeReadAll(from, to.data(), size);
  }
  std::string range(size, '\0');
  if (!SafeReadAll(from, range.data(), size)) return false;
  const uint64_t start = span.first - span.low;
  char* out = to.data();
  return ForEachElement(shape, span, [&](uint64_t at) {
    std::memcpy(out, range.data() + (start + at), span.item);
    out += span.item;
    return true;
  });
}

// One element at a time: for ranges that are large or have holes.
bool Pick(const Extents& shape, const Span& span, std::string& to) {
  char* out = to.data();
  return span.item != 0 && ForEachElement(shape, span, [&](uint64_t at) {
           const uint64_t from = span.first + at;
           const bool read = SafeReadAll(reinterpret_cast<const void*>(from), out, span.item);
           out += span.item;
           return read;
         });
}

}  // namespace

bool IsHostAddressable(int32_t device_type) {
  constexpr int32_t kTpuHost = 20;  // Merged after 1.3.
  constexpr int32_t kHost[] = {kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged, kTpuHost};
  return std::find(std::begin(kHost), std::end(kHost), device_type) != std::end(kHost);
}

Observation InspectTensor(const ManagedRef& ref, const void* deleter) {
  Observation observation = Inspected{};
  Inspected& in = *std::get_if<Inspected>(&observation);
  in.versioned = ref.versioned;
  const size_t size = ref.versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor);
  if (!SafeReadAll(ref.managed, in.raw.data(), size)) {
    return NotPerformed{"managed tensor cannot be read"};
  }
  if (deleter != nullptr) {
    const size_t offset = ref.versioned ? offsetof(DLManagedTensorVersioned, deleter)
                                        : offsetof(DLManagedTensor, deleter);
    std::memcpy(in.raw.data() + offset, &deleter, sizeof deleter);
  }
  const DLTensor t = TensorOf(in);
  if (t.ndim >= 0 && t.ndim <= kMaxRank) {
    in.shape_readable = ReadEntries(t.shape, static_cast<size_t>(t.ndim), in.shape);
    in.strides_readable = ReadEntries(t.strides, static_cast<size_t>(t.ndim), in.strides);
  }
  in.deleter_executable = IsExecutable(reinterpret_cast<const void*>(DeleterOf(in)));
  return observation;
}

Observation ReadElements(const Inspected& inspected, bool host_memory) {
  Span span;
  if (auto reason = Locate(inspected, host_memory, span)) return NotPerformed{std::move(*reason)};
  Elements elements;
  elements.first = span.first;
  elements.low = span.low;
  elements.high = span.high;
  if (span.count == 0) return elements;
  elements.bytes.resize(span.bytes);
  const bool small = span.high - span.low <= kMaxReadBytes;
  elements.readable = (small && Gather(inspected.shape, span, elements.bytes)) ||
                      Pick(inspected.shape, span, elements.bytes);
  if (!elements.readable) elements.bytes.clear();
  return elements;
}

Observation WriteFirst(const Inspected& inspected, bool host_memory, uint32_t n) {
  Span span;
  if (auto reason = Locate(inspected, host_memory, span)) return NotPerformed{std::move(*reason)};
  if (span.count == 0) return NotPerformed{"no elements"};
  const DLDataType dtype = TensorOf(inspected).dtype;
  std::vector<uint8_t> element(ElementBytes(dtype));
  PatternElement(dtype, n, element.data());
  if (!SafeWrite(reinterpret_cast<void*>(span.first), element.data(), element.size())) {
    return NotPerformed{"the first element cannot be written"};
  }
  return Done{};
}

}  // namespace dlpc
