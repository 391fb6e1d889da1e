// The tables behind device_map.h. A framework's file holds its profiles, the newest table first.
#ifndef DLPC_REFERENCE_DEVICE_MAP_TABLES_H_
#define DLPC_REFERENCE_DEVICE_MAP_TABLES_H_

#include <span>
#include <string_view>

#include "reference/device_map.h"

namespace dlpc {

struct DeviceProfile {
  std::string_view name;     // "jax@0.10"; without a version where the table is the newest.
  std::string_view since;    // First release that it holds for; empty: no releases are told apart.
  std::string_view capsule;  // Name of the profile for the same framework's capsule, or empty.
  std::string_view about;    // What was read or measured, for the documentation.
  std::span<const DeviceRule> rules;
};

/// Merged into dlpack.h after 1.3.
inline constexpr int32_t kDeviceTpuHost = 20;

std::span<const DeviceProfile> GenericProfiles();
std::span<const DeviceProfile> JaxProfiles();
std::span<const DeviceProfile> JaxlibProfiles();
std::span<const DeviceProfile> TorchProfiles();
std::span<const DeviceProfile> NumpyProfiles();
std::span<const DeviceProfile> CupyProfiles();
std::span<const DeviceProfile> TensorflowProfiles();

/// All of them, in the order of the documentation.
std::span<const DeviceProfile* const> AllDeviceProfiles();

/// nullptr: there is none.
const DeviceProfile* FindDeviceProfile(std::string_view name);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_DEVICE_MAP_TABLES_H_
