// JAX, compiled layer: what the capsule of __dlpack__ says. jaxlib looks at the platform's exact
// name, never at its version, and takes the hardware id as it is.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;
using When = DeviceRule::When;

constexpr DeviceRule kOneDevice = {
    .when = When::kManyDevices,
    .exception = "BufferError",
    .message =
        "to_dlpack can only pack a dlpack tensor from an array on a singular device, but an "
        "array with a Sharding over {devices} devices was provided.",
    .citation = "J-DEV-01, J-ERR-01: jax 0.11.1 array.py 423-428"};
constexpr DeviceRule kNoDevice = {
    .exception = "JaxRuntimeError",
    .message = "INVALID_ARGUMENT: Device {device} cannot be used as a DLPack device.",
    .citation = "J-DEV-08, J-DEV-10, J-DEV-12, J-ERR-22: jaxlib 0.11.1 dlpack.cc 144"};

constexpr DeviceRule Type(std::string_view platform, std::string_view kind, int32_t type,
                          std::string_view citation) {
  return {.platform = platform,
          .memory_kind = kind,
          .device_type = type,
          .id = Id::kHardwareOrMinus,
          .citation = citation};
}

constexpr DeviceRule kJaxlibRules[] = {
    kOneDevice,
    Type("cpu", "*", kDLCPU, "J-DEV-02, J-DEV-13: jaxlib 0.11.1 dlpack.cc 135-136, 167"),
    Type("cuda", "pinned_host", kDLCUDAHost, "J-DEV-03: jaxlib 0.11.1 dlpack.cc 151-154"),
    Type("cuda", "*", kDLCUDA, "J-DEV-04, J-DEV-11: measured, emulated cuda"),
    Type("rocm", "pinned_host", kDLROCMHost, "J-DEV-05: jaxlib 0.11.1 dlpack.cc 159-162"),
    Type("rocm", "*", kDLROCM, "J-DEV-06: measured, emulated rocm"),
    Type("oneapi", "*", kDLOneAPI, "J-DEV-07: measured, emulated oneapi"),
    Type("tpu", "pinned_host", kDeviceTpuHost, "J-DEV-09: jaxlib 0.11.1 dlpack.cc 155-158"),
    kNoDevice,
};

constexpr DeviceRule kJaxlibRules0102[] = {
    kOneDevice,
    Type("cpu", "*", kDLCPU, "jaxlib dlpack.cc, DLDeviceTypeForDevice"),
    Type("cuda", "pinned_host", kDLCUDAHost, "measured, emulated cuda, jaxlib 0.10.2"),
    Type("cuda", "*", kDLCUDA, "measured, emulated cuda, jaxlib 0.10.2"),
    Type("rocm", "*", kDLROCM, "jaxlib dlpack.cc, DLDeviceTypeForDevice: pinned memory, too"),
    kNoDevice,
};

constexpr DeviceRule kJaxlibRules010[] = {
    kOneDevice,
    Type("cpu", "*", kDLCPU, "jaxlib dlpack.cc, DLDeviceTypeForDevice"),
    Type("cuda", "*", kDLCUDA, "jaxlib dlpack.cc, DLDeviceTypeForDevice: pinned memory, too"),
    Type("rocm", "*", kDLROCM, "jaxlib dlpack.cc, DLDeviceTypeForDevice: pinned memory, too"),
    kNoDevice,
};

constexpr DeviceProfile kJaxlibProfiles[] = {
    {"jaxlib", "0.11", "",
     "Device in the capsule of `__dlpack__`, jaxlib 0.11.0 and later, measured through an emulated "
     "accelerator. {device} is the plug-in's own text for the device.",
     kJaxlibRules},
    {"jaxlib@0.10.2", "0.10.2", "",
     "Device in the capsule of `__dlpack__`, jaxlib 0.10.2, measured likewise.", kJaxlibRules0102},
    {"jaxlib@0.10", "0.4.34", "",
     "Device in the capsule of `__dlpack__`, jaxlib up to 0.10.1 (0.9.0 and 0.10.0 were measured).",
     kJaxlibRules010},
};

}  // namespace

std::span<const DeviceProfile> JaxlibProfiles() { return kJaxlibProfiles; }

}  // namespace dlpc
