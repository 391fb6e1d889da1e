#include "conformance/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace dlpc {
namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void Stop(int) { g_stop.store(true); }

}  // namespace

const std::atomic<bool>* StopOnSignals() {
  struct sigaction action {};
  action.sa_handler = Stop;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  return &g_stop;
}

size_t DropInterrupted(GtestRun& run) {
  std::vector<CaseResult>& cases = run.result.cases;
  const auto end = std::remove_if(cases.begin(), cases.end(), [](const CaseResult& c) {
    return c.status == CaseStatus::kError && c.observed == kInterrupted;
  });
  const auto dropped = static_cast<size_t>(cases.end() - end);
  if (dropped == 0) return 0;
  cases.erase(end, cases.end());
  for (LaneOutcomes& lane : run.lanes) {
    std::erase_if(lane.outcomes, [](const auto& item) { return item.second.text == kInterrupted; });
  }
  run.result.partial = true;
  run.result.notes.push_back(fmt::format(
      "the run was interrupted: {} cases were not tried (rerun continues it)", dropped));
  return dropped;
}

}  // namespace dlpc
