// A second telling of the device map: plain ifs, written from the frameworks' sources and
// measurements (the facts of J-DEV and J-ERR), not from the tables. What the tables are tested and
// fuzzed against.
#ifndef DLPC_REFERENCE_TESTING_DEVICE_MAP_ORACLE_H_
#define DLPC_REFERENCE_TESTING_DEVICE_MAP_ORACLE_H_

#include <span>
#include <string_view>

#include "reference/device_map.h"

namespace dlpc {

struct MapOracle {
  std::string_view profile;
  DeviceAnswerOrRefusal (*answer)(const DeviceFacts&);
};

/// One for each profile, in the order of DeviceProfiles().
std::span<const MapOracle> MapOracles();

}  // namespace dlpc

#endif  // DLPC_REFERENCE_TESTING_DEVICE_MAP_ORACLE_H_
