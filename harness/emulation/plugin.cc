// What the shared library exports.
#include "harness/emulation/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "harness/emulation/counters.h"
#include "harness/emulation/stream.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

/// jaxlib calls some functions of its own header without a look at our version
/// (PJRT_Executable_GetCompiledMemoryStats, for one): behind the table it must find something to
/// call.
struct PaddedApi {
  Api api;
  Function newer[160];
};

Error* Newer(void*) {
  return MakeError(Code::kUnimplemented, "the emulation has no function newer than PJRT 0." +
                                             std::to_string(kApiMinor) + ".");
}

PaddedApi MakeApi() {
  const Table table;
  PaddedApi padded = {};
  Api& api = padded.api;
  api.header = {sizeof api, std::getenv("DLPC_EMU_NO_STREAMS") == nullptr ? Streams() : nullptr};
  api.version = {{sizeof api.version, nullptr}, kApiMajor, kApiMinor};
  std::copy_n(table.slots(), kSlots, api.slots);
  std::ranges::fill(padded.newer, &Newer);
  return padded;
}

}  // namespace
}  // namespace dlpc::emulation

const dlpc::emulation::Api* GetPjrtApi() {
  static const dlpc::emulation::PaddedApi padded = dlpc::emulation::MakeApi();
  return &padded.api;
}

int64_t dlpc_emulation_calls(const char* name) { return dlpc::emulation::Calls(name); }
int64_t dlpc_emulation_waits(int64_t stream) { return dlpc::emulation::Waits(stream); }
int64_t dlpc_emulation_all_waits() { return dlpc::emulation::AllWaits(); }
