#include "conformance/repro/native_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/repro/checks.h"
#include "conformance/repro/facts.h"
#include "conformance/repro/helpers.h"
#include "conformance/repro/native_steps.h"
#include "conformance/repro/parts.h"

namespace dlpc {
namespace {

// Headers, by a name that needs them.
constexpr std::pair<const char*, const char*> kNativeHeaders[] = {
    {"dlsym", "dlfcn.h"},     {"open", "fcntl.h"},       {"mallinfo2", "malloc.h"},
    {"fork", "sys/wait.h"},   {"pread", "unistd.h"},     {"fork", "unistd.h"},
    {"all_of", "algorithm"},  {"max", "algorithm"},      {"tolower", "cctype"},
    {"INT64_MAX", "cstdint"}, {"puts", "cstdio"},        {"snprintf", "cstdio"},
    {"exit", "cstdlib"},      {"abs", "cstdlib"},        {"memcpy", "cstring"},
    {"strsignal", "cstring"}, {"ifstream", "fstream"},   {"cout", "iostream"},
    {"map", "map"},           {"regex_search", "regex"}, {"set", "set"},
    {"string", "string"},     {"thread", "thread"},      {"vector", "vector"},
};

constexpr const char* kNativeChild =
    R"(  if (const pid_t child = fork()) {  // The rest may end its process.
    int status = 0;
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
    if (code == 0 || code == 1 || code == 3) return code;
    const char* how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "an exit";
    std::cout << "observed: the process ends by " << how << std::endl;
    return 1;
  }
  alarm(20);
)";

// The variable that a line makes; empty: none.
std::string Declared(const std::string& line) {
  for (const char* kind : {"const auto ", "const void* ", "const Ints ", "std::vector<Ints> "}) {
    const size_t length = std::string_view(kind).size();
    if (line.starts_with(kind))
      return line.substr(length, line.find_first_of(" (", length) - length);
  }
  return "";
}

// What was not made need not be looked at: a variable that nobody names is left out.
Lines NativeLines(const ReproStep& step, const std::string& check) {
  Lines lines;
  if (!step.call.empty()) {
    const std::string& name = step.names[0];
    lines = {fmt::format("Export {} = {};", name, step.call)};
    if (!step.raised && !Mentions(check, name))
      lines.push_back("if (!" + name + ".ok()) return 3;");
    return lines;
  }
  if (step.observes && !AnyAsked(step, check)) return lines;
  for (const std::string& line : step.lines) {
    const std::string name = Declared(line);
    const bool fills = line.starts_with("for (Ints& d");
    const bool wanted = name.empty() || Mentions(check, name) || name.starts_with("consumed") ||
                        name.starts_with("many") || name.starts_with("together");
    if (fills ? Mentions(check, step.names.back()) : wanted) lines.push_back(line);
  }
  return lines;
}

// Variables that nobody names again are not made.
void DropNames(Lines& lines, const std::string& end) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t equals = lines[i].find(" = ");
    const size_t space = equals == std::string::npos ? equals : lines[i].rfind(' ', equals - 1);
    if (space == std::string::npos) continue;
    const std::string name = lines[i].substr(space + 1, equals - space - 1);
    const auto names_it = [&](const std::string& line) { return Mentions(line, name); };
    const bool later =
        std::any_of(lines.begin() + static_cast<ptrdiff_t>(i) + 1, lines.end(), names_it);
    if (later || names_it(end)) continue;
    lines[i].erase(0, lines[i].find("calls[") == std::string::npos ? equals + 3 : lines[i].size());
  }
}

Facts NativeFacts(const ReproSubject& subject, const std::vector<ReproStep>& steps) {
  Facts facts = FactsOf(subject, steps);
  for (auto& [name, text] : facts) text = NativeText(text);
  if (!subject.script->specs.empty()) {
    const auto rank = Resolve(subject.script->specs[0].layout).shape.size();
    facts["rank"] = std::to_string(rank);
  }
  std::string rests;
  for (const ReproStep& step : steps) {
    const bool inspects = !step.names.empty() && step.names[0].starts_with("inspect");
    if (inspects) rests += (rests.empty() ? "" : ", ") + ("rest(" + step.names[0] + ")");
  }
  facts["rests"] = "(Ints{" + rests + "})";
  return facts;
}

// "a|b" -> "a << ' ' << b"
std::string Shown(std::string seen) {
  for (size_t at = seen.find('|'); at != std::string::npos; at = seen.find('|')) {
    seen.replace(at, 1, " << \" \" << ");
  }
  return seen;
}

