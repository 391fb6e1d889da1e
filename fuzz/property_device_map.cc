#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "fuzz/map_facts.h"
#include "fuzz/properties.h"
#include "fuzz/sample.h"
#include "harness/input_reader.h"
#include "reference/device_map.h"
#include "reference/testing/device_map_oracle.h"

namespace dlpc {
namespace {

bool Same(const DeviceAnswerOrRefusal& a, const DeviceAnswerOrRefusal& b) {
  if (a.index() != b.index()) return false;
  if (const auto* refusal = std::get_if<Refusal>(&a)) return *refusal == *std::get_if<Refusal>(&b);
  const DLDevice x = *std::get_if<DLDevice>(&a), y = *std::get_if<DLDevice>(&b);
  return x.device_type == y.device_type && x.device_id == y.device_id;
}

// A class that could be one, and a text in which every placeholder is filled in.
Broken WellFormed(const Refusal& refusal, const DeviceFacts& facts) {
  const std::string& name = refusal.exception;
  const bool named = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!named) return "no class: '" + name + "'";
  if (refusal.message.empty()) return "a refusal without a text";
  const auto braced = [](const std::string& text) { return text.find('{') != text.npos; };
  if (!braced(refusal.message)) return std::nullopt;
  const bool given = braced(facts.platform) || braced(facts.platform_version) ||
                     braced(facts.memory_kind) || braced(facts.device);
  return given ? Broken() : "a hole in the text: " + refusal.message;
}

// The profiles of the oracles with their tables: looked up by name once.
struct Profile {
  MapOracle oracle;
  std::span<const DeviceRule> rules;
};
std::vector<Profile> AllProfiles() {
  std::vector<Profile> all;
  for (const MapOracle& oracle : MapOracles()) {
    all.push_back({oracle, DeviceRules(oracle.profile)});
  }
  return all;
}

// `guard` is asked of a part of the inputs only: it reads the same rows once more.
Broken Agrees(const Profile& profile, const DeviceFacts& facts, bool guard) {
  // Without a row that decides the table says LookupError, which no oracle does.
  const DeviceAnswerOrRefusal answer = MapDevice(profile.rules, facts);
  const DeviceAnswerOrRefusal wanted = profile.oracle.answer(facts);
  if (!Same(answer, wanted)) return "table " + MapText(answer) + ", oracle " + MapText(wanted);
  const bool device = std::holds_alternative<DLDevice>(answer);
  if (guard && SupportsDLPack(profile.rules, facts) != device) return "guard and map disagree";
  return device ? Broken() : WellFormed(*std::get_if<Refusal>(&answer), facts);
}

// The functions that take the profile's name are those that take its rows.
Broken AgreesByName(const Profile& profile, const DeviceFacts& facts) {
  const DeviceAnswerOrRefusal answer = MapDevice(profile.oracle.profile, facts);
  if (!Same(answer, MapDevice(profile.rules, facts))) return "found by name it answers otherwise";
  if (MapText(answer).empty()) return "an answer without a text";
  return SupportsDLPack(profile.oracle.profile, facts) == SupportsDLPack(profile.rules, facts)
             ? Broken()
             : Broken("found by name the guard answers otherwise");
}

}  // namespace

Broken PropertyDeviceMap(std::span<const uint8_t> bytes) {
  static const std::vector<Profile> profiles = AllProfiles();
  static DeviceFacts facts;  // Its memory is used again.
  InputReader reader(bytes);
  const Profile& profile = profiles[reader.Take<uint8_t>() % profiles.size()];
  TakeFacts(reader, facts);
  Broken broken = Agrees(profile, facts, Sampled(bytes, 16));
  if (!broken && Sampled(bytes, 1024)) broken = AgreesByName(profile, facts);
  return broken ? std::string(profile.oracle.profile) + ": " + *broken : broken;
}

}  // namespace dlpc
