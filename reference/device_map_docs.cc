// The device map as documentation, and the comparison of a framework's two layers: the tables are
// asked about every combination that some row tells apart.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reference/contract.h"
#include "reference/device_map.h"
#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;
using When = DeviceRule::When;

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// A pipe would end a Markdown cell.
std::string Code(std::string_view text) {
  std::string code(text);
  Replace(code, "|", "\\|");
  return "`" + code + "`";
}

// "cuda|rocm" -> "`cuda`, `rocm`"
std::string Words(std::string_view words, std::string_view before) {
  if (words == "*") return "any";
  std::string text(words);
  Replace(text, "|", "`, `");
  text = fmt::format("{}`{}`", before, text);
  Replace(text, "`~", "(any case) `");
  return text;
}

std::string WhenText(When when) {
  switch (when) {
    case When::kAlways:
      return "";
    case When::kNotOneShard:
      return "not exactly one shard";
    case When::kManyDevices:
      return "more than one device";
    case When::kNoId:
      return "no hardware id";
    case When::kBadId:
      return "no hardware id, or a negative one";
  }
  return "";
}

std::string IdText(Id id) {
  switch (id) {
    case Id::kZero:
      return "0";
    case Id::kHardware:
      return "hardware id";
    case Id::kHardwareOrZero:
      return "hardware id, else 0";
    case Id::kHardwareOrMinus:
      return "hardware id, else -1";
  }
  return "";
}

std::string RowMarkdown(size_t number, const DeviceRule& rule) {
  const std::string answer = rule.device_type == 0
                                 ? Code(fmt::format("{}: {}", rule.exception, rule.message))
                                 : fmt::format("{} {}, id: {}", DeviceTypeName(rule.device_type),
                                               rule.device_type, IdText(rule.id));
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", number, Words(rule.platform, ""),
                     Words(rule.version, "contains "), Words(rule.memory_kind, ""),
                     WhenText(rule.when), answer, rule.citation);
}

// Every word that some row has in this column, and what follows.
std::vector<std::string> Values(std::string_view DeviceRule::*column,
                                std::vector<std::string> values,
                                std::initializer_list<const char*> others) {
  for (const DeviceProfile* profile : AllDeviceProfiles()) {
    for (const DeviceRule& rule : profile->rules) {
      std::string words(rule.*column);
      Replace(words, "~", "");
      for (size_t from = 0; from <= words.size();) {
        const size_t bar = std::min(words.find('|', from), words.size());
        const std::string word = words.substr(from, bar - from);
        if (word != "*" && std::find(values.begin(), values.end(), word) == values.end()) {
          values.push_back(word);
        }
        from = bar + 1;
      }
    }
  }
  values.insert(values.end(), others.begin(), others.end());
  return values;
}

struct Disagreement {
  std::string kind, facts, query, capsule;
};

std::string FactsText(const DeviceFacts& facts) {
  std::string text = "platform " + Code(facts.platform);
  if (!facts.platform_version.empty()) text += ", version " + Code(facts.platform_version);
  if (facts.memory_kind != "device") text += ", memory " + Code(facts.memory_kind);
  if (!facts.hardware_id) text += ", no hardware id";
  if (facts.hardware_id.value_or(0) != 0) {
    text += fmt::format(", hardware id {}", *facts.hardware_id);
  }
  if (facts.shards != 1) text += fmt::format(", {} shards", facts.shards);
  if (facts.devices != 1) text += fmt::format(", {} devices", facts.devices);
  return text;
}

// Empty: they agree.
std::string KindOfDifference(const DeviceAnswerOrRefusal& query,
                             const DeviceAnswerOrRefusal& capsule) {
  const auto* a = std::get_if<DLDevice>(&query);
  const auto* b = std::get_if<DLDevice>(&capsule);
  if (a == nullptr && b == nullptr) {
    return std::get<Refusal>(query).exception == std::get<Refusal>(capsule).exception
               ? ""
               : "class of the refusal";
  }
  if (a == nullptr) return "only the query refuses";
  if (b == nullptr) return "only the capsule refuses";
  if (a->device_type != b->device_type) return "device type";
  return a->device_id != b->device_id ? "device id" : "";
}

