// traces.jsonl: one script, what became of it and every observation per line; complete, so that
// stored traces can be judged again without the producer.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/json.h"
#include "harness/report.h"
#include "harness/report/trace_fields.h"

namespace dlpc {
namespace {

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

class Writer {
 public:
  explicit Writer(OrderedJson& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    json_.push_back({key, Value(value)});
  }

 private:
  template <typename T>
  static OrderedJson Value(const Hex<T>& value) {
    return HexOf(value.bytes);
  }
  template <Named E>
  static OrderedJson Value(const E& value) {
    constexpr auto kNames = NamesOf(E{});
    return kNames[std::min(static_cast<size_t>(value), kNames.size() - 1)];
  }
  static OrderedJson Value(const std::array<CodeIn, 5>& values) {
    OrderedJson json = OrderedJson::array();
    for (const CodeIn value : values) json.push_back(Value(value));
    return json;
  }
  static OrderedJson Value(const DLDevice& d) {
    return OrderedJson::array({int{d.device_type}, d.device_id});
  }
  template <Nested T>
  static OrderedJson Value(const T& nested) {
    OrderedJson json = OrderedJson::object();
    Writer writer(json);
    Fields(writer, nested, &nested);
    return json;
  }
  template <Optional T>
  static OrderedJson Value(const T& value) {
    return value ? Value(*value) : OrderedJson(nullptr);
  }
  template <typename T>
  static OrderedJson Value(const T& value) {
    return OrderedJson(value);
  }

  OrderedJson& json_;
};

OrderedJson ObservationJson(const Observation& observation) {
  OrderedJson json = OrderedJson::object();
  Writer writer(json);
  writer("type", kObservationTypes[observation.index()]);
  std::visit([&](const auto& x) { Fields(writer, x, &x); }, observation);
  return json;
}

void AppendLine(const ScriptRecord& record, std::string& out) {
  OrderedJson json = {{"script", record.name}};
  if (record.script != nullptr) {
    json["steps"] = ScriptText(*record.script);
    json["script_hex"] = HexOf(EncodeScript(*record.script));
  }
  static const Outcome kNotRun{};
  const Outcome& outcome = record.outcome != nullptr ? *record.outcome : kNotRun;
  json["outcome"] = kOutcomeNames.at(static_cast<size_t>(outcome.kind));
  json["step"] = outcome.step;
  json["text"] = record.outcome != nullptr ? outcome.text : "not run";
  json["stderr_tail"] = outcome.stderr_tail;
  json["duration_us"] = outcome.trace.duration_us;
  OrderedJson& observations = json["observations"] = OrderedJson::array();
  for (const Observation& o : outcome.trace.steps) observations.push_back(ObservationJson(o));
  out += DumpJson(json, -1);
  out += '\n';
}

}  // namespace

std::string TracesJsonl(const std::vector<ScriptRecord>& scripts) {
  std::string out;
  for (const ScriptRecord& record : scripts) AppendLine(record, out);
  return out;
}

}  // namespace dlpc
