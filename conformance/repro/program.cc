#include "conformance/repro/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "conformance/repro/checks.h"
#include "conformance/repro/facts.h"
#include "conformance/repro/helpers.h"
#include "conformance/repro/native_program.h"
#include "conformance/repro/parts.h"
#include "conformance/repro/spec_text.h"
#include "conformance/repro/steps.h"

namespace dlpc {
namespace {

constexpr const char* kModules[] = {"ctypes", "gc",        "itertools", "math",   "operator",
                                    "os",     "re",        "runpy",     "signal", "struct",
                                    "sys",    "threading", "types"};

// The variable of `a0 = ...` and the like; empty for other lines.
std::string Assigned(const std::string& line) {
  const size_t end = line.find(" = ");
  const std::string name = line.substr(0, end == std::string::npos ? 0 : end);
  return std::all_of(name.begin(), name.end(), IsWord) ? name : "";
}

// Variables that are made only if somebody asks for them.
bool IsOptional(const std::string& name) {
  static constexpr const char* kKinds[] = {"pointer", "allocation", "device", "table", "kinds",
                                           "derived", "imported",   "values", "many",  "places"};
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const char* kind) { return name.starts_with(kind); });
}

// What the judged text asks for, and how exports are kept.
struct Asked {
  std::string check;
  ReproFlags flags;
  size_t last = 0;  // The last step that is needed.
};

// The lines of a step without what nobody asks about.
Lines NeededLines(const ReproStep& step, const std::string& check) {
  const bool asked = AnyAsked(step, check);
  if (!asked && step.observes) return {};
  if (!asked && !step.unasked.empty()) return step.unasked;
  Lines lines;
  for (const std::string& line : step.lines) {
    const std::string name = Assigned(line);
    if (!IsOptional(name) || Mentions(check, name)) lines.push_back(line);
  }
  return lines;
}

// Is the export named for itself, or its exception asked for?
bool ErrorAsked(const std::string& check, const std::string& name) {
  for (size_t at = check.find(name); at != std::string::npos; at = check.find(name, at + 1)) {
    const std::string_view rest = std::string_view(check).substr(at + name.size());
    if (rest.empty() || (!IsWord(rest[0]) && rest[0] != '.') || rest.starts_with(".error")) {
      return true;
    }
  }
  return false;
}

// May there be no export, and the rule be kept?
bool MayFail(const ReproStep& step, const std::string& check) {
  const auto has = [&](const char* text) { return check.find(text) != std::string::npos; };
  return step.raised || ErrorAsked(check, step.names[0]) || has(" if d") || has(" if t") ||
         has("0 and ") || has("not seen");
}

Lines ExportLines(const ReproStep& step, const Asked& asked, bool only) {
  const std::string &name = step.names[0], error = "error" + name.substr(6);
  if (asked.flags.held) {
    return {
        fmt::format("{} = Export({}{})", name, asked.flags.attempt ? "lambda: " : "", step.call)};
  }
  if (!MayFail(step, asked.check)) return {name + " = " + step.call};
  if (!only) return {fmt::format("{}, {} = attempt(lambda: {})", name, error, step.call)};
  return {name + " = " + error + " = None", "try:", "    " + name + " = " + step.call,
          "except Exception as error:", "    " + error + " = error"};
}

// The steps as lines.
Lines Story(const std::vector<ReproStep>& steps, const Asked& asked) {
  Lines lines;
  const auto fails = [&](const ReproStep& step) {
    return !step.call.empty() && MayFail(step, asked.check);
  };
  const bool only = std::count_if(steps.begin(), steps.end(), fails) == 1;
  for (size_t i = 0; i <= asked.last && i < steps.size(); ++i) {
    const Lines more = steps[i].call.empty() ? NeededLines(steps[i], asked.check)
                                             : ExportLines(steps[i], asked, only);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

// The same where exports are capsules and exceptions, not objects of class Export. `judged`: what
// the verdict is made of.
std::string OfCapsules(const std::string& text, bool judged) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t found = text.find("export", at);
    out += text.substr(at, found - at);
    if (found == std::string::npos) break;
    size_t end = found + 6;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string name = text.substr(found, end - found), error = "error" + name.substr(6);
    const std::string_view rest = std::string_view(text).substr(end);
    const auto member = [&](std::string_view word) {
      at = end + (rest.starts_with(word) ? word.size() : 0);
      return at != end;
    };
    const bool is_export = end > found + 6 && (found == 0 || !IsWord(text[found - 1]));
    if (!is_export) {
      at = end;
      out += name;
    } else if (member(".error")) {
      out += error;
    } else if (member(".name")) {
      out += "name_of(" + name + ")";
    } else if (member(".capsule")) {
      out += name;
    } else {
      out += judged ? fmt::format("({} or {})", error, name) : name;
    }
  }
  return out;
}

// Must what is known of an export be kept together?
bool NeedsHeld(const std::string& text) {
  static constexpr const char* kUses[] = {
      ".managed", ".versioned",    "rename(",   "release",     "count_deleter(",
      "at_exit(", "consume_",      "together(", "table_owned", "table_allocate",
      ".calls",   "dropped_while", " e."};
  return std::any_of(std::begin(kUses), std::end(kUses),
                     [&](const char* use) { return text.find(use) != std::string::npos; });
}

