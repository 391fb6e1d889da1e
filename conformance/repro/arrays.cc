#include "conformance/repro/arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/repro/spec_text.h"
#include "harness/json.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// Recipes of producers that have no adapter file.
constexpr std::pair<const char*, const char*> kReference[] = {
    {"made", "twin.make({script!s}, {mutant!s})"},
    {"refusal", "twin.refusal({n}, {mutant!s})"},
    {"read", "{x}.read()"},
    {"pointer", "{x}.pointer"},
    {"allocation", "{x}.allocation"},
    {"poke", "{x}.poke({element})"},
    {"references", "{x}.references"},
    {"subclass", "{x}.subclass({kind})"},
    {"consume", "twin.from_dlpack({x})"},
    {"remedy", "twin.remedied({x})"},
    {"values", "{x}.read()"},
};
// What a host asks an adapter (docs/adapters.md).
constexpr std::pair<const char*, const char*> kAdapter[] = {
    {"read", "adapter['read']({x})"},
    {"pointer", "adapter['pointer']({x})"},
    {"allocation", "adapter['allocation']({x})"},
    {"poke", "adapter['poke']({x}, {element})"},
    {"subclass", "adapter['subclass']({x}, {kind})"},
    {"consume", "adapter['consume']({x})"},
    {"remedy", "adapter['remedies']()[{name}][1]({x})"},
    {"values", "bytes(adapter['remedies']()[{name}][2])"},
};

}  // namespace

std::string Fill(std::string_view text, const Facts& facts) {
  std::string out;
  while (!text.empty()) {
    const size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const size_t close = text.find('}');
    const auto fact =
        close == std::string_view::npos ? facts.end() : facts.find(text.substr(1, close - 1));
    if (fact == facts.end()) {
      out += '{';
      text.remove_prefix(1);
    } else {
      out += fact->second;
      text.remove_prefix(close + 1);
    }
  }
  return out;
}

ArrayRecipe::ArrayRecipe(const Claims& claims, std::string_view emulated)
    : claims_(claims), emulated_(emulated) {
  if (claims.kind == "reference") {
    texts_ = {std::begin(kReference), std::end(kReference)};
    imports_.push_back("import dlpc_reference_twin as twin");
  }
  if (emulated.empty()) ReadRecipe(claims.json);
}

namespace {

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

// In place of an adapter: what is asked of an object that --object MODULE:EXPRESSION gives.
constexpr const char* kObjectAdapter[] = {
    "adapter = {",
    "    'read': lambda x: x.tobytes() if hasattr(x, 'tobytes') else memoryview(x).tobytes(),",
    "    'pointer': lambda x: x.data_ptr() if hasattr(x, 'data_ptr') else (",
    "        x.unsafe_buffer_pointer() if hasattr(x, 'unsafe_buffer_pointer') else",
    "        x.__array_interface__['data'][0]),",
    "}"};

}  // namespace

// An adapter's REPRO. It may be anybody's: what is no text is left out.
void ArrayRecipe::ReadRecipe(const std::string& claims) {
  const Expected<Json> json = ParseJson(claims);
  const Json recipe = json && json->is_object() ? json->value("repro", Json()) : Json();
  if (!recipe.is_object()) return;
  for (const auto& [key, value] : recipe.items()) {
    if (value.is_string()) texts_[key] = value.get<std::string>();
    if (key == "import") imports_ = TextsOf(value);
    if (key == "start") start_ = TextsOf(value);
    if (!value.is_object()) continue;
    for (const auto& [name, of] : value.items()) {
      if (key == "dtypes" && of.is_string()) dtypes_[name] = of.get<std::string>();
      if (key == "refusals") refusals_[name] = TextsOf(of);
    }
  }
}

