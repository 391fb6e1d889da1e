#include "conformance/run.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <thread>
#include <unordered_map>

#include "conformance/remedies.h"

namespace dlpc {
namespace {

bool Matches(const std::string& glob, const Case& c) {
  // No FNM_PATHNAME: '*' also crosses the slashes of a case id.
  return fnmatch(glob.c_str(), std::string(c.requirement->id).c_str(), 0) == 0 ||
         fnmatch(glob.c_str(), c.id.c_str(), 0) == 0;
}

}  // namespace

std::optional<std::string> EmulatedProfile(const Case& c, const Claims& claims) {
  if (claims.kind != "reference") return std::nullopt;
  for (const ArraySpec& spec : c.script->script.specs) {
    std::string name(MemoryName(spec.memory));
    if (spec.place != Place::kOrdinary) name += "_" + std::string(PlaceName(spec.place));
    std::replace(name.begin(), name.end(), '_', '-');
    if (name != "cpu") return name;
  }
  return std::nullopt;
}

std::string WithProfile(std::string name, std::string_view emulated) {
  if (!emulated.empty()) name.append("/").append(emulated);
  return name;
}

namespace {

struct ScriptCases {
  const NamedScript* script;
  std::vector<size_t> cases;  // Indices of the cases that judge it.
};

std::vector<ScriptCases> ByScript(const std::vector<const Case*>& cases) {
  std::vector<ScriptCases> groups;
  std::unordered_map<const NamedScript*, size_t> place;
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto [it, fresh] = place.emplace(cases[i]->script, groups.size());
    if (fresh) groups.push_back({cases[i]->script, {}});
    groups[it->second].cases.push_back(i);
  }
  return groups;
}

CaseResult ResultOf(const Case& c, Verdict verdict, const Outcome& outcome, const Claims& claims,
                    std::string_view emulated) {
  CaseResult result;
  result.id = WithProfile(c.id, emulated);
  result.requirement = std::string(c.requirement->id);
  result.level = c.requirement->level;
  result.status = verdict.status;
  result.expected = std::move(verdict.expected).text();
  result.observed = std::move(verdict.observed).text();
  result.emulated =
      emulated.empty() ? EmulatedProfile(c, claims) : std::optional(std::string(emulated));
  result.script = WithProfile(c.script->name, emulated);
  if (verdict.status == CaseStatus::kCrash) result.stderr_tail = outcome.stderr_tail;
  result.duration_us = outcome.trace.duration_us;
  return result;
}

}  // namespace

bool MatchesRegister(const std::string& glob) {
  return std::any_of(Register().begin(), Register().end(), [&](const RequirementRow& row) {
    return fnmatch(glob.c_str(), std::string(row.id).c_str(), 0) == 0;
  });
}

Level LowestLevel(std::string_view option) {
  return option == "must" ? Level::kMust : option == "should" ? Level::kShould : Level::kInfo;
}

Expected<std::vector<const Case*>> Select(const Selection& selection) {
  std::vector<const Case*> selected;
  for (const Case& c : Catalogue()) {
    if (c.requirement->level > selection.lowest) continue;
    const bool wanted = selection.globs.empty() ||
                        std::any_of(selection.globs.begin(), selection.globs.end(),
                                    [&](const std::string& glob) { return Matches(glob, c); });
    if (wanted) selected.push_back(&c);
  }
  for (const std::string& glob : selection.globs) {
    const bool known =
        MatchesRegister(glob) || std::any_of(Catalogue().begin(), Catalogue().end(),
                                             [&](const Case& c) { return Matches(glob, c); });
    if (!known) return Error{"no requirement or case matches '" + glob + "' (see: list)"};
  }
  return selected;
}

