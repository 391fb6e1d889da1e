#include "conformance/repro/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "conformance/repro/checks.h"
#include "conformance/repro/facts.h"
#include "conformance/repro/helpers.h"
#include "conformance/repro/spec_text.h"
#include "conformance/repro/steps.h"

namespace dlpc {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kModules[] = {"ctypes", "gc",        "itertools", "math",   "operator",
                                    "os",     "re",        "runpy",     "signal", "struct",
                                    "sys",    "threading", "types"};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Does the text name it, as a whole word?
bool Mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWord(text[at - 1])) && (end == text.size() || !IsWord(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string Joined(const Lines& lines) {
  return lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
}

// Does the text use it, as a function, a base class or a list? Words of comments do not count.
bool Uses(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !(IsWord(text[at - 1]) || text[at - 1] == '.');
    const char next = end == text.size() ? '\n' : text[end];
    const bool member = next == '.' && end + 1 < text.size() && IsWord(text[end + 1]);
    if (begins && (next == '(' || next == ')' || next == '\n' || member)) return true;
  }
  return false;
}

// The variable of `a0 = ...` and the like; empty for other lines.
std::string Assigned(const std::string& line) {
  const size_t end = line.find(" = ");
  const std::string name = line.substr(0, end == std::string::npos ? 0 : end);
  return std::all_of(name.begin(), name.end(), IsWord) ? name : "";
}

// The lines of the steps up to `last`, without those that nobody asks about.
Lines Pruned(const std::vector<ReproStep>& steps, size_t last, const std::string& check) {
  Lines lines;
  for (size_t i = 0; i <= last && i < steps.size(); ++i) {
    const auto& names = steps[i].names;
    const bool asked = std::any_of(names.begin(), names.end(),
                                   [&](const auto& name) { return Mentions(check, name); });
    if (steps[i].observes && !asked) continue;
    for (const std::string& line : steps[i].lines) {
      const std::string name = Assigned(line);
      const bool optional = name.starts_with("pointer") || name.starts_with("allocation") ||
                            name.starts_with("devices") || name.starts_with("device") ||
                            name.starts_with("table") || name.starts_with("kinds") ||
                            name.starts_with("derived") || name.starts_with("imported") ||
                            name.starts_with("values");
      if (!optional || Mentions(check, name)) lines.push_back(line);
    }
  }
  return lines;
}

// The last step that a check names.
size_t LastNamed(const std::vector<ReproStep>& steps, const std::string& check) {
  size_t last = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const std::string& name : steps[i].names) {
      if (Mentions(check, name)) last = i;
    }
  }
  return last;
}

// Helpers that the text mentions, and those that these mention.
std::string HelpersFor(const std::string& text) {
  std::set<const ReproHelper*> wanted;
  std::string all = text;
  for (bool more = true; more;) {
    more = false;
    for (const ReproHelper& helper : ReproHelpers()) {
      if (wanted.count(&helper) != 0 || !Uses(all, helper.name)) continue;
      wanted.insert(&helper);
      all.append(helper.text);
      more = true;
    }
  }
  std::string out;
  for (const ReproHelper& helper : ReproHelpers()) {
    if (wanted.count(&helper) != 0) out.append("\n\n").append(helper.text).append("\n");
  }
  return out;
}

std::string Head(const ReproSubject& subject) {
  const auto safe = [](std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; }, ' ');
    return text;
  };
  return fmt::format(
      "\"\"\"{}: {}\n\nSource: {}\nFound with {} {}, by the case\n{}\nExits 1 if the rule is "
      "broken, 0 if it is kept, 3 if that could not be looked at.\n\"\"\"\n\n",
      safe(subject.requirement->id), safe(subject.requirement->title),
      safe(subject.requirement->citation), safe(subject.claims->producer),
      safe(subject.claims->version), safe(subject.result->id));
}

std::string Indented(const std::string& text) {
  std::string out;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    out += "    " + text.substr(begin, end - begin);
    begin = end;
  }
  return out;
}

// Where no field of a capsule is looked at, less will do.
std::string WithoutFields(std::string body) {
  for (const char* field : {"look(", ".name", ".managed", ".versioned", "rename(", "release(",
                            "count_deleter(", "at_exit("}) {
    if (body.find(field) != std::string::npos) return body;
  }
  for (size_t at = body.find("= Export("); at != std::string::npos; at = body.find("= Export(")) {
    body.replace(at, 9, "= Attempt(");
  }
  return body;
}

