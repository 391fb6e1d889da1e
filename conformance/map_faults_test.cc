// A mutant for every branch of the device map: the reference producer tells its places by one
// profile, with one fault in one row. The suite must see each of them.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"
#include "conformance/places.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"
#include "reference/device_map.h"
#include "reference/place_map.h"

namespace dlpc {
namespace {

bool SpeaksOfPlaces(const Case& c) {
  const std::string_view id = c.requirement->id;
  return id.starts_with("DEV-") || id.starts_with("ERR-") || id.starts_with("COPY-");
}

// The cases that look at places, each script with those that judge it.
const std::map<const NamedScript*, std::vector<const Case*>>& ByScript() {
  static const auto scripts = [] {
    std::map<const NamedScript*, std::vector<const Case*>> by_script;
    for (const Case& c : Catalogue()) {
      if (SpeaksOfPlaces(c)) by_script[c.script].push_back(&c);
    }
    return by_script;
  }();
  return scripts;
}

std::set<std::string> Failed(std::string_view profile, MapFault fault = {}) {
  ReferenceBackend backend(Mutant::kNone, profile, fault);
  const Claims claims = backend.GetClaims();
  Machine machine(&backend, nullptr);
  std::set<std::string> failed;
  for (const auto& [script, cases] : ByScript()) {
    Outcome outcome;
    outcome.kind = Outcome::Kind::kTrace;
    outcome.trace = machine.Run(script->script);
    const ScriptJudge judge(*script, outcome, &claims);
    for (const Case* c : cases) {
      const Verdict verdict = judge(*c);
      EXPECT_NE(verdict.status, CaseStatus::kError) << c->id << ": " << verdict.observed.text();
      if (IsBad(verdict.status)) failed.insert(c->id);
    }
  }
  return failed;
}

// Rows that decide for some place where the reference can make an array.
std::set<size_t> Reached(std::span<const DeviceRule> rules) {
  std::set<size_t> reached;
  for (const auto& [script, cases] : ByScript()) {
    for (const ArraySpec& spec : script->script.specs) {
      reached.insert(DecidingRule(rules, PlaceFacts(spec)));
    }
  }
  return reached;
}

size_t Faults(std::string_view profile) {
  const auto rules = DeviceRules(profile);
  const std::set<size_t> reached = Reached(rules);
  const std::set<std::string> sound = Failed(profile);
  size_t faults = 0;
  for (const size_t row : reached) {
    for (auto kind = MapFault::Kind::kType; kind != MapFault::Kind::kCount_;
         kind = static_cast<MapFault::Kind>(static_cast<int>(kind) + 1)) {
      if (!CanHave(rules[row], kind)) continue;
      ++faults;
      std::set<std::string> failed = Failed(profile, {kind, row});
      for (const std::string& id : sound) failed.erase(id);
      EXPECT_FALSE(failed.empty())
          << profile << ", row " << row << " (" << rules[row].platform << ", "
          << rules[row].memory_kind << "): " << MapFaultName(kind) << " is not seen";
    }
  }
  return faults;
}

// The other rows name platforms of which no kind of memory is made: device_map_test has them.
TEST(MapFaultsTest, EveryRowOfTheGenericMapThatAnArrayReaches) {
  EXPECT_TRUE(Failed("generic").empty());
  EXPECT_EQ(Reached(DeviceRules("generic")).size(), 13u);
  EXPECT_EQ(Faults("generic"), 39u);
}

TEST(MapFaultsTest, EveryRowOfTheMapOfJax) {
  EXPECT_EQ(Reached(DeviceRules("jax")).size(), DeviceRules("jax").size());
  EXPECT_EQ(Faults("jax"), 3 * DeviceRules("jax").size());
}

TEST(MapFaultsTest, EveryRowOfTheMapOfOlderJax) {
  for (const char* profile : {"jax@0.10.2", "jax@0.10"}) {
    EXPECT_EQ(Reached(DeviceRules(profile)).size(), DeviceRules(profile).size()) << profile;
    EXPECT_EQ(Faults(profile), 3 * DeviceRules(profile).size()) << profile;
  }
}

}  // namespace
}  // namespace dlpc
