#include "harness/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlpc {
namespace {

/// Bounds one trial beside the limit of each script in it.
constexpr double kTrialS = 60;

/// "in step 2 (export)", "after its last step".
std::string PlaceText(const Script& script, uint32_t step) {
  if (step >= script.steps.size()) return "after its last step";
  return fmt::format("in step {} ({})", step, OpName(script.steps[step].op));
}

}  // namespace

Outcome DeathOutcome(const Death& death, const Script& script) {
  Outcome outcome;
  outcome.kind = death.kind;
  outcome.step = death.step;
  outcome.text = death.what + ' ' + PlaceText(script, death.step);
  outcome.stderr_tail = death.stderr_tail;
  return outcome;
}

Blame::Trial Blame::Try(std::span<const size_t> history) {
  Trial trial;
  if (trials_left_ <= 0) return trial;
  --trials_left_;
  auto session = Session::Start(command_, options_);
  if (!session) return trial;
  std::vector<const Script*> list;
  for (const size_t index : history) list.push_back(scripts_[index]);
  std::optional<Outcome> last;
  const auto settle = [&](size_t i, Outcome outcome) {
    if (i + 1 == list.size()) last = std::move(outcome);
  };
  const auto death = (*session)->Run(list, {settle, {}}, std::max(kTrialS, 2 * options_.timeout_s));
  if (!death) return {Result::kSurvived, {}, std::move(last)};
  if (death->kind != Outcome::Kind::kError) trial.result = Result::kDied;
  trial.death = *death;
  return trial;
}

Blame::Verdict Blame::Find(const std::vector<size_t>& history, const Death& death) {
  const size_t script = history.back();
  Verdict verdict{script, DeathOutcome(death, *scripts_[script]), {}};
  if (!options_.confirm) return verdict;
  Trial alone = Try(std::span(history).last(1));
  switch (alone.result) {
    case Result::kUnknown:
      verdict.outcome.text += " (not confirmed)";
      return verdict;
    case Result::kDied:
      verdict.outcome = DeathOutcome(alone.death, *scripts_[script]);
      verdict.outcome.text += " (confirmed alone)";
      return verdict;
    case Result::kSurvived:
      verdict.survivor = std::move(alone.last);
      return FindEarlier(history, std::move(verdict), death);
  }
  return verdict;
}

/// The script survives alone: replay all that the host ran before it, and narrow that down.
Blame::Verdict Blame::FindEarlier(const std::vector<size_t>& history, Verdict verdict,
                                  const Death& death) {
  const auto unproven = [&](std::string_view why) {
    verdict.survivor.reset();
    verdict.outcome.text += fmt::format(" ({})", why);
    return verdict;
  };
  const char* once = death.kind == Outcome::Kind::kTimeout
                         ? "hung once, not reproduced alone or in sequence"
                         : "died once, not reproduced alone or in sequence";
  const Trial replay = history.size() > 1 ? Try(history) : Trial{Result::kSurvived, {}, {}};
  if (replay.result == Result::kSurvived) return unproven(once);
  constexpr auto kInconclusive = "not alone; the earlier script to blame was not found in time";
  if (replay.result == Result::kUnknown) return unproven(kInconclusive);
  const auto found = Bisect(history);
  if (!found) return unproven(kInconclusive);

  const size_t victim = history.back();
  const Script& earlier = *scripts_[*found];
  verdict.culprit = *found;
  // A script that kills with a delay, e.g. by what it wrote into the pipe, dies alone as well.
  const Trial alone = Try(std::array{*found});
  if (alone.result == Result::kDied) {
    verdict.outcome = DeathOutcome(alone.death, earlier);
    verdict.outcome.text += " (confirmed alone)";
    return verdict;
  }
  const Trial pair = Try(std::array{*found, victim});
  verdict.outcome.step = static_cast<uint32_t>(earlier.steps.size());
  verdict.outcome.died_in = static_cast<int64_t>(victim);
  verdict.outcome.text =
      fmt::format("the host died later, {} of script {}, because of this script: {}{}",
                  PlaceText(*scripts_[victim], death.step), victim, death.what,
                  pair.result == Result::kDied ? "" : " (only with scripts between them)");
  return verdict;
}

/// The last script of the history without which the host survives. Pre: all of it kills the host,
/// its last script alone does not.
std::optional<size_t> Blame::Bisect(const std::vector<size_t>& history) {
  size_t dies = 0, survives = history.size() - 1;  // Suffixes that start there.
  while (survives - dies > 1) {
    const size_t middle = dies + (survives - dies) / 2;
    const Trial trial = Try(std::span(history).subspan(middle));
    if (trial.result == Result::kUnknown) return {};
    (trial.result == Result::kDied ? dies : survives) = middle;
  }
  return history[dies];
}

}  // namespace dlpc
