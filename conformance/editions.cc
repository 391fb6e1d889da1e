#include "conformance/editions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace dlpc {
namespace {

constexpr std::array kDlpack = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6",
                                "0.7", "0.8", "1.0", "1.1", "1.2", "1.3"};
constexpr std::array kArrayApi = {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"};

template <typename Releases>
Status CheckEdition(const char* option, const std::string& asked, const Releases& known) {
  if (std::find(known.begin(), known.end(), asked) != known.end()) return OkStatus();
  return Error{fmt::format("{}: no release {} (there are: {})", option, asked,
                           fmt::join(known.begin(), known.end(), ", "))};
}

// The two numbers at the beginning of "1.2 (more)", comparable.
std::optional<std::pair<int, int>> Numbers(std::string_view text) {
  std::pair<int, int> numbers;
  const char* end = text.data() + text.size();
  const auto [dot, first] = std::from_chars(text.data(), end, numbers.first);
  if (first != std::errc() || dot == end || *dot != '.') return {};
  if (std::from_chars(dot + 1, end, numbers.second).ec != std::errc()) return {};
  return numbers;
}

bool UsesKeywordsOf2023(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(), [](const Step& step) {
    const Request& r = step.request;
    return r.version != Arg::kAbsent || r.device != Arg::kAbsent || r.copy != Arg::kAbsent;
  });
}

}  // namespace

Status CheckEditions(const Editions& editions) {
  Status dlpack = CheckEdition("--dlpack", editions.dlpack, kDlpack);
  return dlpack ? CheckEdition("--array-api", editions.array_api, kArrayApi) : dlpack;
}

std::string NotYetInForce(const RequirementRow& row, const Script& script,
                          const Editions& editions) {
  // "v1.2", "2023.12", "v1.0 / 2023.12", "2024-03 (v1.0)": the first release that is named.
  std::string_view since = row.since;
  if (const size_t v = since.find("(v"); v != since.npos && !Numbers(since))
    since.remove_prefix(v + 1);
  const bool header = since.starts_with('v');
  const auto needed = Numbers(header ? since.substr(1) : since);
  const auto judged = Numbers(header ? editions.dlpack : editions.array_api);
  if (needed && judged && *needed > *judged) {
    return fmt::format("the rule is of {}, judged is against {} {}", since,
                       header ? "DLPack" : "array API",
                       header ? editions.dlpack : editions.array_api);
  }
  if (Numbers(editions.array_api) < Numbers("2023.12") && UsesKeywordsOf2023(script)) {
    return "max_version, dl_device and copy are of array API 2023.12, judged is against " +
           editions.array_api;
  }
  return "";
}

}  // namespace dlpc
