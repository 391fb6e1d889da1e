#include "reference/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr uint64_t kDefinedFlags = DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED |
                                   DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
constexpr int64_t kExactOverlapElements = 1 << 16;

struct DeviceTypeRow {
  int32_t type;
  const char* name;
  bool array_api;  // AO 505-518.
};
constexpr DeviceTypeRow kDeviceTypes[] = {
    {kDLCPU, "kDLCPU", true},
    {kDLCUDA, "kDLCUDA", true},
    {kDLCUDAHost, "kDLCUDAHost", true},
    {kDLOpenCL, "kDLOpenCL", true},
    {kDLVulkan, "kDLVulkan", true},
    {kDLMetal, "kDLMetal", true},
    {kDLVPI, "kDLVPI", true},
    {kDLROCM, "kDLROCM", true},
    {kDLROCMHost, "kDLROCMHost", false},
    {kDLExtDev, "kDLExtDev", false},
    {kDLCUDAManaged, "kDLCUDAManaged", true},
    {kDLOneAPI, "kDLOneAPI", true},
    {kDLWebGPU, "kDLWebGPU", false},
    {kDLHexagon, "kDLHexagon", false},
    {kDLMAIA, "kDLMAIA", false},
    {kDLTrn, "kDLTrn", false},
    // Merged after 1.3 without a new minor version (C-3).
    {19, "kDLTPU", false},
    {20, "kDLTPUHost", false},
    {21, "kDLAscend", false},
};

