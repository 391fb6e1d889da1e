// NumPy: its own memory is kDLCPU; an array over imported memory repeats what the import said.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;

constexpr std::string_view kImported = "numpy/_core/src/multiarray/dlpack.c, array_get_dl_device";

constexpr DeviceRule Imported(std::string_view platform, std::string_view kind, int32_t type) {
  return {.platform = platform,
          .memory_kind = kind,
          .device_type = type,
          .id = Id::kHardwareOrZero,
          .citation = kImported};
}

constexpr DeviceRule kNumpyRules[] = {
    {.platform = "cpu", .device_type = kDLCPU, .citation = kImported},
    Imported("cuda", "pinned_host", kDLCUDAHost),
    Imported("rocm", "pinned_host", kDLROCMHost),
    Imported("cuda", "managed", kDLCUDAManaged),
    {.exception = "BufferError",
     .message = "Unsupported device in DLTensor.",
     .citation = "numpy/_core/src/multiarray/dlpack.c, from_dlpack; measured with numpy 2"},
};

constexpr DeviceProfile kNumpyProfiles[] = {
    {"numpy", "", "",
     "Query and capsule alike. Platforms other than cpu are memory that came in by "
     "`numpy.from_dlpack`, the hardware id is the one in the imported struct, and the refusal is "
     "that of `from_dlpack`.",
     kNumpyRules},
};

}  // namespace

std::span<const DeviceProfile> NumpyProfiles() { return kNumpyProfiles; }

}  // namespace dlpc
