#include "conformance/flakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace dlpc {
namespace {

// What one case did over all repetitions, the first run included.
struct History {
  std::map<CaseStatus, int> counts;
  std::map<CaseStatus, CaseResult> examples;  // The first of each status.
};

std::string HistoryText(const History& history) {
  std::string text;
  for (const auto& [status, count] : history.counts) {
    text += fmt::format("{}{} times {} ({})", text.empty() ? "" : "; ", count, StatusName(status),
                        history.examples.at(status).observed);
  }
  return text;
}

void Note(const CaseResult& c, History& history) {
  ++history.counts[c.status];
  history.examples.emplace(c.status, c);
}

}  // namespace

Status FindFlakes(const std::function<Expected<Lanes>()>& fresh, int times, RunResult& result) {
  std::unordered_map<std::string, History> histories;
  for (const CaseResult& c : result.cases) Note(c, histories[c.id]);
  for (int turn = 0; turn < times; ++turn) {
    const auto lanes = fresh();
    if (!lanes) return lanes.error();
    for (const Lane& lane : lanes->lanes) {
      std::vector<const Case*> cases;
      for (const Case* c : lane.cases) {
        if (histories.count(WithProfile(c->id, lane.emulated)) != 0) cases.push_back(c);
      }
      if (turn % 2 == 0) std::reverse(cases.begin(), cases.end());
      for (const CaseResult& c : lane.perform(cases, {}).results) {
        if (c.observed != kInterrupted) Note(c, histories[c.id]);
      }
    }
  }
  for (CaseResult& c : result.cases) {
    const History& history = histories[c.id];
    if (history.counts.size() < 2) continue;
    CaseStatus worst = c.status;
    for (const auto& [status, count] : history.counts) worst = Worse(worst, status);
    c = history.examples.at(worst);
    c.flaky = HistoryText(history);
  }
  return OkStatus();
}

size_t CountFlaky(const RunResult& result) {
  return static_cast<size_t>(std::count_if(result.cases.begin(), result.cases.end(),
                                           [](const CaseResult& c) { return !c.flaky.empty(); }));
}

}  // namespace dlpc
