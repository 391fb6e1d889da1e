// Arrays at odd places: class and text of the refusals, apart from each other (ERR), and whether
// query and export answer as the framework's own table says (DEV-18).
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/places.h"
#include "harness/json.h"
#include "reference/device_map.h"
#include "reference/place_map.h"

namespace dlpc {
namespace {

// ERR-01; for arrays that are spread over devices ERR-05.
Verdict JudgePlaceClass(const Evidence& e) {
  const Wording expected = "an array that DLPack cannot describe raises BufferError";
  const Raised* raised = e.refusal();
  if (raised == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(IsA(*raised, "BufferError"), expected, Say(ObservationText, *raised));
}

// Where the arrays of an emulated profile are, as its adapter says in claims()["device_facts"].
DeviceFacts FactsFrom(const Json& given) {
  DeviceFacts facts;
  facts.platform = given.at("platform").get<std::string>();
  facts.platform_version = given.at("platform_version").get<std::string>();
  facts.memory_kind = given.at("memory_kind").get<std::string>();
  facts.hardware_id.reset();
  if (!given.at("hardware_id").is_null()) facts.hardware_id = given.at("hardware_id").get<int>();
  facts.shards = given.at("shards").get<int64_t>();
  facts.devices = given.at("devices").get<int64_t>();
  facts.device = given.at("device").get<std::string>();
  return facts;
}

// What a producer claims of its own tables (reference/device_map).
struct ClaimedTables {
  std::string query, exported;       // Names of profiles; empty where there is no such table.
  std::optional<DeviceFacts> facts;  // Absent where an array's spec says where it is.
};

std::string ProfileIn(const Json& claims, const char* step) {
  auto profile = claims.at("device_maps").value(step, std::string());
  return DeviceRules(profile).empty() ? std::string() : profile;
}

ClaimedTables ReadTables(const Claims& claims) {
  const Expected<Json> parsed = ParseJson(claims.json);
  if (!parsed || !parsed->is_object() || !parsed->contains("device_maps")) return {};
  ClaimedTables tables;
  try {
    // The reference has all places in one host.
    if (claims.kind != "reference") tables.facts = FactsFrom(parsed->at("device_facts"));
    tables.query = ProfileIn(*parsed, "query");
    tables.exported = ProfileIn(*parsed, "export");
  } catch (const Json::exception&) {
    return {};  // An adapter of the user's: nothing to compare with.
  }
  return tables;
}

// Reading the claims takes a hundred times as long as judging, and they are the same for all cases
// of a host.
const ClaimedTables& TablesOf(const Claims& claims) {
  thread_local std::string kind, json;
  thread_local ClaimedTables tables;
  if (json != claims.json || kind != claims.kind) {
    tables = ReadTables(claims);
    kind = claims.kind;
    json = claims.json;
  }
  return tables;
}

// What the producer's own table has for the array, by the step `table` names.
std::optional<DeviceAnswerOrRefusal> TableAnswer(const Evidence& e,
                                                 std::string ClaimedTables::*table) {
  if (e.claims() == nullptr) return std::nullopt;
  const ClaimedTables& tables = TablesOf(*e.claims());
  const std::string& profile = tables.*table;
  if (profile.empty()) return std::nullopt;
  return MapDevice(profile, tables.facts ? *tables.facts : PlaceFacts(e.spec()));
}

constexpr const char* kNoTable = "the device map has no table for this producer";

// ERR-11: the text of the producer's own table. Anything else is a change worth a look.
Verdict JudgeTableText(const Evidence& e, std::string ClaimedTables::*table,
                       const Observation& seen) {
  const Wording expected = "the text that the device map has for this producer and place";
  const Raised* raised = std::get_if<Raised>(&seen);
  if (raised == nullptr) return NotApplicable(expected, Say(ObservationText, seen));
  const auto answer = TableAnswer(e, table);
  if (!answer) return NotApplicable(expected, kNoTable);
  const Refusal* refusal = std::get_if<Refusal>(&*answer);
  if (refusal == nullptr) {
    return NotApplicable(expected,
                         "not refused because of the place: " + Say(ObservationText, seen));
  }
  return PassIf(
      refusal->message == raised->message,
      Say("{}: {}", table == &ClaimedTables::query ? "query" : "export", Say(MapText, *answer)),
      Say(ObservationText, *raised));
}

Verdict JudgeQueryText(const Evidence& e) {
  return JudgeTableText(e, &ClaimedTables::query, e.At(Op::kDevice));
}
Verdict JudgeExportText(const Evidence& e) {
  return JudgeTableText(e, &ClaimedTables::exported, e.At(Op::kExport));
}

// DEV-18, the query: nullopt if it says what the table says.
std::optional<Verdict> QueryUnlikeTable(const Evidence& e, const DeviceAnswerOrRefusal& table) {
  const Wording expected = "query: " + Say(MapText, table);
  const DLDevice* wanted = std::get_if<DLDevice>(&table);
  const std::optional<DLDevice> seen = AnsweredDevice(e);
  const bool same = wanted != nullptr && seen && SameDevice(*wanted, *seen);
  const bool refused = wanted == nullptr && e.As<Raised>(Op::kDevice) != nullptr;
  if (same || refused) return std::nullopt;
  if (!seen && e.As<DeviceAnswer>(Op::kDevice) != nullptr) {
    return NotApplicable(expected, "no two numbers (see DEV-02, DEV-03): " + e.Text(Op::kDevice));
  }
  return Fail(expected, e.Text(Op::kDevice));
}

// DEV-18. An export may also be refused for other reasons: only a device is judged there.
Verdict JudgeTableDevice(const Evidence& e) {
  const Wording expected = "query and struct name the device of the device map";
  const auto query = TableAnswer(e, &ClaimedTables::query),
             exported = TableAnswer(e, &ClaimedTables::exported);
  if (!query || !exported) return NotApplicable(expected, kNoTable);
  if (auto verdict = QueryUnlikeTable(e, *query)) return *verdict;
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return Pass(expected, "query: " + e.Text(Op::kDevice));
  const DLDevice* wanted = std::get_if<DLDevice>(&*exported);
  const DLDevice device = TensorOf(*seen).device;
  return PassIf(wanted != nullptr && SameDevice(*wanted, device),
                "struct: " + Say(MapText, *exported),
                Say("query: {}, struct: {}", e.Text(Op::kDevice), Say(DeviceText, device)));
}

bool IsSpread(const NamedScript& script) {
  const ArraySpec& spec = script.script.specs[0];
  return (spec.flags & kSharded) != 0 || spec.place == Place::kReplicated;
}
bool IsWhole(const NamedScript& script) { return !IsSpread(script); }

constexpr Check kPlaceErrorsChecks[] = {
    {"DEV-18", MemoryKinds, 0, 0, JudgeTableDevice},
    {"DEV-18", Places, 0, 0, JudgeTableDevice},
    {"ERR-01", Places, 0, 0, JudgePlaceClass, IsWhole},
    {"ERR-05", Places, 0, 0, JudgePlaceClass, IsSpread},
    {"ERR-11", PlaceQueries, 0, 0, JudgeQueryText},
    {"ERR-11", Places, 0, 0, JudgeExportText},
};

}  // namespace

std::span<const Check> PlaceChecks() { return kPlaceErrorsChecks; }

}  // namespace dlpc
