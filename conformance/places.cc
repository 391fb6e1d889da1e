#include "conformance/places.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "conformance/family_parts.h"

namespace dlpc {
namespace {

constexpr EmulatedPlace kPlaces[] = {
    {"tpu-device", Memory::kTpu},
    {"tpu-pinned", Memory::kTpuPinned},
    {"tpu-unpinned", Memory::kTpuUnpinned},
    {"cuda-device", Memory::kCuda},
    {"cuda-pinned", Memory::kCudaPinned},
    {"cuda-unpinned", Memory::kCudaUnpinned},
    {"rocm-device", Memory::kRocm},
    {"rocm-pinned", Memory::kRocmPinned},
    {"oneapi-device", Memory::kOneApi},
    {"oneapi-pinned", Memory::kOneApiPinned},
    {"gpu-unknown-version", Memory::kCuda, Place::kUnknownPlatform},
    {"cuda-unknown-version", Memory::kCuda, Place::kNameOnly},
    {"gpu-cuda-version", Memory::kCuda, Place::kVersionOnly},
    {"unknown-platform", Memory::kExtension, Place::kUnknownPlatform},
    {"tpu-no-hardware-id", Memory::kTpuPinned, Place::kNoHardwareId},
    {"cuda-no-hardware-id", Memory::kCuda, Place::kNoHardwareId},
    {"second-device", Memory::kTpuPinned, Place::kSecondDevice},
    {"second-device-cuda", Memory::kCuda, Place::kSecondDevice},
    {"sharded", Memory::kCuda, Place::kOrdinary, kSharded},
    {"replicated", Memory::kCuda, Place::kReplicated},
    {"cpu-two-devices", Memory::kCpu, Place::kSecondDevice},
};

ArraySpec SpecAt(const EmulatedPlace& place) {
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  spec.memory = place.memory;
  spec.place = place.place;
  spec.flags = place.flags;
  return spec;
}

// Spread over several devices: refused as a whole, nothing more to ask.
bool OnOneDevice(const EmulatedPlace& place) {
  return place.flags == 0 && place.place != Place::kReplicated;
}

// MemoryKinds(), DeviceQueries() and DeviceRequests() have the ordinary places of older headers.
bool HasOwnFamily(const EmulatedPlace& place) {
  return place.place == Place::kOrdinary && place.flags == 0 && place.memory < Memory::kTpu;
}

std::string CaseName(std::string_view family, const EmulatedPlace& place, std::string_view rest) {
  return std::string(family) + "/" + std::string(place.name) + "/" + std::string(rest);
}

constexpr uint32_t kPlainTags = kTagElements | kTagRank | kTagContiguous;

template <typename Steps>
Family AtEachPlace(std::string_view name, bool (*wanted)(const EmulatedPlace&), Steps steps) {
  Family family;
  for (const EmulatedPlace& place : kPlaces) {
    if (!wanted(place)) continue;
    for (const Path& path : Paths()) {
      family.push_back({CaseName(name, place, path.name),
                        steps(ScriptBuilder(SpecAt(place)), path.request).Build(),
                        kPlainTags | path.tag | kTagCopyAbsent});
    }
  }
  return family;
}

struct Target {
  const char* name;
  Arg arg = Arg::kValue;
  DLDevice device{};
  uint32_t tag = 0;
};

constexpr auto kTpuType = static_cast<DLDeviceType>(19);  // kDLTPU, merged after 1.3.
constexpr auto kTpuHostType = static_cast<DLDeviceType>(20);

// The other memory type of the same device, where there is one.
std::optional<DLDevice> Sibling(const EmulatedPlace& place) {
  static constexpr std::pair<Memory, DLDeviceType> kSiblings[] = {
      {Memory::kCuda, kDLCUDAHost}, {Memory::kCudaPinned, kDLCUDA},
      {Memory::kRocm, kDLROCMHost}, {Memory::kRocmPinned, kDLROCM},
      {Memory::kTpu, kTpuHostType}, {Memory::kTpuPinned, kTpuType}};
  if (place.place != Place::kOrdinary) return std::nullopt;
  for (const auto& [memory, type] : kSiblings) {
    if (memory == place.memory) return DLDevice{type, 0};
  }
  return std::nullopt;
}

std::vector<Target> TargetsAt(const EmulatedPlace& place) {
  std::vector<Target> targets;
  if (const auto sibling = Sibling(place)) {
    targets.push_back({"sibling", Arg::kValue, *sibling, kTagOtherDevice});
  }
  if (HasOwnFamily(place)) return targets;
  targets.push_back({"own", Arg::kOwn, {}, kTagOwnRequest});
  targets.push_back({"cpu-0", Arg::kValue, {kDLCPU, 0}, kTagCpuRequest});
  targets.push_back({"hexagon-0", Arg::kValue, {kDLHexagon, 0}, kTagOtherDevice});
  return targets;
}

// The order of the three exports is that of DeviceRequests().
Script RequestScript(const EmulatedPlace& place, const Target& target) {
  ScriptBuilder builder(SpecAt(place));
  builder.Device();
  uint8_t slot = 0;
  for (const CopyArg& copy : {kCopyAbsent, kCopyFalse, kCopyTrue}) {
    Request request = WithCopy(WithVersion(1, 3), copy);
    request.device = target.arg;
    request.dl_device = target.device;
    builder.Export(request, slot).Inspect(slot).Read(slot);
    ++slot;
  }
  return builder.ReadOwn().Build();
}

}  // namespace

std::span<const EmulatedPlace> EmulatedPlaces() { return kPlaces; }

const EmulatedPlace* FindEmulatedPlace(std::string_view name) {
  const auto found = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                  [&](const EmulatedPlace& place) { return place.name == name; });
  return found == std::end(kPlaces) ? nullptr : &*found;
}

