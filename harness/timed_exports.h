// The parts of benchmarks' loops that are the same for every kind of producer. Between the clock's
// two looks a struct is trusted: what a safe look at it costs is no cost of the producer's.
#ifndef DLPC_HARNESS_TIMED_EXPORTS_H_
#define DLPC_HARNESS_TIMED_EXPORTS_H_

#include <dlpack/dlpack.h>

#include <functional>

#include "harness/backend.h"
#include "harness/timing.h"

namespace dlpc {

/// Calls the deleter of a managed tensor that the caller owns, if it has one. False if a C++
/// exception came out.
bool ReleaseExport(const ManagedRef& ref);

/// kTableOwned, kTableBorrowed: `object` as the functions of the table take it.
Timing TimeTable(const DLPackExchangeAPI& api, void* object, const Measurement& m);

/// kThreads: `release` is one export and its end, on any thread. kReleaseThreads: `consume` makes
/// an export that is ours, on this thread and before the clock starts. `release_lock` as for
/// TimeThreads.
Timing TimeExportsOnThreads(const Measurement& m, const std::function<bool()>& release,
                            const std::function<bool(ManagedRef*)>& consume,
                            const std::function<void(const std::function<void()>&)>& release_lock);

}  // namespace dlpc

#endif  // DLPC_HARNESS_TIMED_EXPORTS_H_
