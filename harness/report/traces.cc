// traces.jsonl: one script, what became of it and every observation per line; complete, so that
// stored traces can be judged again without the producer. Each observation type has one list of
// fields, from which it is both written and read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "harness/report.h"
#include "harness/report/json_util.h"

namespace dlpc {
namespace {

using Json = nlohmann::ordered_json;

// In the order of Observation's alternatives.
constexpr std::array<const char*, std::variant_size_v<Observation>> kTypes{
    "not_performed", "done",     "unsupported", "adapter_fault", "raised",  "made",    "probed",
    "device",        "exported", "inspected",   "elements",      "dropped", "counted", "many"};

// In the order of Item and of Outcome::Kind.
constexpr std::array<const char*, static_cast<size_t>(Item::kCount_)> kItems{
    "missing", "int", "enum", "indexable", "none", "other"};
constexpr std::array<const char*, 4> kOutcomes{"trace", "crash", "timeout", "error"};

/// Bytes, written as hex; a plain string is text.
template <typename T>
struct Hex {
  T& bytes;
};
template <typename T>
Hex(T&) -> Hex<T>;

// ---- The fields of each type. V is Writer or Reader.
template <class V>
void Fields(V& v, auto& x, const NotPerformed*) {
  v("reason", x.reason);
}
template <class V>
void Fields(V&, auto&, const Done*) {}
template <class V>
void Fields(V& v, auto& x, const Unsupported*) {
  v("reason", x.reason);
}
template <class V>
void Fields(V& v, auto& x, const AdapterFault*) {
  v("text", x.text);
}
template <class V>
void Fields(V& v, auto& x, const Raised*) {
  v("class", x.type), v("bases", x.bases), v("message", x.message);
}
template <class V>
void Fields(V& v, auto& x, const Made*) {
  v("given", x.given), v("description", x.description), v("pointer", x.pointer);
  v("read_only", x.read_only), v("device", x.device), v("shape", x.shape);
  v("allocation", x.allocation);
}
template <class V>
void Fields(V& v, auto& x, const Probed*) {
  v("type_has_dlpack", x.type_has_dlpack), v("type_has_device", x.type_has_device);
  v("instance_has_dlpack", x.instance_has_dlpack);
  v("instance_has_device", x.instance_has_device);
}
template <class V>
void Fields(V& v, auto& x, const DeviceAnswer*) {
  v("is_tuple", x.is_tuple), v("size", x.size), v("type_kind", x.type_kind);
  v("id_kind", x.id_kind), v("device_type", x.type), v("device_id", x.id), v("repr", x.repr);
  v("calls", x.calls), v("differing", x.differing);
}
template <class V>
void Fields(V& v, auto& x, const Exported*) {
  v("is_capsule", x.is_capsule), v("type_name", x.type_name), v("name", x.name);
  v("name_pointer", x.name_pointer), v("managed", x.managed);
  v("has_destructor", x.has_destructor);
  v("emulated_capsule", x.emulated_capsule);
}
template <class V>
void Fields(V& v, auto& x, const Inspected*) {
  v("versioned", x.versioned), v("raw", Hex{x.raw}), v("shape", x.shape);
  v("strides", x.strides), v("shape_readable", x.shape_readable);
  v("strides_readable", x.strides_readable), v("deleter_executable", x.deleter_executable);
}
template <class V>
void Fields(V& v, auto& x, const Elements*) {
  v("first", x.first), v("low", x.low), v("high", x.high), v("readable", x.readable);
  v("bytes", Hex{x.bytes});
}
template <class V>
void Fields(V& v, auto& x, const Dropped*) {
  v("threw", x.threw), v("left_exception", x.left_exception);
  v("lost_exception", x.lost_exception), v("unraisable", x.unraisable);
}
template <class V>
void Fields(V& v, auto& x, const Counted*) {
  v("value", x.value), v("same_pointer", x.same_pointer);
}
template <class V>
void Fields(V& v, auto& x, const Many*) {
  v("tried", x.tried), v("capsules", x.capsules), v("distinct_capsules", x.distinct_capsules);
  v("distinct_managed", x.distinct_managed);
  v("distinct_name_pointers", x.distinct_name_pointers), v("names", x.names);
  v("first_error", x.first_error);
}

template <typename T>
constexpr bool kIsOptional = false;
template <typename T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
std::string HexOf(const T& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(std::size(bytes) * 2);
  for (const auto b : bytes) {
    out += kDigits[static_cast<uint8_t>(b) >> 4];
    out += kDigits[static_cast<uint8_t>(b) & 15];
  }
  return out;
}

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

class Writer {
 public:
  explicit Writer(Json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    json_.push_back({key, Value(value)});
  }