bool LivesAt(const Script& script, const EmulatedPlace& place) {
  return !script.specs.empty() &&
         std::all_of(script.specs.begin(), script.specs.end(), [&](const ArraySpec& spec) {
           return spec.memory == place.memory && spec.place == place.place &&
                  spec.flags == place.flags;
         });
}

bool LivesOnCuda(const Script& script) {
  constexpr Memory kCudaKinds[] = {Memory::kCuda, Memory::kCudaPinned, Memory::kCudaManaged};
  return !script.specs.empty() &&
         std::all_of(script.specs.begin(), script.specs.end(), [&](const ArraySpec& spec) {
           return spec.place == Place::kOrdinary && spec.flags == 0 &&
                  std::count(std::begin(kCudaKinds), std::end(kCudaKinds), spec.memory) != 0;
         });
}

void KeepCasesOn(bool cuda, std::vector<const Case*>& cases) {
  const auto elsewhere = [&](const Case* c) {
    const Script& script = c->script->script;
    if (cuda) return !LivesOnCuda(script);
    return !std::all_of(script.specs.begin(), script.specs.end(),
                        [](const ArraySpec& spec) { return spec.memory == Memory::kCpu; });
  };
  cases.erase(std::remove_if(cases.begin(), cases.end(), elsewhere), cases.end());
}

const Family& Places() {
  static const Family family = AtEachPlace(
      "place", [](const EmulatedPlace& place) { return !HasOwnFamily(place); },
      [](ScriptBuilder b, const Request& request) {
        return b.Device().Export(request).Inspect().Read().ReadOwn().DropCapsule();
      });
  return family;
}

const Family& PlaceQueries() {
  static const Family family = [] {
    Family f;
    for (const EmulatedPlace& place : kPlaces) {
      if (HasOwnFamily(place)) continue;
      f.push_back({"place-query/" + std::string(place.name),
                   ScriptBuilder(SpecAt(place)).Device(100).Build(), kPlainTags});
    }
    return f;
  }();
  return family;
}

const Family& PlaceRequests() {
  static const Family family = [] {
    Family f;
    for (const EmulatedPlace& place : kPlaces) {
      if (!OnOneDevice(place)) continue;
      for (const Target& target : TargetsAt(place)) {
        f.push_back({CaseName("place-device", place, target.name), RequestScript(place, target),
                     kPlainTags | kTagVersioned | target.tag});
      }
    }
    return f;
  }();
  return family;
}

const Family& PlaceCopies() {
  static const Family family = [] {
    Family f;
    for (const EmulatedPlace& place : kPlaces) {
      if (!OnOneDevice(place)) continue;
      for (const CopyArg& copy : kCopyArgs) {
        for (const Path& path : Paths()) {
          f.push_back({CaseName("place-copy", place, std::string(copy.name) + "/" + path.name),
                       ScriptBuilder(SpecAt(place))
                           .Device()
                           .Export(WithCopy(path.request, copy))
                           .Inspect()
                           .Read()
                           .ReadOwn()
                           .Export(path.request, 1)
                           .Build(),
                       kPlainTags | path.tag | copy.tag});
        }
      }
    }
    return f;
  }();
  return family;
}

const Family& PlaceDropUnconsumed() {
  static const Family family = AtEachPlace("place-drop-unconsumed", OnOneDevice,
                                           [](ScriptBuilder b, const Request& request) {
                                             return b.Export(request)
                                                 .Inspect()
                                                 .Interpose()
                                                 .DropCapsule()
                                                 .DeleterCalls()
                                                 .ExportMany(50, request, /*drop_each=*/true)
                                                 .RefCount()
                                                 .ExportMany(400, request, /*drop_each=*/true)
                                                 .RefCount();
                                           });
  return family;
}

const Family& PlaceDropThenRelease() {
  static const Family family = AtEachPlace("place-drop-then-release", OnOneDevice,
                                           [](ScriptBuilder b, const Request& request) {
                                             return b.Export(request)
                                                 .Interpose()
                                                 .Rename(Name::kUsed)
                                                 .DropCapsule()
                                                 .DeleterCalls()
                                                 .CallDeleter()
                                                 .DeleterCalls()
                                                 .ConsumeMany(50, request, Name::kUsed);
                                           });
  return family;
}

const Family& PlaceReleaseThenDrop() {
  static const Family family =
      AtEachPlace("place-release-then-drop", OnOneDevice, ReleaseThenDropSteps);
  return family;
}

}  // namespace dlpc
