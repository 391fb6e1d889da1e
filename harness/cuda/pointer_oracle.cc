#include "harness/cuda/pointer_oracle.h"

#include <fmt/format.h>

#include "reference/contract.h"

namespace dlpc::cuda {
namespace {

struct KindRow {
  Kind kind;
  DLDeviceType type;
  const char* name;
};
constexpr KindRow kKinds[] = {
    {Kind::kUnregistered, kDLCPU, "memory that CUDA does not know"},
    {Kind::kDevice, kDLCUDA, "device memory"},
    {Kind::kHost, kDLCUDAHost, "pinned host memory"},
    {Kind::kManaged, kDLCUDAManaged, "managed memory"},
};

const KindRow& RowOf(Kind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row;
  }
  return kKinds[0];
}

}  // namespace

DLDevice DeviceOf(const PointerFacts& facts) {
  return {RowOf(facts.kind).type, facts.kind == Kind::kDevice ? facts.ordinal : 0};
}

std::optional<std::string> Contradiction(const PointerFacts& facts, DLDevice claimed) {
  const KindRow& row = RowOf(facts.kind);
  const bool exact = facts.kind == Kind::kDevice || facts.kind == Kind::kUnregistered;
  const DLDevice right = DeviceOf(facts);
  const bool id_fits = exact ? claimed.device_id == right.device_id : claimed.device_id >= 0;
  if (claimed.device_type == row.type && id_fits) return std::nullopt;
  return fmt::format("the driver knows {} of device {}, the export says {}", row.name,
                     facts.ordinal, DeviceText(claimed));
}

std::optional<std::string> Contradiction(Runtime& runtime, const void* data, DLDevice claimed) {
  const Expected<PointerFacts> facts = runtime.Facts(data);
  if (!facts) return "the driver gives no answer: " + facts.error().message;
  return Contradiction(*facts, claimed);
}

}  // namespace dlpc::cuda