// One line for each pair of rows that disagree in each way: the plainest facts that show it.
std::vector<Disagreement> Disagreements(std::span<const DeviceRule> query,
                                        std::span<const DeviceRule> capsule) {
  std::map<std::tuple<size_t, size_t, std::string>, bool> seen;
  std::vector<Disagreement> found;
  for (const DeviceFacts& facts : EveryDeviceFacts()) {
    const DeviceAnswerOrRefusal a = MapDevice(query, facts), b = MapDevice(capsule, facts);
    const std::string kind = KindOfDifference(a, b);
    if (kind.empty()) continue;
    const auto key = std::tuple(DecidingRule(query, facts), DecidingRule(capsule, facts), kind);
    if (!seen.emplace(key, true).second) continue;
    found.push_back({kind, FactsText(facts), MapText(a), MapText(b)});
  }
  return found;
}

}  // namespace

std::vector<DeviceFacts> EveryDeviceFacts() {
  static const std::vector<DeviceFacts> all = [] {
    const auto platforms = Values(&DeviceRule::platform, {}, {"odd"});
    const auto versions = Values(&DeviceRule::version, {""}, {"CUDA"});
    const auto kinds = Values(&DeviceRule::memory_kind, {"device"}, {"odd"});
    std::vector<DeviceFacts> facts;
    const std::pair<int64_t, int64_t> spreads[] = {{1, 1}, {2, 2}, {1, 2}, {0, 2}};
    for (const auto& [shards, devices] : spreads) {
      for (const std::optional<int32_t> id : {std::optional(0), std::optional(1), {}}) {
        for (const std::string& version : versions) {
          for (const std::string& kind : kinds) {
            for (const std::string& platform : platforms) {
              facts.push_back({platform, version, kind, id, shards, devices, ""});
            }
          }
        }
      }
    }
    return facts;
  }();
  return all;
}

std::string DeviceMapMarkdown(std::string_view profile) {
  const DeviceProfile* found = FindDeviceProfile(profile);
  if (found == nullptr) return "";
  std::string text =
      "| row | platform | platform version | memory kind | when | answer | source |\n"
      "|---|---|---|---|---|---|---|\n";
  for (size_t i = 0; i < found->rules.size(); ++i) text += RowMarkdown(i + 1, found->rules[i]);
  return text;
}

std::string DeviceDisagreementsMarkdown() {
  std::string text;
  for (const DeviceProfile* profile : AllDeviceProfiles()) {
    if (profile->capsule.empty()) continue;
    text += fmt::format("### {} and {}\n\n", profile->name, profile->capsule);
    text += "| what differs | for example | query | capsule |\n|---|---|---|---|\n";
    auto found = Disagreements(profile->rules, DeviceRules(profile->capsule));
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    for (const Disagreement& each : found) {
      text += fmt::format("| {} | {} | {} | {} |\n", each.kind, each.facts, Code(each.query),
                          Code(each.capsule));
    }
    text += "\n";
  }
  return text;
}

std::string DeviceMapDocument() {
  std::string text =
      "# The device map\n\n"
      "Written by `dlpack-conformance map --markdown` from the tables in reference/; do not edit. "
      "Each table is\none layer of one framework: from the place of an array to the `DLDevice` it "
      "reports, or to its refusal\n(class and exact text). The first row whose conditions all hold "
      "decides. Words in braces are replaced.\n"
      "`map --profile jax --platform tpu` asks one question, `map --batch` many; "
      "`--profile jax@0.9.1` asks the\ntable of an older release.\n\n";
  for (const DeviceProfile* profile : AllDeviceProfiles()) {
    text += fmt::format("## {}\n\n{}\n", profile->name, profile->about);
    if (!profile->since.empty()) text += fmt::format("First release: {}.\n", profile->since);
    text += "\n" + DeviceMapMarkdown(profile->name) + "\n";
  }
  text +=
      "## Where two layers of one framework disagree\n\n"
      "Found by asking both tables about every combination of the values above: one line for each "
      "pair of rows,\nwith the plainest facts that show it.\n\n";
  text += DeviceDisagreementsMarkdown();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace dlpc