std::string AssembleNative(const ReproSubject& subject, const ReproFlags& flags, const Lines& steps,
                           const std::string& end, bool child) {
  static constexpr const char* kLists[] = {"place(",   "dtype_of(", ".lengths", ".steps",
                                           ".version", "device0 ",  "devices0", "many",
                                           "together", "Ints{rest"};
  const std::string seen = end.substr(0, end.find("std::endl"));
  const bool printed = std::any_of(std::begin(kLists), std::end(kLists), [&](const char* list) {
    return seen.find(list) != std::string::npos;
  });
  std::string out;
  for (const std::string& line : ReproHead(subject)) out += "// " + line + "\n";
  out += "// c++ -std=c++17 -I DLPACK/include -I SUITE/harness/include THIS.cc -ldl -pthread\n";
  std::string main = "int main() {\n  std::cout << \"expected: \" << " +
                     NativeString(subject.result->expected) + " << std::endl;\n";
  main += "  if (library == nullptr) return 3;\n";
  if (child) main += kNativeChild;
  for (const std::string& line : steps) main += "  " + line + "\n";
  main += end + "}\n";
  // Operators are used without being named.
  const std::string helpers = NativeHelpersFor(main + (printed ? "ostream()" : ""), flags);
  const std::string all = helpers + main + "dlsym";
  std::set<std::string> headers;
  for (const auto& [name, header] : kNativeHeaders) {
    if (Mentions(all, name)) headers.insert(header);
  }
  out += "#include <dlpc/producer.h>\n";
  for (const std::string& header : headers) out += "#include <" + header + ">\n";
  return fmt::format("{}\nconst char kPlugin[] = {};\n{}\n{}", out,
                     NativeString(subject.claims->adapter), helpers, main);
}

// A host releases what a script left: a process that ends in its last step ends in that.
void ReleaseRest(const std::vector<ReproStep>& steps, Lines& lines) {
  const auto add = [&](const std::string& line) {
    if (Joined(lines).find(line) == std::string::npos) lines.push_back(line);
  };
  for (const ReproStep& step : steps) {
    if (!step.call.empty()) add("release(" + step.names[0] + ");");
  }
  for (int slot = 0; slot < kArraySlots; ++slot) {
    const bool made =
        Joined(lines).find(fmt::format("dlpc_array* a{} =", slot)) != std::string::npos;
    if (made) add(fmt::format("PLUGIN(dlpc_release)(a{});", slot));
  }
}

}  // namespace

std::optional<std::string> NativeProgram(const ReproSubject& subject) {
  NativeWriter writer(*subject.script, subject.outcome->trace);
  std::vector<ReproStep> steps;
  for (size_t i = 0; i < subject.script->steps.size(); ++i) steps.push_back(writer.Write(i));
  const Outcome::Kind kind = subject.outcome->kind;
  if (steps.empty() || kind == Outcome::Kind::kError) return std::nullopt;
  const bool death = kind != Outcome::Kind::kTrace;
  const ReproCheck* check = FindNativeCheck(subject.requirement->id, subject.result->script);
  if (!death && check == nullptr) return std::nullopt;
  const Facts facts = NativeFacts(subject, steps);
  const std::string seen = death ? "\"the process lives\"" : Fill(check->seen, facts);
  const std::string kept = death ? "true" : Fill(check->kept, facts);
  const bool child = death || kept == "true" || NeedsChild(subject);
  const std::string both = seen + " " + kept;
  size_t last = child ? steps.size() - 1 : LastNamed(steps, both);
  if (death) last = std::min<size_t>(subject.outcome->step, last);
  if (!Possible(steps, last)) return std::nullopt;
  Lines lines;
  for (size_t i = 0; i <= last; ++i) {
    // Where a process dies, what it does counts, and no name is asked for.
    const std::string& asked = death && !steps[i].names.empty() ? steps[i].names[0] : both;
    for (const std::string& line : NativeLines(steps[i], asked)) lines.push_back(line);
  }
  if (death && last + 1 == steps.size()) ReleaseRest(steps, lines);
  ReproFlags flags;
  flags.guarded = IsGuarded(subject);
  const std::string end =
      fmt::format("  std::cout << \"observed: \" << {} << std::endl;\n  std::_Exit({} ? 0 : 1);\n",
                  Shown(seen), kept == "true" ? kept : "(" + kept + ")");
  DropNames(lines, end);
  return AssembleNative(subject, flags, lines, end, child);
}

}  // namespace dlpc
