// Element bytes: in the host's form (row-major, a byte for each element narrower than
// one, its upper bits clear) and as a
// device stores them (packed, first element in the low bits, as DLPack demands of sub-byte types).
#ifndef DLPC_HARNESS_EMULATION_ELEMENTS_H_
#define DLPC_HARNESS_EMULATION_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/emulation/pjrt_args.h"

namespace dlpc::emulation {

/// 0 for types that have no elements or that are unknown to us.
int BitWidth(ElementType type);

/// Bytes of one element in the host's form.
size_t HostWidth(ElementType type);

size_t ElementCount(std::span<const int64_t> dims);

/// Bytes that `count` elements take on the device.
size_t DeviceBytes(ElementType type, size_t count);

/// Host to device. `byte_strides` are of the host's data; empty means row-major.
void ToDevice(ElementType type, std::span<const int64_t> dims,
              std::span<const int64_t> byte_strides, const std::byte* host, std::byte* device);

/// Device to host, row-major.
void ToHost(ElementType type, size_t count, const std::byte* device, std::byte* host);

/// Whether `layout` (NULL: any) is the only one we have: row-major, no tiles.
bool IsRowMajor(const Layout* layout, ElementType type, std::span<const int64_t> dims);

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_ELEMENTS_H_
