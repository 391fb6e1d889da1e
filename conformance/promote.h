// From a finding of the fuzzer to something that is kept: a seed, and a case of the catalogue.
#ifndef DLPC_CONFORMANCE_PROMOTE_H_
#define DLPC_CONFORMANCE_PROMOTE_H_

#include <string>
#include <string_view>

#include "harness/script.h"

namespace dlpc {

/// A family with the script, as C++ for conformance/families*.cc, and the row that judges it.
std::string CaseStub(std::string_view name, std::string_view requirement, const Script& script);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_PROMOTE_H_
