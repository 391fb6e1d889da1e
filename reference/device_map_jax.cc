// JAX, Python layer: ArrayImpl.__dlpack_device__ of jax/_src/array.py, branch by branch. A plug-in
// named cuda, rocm, oneapi or gpu is platform "gpu" to it; the version's text then decides.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;
using When = DeviceRule::When;

constexpr std::string_view kGpu = "cuda|rocm|oneapi|gpu";
constexpr std::string_view kGpu010 = "cuda|rocm|gpu";  // JAX did not know oneapi for a GPU yet.
constexpr std::string_view kNoIdText = "Couldn't get local_hardware_id for __dlpack__";

constexpr DeviceRule kUnsharded = {.when = When::kNotOneShard,
                                   .exception = "BufferError",
                                   .message = "__dlpack__ only supported for unsharded arrays.",
                                   .citation = "J-DEV-01, J-ERR-02: jax 0.11.1 array.py 437-438"};
constexpr DeviceRule kUnknownGpu = {
    .exception = "BufferError",
    .message = "Unknown GPU platform for __dlpack__: {platform_version}",
    .citation = "J-DEV-08, J-ERR-03: jax 0.11.1 array.py 460-461"};

constexpr DeviceRule Platform(std::string_view platform, DeviceRule rule) {
  rule.platform = platform;
  return rule;
}

// A GPU whose version's text has the word.
constexpr DeviceRule Gpu(std::string_view platform, std::string_view word, std::string_view kind,
                         int32_t type, std::string_view citation) {
  return {.platform = platform,
          .version = word,
          .memory_kind = kind,
          .device_type = type,
          .id = Id::kHardware,
          .citation = citation};
}

constexpr DeviceRule kJaxRules[] = {
    kUnsharded,
    {.platform = "cpu",
     .device_type = kDLCPU,
     .citation = "J-DEV-02, J-DEV-13: jax 0.11.1 array.py 442-443"},
    {.platform = kGpu,
     .version = "cuda|rocm|oneapi",
     .when = When::kNoId,
     .exception = "BufferError",
     .message = kNoIdText,
     .citation = "J-DEV-11, J-ERR-04: jax 0.11.1 array.py 463-465"},
    Gpu(kGpu, "cuda", "pinned_host", kDLCUDAHost, "J-DEV-03: array.py, __dlpack_device__"),
    Gpu(kGpu, "cuda", "*", kDLCUDA, "J-DEV-04: array.py, __dlpack_device__"),
    Gpu(kGpu, "rocm", "pinned_host", kDLROCMHost, "J-DEV-05: array.py, __dlpack_device__"),
    Gpu(kGpu, "rocm", "*", kDLROCM, "J-DEV-06: array.py, __dlpack_device__"),
    Gpu(kGpu, "oneapi", "*", kDLOneAPI, "J-DEV-07: array.py, __dlpack_device__"),
    Platform(kGpu, kUnknownGpu),
    {.platform = "tpu",
     .memory_kind = "pinned_host",
     .when = When::kNoId,
     .exception = "BufferError",
     .message = kNoIdText,
     .citation = "J-DEV-11, J-ERR-04: jax 0.11.1 array.py 477-479"},
    {.platform = "tpu",
     .memory_kind = "pinned_host",
     .device_type = kDeviceTpuHost,
     .id = Id::kHardware,
     .citation = "J-DEV-09: array.py, __dlpack_device__"},
    {.platform = "tpu",
     .exception = "BufferError",
     .message = "__dlpack__ device only supported for TPU pinned host memory",
     .citation = "J-DEV-10, J-ERR-05: jax 0.11.1 array.py 473-475"},
    {.exception = "BufferError",
     .message = "__dlpack__ device only supported for CPU, GPU and TPU pinned host, got platform: "
                "{platform}",
     .citation = "J-DEV-12, J-ERR-06: jax 0.11.1 array.py 483-487"},
};

// One release knew pinned memory of CUDA, and nothing else that 0.11 brought.
constexpr DeviceRule kJaxRules0102[] = {
    kUnsharded,
    {.platform = "cpu", .device_type = kDLCPU, .citation = "jax 0.10.2 array.py, cpu branch"},
    {.platform = kGpu010,
     .version = "cuda|rocm",
     .when = When::kNoId,
     .exception = "BufferError",
     .message = kNoIdText,
     .citation = "jax 0.10.2 array.py, gpu branch"},
    Gpu(kGpu010, "cuda", "pinned_host", kDLCUDAHost, "jax 0.10.2 array.py, gpu branch"),
    Gpu(kGpu010, "cuda", "*", kDLCUDA, "jax 0.10.2 array.py, gpu branch"),
    Gpu(kGpu010, "rocm", "*", kDLROCM, "jax 0.10.2 array.py, gpu branch: pinned memory, too"),
    Platform(kGpu010, kUnknownGpu),
    {.exception = "BufferError",
     .message = "__dlpack__ device only supported for CPU and GPU, got platform: {platform}",
     .citation = "jax 0.10.2 array.py, last branch; tpu and oneapi come here"},
};

constexpr DeviceRule kJaxRules010[] = {
    kUnsharded,
    {.platform = "cpu", .device_type = kDLCPU, .citation = "jax 0.10.1 array.py, cpu branch"},
    {.platform = kGpu010,
     .version = "cuda|rocm",
     .when = When::kNoId,
     .exception = "BufferError",
     .message = kNoIdText,
     .citation = "jax 0.10.1 array.py, gpu branch"},
    Gpu(kGpu010, "cuda", "*", kDLCUDA, "jax 0.10.1 array.py, gpu branch: pinned memory, too"),
    Gpu(kGpu010, "rocm", "*", kDLROCM, "jax 0.10.1 array.py, gpu branch: pinned memory, too"),
    Platform(kGpu010, kUnknownGpu),
    {.exception = "BufferError",
     .message = "__dlpack__ device only supported for CPU and GPU, got platform: {platform}",
     .citation = "jax 0.10.1 array.py, last branch; tpu and oneapi come here"},
};

constexpr DeviceProfile kJaxProfiles[] = {
    {"jax", "0.11", "jaxlib",
     "`__dlpack_device__` of jax 0.11.0 and later. Tested against the function itself "
     "(harness/emulation/jax_map_test.py) and through an emulated accelerator. Up to 0.11 the text "
     "of a plug-in's platform version begins with `PJRT C API` and a line end.",
     kJaxRules},
    {"jax@0.10.2", "0.10.2", "jaxlib@0.10.2", "`__dlpack_device__` of jax 0.10.2.", kJaxRules0102},
    {"jax@0.10", "0.4.34", "jaxlib@0.10", "`__dlpack_device__` of jax 0.4.34 to 0.10.1.",
     kJaxRules010},
};

}  // namespace

std::span<const DeviceProfile> JaxProfiles() { return kJaxProfiles; }

}  // namespace dlpc
