// From what the user typed to a command that starts a host.
#ifndef DLPC_CONFORMANCE_PRODUCERS_H_
#define DLPC_CONFORMANCE_PRODUCERS_H_

#include <string>
#include <string_view>

#include "harness/engine.h"
#include "reference/expected.h"

namespace dlpc {

/// The producer as given on the command line.
struct ProducerOptions {
  std::string producer;  // "numpy", "reference", "path/to/lib.so"; empty with `object`.
  std::string object;    // --object 'module:expression'
  std::string adapter;   // --adapter FILE.py
  std::string python;    // --python PATH
  std::string mutant;    // --mutant NAME, for the reference.
};

/// The host for it. Errors are one line for the user: unknown producer, no interpreter, package not
/// installed, file missing.
Expected<HostCommand> ResolveHost(const ProducerOptions& options);

/// The host of the reference producer or one of its mutants ("" for the correct one).
HostCommand MutantHost(std::string_view mutant);

/// A Python host whose adapter finds an emulated accelerator in the environment
/// (docs/emulation.md).
Expected<HostCommand> EmulatedHost(HostCommand host, std::string_view profile);

/// What is ready on this machine: hosts, interpreters, known producers. For `doctor`.
std::string DoctorText();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_PRODUCERS_H_
