#include "harness/json.h"

#include <fmt/format.h>

namespace dlpc {
namespace {

template <typename AnyJson>
std::string Dump(const AnyJson& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, AnyJson::error_handler_t::replace);
}

}  // namespace

Expected<Json> ParseJson(std::string_view text) {
  bool deep = false;
  const Json::parser_callback_t shallow = [&](int depth, Json::parse_event_t, Json&) {
    deep |= depth > kMaxJsonDepth;
    return !deep;
  };
  try {
    Json json = Json::parse(text, shallow);
    if (deep) return Error{fmt::format("JSON that is nested deeper than {}", kMaxJsonDepth)};
    return json;
  } catch (const Json::exception& e) {
    return Error{e.what()};
  }
}

std::string DumpJson(const Json& json, int indent) { return Dump(json, indent); }
std::string DumpJson(const OrderedJson& json, int indent) { return Dump(json, indent); }

}  // namespace dlpc
