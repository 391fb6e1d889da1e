#include "conformance/cli_repro.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <sstream>

#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/repro/program.h"
#include "harness/report.h"

namespace dlpc {
namespace {

bool Failed(const CaseResult& c) { return IsBad(c.status) || c.status == CaseStatus::kXFail; }

// The case of this id, or the first failure of this requirement.
const CaseResult* FindCase(const RunResult& result, const std::string& id) {
  const auto fits = [&](const CaseResult& c) {
    return c.id == id || (c.requirement == id && Failed(c));
  };
  const auto found = std::find_if(result.cases.begin(), result.cases.end(), fits);
  return found == result.cases.end() ? nullptr : &*found;
}

Expected<StoredOutcome> FindOutcome(const std::string& folder, const std::string& script) {
  const std::string path = (std::filesystem::path(folder) / "traces.jsonl").string();
  const auto text = ReadRegularFile(path);
  if (!text) return text.error();
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    auto stored = StoredOutcomeFromJson(line);
    if (!stored) return Error{fmt::format("{}: {}", path, stored.error().message)};
    if (stored->name == script) return stored;
  }
  return Error{fmt::format("{}: script {} is missing", path, script)};
}

}  // namespace

int ReproVerb(const ReproOptions& options) {
  const auto result = ReadResults(options.results);
  if (!result) return Complain(kUsage, result.error().message);
  const CaseResult* c = FindCase(*result, options.id);
  if (c == nullptr) {
    return Complain(kUsage, fmt::format("{} has no case {}, and no failure of a requirement of "
                                        "that name",
                                        options.results, options.id));
  }
  if (!Failed(*c) && !options.any) {
    return Complain(kUnexpected, fmt::format("{} did not fail: {}", c->id, StatusName(c->status)));
  }
  const auto stored = FindOutcome(options.results, c->script);
  if (!stored) return Complain(kUsage, stored.error().message);
  const auto requirement =
      std::find_if(result->requirements.begin(), result->requirements.end(),
                   [&](const RequirementResult& r) { return r.id == c->requirement; });
  if (requirement == result->requirements.end()) {
    return Complain(kUsage, fmt::format("{}: its requirement is missing", c->id));
  }
  const auto text =
      ReproProgram({c, &*requirement, &result->producer, &stored->script, &stored->outcome});
  if (!text) return Complain(kUnexpected, fmt::format("no program can show {}", c->id));
  std::fwrite(text->data(), 1, text->size(), stdout);
  return kAsExpected;
}

}  // namespace dlpc
