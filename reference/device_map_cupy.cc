// CuPy: CUDA tells managed memory apart and nothing else; a ROCm build always says kDLROCM.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;

constexpr std::string_view kCitation = "cupy/_core/dlpack.pyx, get_dlpack_device";

constexpr DeviceRule kCupyRules[] = {
    {.platform = "cuda",
     .version = "hip|rocm",
     .device_type = kDLROCM,
     .id = Id::kHardwareOrZero,
     .citation = kCitation},
    {.platform = "cuda",
     .memory_kind = "managed",
     .device_type = kDLCUDAManaged,
     .id = Id::kHardwareOrZero,
     .citation = kCitation},
    {.platform = "cuda",
     .device_type = kDLCUDA,
     .id = Id::kHardwareOrZero,
     .citation = "cupy/_core/dlpack.pyx, get_dlpack_device: an array over pinned memory, too"},
    {.exception = kNoSuchArray,
     .message = "CuPy has no arrays on platform {platform}",
     .citation = "a cupy.ndarray is always on a CUDA or ROCm device"},
};

constexpr DeviceProfile kCupyProfiles[] = {
    {"cupy", "", "",
     "Query and capsule alike, read from cupy/_core/dlpack.pyx. The platform is cuda; in a ROCm "
     "build the version says hip or rocm. Pinned memory is a NumPy array in CuPy; a cupy.ndarray "
     "laid over it by hand is called device memory.",
     kCupyRules},
};

}  // namespace

std::span<const DeviceProfile> CupyProfiles() { return kCupyProfiles; }

}  // namespace dlpc
