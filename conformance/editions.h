// The editions of the standards that a run judges against.
#ifndef DLPC_CONFORMANCE_EDITIONS_H_
#define DLPC_CONFORMANCE_EDITIONS_H_

#include <string>

#include "conformance/register.h"
#include "harness/script.h"
#include "reference/expected.h"

namespace dlpc {

struct Editions {
  std::string dlpack = "1.3";         // Of dlpack.h.
  std::string array_api = "2025.12";  // Of the array API standard.
};

/// Error: no release of that number that this suite knows.
Status CheckEditions(const Editions& editions);

/// Why these editions ask nothing of this kind: the rule is younger, or the script uses keywords
/// that are. Empty if the case is judged. What an older capsule may do (`until`) is no matter of
/// editions: judges look at the version that the struct itself claims.
std::string NotYetInForce(const RequirementRow& row, const Script& script,
                          const Editions& editions);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_EDITIONS_H_
