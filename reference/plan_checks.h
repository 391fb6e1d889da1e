// Internal to reference/: what is refused whatever the export would be.
#ifndef DLPC_REFERENCE_PLAN_CHECKS_H_
#define DLPC_REFERENCE_PLAN_CHECKS_H_

#include <optional>
#include <string>
#include <utility>

#include "reference/plan.h"

namespace dlpc {

inline Refusal BufferError(std::string message) { return {"BufferError", std::move(message)}; }
inline Refusal TypeError(std::string message) { return {"TypeError", std::move(message)}; }
inline Refusal ValueError(std::string message) { return {"ValueError", std::move(message)}; }

/// Are the arguments of the call of legal types?
std::optional<Refusal> CheckSignature(Mutant mutant, const Request& request);

/// Can DLPack describe the array?
std::optional<Refusal> CheckArray(const PlanFacts& facts);

/// Is the stream one of the device that the data are exported to?
std::optional<Refusal> CheckStream(Mutant mutant, DLDevice target, const Request& request);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PLAN_CHECKS_H_
