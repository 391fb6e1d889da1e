// A comparison of two runs as text, Markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "harness/compare.h"
#include "harness/json.h"
#include "harness/report/select.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

constexpr size_t kLineLimit = 160;

// The changes of one kind in one requirement: shown as one entry.
struct Group {
  ChangeKind kind;
  std::vector<const Change*> changes;
  const Change& first() const { return *changes.front(); }
};

std::vector<Group> GroupsOf(const Comparison& comparison) {
  std::vector<Group> groups;
  std::map<std::pair<ChangeKind, std::string>, size_t> place;
  for (const Change& change : comparison.changes) {
    const auto [it, fresh] =
        place.emplace(std::pair(change.kind, change.either().requirement), groups.size());
    if (fresh) groups.push_back({change.kind, {}});
    groups[it->second].changes.push_back(&change);
  }
  return groups;
}

std::string Side(const CaseResult* c) {
  return c == nullptr ? "not there" : fmt::format("{}: {}", StatusName(c->status), c->observed);
}

std::map<ChangeKind, size_t> CountKinds(const Comparison& comparison) {
  std::map<ChangeKind, size_t> counts;
  for (const Change& change : comparison.changes) ++counts[change.kind];
  return counts;
}

std::string Headline(const Comparison& comparison) {
  const RunResult &a = *comparison.before, &b = *comparison.after;
  return fmt::format("{} ({}) -> {} ({})", ProducerText(a), a.verdict, ProducerText(b), b.verdict);
}

}  // namespace

std::string ComparisonText(const Comparison& comparison) {
  std::string out = OneLine(Headline(comparison), kLineLimit) + "\n";
  const auto add = std::back_inserter(out);
  for (const std::string& note : comparison.notes) {
    fmt::format_to(add, "note: {}\n", OneLine(note, kLineLimit));
  }
  if (comparison.changes.empty()) return out + "No case differs.\n";
  const auto counts = CountKinds(comparison);
  std::optional<ChangeKind> section;
  for (const Group& group : GroupsOf(comparison)) {
    if (section != group.kind) {
      fmt::format_to(add, "\n{} ({} cases)\n", ChangeTitle(group.kind), counts.at(group.kind));
    }
    section = group.kind;
    const Change& first = group.first();
    fmt::format_to(add, "  {} {}, {} cases, e.g. {}\n    before: {}\n    now:    {}\n",
                   OneLine(first.either().requirement, kLineLimit), LevelName(first.either().level),
                   group.changes.size(), OneLine(first.either().id, kLineLimit),
                   OneLine(Side(first.before), kLineLimit), OneLine(Side(first.after), kLineLimit));
  }
  return out;
}

std::string ComparisonMarkdown(const Comparison& comparison, size_t limit) {
  const auto cell = [](std::string_view text) { return MarkdownText(text, kLineLimit); };
  std::string out = "### " + cell(Headline(comparison)) + "\n";
  const auto add = std::back_inserter(out);
  for (const std::string& note : comparison.notes) fmt::format_to(add, "\n- {}\n", cell(note));
  if (comparison.changes.empty()) return out + "\nNo case differs.\n";
  const std::vector<Group> groups = GroupsOf(comparison);
  for (const auto& [kind, cases] : CountKinds(comparison)) {
    fmt::format_to(add, "\n**{}** ({} cases)\n\n", ChangeTitle(kind), cases);
    out += "| Requirement | level | cases | e.g. | before | now |\n|---|---|---|---|---|---|\n";
    size_t shown = 0;
    const auto all = std::count_if(groups.begin(), groups.end(),
                                   [kind = kind](const Group& g) { return g.kind == kind; });
    for (const Group& group : groups) {
      if (group.kind != kind || shown == limit) continue;
      ++shown;
      const Change& first = group.first();
      fmt::format_to(add, "| {} | {} | {} | {} | {} | {} |\n", cell(first.either().requirement),
                     LevelName(first.either().level), group.changes.size(), cell(first.either().id),
                     cell(Side(first.before)), cell(Side(first.after)));
    }
    const size_t more = static_cast<size_t>(all) - shown;
    if (more > 0) fmt::format_to(add, "\nand {} more requirements\n", more);
  }
  return out;
}

std::string ComparisonJson(const Comparison& comparison) {
  const auto run = [](const RunResult& r) -> OrderedJson {
    return {{"producer", r.producer.producer},
            {"version", r.producer.version},
            {"verdict", r.verdict},
            {"catalogue_sha256", r.catalogue_sha256}};
  };
  const auto side = [](const CaseResult* c) -> OrderedJson {
    if (c == nullptr) return nullptr;
    return {{"status", StatusName(c->status)}, {"observed", c->observed}};
  };
  OrderedJson json = {{"before", run(*comparison.before)},
                      {"after", run(*comparison.after)},
                      {"regressed", comparison.regressed()},
                      {"notes", comparison.notes},
                      {"changes", OrderedJson::array()}};
  for (const Change& change : comparison.changes) {
    const CaseResult& c = change.either();
    json["changes"].push_back({{"kind", ChangeTitle(change.kind)},
                               {"id", c.id},
                               {"requirement", c.requirement},
                               {"level", LevelName(c.level)},
                               {"before", side(change.before)},
                               {"after", side(change.after)}});
  }
  return DumpJson(json, 1) + "\n";
}

}  // namespace dlpc
