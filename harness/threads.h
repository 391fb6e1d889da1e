// Threads that an interpreter never saw, for deleters and exports.
#ifndef DLPC_HARNESS_THREADS_H_
#define DLPC_HARNESS_THREADS_H_

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace dlpc {

using Work = std::function<void()>;

/// Runs each on a thread of its own, all let go at the same time, and calls `meanwhile` (may be
/// empty) again and again until all are done. What cannot get a thread runs on this one.
void RunTogether(const std::vector<Work>& work, const Work& meanwhile);

/// One call on a new thread.
class ForeignCall {
 public:
  explicit ForeignCall(const Work& call);
  ~ForeignCall() { Join(); }
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  /// Waits until the call came to its end (true) or its thread sleeps, which is how a thread waits
  /// for a lock (false). False also after a second of neither.
  bool EndsWithoutWaiting() const;
  void Join();

 private:
  std::atomic<int> id_{0};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_THREADS_H_
