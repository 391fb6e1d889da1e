#include "reference/testing/objection.h"

#include <memory>
#include <string_view>

#include "reference/contract.h"
#include "reference/negotiation.h"

namespace dlpc {
namespace {

uint32_t ErrorBit(std::string_view exception) {
  if (exception == "BufferError") return kBufferError;
  if (exception == "TypeError") return kTypeError;
  if (exception == "ValueError") return kValueError;
  return 0;
}

bool Within(uint32_t set, uint32_t outcome) {
  const bool is_error = (outcome & (kLegacyCapsule | kVersionedCapsule)) == 0;
  return (set & outcome) != 0 || (is_error && (set & kAnyError) != 0);
}

}  // namespace

std::optional<std::string> NegotiationObjection(RefProducer& producer, const RefArrayPtr& array,
                                                const Request& request) {
  ExportFacts facts;
  facts.device = producer.Label(array).value();
  facts.read_only = producer.ReadOnly(array);
  facts.has_streams = facts.device.device_type == kDLCUDA || facts.device.device_type == kDLROCM;
  const Negotiated want = Negotiate(facts, request);
  RefExport result = producer.Export(array, request);
  uint32_t outcome = 0;
  std::optional<std::string> objection;
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    outcome = ErrorBit(refusal->exception);
  } else {
    auto& capsule = *std::get_if<std::shared_ptr<RefCapsule>>(&result);
    const bool versioned = std::string_view(capsule->name) == "dltensor_versioned";
    outcome = versioned ? kVersionedCapsule : kLegacyCapsule;
    const DLTensor& t = versioned
                            ? static_cast<DLManagedTensorVersioned*>(capsule->managed)->dl_tensor
                            : static_cast<DLManagedTensor*>(capsule->managed)->dl_tensor;
    const bool shares =
        reinterpret_cast<uint64_t>(t.data) + t.byte_offset == producer.Pointer(array);
    if (want.copy == CopyRule::kMustShare && !shares) objection = "it is a copy";
    if (want.copy == CopyRule::kMustCopy && shares) objection = "it is no copy";
    if (want.device_known && DeviceText(t.device) != DeviceText(want.device)) {
      objection = "it is on " + DeviceText(t.device);
    }
    RefInterpreter interpreter;
    DropRefCapsule(capsule, &interpreter);
  }
  if (!Within(want.allowed, outcome)) objection = "outcome is not allowed";
  if (want.recommended != 0 && !Within(want.recommended, outcome)) {
    objection = "outcome is not recommended";
  }
  if (!objection) return objection;
  return RequestText(request) + ": " + *objection + "; " + NegotiatedText(want) + " by " +
         want.rule;
}

}  // namespace dlpc