// The expression of the recipe; empty: it has none for this spec.
std::string ArrayRecipe::ByRecipe(const ArraySpec& spec) const {
  const auto dtype = dtypes_.find(DTypeName(spec.dtype));
  constexpr uint8_t kOther = kStaticStorage | kSharded | kOddStride;
  const bool read_only = (spec.flags & kReadOnly) != 0;
  if (!Has("make") || dtype == dtypes_.end() || spec.memory != Memory::kCpu ||
      spec.place != Place::kOrdinary || (spec.flags & kOther) != 0 || spec.dtype.bits < 8 ||
      (read_only && !Has("read_only"))) {
    return "";
  }
  const View view = Resolve(spec.layout);
  const Facts facts = {
      {"numpy", NumpyText(spec, dtype->second)}, {"dtype", dtype->second},
      {"base", BytesText(PatternBase(spec))},    {"shape", TupleText(view.shape)},
      {"strides", TupleText(view.strides)},      {"offset", std::to_string(view.offset)}};
  const bool empty = view.base_elements == 0 && Has("make_empty");
  return Fill(texts_.find(empty ? "make_empty" : "make")->second, facts);
}

std::vector<std::string> ArrayRecipe::ByAdapter(const ArraySpec& spec,
                                                const std::string& variable) {
  return {fmt::format("{} = adapter['make']({})", variable, SpecText(spec))};
}

std::vector<std::string> ArrayRecipe::Make(const ArraySpec& spec, const std::string& variable) {
  if (Has("made")) {
    const Facts facts = {{"script!s", BytesText(EncodeScript(ScriptBuilder(spec).Build()))},
                         {"mutant!s", StringText(claims_.adapter)}};
    return {variable + " = " + Fill(texts_.find("made")->second, facts)};
  }
  if (IsObject()) {
    const std::string& text = claims_.producer;
    const size_t colon = text.find(':');
    const std::string module = text.substr(0, colon);
    return {"sys.path.append('.')", fmt::format("import {}", module),
            fmt::format("{} = eval({}, vars({}))", variable, StringText(text.substr(colon + 1)),
                        fmt::format("sys.modules[{}]", StringText(module))),
            fmt::format("{0} = {0}() if callable({0}) and not hasattr({0}, '__dlpack__') else {0}",
                        variable)};
  }
  const std::string expression = ByRecipe(spec);
  if (expression.empty()) return ByAdapter(spec, variable);
  std::vector<std::string> lines = {variable + " = " + expression};
  if ((spec.flags & kReadOnly) != 0 && !HasBroadcast(spec.layout)) {
    lines.push_back(Fill(texts_.find("read_only")->second, {{"x", variable}}));
  }
  return lines;
}

std::vector<std::string> ArrayRecipe::MakeRefusal(uint32_t n, const std::string& name,
                                                  const std::string& variable) {
  if (Has("refusal")) {
    return {variable + " = " +
            Fill(texts_.find("refusal")->second,
                 {{"n", std::to_string(n)}, {"mutant!s", StringText(claims_.adapter)}})};
  }
  const auto source = refusals_.find(name);
  if (source != refusals_.end() && !source->second.empty()) {
    std::vector<std::string> lines = source->second;
    lines.back() = variable + " = " + lines.back();
    return lines;
  }
  // By its number: a host that died tells no name.
  return {fmt::format("{} = adapter['refusals']()[{}][1]", variable, n),
          fmt::format("{0} = {0}() if callable({0}) and not hasattr({0}, '__dlpack__') else {0}",
                      variable)};
}

std::string ArrayRecipe::Ask(std::string_view what, const std::string& x, const Facts& more) {
  Facts facts = more;
  facts["x"] = x;
  if (Has(what)) return Fill(texts_.find(what)->second, facts);
  if (what == "references") return "sys.getrefcount(" + x + ")";
  for (const auto& [key, text] : kAdapter) {
    if (what != key) continue;
    return Fill(text, facts);
  }
  return "None";
}

std::vector<std::string> ArrayRecipe::Start(const std::string& body) const {
  std::vector<std::string> lines = imports_;
  lines.insert(lines.end(), start_.begin(), start_.end());
  if (body.find("adapter[") == std::string::npos) return lines;
  if (IsObject()) {
    lines.insert(lines.end(), std::begin(kObjectAdapter), std::end(kObjectAdapter));
    return lines;
  }
  if (!emulated_.empty()) {
    lines.push_back("os.environ['DLPC_EMULATE'] = " + StringText(emulated_));
  }
  const size_t slash = claims_.adapter.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : claims_.adapter.substr(0, std::max<size_t>(slash, 1));
  lines.push_back("sys.path += [" + StringText(folder) + ", '.']");
  lines.push_back("adapter = runpy.run_path(" + StringText(claims_.adapter) + ")");
  return lines;
}

}  // namespace dlpc
