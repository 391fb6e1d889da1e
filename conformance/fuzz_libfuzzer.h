// libFuzzer inside the vendor's interpreter, in processes of its own (fuzz/python).
#ifndef DLPC_CONFORMANCE_FUZZ_LIBFUZZER_H_
#define DLPC_CONFORMANCE_FUZZ_LIBFUZZER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/engine.h"

namespace dlpc {

/// Where the module dlpc_fuzz of a build with clang lies: beside the executable or in
/// build/fuzz-fast of the source tree; empty: nowhere.
std::string FindFuzzModule();

/// Is it a host that libFuzzer can run in?
bool IsPythonHost(const HostCommand& host);

struct LibFuzzerResult {
  std::vector<std::string> inputs;  // Those that showed something, or in which the process died.
  uint64_t scripts = 0;             // As far as the processes lived to tell.
  int deaths = 0;
};

/// `host`: how the producer's ordinary host is started. Processes that die are started again until
/// the time is over. An Error where none could be started.
Expected<LibFuzzerResult> RunLibFuzzer(const HostCommand& host, const std::string& module,
                                       const EngineOptions& engine, double seconds, uint64_t seed);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FUZZ_LIBFUZZER_H_
