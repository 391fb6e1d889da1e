// Internal to reference/: how the reference producer answers the arguments of one `__dlpack__`
// call.
#ifndef DLPC_REFERENCE_PLAN_H_
#define DLPC_REFERENCE_PLAN_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <variant>

#include "reference/array_state.h"
#include "reference/device_map.h"
#include "reference/layout.h"
#include "reference/mutants.h"
#include "reference/request.h"

namespace dlpc {

/// What an export will be.
struct Plan {
  enum class Data : uint8_t {
    kShared,
    kCopy,
    kSecretCopy,  // Mutants: a copy that claims to be shared.
  };
  bool versioned = false;
  DLDevice device{kDLCPU, 0};
  Data data = Data::kShared;
};

using PlanOrRefusal = std::variant<Plan, Refusal>;

/// What a producer knows of its array when it is asked for an export.
struct PlanFacts {
  Mutant mutant = Mutant::kNone;
  Memory memory = Memory::kCpu;
  DLDevice label{kDLCPU, 0};  // The array's device by the reference map.
  uint8_t flags = 0;          // SpecFlag bits of the array.
  Place place = Place::kOrdinary;
  const Refusal* unplaced = nullptr;  // The map has no device for the array: its refusal.
  ArrayState state = ArrayState::kPlain;
  DLDataType dtype{kDLFloat, 32, 1};
};

PlanOrRefusal PlanExport(const PlanFacts& facts, const Request& request);

/// What `__dlpack_device__` answers: the label, but in mutants.
DLDevice ClaimedDevice(const PlanFacts& facts);

/// What the struct of an export says that was planned for `device`; differs in mutants only.
DLDevice StructDevice(const PlanFacts& facts, DLDevice device);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PLAN_H_
