// One host from its start to its end, and the loop that feeds it: batches out, traces in, limits
// watched. Says which script a death belongs to, not yet whose fault it was (blame.h).
#ifndef DLPC_HARNESS_SESSION_H_
#define DLPC_HARNESS_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "harness/engine.h"
#include "harness/host_process.h"
#include "harness/wire.h"

namespace dlpc {

/// How a host's life ended, or what it was killed for.
struct Death {
  Outcome::Kind kind = Outcome::Kind::kCrash;
  std::optional<size_t> script;  // Index into the list given to Run; nullopt: none had run.
  uint32_t step = 0;             // The number of steps when it died after the last one.
  std::string what;              // "SIGSEGV", "no answer within 10 s"
  std::string stderr_tail;
};

/// Told what comes out of a session; `index` counts in the list given to Run.
struct SessionSink {
  std::function<void(size_t index, Outcome outcome)> settle;
  std::function<void()> pulse;  // After every handful of settled scripts; may be empty.
};

class Session {
 public:
  /// Starts a host and waits until it is ready.
  static Expected<std::unique_ptr<Session>> Start(const HostCommand& command,
                                                  const EngineOptions& options);
  /// Lets the host leave in peace, if it lives.
  ~Session();

  const Claims& claims() const { return claims_; }
  uint64_t start_rss_kb() const { return start_rss_kb_; }
  uint64_t PeakRssKb() const { return host_->PeakResidentKb(); }

  /// After a script that ends the host: waits for that, and kills the host if it takes too long.
  /// The session cannot be used again.
  Ended AwaitEnd();

  /// Has a benchmark's loop performed. An Error if the host died, hangs or says something else; the
  /// session cannot be used again.
  Expected<Timing> Measure(const Measurement& measurement, double limit_s);

  /// Runs scripts in order. Nullopt: all are settled. After a death the session cannot be used
  /// again. `limit_s` bounds the whole call: when it is over, a Death of kind kError without a
  /// script.
  std::optional<Death> Run(std::span<const Script* const> scripts, const SessionSink& sink,
                           double limit_s);

 private:
  static constexpr double kExitGraceS = 2;  // From closed pipes to the exit status.

  using Clock = std::chrono::steady_clock;

  explicit Session(const EngineOptions& options) : options_(options) {}

  std::optional<Error> AwaitClaims();
  Error NotReady(const std::string& why);

  FrameReader::FillResult Pump();
  void Send();
  void QueueBatches();
  std::optional<std::string> Receive();
  std::optional<std::string> Accept(const FrameView& frame);
  void Settle(Frame kind, std::span<const uint8_t> payload);
  std::optional<Death> CheckLimits();
  /// What the progress page says.
  struct Place {
    uint32_t script;
    uint32_t step;
  };
  Place CurrentPlace() const;
  Death Die(Outcome::Kind kind, std::string what, bool salvage, std::optional<Place> place = {});
  Death DieOfExit();
  void Charge(Death& death, const Place& place, bool salvaged) const;

  const EngineOptions options_;
  std::unique_ptr<HostProcess> host_;
  Claims claims_;
  uint64_t start_rss_kb_ = 0;
  bool dead_ = false;
  FrameReader reader_;
  std::string out_;  // Requests not yet written, from out_begin_ on.
  size_t out_begin_ = 0;

  // The Run in progress. Scripts are numbered from 1 through the whole session: base_ is the number
  // of the last one of the earlier Runs.
  std::span<const Script* const> scripts_;
  const SessionSink* sink_ = nullptr;
  uint32_t base_ = 0;
  size_t sent_ = 0;
  size_t answered_ = 0;
  int open_batches_ = 0;
  uint32_t seen_script_ = 0;  // Progress word and answers at the last change, and when that was.
  size_t seen_answered_ = 0;
  Clock::time_point changed_, ticked_, deadline_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_SESSION_H_