Performed Perform(Engine& engine, const std::vector<const Case*>& cases, const Editions& editions,
                  std::string_view emulated, const Progress& progress) {
  Performed performed;
  // Where the host does not start, the outcomes say so.
  if (auto claims = engine.Start()) performed.claims = *claims;
  performed.results.resize(cases.size());
  const std::vector<ScriptCases> needed = ByScript(cases);
  std::vector<const Script*> scripts;
  for (const ScriptCases& group : needed) scripts.push_back(&group.script->script);

  const Engine::Settled judge = [&](size_t index, const Outcome& outcome) {
    const ScriptJudge verdict(*needed[index].script, outcome, &performed.claims);
    const std::string remedy =
        RemedyText(Evidence(needed[index].script->script, outcome.trace, &performed.claims));
    for (const size_t i : needed[index].cases) {
      const Case& c = *cases[i];
      const std::string early = NotYetInForce(*c.requirement, c.script->script, editions);
      performed.results[i] = ResultOf(
          c, early.empty() ? verdict(c) : NotApplicable(std::string(c.requirement->title), early),
          outcome, performed.claims, emulated);
      performed.results[i].remedy = remedy;
    }
  };
  std::function<void(size_t)> tell;
  if (progress) tell = [&](size_t done) { progress(done, scripts.size()); };
  performed.first_script = std::chrono::steady_clock::now();
  std::vector<Outcome> outcomes = engine.Run(scripts, tell, judge);
  performed.last_verdict = std::chrono::steady_clock::now();
  for (size_t i = 0; i < needed.size(); ++i) {
    performed.outcomes[needed[i].script] = std::move(outcomes[i]);
  }
  return performed;
}

RunResult EmptyResult(const Claims& claims, const Editions& editions) {
  RunResult result;
  result.dlpack = editions.dlpack;
  result.array_api = editions.array_api;
  result.suite_version = SuiteVersion();
  result.catalogue_sha256 = CatalogueHash();
  result.producer = claims;
  utsname system{};
  if (uname(&system) == 0) {
    result.environment["os"] = std::string(system.sysname) + " " + system.release;
    result.environment["machine"] = system.machine;
  }
  result.environment["cores"] = std::to_string(std::thread::hardware_concurrency());
  result.environment["date"] = Now();
  for (const RequirementRow& row : Register()) {
    RequirementResult requirement;
    requirement.id = row.id;
    requirement.level = row.level;
    requirement.title = row.title;
    requirement.citation = row.citation;
    requirement.since = row.since;
    requirement.until = row.until;
    requirement.remedy = row.remedy;
    result.requirements.push_back(std::move(requirement));
  }
  return result;
}

void AddScriptTexts(const Outcomes& outcomes, RunResult& result, std::string_view emulated) {
  std::set<std::string> wanted;
  for (const CaseResult& c : result.cases) {
    if (IsBad(c.status) || c.status == CaseStatus::kError) wanted.insert(c.script);
  }
  for (const auto& [script, outcome] : outcomes) {
    const std::string name = WithProfile(script->name, emulated);
    if (wanted.count(name) != 0) {
      result.script_text[name] = fmt::format("{}", fmt::join(ScriptText(script->script), "\n"));
    }
  }
}

std::vector<ScriptRecord> ScriptRecords(const Outcomes& outcomes, std::string_view emulated) {
  std::vector<ScriptRecord> records;
  records.reserve(outcomes.size());
  for (const auto& [script, outcome] : outcomes) {
    records.push_back({WithProfile(script->name, emulated), &script->script, &outcome});
  }
  std::sort(records.begin(), records.end(),
            [](const ScriptRecord& a, const ScriptRecord& b) { return a.name < b.name; });
  return records;
}

Expected<RunResult> RunDirectly(const HostCommand& host, const EngineOptions& options,
                                const std::vector<const Case*>& cases) {
  Engine engine(host, options);
  Expected<Claims> claims = engine.Start();
  if (!claims) return claims.error();
  RunResult result = EmptyResult(*claims);
  result.cases = Perform(engine, cases).results;
  Summarize(result);
  return result;
}

std::string Now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

const char* SuiteVersion() { return DLPC_VERSION; }

}  // namespace dlpc
