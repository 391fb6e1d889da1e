// One child process that holds a producer: how it is started, watched and ended. Knows nothing of
// scripts.
#ifndef DLPC_HARNESS_HOST_PROCESS_H_
#define DLPC_HARNESS_HOST_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "harness/engine.h"
#include "harness/machine.h"
#include "reference/expected.h"

namespace dlpc {

/// Owns a file descriptor.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd();
  int get() const { return fd_; }
  void Close();

 private:
  int fd_;
};

class HostProcess {
 public:
  /// The child leads a process group of its own, dies with the calling *thread* (PR_SET_PDEATHSIG),
  /// has no descriptors but /dev/null, its output, and the three that its last arguments name.
  static Expected<std::unique_ptr<HostProcess>> Spawn(const HostCommand& command);
  /// Kills whatever is left of the process group and reaps it.
  ~HostProcess();

  int request_fd() const { return request_.get(); }  // Non-blocking socket: send(MSG_NOSIGNAL).
  int reply_fd() const { return reply_.get(); }      // Non-blocking.
  int output_fd() const { return output_.get(); }    // Non-blocking; -1 once it is closed.
  const Progress& progress() const { return *progress_; }

  /// Takes what the host has printed, at most about 1 MiB at a time.
  void DrainOutput();
  /// The last 4 KiB that the host printed.
  std::string OutputTail() const;

  /// Closes the request pipe, waits for the host to leave, at most `seconds`, then kills it.
  void Leave(double seconds);
  void Kill();

  /// It is no longer running; does not wait.
  bool Exited() const;
  /// Waits at most `seconds` for the end: "SIGSEGV", "host exited with code 3", nullopt if it runs.
  std::optional<std::string> HowItEnded(double seconds) const;

  uint64_t ResidentKb() const;      // Now; 0 once it is gone.
  uint64_t PeakResidentKb() const;  // VmHWM; likewise.

 private:
  HostProcess() = default;

  pid_t pid_ = -1;
  UniqueFd request_, reply_, output_, statm_;
  Progress* progress_ = nullptr;
  std::string tail_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOST_PROCESS_H_