ReproFlags FlagsOf(const ReproSubject& subject, const std::vector<ReproStep>& steps,
                   const Asked& asked) {
  ReproFlags flags;
  std::string text = asked.check;
  for (size_t i = 0; i <= asked.last && i < steps.size(); ++i) {
    const ReproStep& step = steps[i];
    text += "\n" + Joined(NeededLines(step, asked.check));
    flags.attempt |= !step.call.empty() && MayFail(step, asked.check);
    flags.bare |= std::any_of(step.names.begin(), step.names.end(),
                              [&](const auto& name) { return ErrorAsked(asked.check, name); });
  }
  flags.held = NeedsHeld(text);
  flags.attempt |= text.find("table_") != std::string::npos;
  flags.guarded = IsGuarded(subject) || Mentions(text, "vars");
  flags.packed = std::any_of(
      subject.script->specs.begin(), subject.script->specs.end(),
      [](const ArraySpec& spec) { return spec.dtype.bits * spec.dtype.lanes % 8 != 0; });
  return flags;
}

std::string PrintExpected(const ReproSubject& subject) {
  return fmt::format("print('expected:', {}, flush=True)\n", StringText(subject.result->expected));
}

// The rest of the program is done by a child: it may end its process.
constexpr const char* kPythonChild =
    "child = os.fork()  # The rest may end its process.\n"
    "if child:\n"
    "    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
    "    if end not in (0, 1, 3):\n"
    "        print('observed: the process ends by', signal.strsignal(-end) if end < 0 else end)\n"
    "    sys.stdout.flush()\n"
    "    os._exit(end if end in (0, 1, 3) else 1)\n"
    "signal.alarm(20)\n";

struct Body {
  Lines steps;
  std::string end;  // The verdict.
  bool child = false;
};

// What goes wrong on the way must not look like a broken rule, so the hook is set first of all.
std::string Assemble(const ReproSubject& subject, const ArrayRecipe& recipe, const Body& story,
                     const ReproFlags& flags) {
  Lines imports, start;
  const std::string main = Joined(story.steps) + story.end;
  const auto imports_it = [](const std::string& line) {
    return line.starts_with("import ") || line.starts_with("from ");
  };
  const Lines lines = recipe.Start(main);
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(start),
               [&](const std::string& line) { return !imports_it(line); });
  for (const std::string& line : lines) {
    const std::string bound = line.substr(line.rfind(' ') + 1);
    const bool again = std::count(story.steps.begin(), story.steps.end(), line) != 0;
    const bool needed = Mentions(Joined(start), bound) || (!again && Mentions(main, bound));
    if (imports_it(line) && needed) imports.push_back(line);
  }
  std::string first = "sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(3))\n";
  if (story.child) first += PrintExpected(subject) + kPythonChild;
  first += Joined(imports) + Joined(start);
  const std::string helpers = HelpersFor(first + main, flags), all = first + helpers + main;
  Lines modules;
  std::copy_if(std::begin(kModules), std::end(kModules), std::back_inserter(modules),
               [&](const char* module) { return Uses(all, module); });
  return fmt::format("\"\"\"{}\"\"\"\nimport {}\n\n{}{}\n{}", Joined(ReproHead(subject)),
                     fmt::join(modules, ", "), first, helpers, main);
}

std::vector<ReproStep> AllSteps(const ReproSubject& subject, ArrayRecipe* recipe) {
  StepWriter writer(*subject.script, subject.outcome->trace, recipe);
  std::vector<ReproStep> steps;
  for (size_t i = 0; i < subject.script->steps.size(); ++i) steps.push_back(writer.Write(i));
  return steps;
}

// A process that dies or hangs: the steps up to the one that it died in, in a child.
std::optional<std::string> DeathProgram(const ReproSubject& subject, ArrayRecipe* recipe,
                                        const std::vector<ReproStep>& steps) {
  Asked asked;
  asked.last = std::min<size_t>(subject.outcome->step, steps.size() - 1);
  if (!Possible(steps, asked.last)) return std::nullopt;
  for (size_t i = 0; i <= asked.last; ++i) {
    for (const std::string& name : steps[i].names) {
      if (!name.starts_with("many") && !name.starts_with("places")) asked.check += name + ".is ";
    }
  }
  asked.flags = FlagsOf(subject, steps, asked);
  Body body{Story(steps, asked), "print('observed: the process lives', flush=True)\nos._exit(0)\n",
            true};
  if (asked.last + 1 == steps.size()) {
    const Lines more = Leftovers(steps, body.steps);
    body.steps.insert(body.steps.end(), more.begin(), more.end());
  }
  if (!asked.flags.held) {
    for (std::string& line : body.steps) line = OfCapsules(line, false);
  }
  return Assemble(subject, *recipe, body, asked.flags);
}

Body BodyOf(const ReproSubject& subject, const std::vector<ReproStep>& steps, const Asked& asked,
            const std::string& seen, const std::string& kept) {
  Body body{Story(steps, asked), "", NeedsChild(subject)};
  if (EndsProcess(*subject.script)) {
    body.end = "sys.exit(0)\n";
    return body;
  }
  if (!body.child) body.end = PrintExpected(subject);
  body.end =
      fmt::format("seen = {}\n{}print('observed:', seen, flush=True)\nos._exit(0 if {} else 1)\n",
                  seen, body.end, kept);
  if (asked.flags.held) return body;
  for (std::string& line : body.steps) line = OfCapsules(line, false);
  body.end = OfCapsules(body.end, true);
  return body;
}

}  // namespace

std::optional<std::string> ReproProgram(const ReproSubject& subject) {
  if (subject.claims->kind == "native") return NativeProgram(subject);
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
  Asked asked;
  asked.check = seen + " " + kept;
  const bool child = NeedsChild(subject);
  asked.last = child ? steps.size() - 1 : LastNamed(steps, asked.check);
  if (!Possible(steps, asked.last)) return std::nullopt;
  asked.flags = FlagsOf(subject, steps, asked);
  return Assemble(subject, recipe, BodyOf(subject, steps, asked, seen, kept), asked.flags);
}

}  // namespace dlpc
