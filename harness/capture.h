// Runs a small program to its end and collects what it prints.
#ifndef DLPC_HARNESS_CAPTURE_H_
#define DLPC_HARNESS_CAPTURE_H_

#include <string>
#include <vector>

namespace dlpc {

struct Captured {
  int exit_code = -1;  // -1: could not be started, died of a signal, or was killed after `seconds`.
  std::string output;  // Standard output, at most 64 KiB. Standard error is thrown away.
};

/// `command[0]` is a path. Standard input is empty. Never throws.
Captured Capture(const std::vector<std::string>& command, double seconds);

}  // namespace dlpc

#endif  // DLPC_HARNESS_CAPTURE_H_
