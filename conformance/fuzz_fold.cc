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

// '#' for each number, sign included.
std::string WithoutNumbers(std::string_view observed) {
  std::string text;
  while (!observed.empty()) {
    const auto end = std::find_if_not(observed.begin(), observed.end(), IsWord);
    const auto word = observed.substr(0, static_cast<size_t>(end - observed.begin()));
    if (IsNumber(word)) {
      if (text.ends_with('-')) text.pop_back();
      text += '#';
    } else {
      text += word;
    }
    observed.remove_prefix(word.size());
    if (observed.empty()) break;
    text += observed.front();
    observed.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::string FoldedText(const Wording& observed) {
  std::string text = WithoutNumbers(observed.text());
  // Lists are as long as the arrays' rank: "(#, #, #)" and "(#,)" are "(#)".
  for (const std::string_view more : {"#, #", "(#,)", "()"}) {
    const std::string_view less = more == "#, #" ? "#" : "(#)";
    for (size_t at; (at = text.find(more)) != std::string::npos;) {
      text.replace(at, more.size(), less);
    }
  }
  return text;
}

}  // namespace dlpc
