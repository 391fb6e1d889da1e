// Reads traces.jsonl back. The file may come from somebody else: every field is checked.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "harness/json.h"
#include "harness/report.h"
#include "harness/report/trace_fields.h"

namespace dlpc {
namespace {

bool FromHex(const std::string& hex, std::string& out) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (hex.size() % 2 != 0) return false;
  out.clear();
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
  }
  return true;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, T&& value) {
    const auto it = json_.find(key);
    if (it == json_.end() || !Read(*it, value)) Fail(key);
  }
  const std::string& failed() const { return failed_; }

 private:
  void Fail(const char* key) {
    if (failed_.empty()) failed_ = key;
  }
  static bool Read(const Json& json, bool& out) {
    if (!json.is_boolean()) return false;
    out = json.get<bool>();
    return true;
  }
  static bool Read(const Json& json, std::string& out) {
    if (!json.is_string()) return false;
    out = json.get_ref<const std::string&>();
    return true;
  }
  template <typename T>
  requires std::is_integral_v<T>
  static bool Read(const Json& json, T& out) {
    if (json.is_number_unsigned()) {
      const auto value = json.get<uint64_t>();
      out = static_cast<T>(value);
      return std::in_range<T>(value);
    }
    if (!json.is_number_integer()) return false;
    const auto value = json.get<int64_t>();
    out = static_cast<T>(value);
    return std::in_range<T>(value);
  }
  template <Named E>
  static bool Read(const Json& json, E& out) {
    constexpr auto kNames = NamesOf(E{});
    for (size_t i = 0; i < kNames.size(); ++i) {
      if (json != kNames[i]) continue;
      out = static_cast<E>(i);
      return true;
    }
    return false;
  }
  static bool Read(const Json& json, std::array<CodeIn, 5>& out) {
    if (!json.is_array() || json.size() != out.size()) return false;
    bool all = true;
    for (size_t i = 0; i < out.size(); ++i) all = all && Read(json[i], out[i]);
    return all;
  }
  static bool Read(const Json& json, DLDevice& out) {
    int32_t type = 0;
    if (!json.is_array() || json.size() != 2 || !Read(json[0], type)) return false;
    out.device_type = static_cast<DLDeviceType>(type);
    return Read(json[1], out.device_id);
  }
  static bool Read(const Json& json, std::pair<uint64_t, uint64_t>& out) {
    return json.is_array() && json.size() == 2 && Read(json[0], out.first) &&
           Read(json[1], out.second);
  }
  template <Nested T>
  static bool Read(const Json& json, T& out) {
    if (!json.is_object()) return false;
    Reader reader(json);
    Fields(reader, out, &out);
    return reader.failed_.empty();
  }
  static bool Read(const Json& json, const Hex<std::string>& out) {
    return json.is_string() && FromHex(json.get_ref<const std::string&>(), out.bytes);
  }
  static bool Read(const Json& json, const Hex<std::array<uint8_t, 80>>& out) {
    std::string bytes;
    if (!Read(json, Hex{bytes}) || bytes.size() != out.bytes.size()) return false;
    std::copy(bytes.begin(), bytes.end(), out.bytes.begin());
    return true;
  }
  template <typename T>
  static bool Read(const Json& json, std::vector<T>& out) {
    return ReadList(json, out);
  }
  static bool Read(const Json& json, Extents& out) { return ReadList(json, out); }
  template <typename List>
  static bool ReadList(const Json& json, List& out) {
    if (!json.is_array()) return false;
    out.clear();
    for (const Json& item : json) {
      typename List::value_type value{};
      if (!Read(item, value)) return false;
      out.push_back(std::move(value));
    }
    return true;
  }
  template <Optional T>
  static bool Read(const Json& json, T& out) {
    out.reset();
    return json.is_null() || Read(json, out.emplace());
  }

  const Json& json_;
  std::string failed_;
};

// The alternative whose tag is `type`, default-constructed.
template <size_t... kIndex>
bool Emplace(std::string_view type, Observation& out, std::index_sequence<kIndex...>) {
  return ((type == kObservationTypes[kIndex] && (out.emplace<kIndex>(), true)) || ...);
}

Expected<Observation> ReadObservation(const Json& json) {
  Observation observation;
  std::string type;
  Reader reader(json);
  reader("type", type);
  if (!Emplace(type, observation, std::make_index_sequence<kObservationTypes.size()>())) {
    return Error{fmt::format("unknown type of observation '{}'", type)};
  }
  std::visit([&](auto& x) { Fields(reader, x, &x); }, observation);
  if (reader.failed().empty()) return observation;
  return Error{
      fmt::format("observation '{}': field '{}' is missing or wrong", type, reader.failed())};
}

Expected<std::vector<Observation>> ReadObservations(const Json& json) {
  std::vector<Observation> observations;
  if (!json.is_array()) return Error{"'observations' is no array"};
  for (const Json& item : json) {
    auto observation = ReadObservation(item);
    if (!observation) return observation.error();
    observations.push_back(std::move(*observation));
  }
  return observations;
}

Expected<StoredOutcome> Read(const Json& json) {
  StoredOutcome stored;
  std::string kind;
  std::string script;
  Reader reader(json);
  reader("script", stored.name), reader("outcome", kind), reader("step", stored.outcome.step);
  reader("text", stored.outcome.text), reader("stderr_tail", stored.outcome.stderr_tail);
  reader("duration_us", stored.outcome.trace.duration_us);
  if (json.contains("script_hex")) reader("script_hex", Hex{script});
  if (!reader.failed().empty()) {
    return Error{fmt::format("field '{}' is missing or wrong", reader.failed())};
  }
  const auto* found = std::find(kOutcomeNames.begin(), kOutcomeNames.end(), kind);
  if (found == kOutcomeNames.end()) return Error{fmt::format("unknown outcome '{}'", kind)};
  stored.outcome.kind = static_cast<Outcome::Kind>(found - kOutcomeNames.begin());
  stored.script = DecodeScript({reinterpret_cast<const uint8_t*>(script.data()), script.size()});
  auto observations = ReadObservations(json.value("observations", Json()));
  if (!observations) return observations.error();
  stored.outcome.trace.steps = std::move(*observations);
  return stored;
}

}  // namespace

Expected<StoredOutcome> StoredOutcomeFromJson(std::string_view line) {
  const Expected<Json> json = ParseJson(line);
  if (!json || !json->is_object()) return Error{"not a JSON object"};
  return Read(*json);
}

Expected<Trace> TraceFromJson(std::string_view line) {
  auto stored = StoredOutcomeFromJson(line);
  if (!stored) return stored.error();
  return std::move(stored->outcome.trace);
}

}  // namespace dlpc
