// What a producer can be certified for.
#ifndef DLPC_CONFORMANCE_CERTIFICATE_PROFILES_H_
#define DLPC_CONFORMANCE_CERTIFICATE_PROFILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/results.h"

namespace dlpc {

struct Case;

struct ProfileResult {
  enum class State { kMet, kNotMet, kNotClaimed };
  std::string_view name;
  std::string_view what;  // "every MUST requirement that could be tested"
  State state = State::kNotMet;
  uint32_t passed = 0;    // Requirements.
  uint32_t untested = 0;  // Not one of their cases could be executed.
  std::vector<std::string> failed;
};
std::string_view StateName(ProfileResult::State state);  // "met", "not met", "not claimed"

/// Every profile, as far as the producer's claims go. A partial run meets none.
std::vector<ProfileResult> Profiles(const RunResult& result);

/// Leaves only the cases that a profile is judged by (run --profile).
Status KeepProfile(std::string_view name, std::vector<const Case*>& cases);
/// "profile core: met, 118 requirements passed, 3 untested": of a run of no other cases.
std::string ProfileText(std::string_view name, RunResult result);

/// The names, for messages: "core, full, ...".
std::string ProfileNames();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CERTIFICATE_PROFILES_H_
