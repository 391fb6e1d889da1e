// What a caller can do about a refusal, and the scripts that do it.
#ifndef DLPC_CONFORMANCE_REMEDIES_H_
#define DLPC_CONFORMANCE_REMEDIES_H_

#include <string>

#include "conformance/catalogue.h"
#include "conformance/families.h"

namespace dlpc {

/// Read-own (0), device, the refused export (0), read-own (1); then, where the way out is another
/// call, that call as export 1, inspect, read.
const Family& Remedies();

/// For reports: what helps against the first refused export of the script, e.g. "copy=True"; empty
/// if none was refused.
std::string RemedyText(const Evidence& e);

std::span<const Check> RemedyChecks();  // ERR: texts without addresses, and ways out that work.

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REMEDIES_H_