// The story, main(), comes before the helpers. What goes wrong on the way there must not look like
// a broken rule, so the hook is set first of all. In a child process everything is in main().
std::string Assemble(const ReproSubject& subject, const ArrayRecipe& recipe,
                     const std::string& first, const Lines& body) {
  Lines imports, start, inside;
  std::string main = WithoutFields(Joined(body));
  const auto imports_it = [](const std::string& line) {
    return line.starts_with("import ") || line.starts_with("from ");
  };
  const Lines lines = recipe.Start(main);
  for (const std::string& line : lines) {
    if (!imports_it(line)) (line.starts_with("plugin = ") ? inside : start).push_back(line);
  }
  for (const std::string& line : lines) {
    const std::string bound = line.substr(line.rfind(' ') + 1);
    const bool again = std::count(body.begin(), body.end(), line) != 0;
    const bool needed = Mentions(Joined(start), bound) || (!again && Mentions(main, bound));
    if (imports_it(line) && needed) imports.push_back(line);
  }
  const std::string before = Joined(imports) + Joined(start);
  const bool child = !first.empty();
  main = "def main():\n" + Indented(first + (child ? before : "") + Joined(inside) + main);
  const std::string hook = HelpersFor("not_shown()") + "\n\nsys.excepthook = not_shown\n";
  const std::string helpers = HelpersFor(main + before);
  std::string out = Head(subject);
  const std::string all = fmt::format("{}{}{}{}", hook, helpers, main, before);
  for (const char* module : kModules) {
    if (Uses(all, module)) out += fmt::format("import {}\n", module);
  }
  return fmt::format("{}{}{}\n\n{}\n\n# ---- How capsules are looked at{}\n\nmain()\n", out, hook,
                     child ? "" : before, main, helpers);
}

std::vector<ReproStep> AllSteps(const ReproSubject& subject, ArrayRecipe* recipe) {
  StepWriter writer(*subject.script, subject.outcome->trace, recipe);
  std::vector<ReproStep> steps;
  for (size_t i = 0; i < subject.script->steps.size(); ++i) steps.push_back(writer.Write(i));
  return steps;
}

bool Possible(const std::vector<ReproStep>& steps, size_t last) {
  return std::all_of(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(last) + 1,
                     [](const ReproStep& step) { return step.possible; });
}

// A process that dies or hangs: the steps up to the one that it died in, in a child.
std::optional<std::string> DeathProgram(const ReproSubject& subject, ArrayRecipe* recipe,
                                        const std::vector<ReproStep>& steps) {
  const size_t last = std::min<size_t>(subject.outcome->step, steps.size() - 1);
  if (!Possible(steps, last)) return std::nullopt;
  std::string names;
  for (size_t i = 0; i <= last; ++i) {
    for (const std::string& name : steps[i].names) names += name + " ";
  }
  const std::string expected = StringText(subject.result->expected);
  Lines body = Pruned(steps, last, names);
  body.push_back(fmt::format("conclude(True, {}, 'the process lives')", expected));
  return Assemble(subject, *recipe, fmt::format("in_child({})\n", expected), body);
}

bool EndsProcess(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(),
                     [](const Step& s) { return s.op == Op::kEnd; });
}

// What only the end of a process shows, or what may end it: an exception of C++ that nobody
// catches, a lost exception.
bool NeedsChild(const ReproSubject& subject) {
  const std::string& id = subject.requirement->id;
  return id == "ABI-11" || id == "CAP-09" || id == "XAPI-13" || EndsProcess(*subject.script);
}

}  // namespace

std::optional<std::string> ReproProgram(const ReproSubject& subject) {
  ArrayRecipe recipe(*subject.claims, subject.result->emulated.value_or(""));
  const std::vector<ReproStep> steps = AllSteps(subject, &recipe);
  if (steps.empty()) return std::nullopt;
  const Outcome::Kind kind = subject.outcome->kind;
  if (kind == Outcome::Kind::kError) return std::nullopt;
  if (kind != Outcome::Kind::kTrace) return DeathProgram(subject, &recipe, steps);

  const ReproCheck* check = FindReproCheck(subject.requirement->id, subject.result->script);
  if (check == nullptr) return std::nullopt;
  const Facts facts = FactsOf(subject, steps);
  const std::string seen = Fill(check->seen, facts), kept = Fill(check->kept, facts);
  const bool child = NeedsChild(subject);
  const std::string both = seen + " " + kept;
  const size_t last = child ? steps.size() - 1 : LastNamed(steps, both);
  if (!Possible(steps, last)) return std::nullopt;
  const std::string expected = StringText(subject.result->expected);
  Lines body = Pruned(steps, last, both);
  body.push_back("seen = " + seen);
  if (EndsProcess(*subject.script)) {
    body.push_back("sys.exit(0)");
  } else {
    body.push_back(fmt::format("conclude({}, {}, seen)", kept, expected));
  }
  const std::string first = child ? fmt::format("in_child({})\n", expected) : "";
  return Assemble(subject, recipe, first, body);
}

}  // namespace dlpc
