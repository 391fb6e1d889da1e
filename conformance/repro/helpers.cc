#include "conformance/repro/helpers.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace dlpc {
namespace {

struct Line {
  std::string_view text;
  std::string_view when;  // "+flag word"; empty: always.
};

struct Helper {
  std::string_view name;
  std::vector<Line> lines;
};

std::string_view CutLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// "class Export:", "def look(e):", "kept = []", "//: look"
std::string_view NameIn(std::string_view line) {
  for (const std::string_view keyword : {"class ", "def ", "//: "}) {
    if (line.starts_with(keyword)) line.remove_prefix(keyword.size());
  }
  return line.substr(0, line.find_first_of(" (:"));
}

Helper HelperOf(std::string_view text) {
  Helper helper{NameIn(text.substr(0, text.find('\n'))), {}};
  if (text.starts_with("//:")) CutLine(text);
  std::string_view when;
  while (!text.empty()) {
    const std::string_view line = CutLine(text);
    const size_t mark = line.find_first_not_of(' ');
    const std::string_view rest = line.substr(std::min(mark, line.size()));
    if (rest.starts_with("#:") || rest.starts_with("//:")) {
      when = rest.substr(rest.find(':') + 1);
    } else {
      helper.lines.push_back({line, when});
    }
  }
  return helper;
}

std::vector<Helper> Split(std::string_view file) {
  constexpr std::string_view kBetween = "\n\n\n";
  std::vector<Helper> helpers;
  while (!file.empty()) {
    const size_t end = file.find(kBetween);
    std::string_view text = file.substr(0, end);
    while (text.ends_with('\n')) text.remove_suffix(1);
    while (text.starts_with('\n')) text.remove_prefix(1);
    const bool comment = text.empty() || text.starts_with('#') || text.starts_with("// ");
    if (!comment) helpers.push_back(HelperOf(text));
    if (end == std::string_view::npos) break;
    file.remove_prefix(end + kBetween.size());
  }
  return helpers;
}

bool Has(const ReproFlags& flags, std::string_view name) {
  if (name == "held") return flags.held;
  if (name == "raw") return !flags.held;
  if (name == "attempt") return flags.attempt;
  if (name == "plain") return !flags.attempt;
  if (name == "guarded") return flags.guarded;
  if (name == "sure") return !flags.guarded;
  return name == "packed" ? flags.packed : flags.bare;
}

// All flags of the condition must hold, and one of its words be there.
bool Holds(std::string_view when, const ReproFlags& flags, const std::string& text) {
  bool words = false, found = false;
  while (!when.empty()) {
    const size_t end = when.find(' ');
    const std::string_view word = when.substr(0, end);
    when.remove_prefix(end == std::string_view::npos ? when.size() : end + 1);
    if (word.empty()) continue;
    if (word.starts_with('+')) {
      if (!Has(flags, word.substr(1))) return false;
    } else {
      words = true;
      found |= Mentions(text, word);
    }
  }
  return found || !words;
}

bool IsProse(std::string_view line) {
  const size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos || line.substr(at).starts_with("\"\"\"");
}

using Kept = std::set<const Line*>;

// One more round: lines that are wanted because of the text, which grows by them.
bool Grow(const Helper& helper, const ReproFlags& flags, std::string& text, Kept& kept) {
  const bool is_type = std::isupper(static_cast<unsigned char>(helper.name[0])) != 0;
  if (is_type ? !Mentions(text, helper.name) : !Uses(text, helper.name)) return false;
  bool more = false;
  for (const Line& line : helper.lines) {
    if (kept.count(&line) != 0 || !Holds(line.when, flags, text)) continue;
    kept.insert(&line);
    if (!IsProse(line.text)) text.append("\n").append(line.text.substr(0, line.text.find("  # ")));
    more = true;
  }
  return more;
}

std::string TextOf(const Helper& helper, const ReproFlags& flags, const Kept& kept) {
  std::string out;
  for (const Line& line : helper.lines) {
    const bool again = line.text.empty() && out.ends_with("\n\n");
    if (kept.count(&line) != 0 && !again) out.append(line.text).append("\n");
  }
  while (out.ends_with("\n\n")) out.pop_back();
  if (!flags.guarded || helper.name == "table") return out;
  constexpr std::string_view kUnguarded = "ctypes.string_at(";
  for (size_t at = out.find(kUnguarded); at != std::string::npos; at = out.find(kUnguarded)) {
    out.replace(at, kUnguarded.size(), "peek(");
  }
  return out;
}

}  // namespace

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool Mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsWord(text[at - 1]) || !IsWord(word[0]);
    if (begins && (end == text.size() || !IsWord(text[end]))) return true;
  }
  return false;
}

bool Uses(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !(IsWord(text[at - 1]) || text[at - 1] == '.');
    const char next = end == text.size() ? '\n' : text[end];
    const bool member = next == '.' && end + 1 < text.size() && IsWord(text[end + 1]);
    if (begins &&
        (next == '(' || next == ')' || next == ',' || next == '[' || next == '\n' || member))
      return true;
  }
  return false;
}

namespace {

std::string Wanted(const std::vector<Helper>& helpers, std::string all, const ReproFlags& flags) {
  Kept kept;
  for (bool more = true; more;) {
    more = false;
    for (const Helper& helper : helpers) more |= Grow(helper, flags, all, kept);
  }
  std::string out;
  for (const Helper& helper : helpers) {
    const std::string lines = TextOf(helper, flags, kept);
    if (!lines.empty()) out.append("\n").append(lines);
  }
  return out;
}

}  // namespace

std::string HelpersFor(const std::string& text, const ReproFlags& flags) {
  static const std::vector<Helper> helpers = Split(kReproHelpersFile);
  const bool peek = flags.guarded && Uses(text, "look");
  return Wanted(helpers, text + (peek ? "\npeek()" : ""), flags);
}

std::string NativeHelpersFor(const std::string& text, const ReproFlags& flags) {
  static const std::vector<Helper> helpers = Split(kNativeHelpersFile);
  return Wanted(helpers, text, flags);
}

}  // namespace dlpc
