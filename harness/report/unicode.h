// Text from vendors is any bytes; each kind of report can only hold some of them.
#ifndef DLPC_HARNESS_REPORT_UNICODE_H_
#define DLPC_HARNESS_REPORT_UNICODE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dlpc {

/// One code point of UTF-8 text. An invalid byte is one code point of its own, U+FFFD.
struct CodePoint {
  char32_t value = 0;
  size_t bytes = 1;
};

/// Pre: text is not empty.
CodePoint FirstCodePoint(std::string_view text);

/// Valid UTF-8 that XML 1.0 can hold (its production 2, Char); everything else becomes U+FFFD.
std::string XmlText(std::string_view text);

/// One line fit for a terminal: line breaks, control characters and text direction overrides become
/// visible escapes ("\n", "\x1b"), and so do invalid bytes. At most `limit` code points, then
/// "... (9600 more)".
std::string OneLine(std::string_view text, size_t limit);

/// OneLine as plain text of Markdown: nothing of it is markup, ends a table's cell or notifies
/// anybody.
std::string MarkdownText(std::string_view text, size_t limit);

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_UNICODE_H_
