// The exported functions of dlpc_pjrt_emulation.so. Programs load it by path; this is for the
// tests.
#ifndef DLPC_HARNESS_EMULATION_PLUGIN_H_
#define DLPC_HARNESS_EMULATION_PLUGIN_H_

#include <cstdint>

#include "harness/emulation/pjrt_abi.h"

#pragma GCC visibility push(default)  // The rest of the library is hidden.
extern "C" {

/// What a caller of PJRT plug-ins looks for.
const dlpc::emulation::Api* GetPjrtApi();

/// How often a function of the table was called ("PJRT_Client_Create"); -1: there is none such.
int64_t dlpc_emulation_calls(const char* name);
/// How often the plug-in was asked to let this stream wait for a buffer; and any stream.
int64_t dlpc_emulation_waits(int64_t stream);
int64_t dlpc_emulation_all_waits();
}
#pragma GCC visibility pop

#endif  // DLPC_HARNESS_EMULATION_PLUGIN_H_