const DeviceTypeRow* FindDeviceType(int32_t type) {
  for (const DeviceTypeRow& row : kDeviceTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

using Violations = std::vector<Violation>;

template <typename... Args>
void Add(Violations& out, const char* requirement, fmt::format_string<Args...> text,
         Args&&... args) {
  out.push_back({requirement, fmt::format(text, std::forward<Args>(args)...)});
}

std::string VersionText(const StructFacts& f) {
  return fmt::format("{}.{}", f.version.major, f.version.minor);
}

// NULL strides are forbidden by 1.2 and later (H13 264-273); the legacy struct has no version
// (C-7).
bool MustHaveStrides(const StructFacts& f) {
  return f.versioned && (f.version.major > 1 || (f.version.major == 1 && f.version.minor >= 2));
}

bool Holds(std::span<const int64_t> values, int32_t ndim) {
  return ndim >= 0 && values.size() == static_cast<size_t>(ndim);
}

void CheckHeader(const StructFacts& f, Violations& out) {
  if (!f.versioned) return;
  const DLPackVersion v = f.version;
  if (v.major != DLPACK_MAJOR_VERSION || v.minor > DLPACK_MINOR_VERSION) {
    Add(out, "ABI-05", "version is {}, which no release has", VersionText(f));
  }
  if ((f.flags & ~kDefinedFlags) != 0) {
    Add(out, "ABI-06", "flags is {:#x}, undefined bits {:#x}", f.flags, f.flags & ~kDefinedFlags);
  }
}

void CheckDevice(const StructFacts& f, Violations& out) {
  const int32_t type = f.tensor.device.device_type;
  if (!IsKnownDeviceType(type) && !IsPost13DeviceType(type)) {
    Add(out, "DEV-05", "device_type is {}, which no header defines", type);
  }
  if (IsPost13DeviceType(type)) {
    Add(out, "DEV-17", "device_type is {} ({}), newer than {}", type, DeviceTypeName(type),
        f.versioned ? "version " + VersionText(f) : std::string("the legacy struct"));
  }
}

void CheckDType(const StructFacts& f, Violations& out) {
  const DLDataType t = f.tensor.dtype;
  if ((t.code == kDLFloat6_e2m3fn || t.code == kDLFloat6_e3m2fn) && t.bits != 6) {
    Add(out, "DT-08", "dtype is {}: FP6 with {} bits", DTypeName(t), t.bits);
  }
  if (t.code == kDLFloat4_e2m1fn && t.bits != 4) {
    Add(out, "DT-09", "dtype is {}: FP4 with {} bits", DTypeName(t), t.bits);
  }
  if (t.lanes == 0) Add(out, "DT-12", "lanes is 0");
  if (!CodeSinceMinor(t.code)) Add(out, "DT-13", "dtype code is {}", t.code);
}

void CheckShape(const StructFacts& f, Violations& out) {
  const int32_t ndim = f.tensor.ndim;
  if (ndim < 0) return Add(out, "SHAPE-01", "ndim is {}", ndim);
  if (!Holds(f.shape, ndim) && ndim > 0) {
    Add(out, "SHAPE-01", "shape {}, ndim {}",
        f.tensor.shape == nullptr ? "is NULL" : "cannot be read", ndim);
  }
  for (size_t axis = 0; axis < f.shape.size(); ++axis) {
    if (f.shape[axis] >= 0) continue;
    return Add(out, "SHAPE-01", "shape[{}] is {}", axis, f.shape[axis]);
  }
}

void CheckStrides(const StructFacts& f, Violations& out) {
  const int32_t ndim = f.tensor.ndim;
  if (ndim <= 0 || !MustHaveStrides(f) || Holds(f.strides, ndim)) return;
  Add(out, "SHAPE-03", "strides {}, ndim {}, version {}",
      f.tensor.strides == nullptr ? "is NULL" : "cannot be read", ndim, VersionText(f));
}

void CheckEmpty(const StructFacts& f, Violations& out) {
  const DLTensor& t = f.tensor;
  const bool zero_extent = std::find(f.shape.begin(), f.shape.end(), 0) != f.shape.end();
  if (zero_extent && t.data != nullptr) {
    Add(out, "SHAPE-11", "data is {} for a zero-size tensor", fmt::ptr(t.data));
  }
  // Without a shape only the NULL data tells that the tensor is of size zero.
  const bool empty = zero_extent || (f.shape.empty() && t.data == nullptr);
  if (t.ndim <= 0 || !empty) return;
  if (!Holds(f.shape, t.ndim)) {
    Add(out, "SHAPE-12", "zero-size tensor of rank {} without a shape", t.ndim);
  } else if (!Holds(f.strides, t.ndim) && (t.strides != nullptr || MustHaveStrides(f))) {
    Add(out, "SHAPE-12", "zero-size tensor of rank {} without strides", t.ndim);
  }
}

void CheckDeclaredVersion(const StructFacts& f, Violations& out) {
  if (!f.versioned || f.version.major != 1) return;
  const uint32_t since = CodeSinceMinor(f.tensor.dtype.code).value_or(0);
  if (since > f.version.minor) {
    Add(out, "VER-06", "{} needs version 1.{}, the struct declares {}", DTypeName(f.tensor.dtype),
        since, VersionText(f));
  } else if ((f.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) && f.version.minor < 1) {
    Add(out, "VER-06", "IS_SUBBYTE_TYPE_PADDED needs version 1.1, the struct declares {}",
        VersionText(f));
  }
}

// Could a type of this code be that wide? FP6 and FP4 of a wrong width are wrong values (DT-08,
// DT-09).
bool PossibleBits(DLDataType t) {
  if (t.code >= kDLFloat8_e3m4 && t.code <= kDLFloat8_e8m0fnu) return t.bits == 8;
  if (t.code == kDLOpaqueHandle || t.code > kDLBool) return t.bits != 0;
  if (t.code == kDLBool) return t.bits == 8 || t.bits == 1;
  const bool integer = t.code == kDLInt || t.code == kDLUInt;
  return std::has_single_bit(unsigned{t.bits}) && (integer || t.bits >= 8);
}

// Is each axis, from the smallest stride up, longer than everything below it? Then no two indices
// meet.
bool Nests(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  std::vector<std::pair<int64_t, int64_t>> axes;  // |stride|, extent - 1
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1) axes.emplace_back(std::abs(strides[axis]), shape[axis] - 1);
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, steps] : axes) {
    if (stride <= reach) return false;
    reach += stride * steps;  // Cannot overflow: TouchedBytes did not.
  }
  return true;
}

// Pre: shape and strides have the same length, and few elements.
bool Collides(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  std::vector<int64_t> offsets{0};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const size_t count = offsets.size();
    for (int64_t i = 1; i < shape[axis]; ++i) {
      for (size_t k = 0; k < count; ++k) offsets.push_back(offsets[k] + i * strides[axis]);
    }
  }
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

}  // namespace

std::vector<Violation> CheckStruct(const StructFacts& facts) {
  Violations out;
  CheckHeader(facts, out);
  CheckDevice(facts, out);
  CheckDType(facts, out);
  CheckShape(facts, out);
  CheckStrides(facts, out);
  CheckEmpty(facts, out);
  if (facts.tensor.ndim == 0 && facts.tensor.data == nullptr) {
    Add(out, "SHAPE-13", "data is NULL for a 0-d tensor, which has one element");
  }
  CheckDeclaredVersion(facts, out);
  return out;
}

std::optional<Violation> CheckStruct(const StructFacts& facts, std::string_view requirement) {
  for (Violation& violation : CheckStruct(facts)) {
    if (violation.requirement == requirement) return std::move(violation);
  }
  return std::nullopt;
}