 private:
  template <typename T>
  static Json Value(const Hex<T>& value) {
    return HexOf(value.bytes);
  }
  static Json Value(Item item) { return kItems.at(static_cast<size_t>(item)); }
  static Json Value(const DLDevice& d) { return Json::array({int{d.device_type}, d.device_id}); }
  static Json Value(const Raised& raised) {
    Json json = Json::object();
    Writer writer(json);
    Fields(writer, raised, &raised);
    return json;
  }
  template <typename T>
  static Json Value(const std::optional<T>& value) {
    return value ? Value(*value) : Json(nullptr);
  }
  template <typename T>
  static Json Value(const T& value) {
    return Json(value);
  }

  Json& json_;
};

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
  static bool Read(const Json& json, Item& out) {
    for (size_t i = 0; i < kItems.size(); ++i) {
      if (json != kItems[i]) continue;
      out = static_cast<Item>(i);
      return true;
    }
    return false;
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
  static bool Read(const Json& json, Raised& out) {
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
    if (!json.is_array()) return false;
    out.clear();
    for (const Json& item : json) {
      if (!Read(item, out.emplace_back())) return false;
    }
    return true;
  }
  template <typename T>
  static bool Read(const Json& json, std::optional<T>& out) {
    out.reset();
    return json.is_null() || Read(json, out.emplace());
  }

  const Json& json_;
  std::string failed_;
};

Json ObservationJson(const Observation& observation) {
  Json json = Json::object();
  Writer writer(json);
  writer("type", kTypes[observation.index()]);
  std::visit([&](const auto& x) { Fields(writer, x, &x); }, observation);
  return json;
}

// The alternative whose tag is `type`, default-constructed.
template <size_t... kIndex>
bool Emplace(std::string_view type, Observation& out, std::index_sequence<kIndex...>) {
  return ((type == kTypes[kIndex] && (out.emplace<kIndex>(), true)) || ...);
}

Expected<Observation> ReadObservation(const Json& json) {
  Observation observation;
  std::string type;
  Reader reader(json);
  reader("type", type);
  if (!Emplace(type, observation, std::make_index_sequence<kTypes.size()>())) {
    return Error{fmt::format("unknown type of observation '{}'", type)};
  }
  std::visit([&](auto& x) { Fields(reader, x, &x); }, observation);
  if (reader.failed().empty()) return observation;
  return Error{
      fmt::format("observation '{}': field '{}' is missing or wrong", type, reader.failed())};
}

void AppendLine(const ScriptRecord& record, std::string& out) {
  Json json = {{"script", record.name}};
  if (record.script != nullptr) {
    json["steps"] = ScriptText(*record.script);
    json["script_hex"] = HexOf(EncodeScript(*record.script));
  }
  static const Outcome kNotRun{};
  const Outcome& outcome = record.outcome != nullptr ? *record.outcome : kNotRun;
  json["outcome"] = kOutcomes.at(static_cast<size_t>(outcome.kind));
  json["step"] = outcome.step;
  json["text"] = record.outcome != nullptr ? outcome.text : "not run";
  json["stderr_tail"] = outcome.stderr_tail;
  json["duration_us"] = outcome.trace.duration_us;
  Json& observations = json["observations"] = Json::array();
  for (const Observation& o : outcome.trace.steps) observations.push_back(ObservationJson(o));
  out += DumpJson(json, -1);
  out += '\n';
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
  const auto* found = std::find(kOutcomes.begin(), kOutcomes.end(), kind);
  if (found == kOutcomes.end()) return Error{fmt::format("unknown outcome '{}'", kind)};
  stored.outcome.kind = static_cast<Outcome::Kind>(found - kOutcomes.begin());
  stored.script = DecodeScript({reinterpret_cast<const uint8_t*>(script.data()), script.size()});
  auto observations = ReadObservations(json.value("observations", Json()));
  if (!observations) return observations.error();
  stored.outcome.trace.steps = std::move(*observations);
  return stored;
}

}  // namespace

std::string TracesJsonl(const std::vector<ScriptRecord>& scripts) {
  std::string out;
  for (const ScriptRecord& record : scripts) AppendLine(record, out);
  return out;
}

Expected<StoredOutcome> StoredOutcomeFromJson(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"not a JSON object"};
  return Read(json);
}

Expected<Trace> TraceFromJson(std::string_view line) {
  auto stored = StoredOutcomeFromJson(line);
  if (!stored) return stored.error();
  return std::move(stored->outcome.trace);
}

}  // namespace dlpc
