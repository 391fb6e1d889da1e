#include <algorithm>
#include <array>
#include <string>

#include "fuzz/map_facts.h"
#include "fuzz/properties.h"
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
  const bool given = braced(facts.platform) || braced(facts.platform_version) ||
                     braced(facts.memory_kind) || braced(facts.device);
  if (!given && braced(refusal.message)) return "a hole in the text: " + refusal.message;
  return std::nullopt;
}

}  // namespace

Broken PropertyDeviceMap(std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
  const auto oracles = MapOracles();
  const MapOracle& oracle = oracles[reader.Take<uint8_t>() % oracles.size()];
  const DeviceFacts facts = TakeFacts(reader);
  // Found by name at first only: a target spends its time on the facts.
  static const std::array<std::span<const DeviceRule>, 32> rules = [&] {
    std::array<std::span<const DeviceRule>, 32> all;
    for (size_t i = 0; i < oracles.size(); ++i) all[i] = DeviceRules(oracles[i].profile);
    return all;
  }();
  const auto table = rules[static_cast<size_t>(&oracle - oracles.data())];
  const DeviceAnswerOrRefusal answer = MapDevice(table, facts);
  const std::string where = std::string(oracle.profile) + ": ";
  if (DecidingRule(table, facts) >= table.size()) return where + "no row decides";
  const DeviceAnswerOrRefusal wanted = oracle.answer(facts);
  if (!Same(answer, wanted)) {
    return where + "table " + MapText(answer) + ", oracle " + MapText(wanted);
  }
  const bool device = std::holds_alternative<DLDevice>(answer);
  if (SupportsDLPack(oracle.profile, facts) != device) return where + "guard and map disagree";
  if (device) return std::nullopt;
  auto broken = WellFormed(*std::get_if<Refusal>(&answer), facts);
  return broken ? where + *broken : broken;
}

}  // namespace dlpc
