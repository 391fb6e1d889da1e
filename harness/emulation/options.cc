#include "harness/emulation/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace dlpc::emulation {
namespace {

constexpr std::string_view kPrefix = "dlpc_emu_";

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <typename T>
bool ParseInt(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool SetText(std::string_view value, std::string& out) {
  out = value;
  return !out.empty();
}

bool SetMemories(std::string_view value, Options& options) {
  options.memories = Split(value);
  return std::ranges::none_of(options.memories, &std::string::empty);
}

bool SetHardwareIds(std::string_view value, Options& options) {
  options.hardware_ids.clear();
  for (const std::string& part : Split(value)) {
    if (!ParseInt(part, options.hardware_ids.emplace_back())) return false;
    if (options.hardware_ids.back() < -1) return false;
  }
  return true;
}

struct Row {
  std::string_view name;                                  // After the prefix.
  bool (*set)(std::string_view value, Options& options);  // False: no such value.
};

constexpr Row kRows[] = {
    {"platform", [](std::string_view v, Options& o) { return SetText(v, o.platform); }},
    {"platform_version",
     [](std::string_view v, Options& o) { return SetText(v, o.platform_version); }},
    {"device_kind", [](std::string_view v, Options& o) { return SetText(v, o.device_kind); }},
    {"memories", SetMemories},
    {"hardware_ids", SetHardwareIds},
    {"stream", [](std::string_view v, Options& o) { return ParseInt(v, o.stream); }},
};

std::string VariableName(std::string_view name) {
  std::string variable = std::string(kPrefix) + std::string(name);
  std::ranges::transform(variable, variable.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  return variable;
}

/// A given value as the text that the environment would have; nullopt for kinds that no option has.
std::optional<std::string> TextOf(const NamedValue& value) {
  switch (value.type) {
    case NamedValue::Type::kText:
      return std::string(value.text, value.size);
    case NamedValue::Type::kInt:
      return std::to_string(value.integer);
    case NamedValue::Type::kInts: {
      std::string text;
      for (size_t i = 0; i < value.size; ++i) {
        if (i != 0) text += ',';
        text += std::to_string(value.integers[i]);
      }
      return text;
    }
    default:
      return std::nullopt;
  }
}

std::string NoSuchValue(std::string_view name, std::string_view value) {
  return std::string(name) + ": no such value: " + std::string(value);
}

}  // namespace

std::variant<Options, std::string> ReadOptions(std::span<const NamedValue> given,
                                               const Environment& environment) {
  Options options;
  for (const Row& row : kRows) {
    const std::string variable = VariableName(row.name);
    const char* value = environment(variable.c_str());
    if (value != nullptr && !row.set(value, options)) return NoSuchValue(variable, value);
  }
  for (const NamedValue& value : given) {
    const std::string_view name(value.name, value.name_size);
    if (!name.starts_with(kPrefix)) continue;
    const auto* row = std::ranges::find(kRows, name.substr(kPrefix.size()), &Row::name);
    if (row == std::end(kRows)) return "no such option: " + std::string(name);
    const std::optional<std::string> text = TextOf(value);
    if (!text || !row->set(*text, options)) return NoSuchValue(name, text.value_or("not a text"));
  }
  return options;
}

}  // namespace dlpc::emulation
