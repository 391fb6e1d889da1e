// TensorFlow: the name of the device's type decides, CPU or GPU.
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;

constexpr std::string_view kCitation = "tensorflow/c/eager/dlpack.cc, GetDlContext";

constexpr DeviceRule kTensorflowRules[] = {
    {.platform = "cpu|CPU",
     .device_type = kDLCPU,
     .id = Id::kHardwareOrZero,
     .citation = kCitation},
    {.platform = "gpu|GPU|cuda|rocm",
     .device_type = kDLCUDA,
     .id = Id::kHardwareOrZero,
     .citation = "tensorflow/c/eager/dlpack.cc, GetDlContext: whatever the GPU is"},
    {.exception = "InvalidArgumentError",
     .message = "Unsupported Device Type for dlpack",
     .citation = kCitation},
};

constexpr DeviceProfile kTensorflowProfiles[] = {
    {"tensorflow", "", "",
     "Device in the capsule of `__dlpack__` and `tf.experimental.dlpack.to_dlpack`. The platform "
     "is "
     "the type in the device's name (CPU, GPU, TPU); cuda and rocm are taken for GPU. How "
     "`__dlpack_device__` answers was not read.",
     kTensorflowRules},
};

}  // namespace

std::span<const DeviceProfile> TensorflowProfiles() { return kTensorflowProfiles; }

}  // namespace dlpc
