// Performs scripts on a Backend and records what happens. Runs in the host, next to vendor code.
#ifndef DLPC_HARNESS_MACHINE_H_
#define DLPC_HARNESS_MACHINE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/backend.h"

namespace dlpc {

/// Where the host is, in memory shared with the runner: survives any death of the host.
struct Progress {
  std::atomic<uint32_t> script{0};  // 1-based, through the host's life; 0: idle.
  std::atomic<uint32_t> step{0};    // 0-based index of the running step.
  std::atomic<uint32_t> stage{0};   // Ended::stage.
};

class Machine {
 public:
  /// `progress` may be nullptr. Neither pointer is owned.
  Machine(Backend* backend, Progress* progress);
  ~Machine();

  /// Performs every step; then releases all that the script left behind. Never throws.
  Trace Run(const Script& script);
  /// The same into `trace`, whose memory is used again.
  void Run(const Script& script, Trace& trace);

  /// Lets kEnd keep structs; whoever calls this ends the process when Kept is not empty.
  void AllowEnd();
  const std::vector<ManagedRef>& Kept() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_MACHINE_H_