std::optional<std::string> ImplausibleTensor(const DLTensor& tensor) {
  constexpr int32_t kMaxNdim = 1024;
  constexpr uint8_t kMaxCode = 24;  // Some room above the header's 17.
  constexpr int32_t kMaxDeviceType = 1024;
  constexpr int32_t kMaxDeviceId = 1 << 20;
  const DLDataType t = tensor.dtype;
  const int32_t type = tensor.device.device_type;
  const int32_t id = tensor.device.device_id;
  if (tensor.ndim < 0 || tensor.ndim > kMaxNdim) return fmt::format("ndim is {}", tensor.ndim);
  if (t.code > kMaxCode || !PossibleBits(t)) {
    return fmt::format("dtype is (code {}, bits {}, lanes {})", t.code, t.bits, t.lanes);
  }
  if (type < -kMaxDeviceType || type > kMaxDeviceType || id < -kMaxDeviceId || id > kMaxDeviceId) {
    return fmt::format("device is ({}, {})", type, id);
  }
  if (tensor.byte_offset >> 48 != 0) return fmt::format("byte_offset is {}", tensor.byte_offset);
  return std::nullopt;
}

std::optional<std::string> ImplausibleHeader(DLPackVersion version, uint64_t flags) {
  constexpr uint32_t kMaxVersion = 1000;
  if (version.major > kMaxVersion || version.minor > kMaxVersion) {
    return fmt::format("version is {}.{}", version.major, version.minor);
  }
  // Garbage in the upper half is a wrong value; a user-space address is a wrong layout.
  const bool address = flags >> 32 != 0 && flags >> 47 == 0 && (flags & 0xffffffff) > 0xff;
  if (address) return fmt::format("flags is {:#x}, which looks like an address", flags);
  return std::nullopt;
}

Extents CompactStrides(std::span<const int64_t> shape) {
  Extents strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    // A size-0 axis counts as 1, as in NumPy and PyTorch. Saturates: no memory is that large.
    const int64_t extent = std::max<int64_t>(shape[axis], 1);
    if (__builtin_mul_overflow(stride, extent, &stride)) stride = INT64_MAX;
  }
  return strides;
}

std::optional<int64_t> ElementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool zero = false;
  for (int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    zero = zero || extent == 0;
  }
  if (zero) return 0;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<ByteRange> TouchedBytes(std::span<const int64_t> shape,
                                      std::span<const int64_t> strides, size_t element_bytes) {
  if (shape.size() != strides.size()) return std::nullopt;
  for (int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return ByteRange{};
  ByteRange range;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t reach = 0;
    int64_t& end = strides[axis] < 0 ? range.low : range.high;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach) ||
        __builtin_mul_overflow(reach, element_bytes, &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      return std::nullopt;
    }
  }
  if (__builtin_add_overflow(range.high, element_bytes, &range.high)) return std::nullopt;
  return range;
}

bool IsContiguous(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  if (shape.size() != strides.size()) return false;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    if (__builtin_mul_overflow(expected, shape[axis], &expected)) return false;
  }
  return true;
}

Overlap HasOverlap(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  const auto range = TouchedBytes(shape, strides, 1);
  // Reaching further than an address space, or not a shape at all.
  if (!range || range->high - 1 > INT64_MAX + range->low) return Overlap::kUnknown;
  const auto count = ElementCount(shape);
  if (count == 0) return Overlap::kNo;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (strides[axis] == 0 && shape[axis] > 1) return Overlap::kYes;
  }
  if (Nests(shape, strides)) return Overlap::kNo;
  if (!count || *count > kExactOverlapElements) return Overlap::kUnknown;
  return Collides(shape, strides) ? Overlap::kYes : Overlap::kNo;
}

std::string DeviceTypeName(int32_t type) {
  const DeviceTypeRow* row = FindDeviceType(type);
  return row != nullptr ? row->name : fmt::format("device {}", type);
}

bool IsKnownDeviceType(int32_t type) {
  return FindDeviceType(type) != nullptr && !IsPost13DeviceType(type);
}

bool IsPost13DeviceType(int32_t type) { return type >= 19 && type <= 21; }

bool IsArrayApiDeviceType(int32_t type) {
  const DeviceTypeRow* row = FindDeviceType(type);
  return row != nullptr && row->array_api;
}

std::string DeviceText(DLDevice device) {
  const int32_t type = device.device_type;
  const std::string pair = fmt::format("({}, {})", type, device.device_id);
  const DeviceTypeRow* row = FindDeviceType(type);
  return row != nullptr ? fmt::format("{} {}", row->name, pair) : pair;
}

}  // namespace dlpc
