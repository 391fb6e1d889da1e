#include "reference/place_map.h"

#include <iterator>

namespace dlpc {
namespace {

constexpr size_t kMemories = static_cast<size_t>(Memory::kCount_);
constexpr size_t kPlaces = static_cast<size_t>(Place::kCount_);

struct MemoryHome {
  const char* platform;
  const char* kind;
};
constexpr MemoryHome kHomes[] = {
    {"cpu", "device"},        {"cuda", "device"},       {"cuda", "pinned_host"},
    {"cuda", "managed"},      {"rocm", "device"},       {"rocm", "pinned_host"},
    {"oneapi", "device"},     {"extension", "device"},  {"tpu", "device"},
    {"tpu", "pinned_host"},   {"tpu", "unpinned_host"}, {"oneapi", "pinned_host"},
    {"cuda", "unpinned_host"}};
static_assert(std::size(kHomes) == kMemories);

size_t Index(Memory memory, Place place, bool sharded) {
  const size_t home = static_cast<size_t>(memory) * kPlaces + static_cast<size_t>(place);
  return 2 * home + (sharded ? 1 : 0);
}

DeviceAnswerOrRefusal Faulty(DeviceAnswerOrRefusal answer, MapFault::Kind kind) {
  if (auto* device = std::get_if<DLDevice>(&answer)) {
    if (kind == MapFault::Kind::kRefused) return Refusal{"BufferError", "Cannot describe this"};
    // A type that no row of a table with this fault has, so that it is wrong whatever the row.
    if (kind == MapFault::Kind::kType) device->device_type = kDLVulkan;
    if (kind == MapFault::Kind::kId) ++device->device_id;
    return answer;
  }
  auto* refusal = std::get_if<Refusal>(&answer);
  if (kind == MapFault::Kind::kNotRefused) return DLDevice{kDLCUDA, -1};
  if (kind == MapFault::Kind::kClass) refusal->exception = "ValueError";
  if (kind == MapFault::Kind::kText) refusal->message += ".";
  return answer;
}

}  // namespace

DeviceFacts PlaceFacts(const ArraySpec& spec) {
  const MemoryHome& home = kHomes[static_cast<size_t>(spec.memory)];
  DeviceFacts facts;
  facts.platform = facts.platform_version = home.platform;
  facts.memory_kind = home.kind;
  if ((spec.flags & kSharded) != 0) facts.shards = facts.devices = 2;
  switch (spec.place) {
    case Place::kSecondDevice:
      facts.hardware_id = 1;
      break;
    case Place::kNoHardwareId:
      facts.hardware_id.reset();
      break;
    case Place::kReplicated:
      facts.devices = 2;  // Each holds the whole array.
      break;
    case Place::kUnknownPlatform:
      facts.platform = facts.platform_version = "unknown";
      break;
    case Place::kNameOnly:
      facts.platform_version = "unknown";
      break;
    case Place::kVersionOnly:
      facts.platform = "gpu";
      break;
    case Place::kOrdinary:
    case Place::kCount_:
      break;
  }
  return facts;
}

std::string_view MapFaultName(MapFault::Kind kind) {
  switch (kind) {
    case MapFault::Kind::kType:
      return "wrong type";
    case MapFault::Kind::kId:
      return "wrong id";
    case MapFault::Kind::kNotRefused:
      return "missing refusal";
    case MapFault::Kind::kRefused:
      return "refused";
    case MapFault::Kind::kClass:
      return "wrong class";
    case MapFault::Kind::kText:
      return "wrong text";
    case MapFault::Kind::kNone:
    case MapFault::Kind::kCount_:
      break;
  }
  return "no fault";
}

bool CanHave(const DeviceRule& rule, MapFault::Kind kind) {
  switch (kind) {
    case MapFault::Kind::kType:
    case MapFault::Kind::kId:
    case MapFault::Kind::kRefused:
      return rule.device_type != 0;
    case MapFault::Kind::kNotRefused:
    case MapFault::Kind::kClass:
    case MapFault::Kind::kText:
      return rule.device_type == 0;
    case MapFault::Kind::kNone:
    case MapFault::Kind::kCount_:
      break;
  }
  return false;
}

PlaceMap::PlaceMap(std::string_view profile, MapFault fault) {
  const auto rules = DeviceRules(profile);
  answers_.resize(2 * kMemories * kPlaces);
  ArraySpec spec;
  for (size_t memory = 0; memory < kMemories; ++memory) {
    for (size_t place = 0; place < kPlaces; ++place) {
      for (const uint8_t flags : {uint8_t{0}, uint8_t{kSharded}}) {
        spec.memory = static_cast<Memory>(memory);
        spec.place = static_cast<Place>(place);
        spec.flags = flags;
        const DeviceFacts facts = PlaceFacts(spec);
        DeviceAnswerOrRefusal answer = MapDevice(rules, facts);
        const bool hit =
            fault.kind != MapFault::Kind::kNone && DecidingRule(rules, facts) == fault.row;
        answers_[Index(spec.memory, spec.place, flags != 0)] =
            hit ? Faulty(std::move(answer), fault.kind) : std::move(answer);
      }
    }
  }
}

const DeviceAnswerOrRefusal& PlaceMap::At(Memory memory, Place place, bool sharded) const {
  return answers_[Index(memory, place, sharded)];
}

}  // namespace dlpc
