#include "conformance/map_verb.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <stdexcept>

#include "harness/json.h"
#include "reference/device_map.h"

namespace dlpc {
namespace {

// A key that nobody reads would be a wrong answer to somebody's question.
std::string UnknownKey(const Json& question) {
  static const std::set<std::string> known = {"profile",     "platform", "platform_version",
                                              "memory_kind", "shards",   "hardware_id",
                                              "devices",     "device"};
  for (const auto& item : question.items()) {
    if (known.count(item.key()) == 0) return item.key();
  }
  return "";
}

// The accessors would cut a number that is too large, and take true for 1.
int64_t Number(const Json& question, const char* key, int64_t otherwise, int64_t least,
               int64_t most) {
  const Json number = question.value(key, Json(otherwise));
  if (!number.is_number_integer() || number < least || number > most) {
    throw std::out_of_range(fmt::format("{} is not a number from {} to {}", key, least, most));
  }
  return number;
}

DeviceFacts FactsOf(const Json& question) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  DeviceFacts facts;
  facts.platform = question.value("platform", facts.platform);
  facts.platform_version = question.value("platform_version", "");
  facts.memory_kind = question.value("memory_kind", facts.memory_kind);
  facts.shards = Number(question, "shards", 1, 0, kMost);
  facts.devices = Number(question, "devices", facts.shards, 0, kMost);
  facts.device = question.value("device", "");
  const auto id = question.find("hardware_id");
  facts.hardware_id.reset();
  if (id != question.end() && !id->is_null()) {
    facts.hardware_id = static_cast<int32_t>(Number(question, "hardware_id", 0, -kMost - 1, kMost));
  }
  return facts;
}

Json AnswerJson(const DeviceAnswerOrRefusal& answer) {
  Json json = {{"text", MapText(answer)}};
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    json["exception"] = refusal->exception;
    json["message"] = refusal->message;
  } else {
    const DLDevice& device = std::get<DLDevice>(answer);
    json["device_type"] = static_cast<int32_t>(device.device_type);
    json["device_id"] = device.device_id;
  }
  return json;
}

}  // namespace

std::string MapErrorJson(const std::string& message) { return DumpJson(Json{{"error", message}}); }

std::string NoSuchDeviceProfile(std::string_view profile) {
  if (!DeviceRules(profile).empty()) return "";
  return fmt::format("no profile '{}' (there are: {})", profile, fmt::join(DeviceProfiles(), ", "));
}

Expected<std::string> AnswerMapQuestion(std::string_view line, const std::string& profile) {
  try {  // So do the library's accessors, on wrong types.
    const Expected<Json> parsed = ParseJson(line);
    if (!parsed) return parsed.error();
    const Json& question = *parsed;
    if (!question.is_object()) return Error{"a question is an object"};
    if (const std::string key = UnknownKey(question); !key.empty()) {
      return Error{"unknown key '" + key + "'"};
    }
    const std::string asked = question.value("profile", profile);
    if (std::string none = NoSuchDeviceProfile(asked); !none.empty()) return Error{none};
    return DumpJson(AnswerJson(MapDevice(asked, FactsOf(question))));
  } catch (const std::exception& error) {
    return Error{error.what()};
  }
}

}  // namespace dlpc
