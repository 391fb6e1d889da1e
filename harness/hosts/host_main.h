// The hosts that the suite's own executable can be: the reference producer and native plug-ins.
#ifndef DLPC_HARNESS_HOSTS_HOST_MAIN_H_
#define DLPC_HARNESS_HOSTS_HOST_MAIN_H_

#include <string>

#include "harness/engine.h"

namespace dlpc {

/// How the executable `self` is started as a host. An empty mutant is the correct producer.
HostCommand ReferenceHost(const std::string& self, const std::string& mutant);
HostCommand NativeHost(const std::string& self, const std::string& library);

/// Was this process started as a host?
bool IsHostMain(int argc, char** argv);

/// The host's whole life; returns the exit code. Pre: IsHostMain. The arguments are
/// `__host reference [--mutant NAME] FD FD FD` or `__host native PATH FD FD FD`.
int RunHostMain(int argc, char** argv);

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_HOST_MAIN_H_
