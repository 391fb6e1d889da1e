// Internal to reference/: how an export ends, by its deleter or by its capsule's destructor.
#ifndef DLPC_REFERENCE_RELEASE_H_
#define DLPC_REFERENCE_RELEASE_H_

#include <string_view>

#include "reference/mutants.h"
#include "reference/producer.h"
#include "reference/storage.h"

namespace dlpc {

/// What the struct's deleter field holds: a function for the struct that the node has, but in
/// twins.
const void* DeleterOf(const ExportNode& node);

/// How many references to the array an export takes.
int References(Mutant m, const RefArray& array);

/// The name of a consumed capsule.
bool IsUsedName(std::string_view name);
void ReportUnknownName(std::string_view name, RefInterpreter* interpreter);

const char* CapsuleName(Mutant m, bool versioned);  // Static texts, as CAP-08 demands.
void DestroyCapsule(RefCapsule* capsule, RefInterpreter* interpreter);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_RELEASE_H_
