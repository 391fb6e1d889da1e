// Ctrl-C and SIGTERM end a run early, with a report of what was done.
#ifndef DLPC_CONFORMANCE_INTERRUPT_H_
#define DLPC_CONFORMANCE_INTERRUPT_H_

#include <atomic>

#include "conformance/gtest_run.h"

namespace dlpc {

/// From now on the first SIGINT, SIGTERM or SIGHUP sets this; the second ends the process as
/// always.
const std::atomic<bool>* StopOnSignals();

/// Takes out what was not performed because of that, and says so: the result is then partial.
/// Returns how many cases there were.
size_t DropInterrupted(GtestRun& run);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_INTERRUPT_H_
