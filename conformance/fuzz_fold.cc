#include "conformance/fuzz_fold.h"

namespace dlpc {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// '#' for each number, sign and hexadecimal digits included.
std::string WithoutNumbers(std::string_view observed) {
  std::string text;
  bool number = false;
  for (size_t i = 0; i < observed.size(); ++i) {
    const char c = observed[i];
    const bool hex = number && ((c >= 'a' && c <= 'f') || c == 'x');
    const bool sign = c == '-' && i + 1 < observed.size() && IsDigit(observed[i + 1]);
    if (IsDigit(c) || hex || sign) {
      if (!number) text += '#';
      number = true;
      continue;
    }
    number = false;
    text += c;
  }
  return text;
}

}  // namespace

std::string FoldedText(std::string_view observed) {
  std::string text = WithoutNumbers(observed);
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
