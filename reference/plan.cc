#include "reference/plan.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "reference/contract.h"
#include "reference/plan_checks.h"

namespace dlpc {
namespace {

using enum Mutant;

DLDevice Device(int32_t type, int32_t id) { return {static_cast<DLDeviceType>(type), id}; }

// Memory types that hold the same accelerator's data.
bool AreSiblings(DLDevice a, DLDevice b) {
  const auto family = [](DLDevice d) {
    switch (d.device_type) {
      case kDLCUDA:
      case kDLCUDAHost:
      case kDLCUDAManaged:
        return 1;
      case kDLROCM:
      case kDLROCMHost:
        return 2;
      default:
        return 0;
    }
  };
  return family(a) != 0 && family(a) == family(b) && a.device_type != b.device_type;
}

// Can the array be copied there? Main memory always (COPY-14); of its own device type the reference
// has two devices, except for memory that is not any device's own (H13 131-135).
bool CanCopyTo(DLDevice own, DLDevice target) {
  if (IsCpu(target)) return true;
  switch (own.device_type) {
    case kDLCPU:
    case kDLCUDAHost:
    case kDLROCMHost:
    case kDLCUDAManaged:
      return false;
    default:
      return target.device_type == own.device_type &&
             (target.device_id == 0 || target.device_id == 1);
  }
}

struct Target {
  DLDevice device;
  bool own = true;
};
using TargetOrRefusal = std::variant<Target, Refusal>;

// An array that no device describes can still be copied to main memory (COPY-14), if it is whole.
TargetOrRefusal ChooseForUnplaced(const PlanFacts& facts, const Request& r) {
  const bool plain = r.device == Arg::kAbsent || r.device == Arg::kNone;
  if (facts.mutant == kMissingIdExported && plain && facts.memory == Memory::kCuda &&
      facts.place == Place::kNoHardwareId) {
    return Target{Device(kDLCUDA, -1), true};
  }
  const bool to_cpu = r.device == Arg::kValue && IsCpu(r.dl_device);
  if (to_cpu && facts.place != Place::kReplicated) return Target{r.dl_device, false};
  return *facts.unplaced;
}

TargetOrRefusal ChooseDevice(const PlanFacts& facts, const Request& r) {
  if (facts.unplaced != nullptr) return ChooseForUnplaced(facts, r);
  const DLDevice claimed = ClaimedDevice(facts);
  const Target own{claimed, true};
  if (r.device != Arg::kValue && r.device != Arg::kOwn) return own;
  const DLDevice wanted = r.device == Arg::kOwn ? claimed : r.dl_device;
  if (facts.mutant == kCpuRequestRefused && IsCpu(wanted)) {
    return BufferError("Cannot export to kDLCPU");
  }
  if (SameDevice(wanted, claimed) || SameDevice(wanted, facts.label)) return own;
  if (facts.mutant == kDlDeviceIgnored && AreSiblings(wanted, claimed)) return own;
  if (CanCopyTo(claimed, wanted)) return Target{wanted, false};
  std::string text =
      fmt::format("Cannot export an array on {} to {}", DeviceText(claimed), DeviceText(wanted));
  if (facts.mutant == kOtherDeviceTypeError) return TypeError(std::move(text));
  if (facts.mutant == kUnknownTypeKeyError && wanted.device_type > 15) {
    return Refusal{"KeyError", std::move(text)};
  }
  if (facts.mutant == kDeviceUnnamed) return BufferError("not supported");
  return BufferError(std::move(text));  // ERR-03
}

using DataOrRefusal = std::variant<Plan::Data, Refusal>;

// COPY-01..05, -11, -15. `own`: the export stays on the array's device.
DataOrRefusal ChooseData(const PlanFacts& facts, const Request& r, bool own, DLDevice target,
                         bool versioned) {
  const bool forced = r.copy == Arg::kValue && r.copy_value;
  const bool forbidden = r.copy == Arg::kValue && !r.copy_value;
  const Mutant m = facts.mutant;
  if (!own) {
    if (!forbidden || (m == kCopyFalseOtherDeviceCopies && !IsCpu(target)))
      return Plan::Data::kCopy;
    std::string text =
        fmt::format("copy=False, but an export to {} needs a copy", DeviceText(target));
    if (m == kCpuRequestCopyFalseValueError && IsCpu(target)) return ValueError(std::move(text));
    return BufferError(std::move(text));
  }
  if (forced) {
    const bool skipped = (m == kCopyTrueIgnored && versioned) ||
                         (m == kLegacyCopyIgnored && !versioned) ||
                         (m == kCopyOfReadOnlySkipped && versioned && (facts.flags & kReadOnly));
    return skipped ? Plan::Data::kShared : Plan::Data::kCopy;
  }
  const bool secret = (m == kCopiesByDefault && r.copy != Arg::kNone && r.copy != Arg::kValue) ||
                      (m == kCopyNoneCopies && r.copy == Arg::kNone) ||
                      (m == kCopyFalseCopies && forbidden);
  return secret ? Plan::Data::kSecretCopy : Plan::Data::kShared;
}

// (1, 10) sorts before (1, 3) as text. Such a producer looks an older version up among those it
// knows and falls back to the legacy struct.
bool TextuallyUnknown(DLPackVersion v) {
  return v.major == DLPACK_MAJOR_VERSION && v.minor > DLPACK_MINOR_VERSION &&
         fmt::format("{}", v.minor) < fmt::format("{}", DLPACK_MINOR_VERSION);
}

using VersionedOrRefusal = std::variant<bool, Refusal>;

// VER-01..05, -07, -09: legacy below major 1, the own version otherwise.
VersionedOrRefusal ChooseStruct(Mutant m, const Request& r) {
  if (m == kLegacyOnly) return false;
  if (m == kCopyForcesLegacy && r.copy == Arg::kValue && r.copy_value) return false;
  if (r.version != Arg::kValue) {
    if (m == kNoneRefused) return BufferError("max_version=None is not supported");
    return m == kNoneVersioned;
  }
  const DLPackVersion v = r.max_version;
  if (v.major < DLPACK_MAJOR_VERSION) {
    if (m == kOldMajorValueError)
      return ValueError(fmt::format("DLPack version {} is too old", v.major));
    return m == kOldMajorVersioned;
  }
  if (m == kNewerMajorRefused && v.major > DLPACK_MAJOR_VERSION) {
    return BufferError(fmt::format("DLPack {} is not supported", v.major));
  }
  if (m == kOlderMinorLegacy && v.major == DLPACK_MAJOR_VERSION && v.minor < DLPACK_MINOR_VERSION) {
    return false;
  }
  return !(m == kVersionsComparedAsText && TextuallyUnknown(v));
}

}  // namespace

DLDevice ClaimedDevice(const PlanFacts& facts) {
  const struct {
    Mutant mutant;
    Memory memory;
    DLDevice claimed;
  } kFalse[] = {
      {kDeviceOffList, Memory::kOneApi, Device(kDLMAIA, 0)},
      {kCpuIdOrdinal, Memory::kCpu, Device(kDLCPU, 1)},
      {kPinnedAsCpu, Memory::kCudaPinned, Device(kDLCPU, 0)},
      {kPinnedAsCpu, Memory::kRocmPinned, Device(kDLCPU, 0)},
      {kManagedAsCuda, Memory::kCudaManaged, Device(kDLCUDA, 0)},
      {kRocmAsCuda, Memory::kRocm, Device(kDLCUDA, 0)},
      {kExtensionAsOneApi, Memory::kExtension, Device(kDLOneAPI, 0)},
      {kPinnedIdOrdinal, Memory::kCudaPinned, Device(kDLCUDAHost, 1)},
      {kPost13Device, Memory::kExtension, Device(20, 0)},
  };
  if (facts.mutant == kNone) return facts.label;
  for (const auto& row : kFalse) {
    if (row.mutant == facts.mutant && row.memory == facts.memory) return row.claimed;
  }
  if (facts.mutant == kDeviceIndexLost) return {facts.label.device_type, 0};
  return facts.label;
}

DLDevice StructDevice(const PlanFacts& facts, DLDevice device) {
  if (facts.mutant == kStructDeviceUnknown) return Device(5, device.device_id);
  if (facts.mutant == kStructDeviceDiffers && device.device_type == kDLCUDAHost) {
    return Device(kDLCPU, 0);
  }
  return device;
}

PlanOrRefusal PlanExport(const PlanFacts& facts, const Request& request) {
  if (auto refusal = CheckSignature(facts.mutant, request)) return *std::move(refusal);
  if (auto refusal = CheckArray(facts)) return *std::move(refusal);
  const TargetOrRefusal target = ChooseDevice(facts, request);
  if (const auto* refusal = std::get_if<Refusal>(&target)) return *refusal;
  const auto [device, own] = *std::get_if<Target>(&target);
  const DLDevice judged = facts.mutant == kStreamCheckedOnSource ? facts.label : device;
  if (auto refusal = CheckStream(facts.mutant, judged, request)) return *std::move(refusal);
  const VersionedOrRefusal versioned = ChooseStruct(facts.mutant, request);
  if (const auto* refusal = std::get_if<Refusal>(&versioned)) return *refusal;
  Plan plan;
  plan.versioned = *std::get_if<bool>(&versioned);
  plan.device = device;
  const DataOrRefusal data = ChooseData(facts, request, own, device, plan.versioned);
  if (const auto* refusal = std::get_if<Refusal>(&data)) return *refusal;
  plan.data = *std::get_if<Plan::Data>(&data);
  // COPY-13: the legacy struct cannot say that the data are read-only.
  if (!plan.versioned && (facts.flags & kReadOnly) && plan.data != Plan::Data::kCopy &&
      facts.mutant != kReadOnlyLegacySilent) {
    return BufferError("Cannot export a read-only array through the legacy struct");
  }
  return plan;
}

}  // namespace dlpc
