// PyTorch: the query is Python (torch/_tensor.py), the capsule C++ (ATen/DLConvertor.cpp).
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;

constexpr std::string_view kQuery = "torch/_tensor.py, Tensor.__dlpack_device__";
constexpr std::string_view kCapsule = "aten/src/ATen/DLConvertor.cpp, torchDeviceToDLDevice";
constexpr std::string_view kXla = "torch/_tensor.py, Tensor.__dlpack__; torch_xla's own export";

constexpr DeviceRule Type(std::string_view platform, int32_t type, Id id,
                          std::string_view citation) {
  return {.platform = platform, .device_type = type, .id = id, .citation = citation};
}

constexpr DeviceRule kTorchRules[] = {
    {.platform = "cuda",
     .version = "hip",
     .device_type = kDLROCM,
     .id = Id::kHardwareOrZero,
     .citation = kQuery},
    {.platform = "cpu",
     .memory_kind = "pinned_host",
     .device_type = kDLCUDAHost,
     .id = Id::kHardwareOrZero,
     .citation = kQuery},
    Type("cuda", kDLCUDA, Id::kHardwareOrZero, kQuery),
    Type("cpu", kDLCPU, Id::kHardwareOrZero, kQuery),
    Type("xpu", kDLOneAPI, Id::kHardwareOrZero, kQuery),
    Type("privateuse1", kDLExtDev, Id::kHardwareOrZero, kQuery),
    {.platform = "xla",
     .version = "~cuda",
     .device_type = kDLCUDA,
     .id = Id::kHardwareOrZero,
     .citation = kQuery},
    Type("mps", kDLMetal, Id::kHardwareOrZero, kQuery),
    {.exception = "ValueError",
     .message = "Unknown device type {platform} for Dlpack",
     .citation = kQuery},
};

constexpr DeviceRule kCapsuleRules[] = {
    {.platform = "xla",
     .version = "~cuda",
     .device_type = kDLCUDA,
     .id = Id::kHardwareOrZero,
     .citation = kXla},
    {.platform = "xla",
     .exception = "RuntimeError",
     .message = "Can't export to dlpack an XLA tensor that is not on CUDA.",
     .citation = kXla},
    Type("cpu", kDLCPU, Id::kZero, kCapsule),
    {.platform = "cuda",
     .version = "hip",
     .device_type = kDLROCM,
     .id = Id::kHardwareOrZero,
     .citation = kCapsule},
    Type("cuda", kDLCUDA, Id::kHardwareOrZero, kCapsule),
    Type("opencl", kDLOpenCL, Id::kZero, kCapsule),
    Type("hip", kDLROCM, Id::kZero, kCapsule),
    Type("xpu", kDLOneAPI, Id::kHardwareOrZero, kCapsule),
    Type("maia", kDLMAIA, Id::kZero, kCapsule),
    Type("privateuseone|privateuse1", kDLExtDev, Id::kHardwareOrZero, kCapsule),
    Type("mps", kDLMetal, Id::kZero, kCapsule),
    {.exception = "BufferError",
     .message = "Cannot pack tensors on {device}",
     .citation = kCapsule},
};

constexpr DeviceProfile kTorchProfiles[] = {
    {"torch", "", "torch-capsule",
     "`Tensor.__dlpack_device__`, read from torch/_tensor.py of torch 2.15.0. The platform is "
     "`tensor.device.type`, "
     "the version `hip ...` in a ROCm build (`torch.version.hip`) and for xla "
     "`torch_xla.real_devices()[0]`; memory kind pinned_host is `tensor.is_pinned()`.",
     kTorchRules},
    {"torch-capsule", "", "",
     "Device in the capsule of `Tensor.__dlpack__`. A CUDA tensor that is not on the current "
     "device is refused before this, and tensors that require gradients, are conjugated or are "
     "not strided. Renamed private backends: give the platform as privateuseone.",
     kCapsuleRules},
};

}  // namespace

std::span<const DeviceProfile> TorchProfiles() { return kTorchProfiles; }

}  // namespace dlpc
