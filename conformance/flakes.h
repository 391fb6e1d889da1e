// Cases whose verdict changes when they are repeated.
#ifndef DLPC_CONFORMANCE_FLAKES_H_
#define DLPC_CONFORMANCE_FLAKES_H_

#include <functional>

#include "conformance/lanes.h"
#include "harness/results.h"

namespace dlpc {

/// Performs the cases of the result `times` more, by turns forwards and backwards, each time in
/// fresh hosts (`fresh` makes them). A case that once ended otherwise gets the worse status and
/// what was seen as `flaky`.
Status FindFlakes(const std::function<Expected<Lanes>()>& fresh, int times, RunResult& result);

/// How many cases are flaky.
size_t CountFlaky(const RunResult& result);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FLAKES_H_
