#include "harness/report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dlpc {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) >= 0; });
}

// XML 1.0 (fifth edition), production 2. U+FFFE and U+FFFF are excluded there.
bool IsXmlChar(char32_t c) {
  return c >= 0x20 ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r';
}

// C0, DEL and C1 controls; directional formatting characters, which can make a line read otherwise
// than it is.
bool IsUnsafeOnTerminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void AppendEscape(std::string& out, char32_t c) {
  auto it = std::back_inserter(out);
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      if (c < 0x100) {
        fmt::format_to(it, "\\x{:02x}", static_cast<uint32_t>(c));
      } else {
        fmt::format_to(it, "\\u{:04x}", static_cast<uint32_t>(c));
      }
  }
}

size_t CountCodePoints(std::string_view text) {
  size_t n = 0;
  for (; !text.empty(); ++n) text.remove_prefix(FirstCodePoint(text).bytes);
  return n;
}

}  // namespace

CodePoint FirstCodePoint(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {kReplacement, 1};
  char32_t value = lead & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {kReplacement, 1};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return {kReplacement, 1};
  }
  return {value, length};
}

std::string XmlText(std::string_view text) {
  const auto fine = [](char c) { return IsXmlChar(static_cast<unsigned char>(c)); };
  if (IsAscii(text) && std::all_of(text.begin(), text.end(), fine)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = FirstCodePoint(text);
    const bool keep = c.value != kReplacement && IsXmlChar(c.value);
    out += keep ? text.substr(0, c.bytes) : kReplacementUtf8;
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string OneLine(std::string_view text, size_t limit) {
  std::string out;
  for (size_t n = 0; !text.empty(); ++n) {
    if (n == limit) return out + fmt::format("... ({} more)", CountCodePoints(text));
    const CodePoint c = FirstCodePoint(text);
    const bool invalid = c.value == kReplacement && c.bytes == 1;
    if (invalid) {
      AppendEscape(out, static_cast<unsigned char>(text[0]));
    } else if (IsUnsafeOnTerminal(c.value)) {
      AppendEscape(out, c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string MarkdownText(std::string_view text, size_t limit) {
  std::string out;
  for (const char c : OneLine(text, limit)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      out += "&#64;";  // Else it would notify somebody.
    } else {
      if (std::string_view("\\`|*_[]~#>!$").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace dlpc
