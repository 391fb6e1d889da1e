// Whose fault was a host's death? Finds out by running scripts again in fresh hosts.
#ifndef DLPC_HARNESS_BLAME_H_
#define DLPC_HARNESS_BLAME_H_

#include <optional>
#include <span>
#include <vector>

#include "harness/engine.h"
#include "harness/session.h"

namespace dlpc {

/// What a death makes of the script that it is charged to.
Outcome DeathOutcome(const Death& death, const Script& script);

class Blame {
 public:
  /// All three must outlive this object.
  Blame(const HostCommand& command, const EngineOptions& options,
        std::span<const Script* const> scripts)
      : command_(command), options_(options), scripts_(scripts) {}

  struct Verdict {
    size_t culprit = 0;  // Index into scripts.
    Outcome outcome;     // What to report for it.
    /// When an earlier script is to blame: what the script that died gives when it runs alone.
    std::optional<Outcome> survivor;
  };

  /// `history`: indexes of the scripts that the host ran, the one that the death is charged to
  /// last.
  Verdict Find(const std::vector<size_t>& history, const Death& death);

 private:
  enum class Result : uint8_t { kDied, kSurvived, kUnknown };
  struct Trial {
    Result result = Result::kUnknown;
    Death death;                  // When it died.
    std::optional<Outcome> last;  // When it survived: the outcome of the last script.
  };

  Trial Try(std::span<const size_t> history);
  Verdict FindEarlier(const std::vector<size_t>& history, Verdict verdict, const Death& death);
  std::optional<size_t> Bisect(const std::vector<size_t>& history);

  const HostCommand& command_;
  const EngineOptions& options_;
  std::span<const Script* const> scripts_;
  int trials_left_ = 60;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_BLAME_H_
