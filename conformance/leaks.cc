#include "conformance/leaks.h"

#include <algorithm>

namespace dlpc {
namespace {

// Of ASCII, whatever the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsPathChar(char c) { return IsWord(c) || c == '.' || c == '-'; }
bool OpensPath(char c) {
  return (c >= '\t' && c <= '\r') || c == ' ' || c == '(' || c == '\'' || c == '"';
}

// text[at] is 'x'.
bool IsAddress(std::string_view text, size_t at) {
  constexpr size_t kDigits = 6;
  if (at == 0 || text[at - 1] != '0') return false;
  const std::string_view digits = text.substr(at + 1, kDigits);
  return digits.size() == kDigits && std::all_of(digits.begin(), digits.end(), IsHex);
}

// text[at] is '/'.
bool IsPath(std::string_view text, size_t at) {
  if (at != 0 && !OpensPath(text[at - 1])) return false;
  size_t end = at + 1;
  while (end < text.size() && IsPathChar(text[end])) ++end;
  if (end == at + 1 || end + 1 >= text.size() || text[end] != '/') return false;
  return IsPathChar(text[end + 1]) || text[end + 1] == '+';
}

// text[at] is ':'.
bool IsSourceLine(std::string_view text, size_t at) {
  constexpr std::string_view kEndings[] = {".cc",  ".cpp", ".cu", ".cuh", ".h",
                                           ".hpp", ".pyx", ".py", ".rs"};
  if (at + 1 >= text.size() || !IsDigit(text[at + 1])) return false;
  const std::string_view file = text.substr(0, at);
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
    return file.size() > ending.size() && file.ends_with(ending) &&
           IsWord(file[file.size() - ending.size() - 1]);
  });
}

}  // namespace

bool HasLeak(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case 'x':
        if (IsAddress(text, at)) return true;
        break;
      case '/':
        if (IsPath(text, at)) return true;
        break;
      case ':':
        if (IsSourceLine(text, at)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace dlpc
