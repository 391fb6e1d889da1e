// Which scripts of the catalogue are varied, and what each of them costs.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "conformance/variants.h"

namespace dlpc {
namespace {

bool EndsHost(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(),
                     [](const Step& step) { return step.op == Op::kEnd; });
}

// Loops, collections of garbage and threads cost as much as hundreds of plain exports.
bool IsSlow(const NamedScript& script) {
  // Without a GPU most producers skip the latter.
  if ((script.tags & (kTagApart | kTagNeedsCuda)) != 0) return true;
  return std::any_of(script.script.steps.begin(), script.script.steps.end(), [](const Step& step) {
    switch (step.op) {
      case Op::kExportMany:
      case Op::kConsumeMany:
      case Op::kReleaseTogether:
      case Op::kTableBorrow:
      case Op::kCollect:
        return true;
      default:
        return step.thread == Thread::kForeign || step.thread == Thread::kContended;
    }
  });
}

// Of a usual one there are seven.
constexpr size_t kMostQuickSteps = 10;
constexpr size_t kMostBriefSteps = 4;

bool IsDear(const Script& script) {
  if (script.steps.size() > kMostQuickSteps || !LeavesArrays(script)) return true;
  return std::any_of(script.steps.begin(), script.steps.end(), [](const Step& step) {
    return step.op == Op::kMakeRefusal || step.op == Op::kDerive ||
           (step.op == Op::kDevice && step.n > 1);
  });
}

Share CostOf(const NamedScript& script) {
  if (IsSlow(script)) return Share::kSlow;
  if (IsDear(script.script)) return Share::kDear;
  return script.script.steps.size() <= kMostBriefSteps ? Share::kBrief : Share::kQuick;
}

bool Writes(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(), [](const Step& step) {
    return step.op == Op::kWrite || step.op == Op::kPoke;
  });
}

// One copy of each list of checks: most scripts have the list of their family.
class Lists {
 public:
  std::span<const TemplateCheck> Of(const std::vector<const Check*>& checks) {
    std::vector<TemplateCheck>& list = lists_[checks];
    if (!list.empty()) return list;
    for (const Check* check : checks) list.push_back({*check, FindRequirement(check->requirement)});
    return list;
  }

 private:
  std::map<std::vector<const Check*>, std::vector<TemplateCheck>> lists_;  // Stay where they are.
};

Template MakeTemplate(const NamedScript& script, const std::vector<const Check*>& checks) {
  static Lists lists;
  Template t;
  t.script = &script;
  t.share = CostOf(script);
  t.checks = lists.Of(checks);
  for (const TemplateCheck& each : t.checks) {
    if (each.check.Picks(script)) t.picked.push_back(&each);
  }
  t.negotiation = IsNegotiation(script.name);
  t.may_be_read_only = script.name.starts_with("zoo/");
  t.writes = Writes(script.script);
  return t;
}

std::vector<Template> BuildTemplates() {
  std::vector<std::pair<const NamedScript*, std::vector<const Check*>>> found;
  std::map<std::string_view, size_t> places;
  for (const Check* check : AllChecks()) {
    // register_test holds that each has its requirement.
    if (FindRequirement(check->requirement) == nullptr) continue;
    for (const NamedScript& script : check->family()) {
      if (EndsHost(script.script)) continue;
      const auto [it, fresh] = places.emplace(script.name, found.size());
      if (fresh) found.emplace_back(&script, std::vector<const Check*>());
      found[it->second].second.push_back(check);
    }
  }
  std::vector<Template> all;
  for (const auto& [script, checks] : found) all.push_back(MakeTemplate(*script, checks));
  return all;
}

}  // namespace

const std::vector<Template>& Templates() {
  static const std::vector<Template> all = BuildTemplates();
  return all;
}

const Template* FindTemplate(std::string_view name) {
  for (const Template& t : Templates()) {
    if (t.script->name == name) return &t;
  }
  return nullptr;
}

std::string VariantsVersion() {
  constexpr int kReading = 3;          // Goes up when DecodeVariant reads bytes in another way.
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a.
  for (const Template& t : Templates()) {
    const char share = static_cast<char>('0' + static_cast<int>(t.share));
    for (const char c : t.script->name + share + EncodeScript(t.script->script)) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
  }
  return std::to_string(kReading) + "-" + std::to_string(hash);
}

bool LeavesArrays(const Script& script) {
  return std::none_of(script.steps.begin(), script.steps.end(), [](const Step& step) {
    switch (step.op) {
      case Op::kWrite:
      case Op::kPoke:
      case Op::kDropArray:
      case Op::kTableImport:
      case Op::kUseStream:
        return true;
      default:
        return false;
    }
  });
}

}  // namespace dlpc
