#include "conformance/fuzz_fold.h"

#include <algorithm>

namespace dlpc {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || c == 'x'; }
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// 12, 0x3f80, ad0f: but not "float32", nor "added".
bool IsNumber(std::string_view word) {
  return std::any_of(word.begin(), word.end(), IsDigit) &&
         std::all_of(word.begin(), word.end(), IsHex);
}

// Lists are as long as the arrays' rank: "(#, #, #)", "(#,)" and "()" are "(#)".
void Append(char c, std::string& text) {
  text += c;
  if (c == '#' && text.ends_with("#, #")) text.resize(text.size() - 3);
  if (c != ')') return;
  if (text.ends_with("(#,)")) {
    text.replace(text.size() - 2, 2, ")");
  } else if (text.ends_with("()")) {
    text.replace(text.size() - 1, 1, "#)");
  }
}

}  // namespace

// '#' for each number, sign included.
std::string FoldedText(const Wording& wording) {
  std::string_view observed = wording.text();
  std::string text;
  text.reserve(observed.size() + 8);
  while (!observed.empty()) {
    const auto end = std::find_if_not(observed.begin(), observed.end(), IsWord);
    const auto word = observed.substr(0, static_cast<size_t>(end - observed.begin()));
    if (IsNumber(word)) {
      if (text.ends_with('-')) text.pop_back();
      Append('#', text);
    } else {
      text += word;
    }
    observed.remove_prefix(word.size());
    if (observed.empty()) break;
    Append(observed.front(), text);
    observed.remove_prefix(1);
  }
  return text;
}

}  // namespace dlpc
