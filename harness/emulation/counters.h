// What was asked of the plug-in, for the tests that look on from outside: the library exports these
// counts as C functions (plugin.cc).
#ifndef DLPC_HARNESS_EMULATION_COUNTERS_H_
#define DLPC_HARNESS_EMULATION_COUNTERS_H_

#include <cstdint>
#include <string_view>

#include "harness/emulation/pjrt_slots.h"

namespace dlpc::emulation {

void CountCall(Slot slot);
void CountWait(int64_t stream);

/// Calls of a function, by its full name; -1 if the table has no such function.
int64_t Calls(std::string_view name);

/// How often it was asked that `stream` wait for a buffer; of all streams together.
int64_t Waits(int64_t stream);
int64_t AllWaits();

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_COUNTERS_H_
