#include <string>
#include <string_view>

#include "fuzz/properties.h"
#include "harness/report.h"

namespace dlpc {
namespace {

bool OneLine(const std::string& text) { return !text.empty() && text.find('\n') == text.npos; }

Broken Stored(std::string_view text) {
  const auto result = RunResultFromJson(text);
  if (!result) {
    return OneLine(result.error().message)
               ? Broken()
               : Broken("an error that is not one line: " + result.error().message);
  }
  const std::string json = ResultsJson(*result);
  const auto again = RunResultFromJson(json);
  if (!again) return "results.json is not read back: " + again.error().message;
  if (ResultsJson(*again) != json) return "results.json changes when it is read and written";
  if (TextReport(*result, false).empty()) return "no text";
  return JUnitXml(*result).empty() || MarkdownSummary(*result).empty() ? Broken("no report")
                                                                       : Broken();
}

Broken Traced(std::string_view line) {
  const auto stored = StoredOutcomeFromJson(line);
  if (!stored) {
    return OneLine(stored.error().message)
               ? Broken()
               : Broken("an error that is not one line: " + stored.error().message);
  }
  const std::string json = TracesJsonl({{stored->name, &stored->script, &stored->outcome}});
  const auto again = StoredOutcomeFromJson(json);
  if (!again) return "a stored trace is not read back: " + again.error().message;
  return TracesJsonl({{again->name, &again->script, &again->outcome}}) == json
             ? Broken()
             : Broken("a stored trace changes when it is read and written");
}

}  // namespace

// A line of traces.jsonl begins with its script's name; everything else is taken for results.json.
Broken PropertyResults(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("{\"script\"") ? Traced(text) : Stored(text);
}

}  // namespace dlpc
