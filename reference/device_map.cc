#include "reference/device_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "reference/contract.h"
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;
using When = DeviceRule::When;

// Whether `holds` is true of one of the words between the bars.
template <typename Predicate>
bool AnyWord(std::string_view words, Predicate holds) {
  while (true) {
    const size_t bar = words.find('|');
    if (holds(words.substr(0, bar))) return true;
    if (bar == std::string_view::npos) return false;
    words.remove_prefix(bar + 1);
  }
}

bool IsAnything(std::string_view words) { return words.size() == 1 && words[0] == '*'; }

bool IsOneOf(std::string_view words, std::string_view value) {
  if (IsAnything(words)) return true;
  if (words.size() < value.size()) return false;
  return AnyWord(words, [&](std::string_view word) { return word == value; });
}

// ASCII only: the texts are, and the locale must not matter.
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool Contains(std::string_view text, std::string_view word) {
  if (!word.starts_with('~')) return text.find(word) != std::string_view::npos;
  word.remove_prefix(1);
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return Lower(a) == Lower(b); }) != text.end();
}

bool Holds(When when, const DeviceFacts& facts) {
  switch (when) {
    case When::kAlways:
      return true;
    case When::kNotOneShard:
      return facts.shards != 1;
    case When::kManyDevices:
      return facts.devices > 1;
    case When::kNoId:
      return !facts.hardware_id;
    case When::kBadId:
      return facts.hardware_id.value_or(-1) < 0;
  }
  return false;
}

bool Matches(const DeviceRule& rule, const DeviceFacts& facts) {
  return Holds(rule.when, facts) && IsOneOf(rule.platform, facts.platform) &&
         IsOneOf(rule.memory_kind, facts.memory_kind) &&
         (IsAnything(rule.version) || AnyWord(rule.version, [&](std::string_view word) {
            return Contains(facts.platform_version, word);
          }));
}

std::string DeviceText(const DeviceFacts& facts) {
  if (!facts.device.empty()) return facts.device;
  return facts.hardware_id ? fmt::format("{}:{}", facts.platform, *facts.hardware_id)
                           : facts.platform;
}

std::string Fact(std::string_view name, const DeviceFacts& facts) {
  if (name == "platform") return facts.platform;
  if (name == "platform_version") return facts.platform_version;
  if (name == "memory_kind") return facts.memory_kind;
  if (name == "shards") return fmt::format("{}", facts.shards);
  if (name == "devices") return fmt::format("{}", facts.devices);
  if (name == "device") return DeviceText(facts);
  return fmt::format("{{{}}}", name);  // The tests see the braces.
}

// In one pass: a fact that looks like a placeholder stays as it is.
std::string Fill(std::string_view message, const DeviceFacts& facts) {
  std::string text;
  for (size_t open; (open = message.find('{')) != std::string_view::npos;) {
    const size_t close = message.find('}', open);
    if (close == std::string_view::npos) break;
    text += message.substr(0, open);
    text += Fact(message.substr(open + 1, close - open - 1), facts);
    message.remove_prefix(close + 1);
  }
  return text.append(message);
}

int32_t DeviceId(Id id, const DeviceFacts& facts) {
  if (id == Id::kZero) return 0;
  return facts.hardware_id.value_or(id == Id::kHardwareOrMinus ? -1 : 0);
}

// "0.10.2" against "0.11", number by number; what is not a number counts as 0.
int CompareReleases(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    int numbers[2] = {0, 0};
    for (auto [text, number] : {std::pair{&a, &numbers[0]}, std::pair{&b, &numbers[1]}}) {
      std::from_chars(text->data(), text->data() + text->size(), *number);
      const size_t dot = text->find('.');
      text->remove_prefix(dot == std::string_view::npos ? text->size() : dot + 1);
    }
    if (numbers[0] != numbers[1]) return numbers[0] < numbers[1] ? -1 : 1;
  }
  return 0;
}

std::string_view Framework(std::string_view name) { return name.substr(0, name.find('@')); }

std::vector<const DeviceProfile*> MakeAll() {
  std::vector<const DeviceProfile*> all;
  for (const auto profiles : {GenericProfiles(), JaxProfiles(), JaxlibProfiles(), TorchProfiles(),
                              NumpyProfiles(), CupyProfiles(), TensorflowProfiles()}) {
    for (const DeviceProfile& profile : profiles) all.push_back(&profile);
  }
  return all;
}

}  // namespace

std::span<const DeviceProfile* const> AllDeviceProfiles() {
  static const std::vector<const DeviceProfile*> all = MakeAll();
  return all;
}

const DeviceProfile* FindDeviceProfile(std::string_view name) {
  const size_t at = name.find('@');
  const std::string_view release = at == std::string_view::npos ? "" : name.substr(at + 1);
  const bool plain = at == std::string_view::npos;
  if (!plain && (release.empty() || release[0] < '0' || release[0] > '9')) return nullptr;
  for (const DeviceProfile* profile : AllDeviceProfiles()) {  // The newest of a framework first.
    if (Framework(profile->name) != Framework(name)) continue;
    if (plain) return profile;
    if (!profile->since.empty() && CompareReleases(profile->since, release) <= 0) return profile;
  }
  return nullptr;
}

std::vector<std::string_view> DeviceProfiles() {
  std::vector<std::string_view> names;
  for (const DeviceProfile* profile : AllDeviceProfiles()) names.push_back(profile->name);
  return names;
}

std::span<const DeviceRule> DeviceRules(std::string_view profile) {
  const DeviceProfile* found = FindDeviceProfile(profile);
  return found == nullptr ? std::span<const DeviceRule>() : found->rules;
}

size_t DecidingRule(std::span<const DeviceRule> rules, const DeviceFacts& facts) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const DeviceRule& rule) { return Matches(rule, facts); });
  return static_cast<size_t>(found - rules.begin());
}

DeviceAnswerOrRefusal MapDevice(std::span<const DeviceRule> rules, const DeviceFacts& facts) {
  const size_t index = DecidingRule(rules, facts);
  if (index == rules.size()) {  // Not for a table of ours: their last rows match everything.
    return Refusal{"LookupError", "no rule of the device map fits"};
  }
  const DeviceRule& rule = rules[index];
  if (rule.device_type == 0) return Refusal{std::string(rule.exception), Fill(rule.message, facts)};
  return DLDevice{static_cast<DLDeviceType>(rule.device_type), DeviceId(rule.id, facts)};
}

DeviceAnswerOrRefusal MapDevice(std::string_view profile, const DeviceFacts& facts) {
  return MapDevice(DeviceRules(profile), facts);
}

bool SupportsDLPack(std::span<const DeviceRule> rules, const DeviceFacts& facts) {
  const size_t index = DecidingRule(rules, facts);
  return index < rules.size() && rules[index].device_type != 0;
}

bool SupportsDLPack(std::string_view profile, const DeviceFacts& facts) {
  return SupportsDLPack(DeviceRules(profile), facts);
}

std::string MapText(const DeviceAnswerOrRefusal& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return fmt::format("{}: {}", refusal->exception, refusal->message);
  }
  const DLDevice device = *std::get_if<DLDevice>(&answer);
  return fmt::format("{} {} {}", DeviceTypeName(device.device_type),
                     static_cast<int32_t>(device.device_type), device.device_id);
}

}  // namespace dlpc
