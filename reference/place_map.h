// Where the reference keeps its arrays, in the words of the device map, and what the map has for
// each place: as it is, or with a fault in one row.
#ifndef DLPC_REFERENCE_PLACE_MAP_H_
#define DLPC_REFERENCE_PLACE_MAP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/device_map.h"
#include "reference/layout.h"

namespace dlpc {

DeviceFacts PlaceFacts(const ArraySpec& spec);

/// One fault in one row of a device map: how a branch of a producer may be wrong.
struct MapFault {
  enum class Kind : uint8_t { kNone, kType, kId, kNotRefused, kRefused, kClass, kText, kCount_ };
  Kind kind = Kind::kNone;
  size_t row = 0;
};
std::string_view MapFaultName(MapFault::Kind kind);  // "wrong type"

/// Whether a row can have the fault at all: only refusals have a text, only answers a type.
bool CanHave(const DeviceRule& rule, MapFault::Kind kind);

/// The answers of one profile for all places where the reference can make arrays.
class PlaceMap {
 public:
  explicit PlaceMap(std::string_view profile, MapFault fault = {});

  const DeviceAnswerOrRefusal& At(Memory memory, Place place, bool sharded) const;

 private:
  std::vector<DeviceAnswerOrRefusal> answers_;  // By memory, place, and whether it is sharded.
};

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PLACE_MAP_H_
