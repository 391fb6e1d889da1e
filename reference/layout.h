// How an array is made from a base buffer: slicing, permuting and broadcasting a C-contiguous base.
// Described as a recipe, so that frameworks without as_strided can follow it, and resolved to plain
// shape / strides / offset, so that judges know where each element must lie.
#ifndef DLPC_REFERENCE_LAYOUT_H_
#define DLPC_REFERENCE_LAYOUT_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/inline_vector.h"

namespace dlpc {

inline constexpr int kMaxRank = 64;            // Largest rank a script may ask for.
inline constexpr int64_t kMaxElements = 4096;  // Largest base, in elements.

/// One axis of the base buffer and the slice taken of it: element i of the result is base element
/// start + i * step. `step` may be negative; a broadcast axis has extent 1, step 0 and any count.
struct Axis {
  int64_t extent = 1;
  int64_t start = 0;
  int64_t count = 1;
  int64_t step = 1;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Recipe: base C-contiguous over `axes[*].extent`, sliced per axis, then permuted: axis i of the
/// result is sliced axis perm[i]. An empty perm is the identity.
struct Layout {
  InlineVector<Axis, 4> axes;
  InlineVector<uint8_t, 8> perm;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Where array memory lives. Only the reference producer and real accelerators go beyond kCpu; the
/// reference emulates all of them in host memory.
enum class Memory : uint8_t {
  kCpu,
  kCuda,
  kCudaPinned,
  kCudaManaged,
  kRocm,
  kRocmPinned,
  kOneApi,
  kExtension,
  kTpu,
  kTpuPinned,
  kTpuUnpinned,
  kOneApiPinned,
  kCudaUnpinned,  // Pageable host memory that a CUDA platform hands out.
  kCount_,        // Number of kinds.
};
std::string_view MemoryName(Memory memory);  // "cuda_pinned"

/// What is unusual about the place: where producers find it hard to name the device.
enum class Place : uint8_t {
  kOrdinary,
  kSecondDevice,     // Not the platform's first device.
  kNoHardwareId,     // The device has no local number.
  kReplicated,       // A whole copy on each of two devices (kSharded: a part on each).
  kUnknownPlatform,  // Nothing says which platform it is, or DLPack has no type for it.
  kNameOnly,         // Only the platform's name says which one it is, not its version text.
  kVersionOnly,      // Only its version text.
  kCount_,
};
std::string_view PlaceName(Place place);  // "second_device"

/// Properties that an array may have beside dtype and layout.
enum SpecFlag : uint8_t {
  kReadOnly = 1 << 0,       // Must not be written.
  kStaticStorage = 1 << 1,  // Lives for the whole process: deleter and manager_ctx may be NULL.
  kSharded = 1 << 2,        // Spread over two devices: DLPack cannot describe it.
  kOddStride = 1 << 3,      // Byte stride that is no multiple of the element size.
};

/// What array a producer is asked to make.
struct ArraySpec {
  DLDataType dtype{kDLFloat, 32, 1};
  Layout layout;
  Memory memory = Memory::kCpu;
  uint8_t flags = 0;  // SpecFlag bits.
  Place place = Place::kOrdinary;
  friend bool operator==(const ArraySpec& a, const ArraySpec& b);
};

/// A layout in plain numbers. `strides` and `offset` count elements of the base buffer.
struct View {
  Extents shape;
  Extents strides;
  int64_t offset = 0;
  int64_t base_elements = 0;
  int64_t elements = 0;  // Product of shape.
};

/// Makes any layout a valid one by clamping (total: never fails). Valid layouts are unchanged.
void Normalize(ArraySpec& spec);

/// Pre: the layout is valid (see Normalize).
View Resolve(const Layout& layout);

/// The layout of a plain C-contiguous array.
Layout Contiguous(std::span<const int64_t> shape);
inline Layout Contiguous(std::initializer_list<int64_t> shape) {
  return Contiguous({shape.begin(), shape.size()});
}

/// A named layout of the conformance matrix, e.g. {"sliced", ...}.
struct NamedLayout {
  std::string_view name;
  Layout layout;
};

/// Every layout of the matrix: contiguous C/F, sliced, offset, negative, broadcast, size-1 axes,
/// empty, 0-d, ranks up to 64.
const std::vector<NamedLayout>& Layouts();

/// The value of base element `index`: `ElementBytes(dtype)` bytes in native order. Neighbouring
/// elements differ; bools are 0 or 1; floats are small exact numbers.
void PatternElement(DLDataType dtype, int64_t index, uint8_t* out);

/// Bytes of the whole base buffer, elements [0, base_elements).
std::string PatternBase(const ArraySpec& spec);

/// Bytes of the array's elements in row-major order of the final shape: what every reader must see.
std::string PatternValues(const ArraySpec& spec);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_LAYOUT_H_
