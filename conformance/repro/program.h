// A program that shows one failing case by itself: Python with nothing but the producer and ctypes,
// C++ for a plug-in (native_program.h).
#ifndef DLPC_CONFORMANCE_REPRO_PROGRAM_H_
#define DLPC_CONFORMANCE_REPRO_PROGRAM_H_

#include <optional>
#include <string>

#include "harness/engine.h"
#include "harness/results.h"

namespace dlpc {

/// A case that was performed, with all that is known of it.
struct ReproSubject {
  const CaseResult* result = nullptr;
  const RequirementResult* requirement = nullptr;
  const Claims* claims = nullptr;
  const Script* script = nullptr;
  const Outcome* outcome = nullptr;
};

/// The program; it exits 1 if the rule is broken, 0 if it is kept, 3 if it could not look. nullopt:
/// the case cannot be shown so.
std::optional<std::string> ReproProgram(const ReproSubject& subject);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_PROGRAM_H_
