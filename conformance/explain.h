// `list` and `explain`: the register in words.
#ifndef DLPC_CONFORMANCE_EXPLAIN_H_
#define DLPC_CONFORMANCE_EXPLAIN_H_

#include <string>
#include <string_view>

#include "reference/expected.h"

namespace dlpc {

/// One line per requirement: id, level, number of cases, title.
std::string ListText();
/// id, level, title, citation, since, until, number of cases, mutants for each requirement.
std::string ListJson();
/// Requirement, level, citation, how it is checked, cases, mutants, what to do about a failure. An
/// Error for an unknown id names the nearest ones.
Expected<std::string> Explain(std::string_view id);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_EXPLAIN_H_
