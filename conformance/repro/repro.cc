#include "conformance/repro/repro.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <unordered_map>

#include "conformance/repro/program.h"

namespace dlpc {
namespace {

constexpr size_t kMaxName = 150;  // Bytes of a file's name.

// Cases of one requirement that failed alike, but for numbers and addresses.
std::string KindOf(const CaseResult& c) {
  std::string key = c.requirement + "\n" + std::string(StatusName(c.status)) + "\n";
  for (const std::string& text : {c.expected, c.observed, c.emulated.value_or("")}) {
    bool number = false;
    for (const char ch : text) {
      const bool digit = std::isxdigit(static_cast<unsigned char>(ch)) != 0;
      if (!digit) key += ch;
      if (digit && !number) key += '0';
      number = digit;
    }
    key += '\n';
  }
  return key;
}

std::string FileName(std::string id, const Claims& claims) {
  std::replace(id.begin(), id.end(), '/', '.');
  id.erase(std::remove_if(id.begin(), id.end(),
                          [](unsigned char c) {
                            return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_';
                          }),
           id.end());
  return "repro/" + id.substr(0, kMaxName) + ReproSuffix(claims);
}

bool WasTried(CaseStatus status) { return IsBad(status) || status == CaseStatus::kXFail; }

}  // namespace

const char* ReproSuffix(const Claims& claims) { return claims.kind == "native" ? ".cc" : ".py"; }

std::vector<ReproFile> MakeRepros(const std::vector<ScriptRecord>& scripts, RunResult& result) {
  std::unordered_map<std::string_view, const ScriptRecord*> by_name;
  for (const ScriptRecord& record : scripts) by_name.emplace(record.name, &record);
  std::unordered_map<std::string_view, const RequirementResult*> requirements;
  for (const RequirementResult& r : result.requirements) requirements.emplace(r.id, &r);
  std::map<std::string, std::string> paths;  // Of each kind; empty: no program.
  std::vector<ReproFile> files;
  for (CaseResult& c : result.cases) {
    if (!WasTried(c.status)) continue;
    const auto script = by_name.find(c.script);
    const auto requirement = requirements.find(c.requirement);
    if (script == by_name.end() || requirement == requirements.end()) continue;
    std::string& path = paths[KindOf(c)];
    if (path.empty()) {
      const ScriptRecord& record = *script->second;
      auto text =
          ReproProgram({&c, requirement->second, &result.producer, record.script, record.outcome});
      if (!text) continue;
      path = FileName(c.id, result.producer);
      files.push_back({path, std::move(*text)});
    }
    c.repro = path;
  }
  return files;
}

}  // namespace dlpc
