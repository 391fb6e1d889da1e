// DEV-06 to -10 and -16: the label of each kind of memory, in query and struct. Source:
// dlpack.h 1.3, DLDeviceType and DLDevice; array API, array.__dlpack__, dl_device.
#include <functional>
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/places.h"

namespace dlpc {
namespace {

// The place where an array lives, by the library's own label or by the spec.
std::optional<DLDevice> Label(const Evidence& e) {
  const Made* made = e.made();
  return made == nullptr ? std::nullopt : made->device;
}

// Type (and id, if `id` is wanted) of both the query and the struct; whichever was observed.
Verdict JudgePlace(const Evidence& e, const Wording& expected,
                   const std::function<bool(DLDevice)>& right) {
  const std::optional<DLDevice> query = AnsweredDevice(e);
  const Inspected* seen = e.tensor();
  if (!query && seen == nullptr) {
    return NotApplicable(expected, e.Text(Op::kDevice) + "; " + e.WhyNoTensor());
  }
  const Wording observed =
      Say("query: {}, struct: {}", query ? Say(DeviceText, *query) : e.Text(Op::kDevice),
          seen ? DeviceOf(*seen) : e.WhyNoTensor());
  return PassIf((!query || right(*query)) && (seen == nullptr || right(TensorOf(*seen).device)),
                expected, observed);
}

// DEV-06
Verdict JudgeCpu(const Evidence& e) {
  const Wording expected = "CPU memory is kDLCPU (1, 0) in query and struct";
  const std::optional<DLDevice> label = Label(e);
  if (!label) return NotApplicable(expected, "the adapter does not say where the array lives");
  if (label->device_type != kDLCPU) return NotApplicable(expected, "not CPU memory");
  return JudgePlace(e, expected,
                    [](DLDevice d) { return d.device_type == kDLCPU && d.device_id == 0; });
}

// The type that stands for a kind of memory; 19 and 20 were merged after 1.3 (see DEV-17).
struct TypeRow {
  Memory memory;
  int32_t type;
  const char* expected;
};
constexpr TypeRow kTypes[] = {
    {Memory::kCudaPinned, kDLCUDAHost, "pinned CUDA memory is kDLCUDAHost (3), id >= 0"},
    {Memory::kRocmPinned, kDLROCMHost, "pinned ROCm memory is kDLROCMHost (11), id >= 0"},
    {Memory::kTpuPinned, 20, "pinned TPU memory is kDLTPUHost (20), id >= 0"},
    {Memory::kCuda, kDLCUDA, "CUDA memory is kDLCUDA (2), numbered as the library does"},
    {Memory::kRocm, kDLROCM, "ROCm memory is kDLROCM (10), numbered as the library does"},
    {Memory::kOneApi, kDLOneAPI, "oneAPI memory is kDLOneAPI (14), numbered as the library does"},
    {Memory::kOneApiPinned, kDLOneAPI, "oneAPI host memory is kDLOneAPI (14), id >= 0"},
    {Memory::kTpu, 19, "TPU memory is kDLTPU (19), numbered as the library does"},
};

const TypeRow* TypeOf(const Evidence& e) {
  for (const TypeRow& row : kTypes) {
    if (row.memory == e.spec().memory) return &row;
  }
  return nullptr;
}

// DEV-06 for requests: CPU memory that was asked for by another id is still (1, 0).
Verdict JudgeServedCpu(const Evidence& e) {
  const Wording expected = "CPU memory that a dl_device request gave is kDLCPU (1, 0)";
  Wording observed;
  bool any = false;
  for (int nth = 0; nth < 3; ++nth) {
    const Inspected* seen = e.tensor(nth);
    if (seen == nullptr || TensorOf(*seen).device.device_type != kDLCPU) continue;
    any = true;
    observed = Say(RequestText, e.RequestOf(nth)) + " gave " + DeviceOf(*seen);
    if (TensorOf(*seen).device.device_id != 0) return Fail(expected, observed);
  }
  if (!any) return NotApplicable(expected, "no CPU memory was given: " + e.Text(Op::kExport));
  return Pass(expected, observed);
}

// DEV-07. The id 0 that the header names is contested (C-5); any id >= 0 is accepted.
Verdict JudgePinned(const Evidence& e) {
  const TypeRow* row = TypeOf(e);
  if (row == nullptr) return NotApplicable("a host type", "not pinned memory");
  return JudgePlace(e, row->expected, [row](DLDevice d) {
    return static_cast<int32_t>(d.device_type) == row->type && d.device_id >= 0;
  });
}

// DEV-08
Verdict JudgeManaged(const Evidence& e) {
  return JudgePlace(e, "CUDA managed memory is kDLCUDAManaged (13)",
                    [](DLDevice d) { return d.device_type == kDLCUDAManaged && d.device_id >= 0; });
}

// DEV-09
Verdict JudgeAccelerator(const Evidence& e) {
  const TypeRow* row = TypeOf(e);
  if (row == nullptr) return NotApplicable("a device type", "not accelerator memory");
  const std::optional<DLDevice> label = Label(e);
  return JudgePlace(e, row->expected, [row, label](DLDevice d) {
    const bool right_id = label ? d.device_id == label->device_id : d.device_id >= 0;
    return static_cast<int32_t>(d.device_type) == row->type && right_id;
  });
}

// DEV-10 (contested, C-4)
Verdict JudgeQueryEqualsStruct(const Evidence& e) {
  const Wording expected = "query and struct name the same device";
  const std::optional<DLDevice> query = AnsweredDevice(e);
  if (!query) return NotApplicable(expected, e.Text(Op::kDevice));
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const DLDevice device = TensorOf(*seen).device;
  return PassIf(device.device_type == query->device_type && device.device_id == query->device_id,
                expected,
                Say("query: {}, struct: {}", Say(DeviceText, *query), Say(DeviceText, device)));
}

// DEV-10, where the place itself may be what one of the two cannot name: both answer, or neither.
Verdict JudgeBothAnswer(const Evidence& e) {
  const Wording expected = "query and export both answer, with one device, or both refuse";
  const Raised* query = e.As<Raised>(Op::kDevice);
  const Raised* refusal = e.refusal();
  const Wording observed = Say("query: {}; export: {}", e.Text(Op::kDevice),
                               e.tensor() ? DeviceOf(*e.tensor()) : e.WhyNoTensor());
  if (query != nullptr && refusal != nullptr) return Pass(expected, observed);
  if (refusal != nullptr && e.answer() != nullptr) {
    // An older signature says nothing about the place (see PROTO-01).
    if (IsA(*refusal, "TypeError")) return NotApplicable(expected, observed);
    return Fail(expected, observed);
  }
  if (query != nullptr && e.As<Exported>(Op::kExport) != nullptr) return Fail(expected, observed);
  return JudgeQueryEqualsStruct(e);
}

// DEV-16
Verdict JudgeExtension(const Evidence& e) {
  return JudgePlace(e, "memory of an extension device is kDLExtDev (12), nobody else's number",
                    [](DLDevice d) { return d.device_type == kDLExtDev; });
}

// The places of an odd kind of memory or of an odd device (places.h).
template <Memory... kKinds>
bool HoldsKind(const NamedScript& script) {
  const ArraySpec& spec = script.script.specs[0];
  // What nothing names, or what is on several devices, has no type that could be demanded.
  return spec.flags == 0 && spec.place != Place::kUnknownPlatform &&
         spec.place != Place::kReplicated && ((spec.memory == kKinds) || ...);
}

constexpr Check kDevLabelChecks[] = {
    {"DEV-06", Zoo, 0, 0, JudgeCpu},
    {"DEV-06", MemoryKinds, 0, 0, JudgeCpu, OfKind<Memory::kCpu>},
    {"DEV-06", DeviceRequests, 0, 0, JudgeServedCpu},
    {"DEV-06", Places, 0, 0, JudgeCpu,
     HoldsKind<Memory::kCpu, Memory::kCudaUnpinned, Memory::kTpuUnpinned>},
    {"DEV-07", MemoryKinds, 0, 0, JudgePinned, OfKind<Memory::kCudaPinned, Memory::kRocmPinned>},
    {"DEV-07", Places, 0, 0, JudgePinned, HoldsKind<Memory::kTpuPinned>},
    {"DEV-08", MemoryKinds, 0, 0, JudgeManaged, OfKind<Memory::kCudaManaged>},
    {"DEV-09", MemoryKinds, 0, 0, JudgeAccelerator,
     OfKind<Memory::kCuda, Memory::kRocm, Memory::kOneApi>},
    {"DEV-09", Places, 0, 0, JudgeAccelerator,
     HoldsKind<Memory::kCuda, Memory::kTpu, Memory::kOneApiPinned>},
    {"DEV-10", Zoo, 0, 0, JudgeQueryEqualsStruct},
    {"DEV-10", MemoryKinds, kTagLegacy, 0, JudgeQueryEqualsStruct},
    {"DEV-10", MemoryKinds, kTagVersioned, 0, JudgeBothAnswer},
    {"DEV-10", Places, kTagLegacy, 0, JudgeQueryEqualsStruct},
    {"DEV-10", Places, kTagVersioned, 0, JudgeBothAnswer},
    {"DEV-16", MemoryKinds, 0, 0, JudgeExtension, OfKind<Memory::kExtension>},
};

}  // namespace

std::span<const Check> DevLabelChecks() { return kDevLabelChecks; }

}  // namespace dlpc
