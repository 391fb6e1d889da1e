// Runs scripts in host processes: batches over pipes, restart only after a death, time and memory
// limits, and blame for each death. Never loads vendor code.
#ifndef DLPC_HARNESS_ENGINE_H_
#define DLPC_HARNESS_ENGINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "reference/expected.h"

namespace dlpc {

/// How to start a host: program (full path), arguments after argv[0], extra environment NAME=value.
/// The engine appends three arguments: the descriptor numbers of the request pipe, the reply pipe
/// and the shared progress page.
struct HostCommand {
  std::string program;
  std::vector<std::string> args;
  std::vector<std::string> env;
};

struct EngineOptions {
  int jobs = 1;
  int batch = 128;            // Scripts per request.
  double timeout_s = 10;      // Per script; also for start-up, times 12.
  uint64_t memory_mb = 8192;  // Resident memory at which a host is killed.
  int max_deaths = 40;        // After so many deaths no further script is tried (each job counts).
  bool confirm = true;        // Confirm each death in a fresh host.
  // Set by a signal handler: hosts are stopped, what was not performed is an error (kInterrupted).
  const std::atomic<bool>* stop = nullptr;

  bool Stopped() const { return stop != nullptr && stop->load(); }
};

/// Outcome::text of what was not performed because the run was stopped.
inline constexpr const char* kInterrupted = "not run: interrupted";

/// What became of one script.
struct Outcome {
  enum class Kind : uint8_t {
    kTrace,    // `trace` is complete.
    kCrash,    // The host died in `step`.
    kTimeout,  // `step` did not end within the limit.
    kError,    // Our fault, the adapter's, or given up after too many deaths.
  };
  Kind kind = Kind::kError;
  Trace trace;
  uint32_t step = 0;
  std::string text;  // "SIGSEGV in step 2 (export)", "no answer within 10 s in step 3 (read)".
  int64_t died_in =
      -1;  // The later script (index of Run) that the host died in because of this one.
  std::string stderr_tail;  // The last 4 KiB the host wrote, valid UTF-8.
};

struct RunStats {
  double start_s = 0;  // Until the first host was ready.
  double run_s = 0;    // First script sent to last trace received.
  int deaths = 0;
  uint64_t host_rss_kb = 0;        // Peak resident memory of a host at the end of its run.
  uint64_t host_start_rss_kb = 0;  // When it reported ready.
};

class Engine {
 public:
  Engine(HostCommand command, EngineOptions options);

  /// Starts one host and asks who it is. An Error means that nothing can run: its text is one line
  /// for the user (adapter's syntax error, no such library, wrong ABI...).
  Expected<Claims> Start();

  using Settled = std::function<void(size_t index, const Outcome& outcome)>;

  /// Runs every script; outcomes in the same order. `progress` (may be empty) is told how many are
  /// done. `settled` (may be empty) gets each outcome as soon as it is known, while the host goes
  /// on; once more if a later death turns out to be that script's fault. It is called on the thread
  /// that drives the host: one script's calls never overlap, those of several jobs do. Calls Start
  /// if it was not called.
  std::vector<Outcome> Run(const std::vector<const Script*>& scripts,
                           const std::function<void(size_t done)>& progress,
                           const Settled& settled = {});

  const RunStats& stats() const { return stats_; }
  ~Engine();

 private:
  std::vector<Outcome> RunStaying(const std::vector<const Script*>& scripts,
                                  const std::function<void(size_t done)>& progress,
                                  const Settled& settled);
  struct Impl;
  Impl* impl_;
  RunStats stats_;
};

/// Exit code of ServeHost after a script that ends the host (Op::kEnd): the process must now end as
/// any program does, interpreter and all, without destroying `backend`. A handler of exit() does
/// the rest.
inline constexpr int kHostEnds = 64;

/// The host's side: answers requests on the descriptors until the request pipe closes. Returns the
/// exit code. `backend` lives in this process.
int ServeHost(Backend* backend, int request_fd, int reply_fd, int progress_fd);

/// The host's side when no backend could be made: tells the runner why, then returns the exit code.
int ServeFailure(const std::string& message, int reply_fd);

}  // namespace dlpc

#endif  // DLPC_HARNESS_ENGINE_H_
