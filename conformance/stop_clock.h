// The end of a campaign: its time is over, or the user had enough.
#ifndef DLPC_CONFORMANCE_STOP_CLOCK_H_
#define DLPC_CONFORMANCE_STOP_CLOCK_H_

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace dlpc {

/// Sets a flag that the engine looks at: when the user stops us, and when the time is over.
class StopClock {
 public:
  explicit StopClock(const std::atomic<bool>* signalled)
      : signalled_(signalled), thread_([this](const std::stop_token& token) { Watch(token); }) {}

  /// From now on the time is over in so many seconds. `anyhow`: the user's signal, which is known,
  /// does not end it.
  void Set(double seconds, bool anyhow = false) {
    const std::lock_guard lock(mutex_);
    end_ = Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    anyhow_ = anyhow;
    over_ = !anyhow_ && Signalled();
  }
  bool Signalled() const { return signalled_ != nullptr && signalled_->load(); }
  const std::atomic<bool>* over() const { return &over_; }

 private:
  using Clock = std::chrono::steady_clock;
  void Watch(const std::stop_token& token) {
    while (!token.stop_requested()) {
      {
        const std::lock_guard lock(mutex_);
        over_ = (!anyhow_ && Signalled()) || Clock::now() > end_;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  const std::atomic<bool>* const signalled_;
  std::mutex mutex_;
  Clock::time_point end_ = Clock::time_point::max();
  bool anyhow_ = false;
  std::atomic<bool> over_{false};
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_STOP_CLOCK_H_
