// DEV: device mapping. Source: array API, array.__dlpack_device__ (lines 485-525); dlpack.h 1.3,
// DLDevice.
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/places.h"

namespace dlpc {
namespace {

// DEV-01
Verdict JudgePair(const Evidence& e) {
  const Wording expected = "__dlpack_device__() returns a tuple of two items";
  const DeviceAnswer* answer = e.answer();
  if (answer == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
  return PassIf(answer->is_tuple && answer->size == 2, expected,
                Say("{} ({}, {} items)", answer->repr, answer->is_tuple ? "tuple" : "no tuple",
                    answer->size));
}

// DEV-02
Verdict JudgeTypeNumber(const Evidence& e) {
  const Wording expected = "the first item is an integer or enum with a number of dlpack.h";
  const DeviceAnswer* answer = e.answer();
  if (answer == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
  if (answer->type_kind == Item::kMissing)
    return NotApplicable(expected, "no first item (see DEV-01)");
  if (!IsNumber(answer->type_kind)) return Fail(expected, answer->repr);
  const auto type = static_cast<int32_t>(answer->type);
  return PassIf(IsKnownDeviceType(type) || IsPost13DeviceType(type), expected, answer->repr);
}

// DEV-03
Verdict JudgeIdNumber(const Evidence& e) {
  const Wording expected = "the second item is an int >= 0";
  const DeviceAnswer* answer = e.answer();
  if (answer == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
  if (answer->id_kind == Item::kMissing)
    return NotApplicable(expected, "no second item (see DEV-01)");
  const bool is_int = answer->id_kind == Item::kInt || answer->id_kind == Item::kEnum;
  return PassIf(is_int && answer->id >= 0, expected, answer->repr);
}

// DEV-04 (contested, C-6)
Verdict JudgeArrayApiType(const Evidence& e) {
  const Wording expected = "one of the types that the array API page lists: 1-4, 7-10, 13, 14";
  const DeviceAnswer* answer = e.answer();
  if (answer == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
  if (!IsNumber(answer->type_kind)) return NotApplicable(expected, "no number (see DEV-02)");
  return PassIf(IsArrayApiDeviceType(static_cast<int32_t>(answer->type)), expected, answer->repr);
}

// DEV-05. Numbers merged after 1.3 (19-21) are DEV-17's business.
Verdict JudgeStructType(const Evidence& e) {
  const Wording expected = "device_type is an enumerator of dlpack.h";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const int32_t type = TensorOf(*seen).device.device_type;
  return PassIf(IsKnownDeviceType(type) || IsPost13DeviceType(type), expected, DeviceOf(*seen));
}

// DEV-11: each of the three exports that was honoured must lie where it was asked to.
Verdict JudgeRequestObeyed(const Evidence& e) {
  const Request& first = e.RequestOf(0);
  std::optional<DLDevice> asked = first.dl_device;
  if (first.device == Arg::kOwn) asked = AnsweredDevice(e);
  if (!asked) return NotApplicable("the struct lies on the requested device", e.Text(Op::kDevice));
  const Wording expected = Say("dl_device=({}, {}) is obeyed or refused",
                               static_cast<int32_t>(asked->device_type), asked->device_id);
  Wording observed;
  bool any = false;
  bool right = true;
  for (int nth = 0; nth < 3; ++nth) {
    const Inspected* seen = e.tensor(nth);
    if (seen != nullptr) {
      const DLDevice device = TensorOf(*seen).device;
      any = true;
      right &= device.device_type == asked->device_type && device.device_id == asked->device_id;
    }
    static constexpr const char* kCopy[] = {"copy absent", "copy=False", "copy=True"};
    observed += Say("{}{}: {}", nth == 0 ? "" : "; ", kCopy[nth],
                    seen ? DeviceOf(*seen) : e.WhyNoTensor(nth));
  }
  if (!any) return NotApplicable(expected, observed);
  return PassIf(right, expected, observed);
}

// DEV-12
Verdict JudgeStable(const Evidence& e) {
  const Wording expected = "100 calls of __dlpack_device__() give the same answer";
  const DeviceAnswer* answer = e.answer();
  if (answer == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
  return PassIf(
      answer->differing == 0, expected,
      Say("{} of {} answers differ from {}", answer->differing, answer->calls, answer->repr));
}

// DEV-13: refusing the query is allowed for what is no strided memory on one device.
Verdict JudgeQueryRefusal(const Evidence& e) {
  const Wording expected = "__dlpack_device__() answers or raises BufferError";
  const Made* object = e.As<Made>(Op::kMakeRefusal);
  const std::string name = object != nullptr ? object->description : "sharded";
  if (name.find("sharded") == std::string::npos && name.find("sparse") == std::string::npos &&
      name.find("distributed") == std::string::npos) {
    return NotApplicable(expected, Say("{} is another rule's subject", name));
  }
  const Raised* raised = e.As<Raised>(Op::kDevice);
  if (raised == nullptr) {
    if (e.answer() == nullptr) return NotApplicable(expected, e.Text(Op::kDevice));
    return Pass(expected, e.answer()->repr);
  }
  return PassIf(IsA(*raised, "BufferError"), expected, Say(ObservationText, *raised));
}

Wording MethodsText(const Probed& p) {
  auto yes = [](bool has) { return has ? "yes" : "no"; };
  return Say(
      "type: __dlpack__ {}, __dlpack_device__ {}; instance: __dlpack__ {}, __dlpack_device__ {}",
      yes(p.type_has_dlpack), yes(p.type_has_device), yes(p.instance_has_dlpack),
      yes(p.instance_has_device));
}

// DEV-14: leaving both out is allowed; hiding them from the type is not leaving them out.
Verdict JudgeBothOrNeither(const Evidence& e) {
  const Wording expected = "both methods are found on the type, or neither on type and instance";
  const Probed* probed = e.As<Probed>(Op::kProbe);
  if (probed == nullptr) return NotApplicable(expected, e.Text(Op::kProbe));
  const bool type_has_any = probed->type_has_dlpack || probed->type_has_device;
  const bool instance_has_any = probed->instance_has_dlpack || probed->instance_has_device;
  return PassIf(type_has_any || !instance_has_any, expected, MethodsText(*probed));
}

// DEV-15
Verdict JudgeEachOther(const Evidence& e) {
  const Wording expected = "a type with one of the two methods has the other";
  const Probed* probed = e.As<Probed>(Op::kProbe);
  if (probed == nullptr) return NotApplicable(expected, e.Text(Op::kProbe));
  return PassIf(probed->type_has_dlpack == probed->type_has_device, expected, MethodsText(*probed));
}

// DEV-17 (contested, C-3): 19-21 were merged after 1.3 without a new minor version.
Verdict JudgeDeviceSince(const Evidence& e) {
  const Wording expected = "device_type is in the header of the version that the struct declares";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct declares no version");
  const DLPackVersion v = VersionOf(*seen);
  const int32_t type = TensorOf(*seen).device.device_type;
  return PassIf(!IsPost13DeviceType(type) || v.minor > 3, expected,
                Say("{} in a struct of version {}.{}", DeviceOf(*seen), v.major, v.minor));
}

constexpr Check kDevChecks[] = {
    {"DEV-01", DeviceQueries, 0, 0, JudgePair},
    {"DEV-01", PlaceQueries, 0, 0, JudgePair},
    {"DEV-01", Zoo, kTagVersioned, 0, JudgePair},
    {"DEV-02", DeviceQueries, 0, 0, JudgeTypeNumber},
    {"DEV-02", PlaceQueries, 0, 0, JudgeTypeNumber},
    {"DEV-02", Zoo, kTagVersioned, 0, JudgeTypeNumber},
    {"DEV-03", DeviceQueries, 0, 0, JudgeIdNumber},
    {"DEV-03", PlaceQueries, 0, 0, JudgeIdNumber},
    {"DEV-03", Zoo, kTagVersioned, 0, JudgeIdNumber},
    {"DEV-04", MemoryKinds, 0, 0, JudgeArrayApiType,
     OfKind<Memory::kCpu, Memory::kCuda, Memory::kCudaPinned, Memory::kCudaManaged, Memory::kRocm,
            Memory::kOneApi>},
    {"DEV-05", Zoo, 0, 0, JudgeStructType},
    {"DEV-05", MemoryKinds, 0, 0, JudgeStructType},
    {"DEV-05", Places, 0, 0, JudgeStructType},
    {"DEV-11", DeviceRequests, 0, 0, JudgeRequestObeyed},
    {"DEV-11", PlaceRequests, 0, 0, JudgeRequestObeyed},
    {"DEV-12", DeviceQueries, 0, 0, JudgeStable},
    {"DEV-12", PlaceQueries, 0, 0, JudgeStable},
    {"DEV-13", Refusals, kTagVersioned, 0, JudgeQueryRefusal},
    {"DEV-13", PlaceQueries, 0, 0, JudgeQueryRefusal},
    {"DEV-14", Probes, 0, 0, JudgeBothOrNeither},
    {"DEV-15", Probes, 0, 0, JudgeEachOther},
    {"DEV-17", MemoryKinds, kTagVersioned, 0, JudgeDeviceSince,
     OfKind<Memory::kCpu, Memory::kCuda, Memory::kCudaPinned, Memory::kExtension>},
    {"DEV-17", Places, kTagVersioned, 0, JudgeDeviceSince},
};

}  // namespace

std::span<const Check> DevChecks() { return kDevChecks; }

}  // namespace dlpc
