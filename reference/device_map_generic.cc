// What the header asks of any producer.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;
using When = DeviceRule::When;

constexpr std::string_view kArrayApi =
    "array API 2025.12, data interchange: BufferError where DLPack cannot describe an array";
constexpr std::string_view kCpu = "dlpack.h 1.3, kDLCPU; DLDevice.device_id: 0 (DEV-06)";
constexpr std::string_view kHost = "dlpack.h 1.3, DLDeviceType; DLDevice.device_id: 0 (DEV-07)";
constexpr std::string_view kManaged = "dlpack.h 1.3, DLDeviceType; DLDevice.device_id: 0 (DEV-08)";

// A device type of the header, numbered as the producing library numbers its devices.
constexpr DeviceRule OnDevice(std::string_view platform, int32_t type,
                              std::string_view citation = "dlpack.h 1.3, DLDeviceType (DEV-09)") {
  return {.platform = platform,
          .memory_kind = "device",
          .device_type = type,
          .id = Id::kHardware,
          .citation = citation};
}

constexpr DeviceRule kGenericRules[] = {
    {.when = When::kNotOneShard,
     .exception = "BufferError",
     .message = "Cannot describe an array on {platform} that is sharded over {shards} devices",
     .citation = "DLTensor has one data pointer and one device (DEV-13)"},
    {.when = When::kManyDevices,
     .exception = "BufferError",
     .message = "Cannot describe an array on {platform} that is spread over {devices} devices",
     .citation = "DLTensor has one data pointer and one device (DEV-13)"},
    {.platform = "cpu", .device_type = kDLCPU, .citation = kCpu},
    {.platform = "cuda",
     .memory_kind = "pinned_host",
     .device_type = kDLCUDAHost,
     .citation = kHost},
    {.platform = "rocm",
     .memory_kind = "pinned_host",
     .device_type = kDLROCMHost,
     .citation = kHost},
    {.platform = "cuda",
     .memory_kind = "managed",
     .device_type = kDLCUDAManaged,
     .citation = kManaged},
    {.platform = "cuda|rocm|oneapi",
     .memory_kind = "unpinned_host",
     .device_type = kDLCPU,
     .citation = kCpu},
    {.platform = "cuda|rocm|oneapi|opencl|vulkan|metal|vpi|webgpu|hexagon|maia|trn|extension",
     .memory_kind = "device",
     .when = When::kBadId,
     .exception = "BufferError",
     .message = "Cannot describe an array on {platform}: its device has no local hardware id",
     .citation = kArrayApi},
    OnDevice("cuda", kDLCUDA),
    OnDevice("rocm", kDLROCM),
    OnDevice("oneapi", kDLOneAPI),
    OnDevice("opencl", kDLOpenCL),
    OnDevice("vulkan", kDLVulkan),
    OnDevice("metal", kDLMetal),
    OnDevice("vpi", kDLVPI),
    OnDevice("webgpu", kDLWebGPU),
    OnDevice("hexagon", kDLHexagon),
    OnDevice("maia", kDLMAIA),
    OnDevice("trn", kDLTrn),
    OnDevice("extension", kDLExtDev,
             "dlpack.h 1.3, kDLExtDev: meaning defined by the implementation (DEV-16)"),
    {.exception = "BufferError",
     .message = "Cannot describe {memory_kind} memory on platform {platform} as a DLPack device",
     .citation = kArrayApi},
};

constexpr DeviceProfile kGenericProfiles[] = {
    {"generic", "", "",
     "What dlpack.h and the array API ask of any producer; the texts are this suite's own.",
     kGenericRules},
};

}  // namespace

std::span<const DeviceProfile> GenericProfiles() { return kGenericProfiles; }

}  // namespace dlpc
