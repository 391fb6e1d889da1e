// Reads expectation files. They may come from anybody: each fault is one line that names the place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iomanip>
#include <optional>
#include <sstream>

#include "harness/expectations.h"

namespace dlpc {
namespace {

constexpr std::array kExpectable = {CaseStatus::kFail, CaseStatus::kCrash, CaseStatus::kTimeout,
                                    CaseStatus::kError};
constexpr std::array<std::string_view, 5> kConditions = {"producer", "version", "interpreter",
                                                         "platform", "device"};
constexpr size_t kMaxLine = 4096;  // Bytes.
constexpr int kMaxStars = 8;       // The time to match grows with the power of them.

// A calendar day, or nothing.
bool IsDay(std::string_view text) {
  int year = 0, month = 0, day = 0;
  char rest = 0;
  if (text.size() != 10 ||
      std::sscanf(std::string(text).c_str(), "%4d-%2d-%2d%c", &year, &month, &day, &rest) != 3) {
    return false;
  }
  using std::chrono::year_month_day;
  return year_month_day{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                        std::chrono::day(static_cast<unsigned>(day))}
      .ok();
}

// Splits "key<op>value"; the value may be in double quotes.
std::optional<Condition> SplitWord(std::istringstream& words) {
  Condition word;
  const auto is_op = [](int c) { return c == '=' || c == '!' || c == '<' || c == '>'; };
  words >> std::ws;
  while (words.peek() != EOF && !is_op(words.peek()) && std::isspace(words.peek()) == 0) {
    word.key += static_cast<char>(words.get());
  }
  while (is_op(words.peek())) word.op += static_cast<char>(words.get());
  if (words.peek() == '"') {
    words >> std::quoted(word.value);
    if (!words || (words.peek() != EOF && std::isspace(words.peek()) == 0)) return std::nullopt;
  } else {
    while (words.peek() != EOF && std::isspace(words.peek()) == 0) {
      word.value += static_cast<char>(words.get());
    }
  }
  return word;
}

bool IsCondition(const Condition& word) {
  if (std::find(kConditions.begin(), kConditions.end(), word.key) == kConditions.end()) {
    return false;
  }
  if (word.op == "=" || word.op == "!=") return true;
  return word.key == "version" &&
         (word.op == "<" || word.op == "<=" || word.op == ">" || word.op == ">=");
}

// Takes one word into the entry; says what is wrong with it.
std::string Take(const Condition& word, Expectation& entry) {
  if (word.value.empty()) return fmt::format("'{}{}' has no value", word.key, word.op);
  if (IsCondition(word)) {
    entry.conditions.push_back(word);
    return "";
  }
  if (word.op != "=") return fmt::format("'{}{}' is no condition", word.key, word.op);
  struct Field {
    std::string_view key;
    std::string Expectation::*member;
  };
  static constexpr Field kFields[] = {{"message", &Expectation::message},
                                      {"bug", &Expectation::bug},
                                      {"owner", &Expectation::owner},
                                      {"expires", &Expectation::expires}};
  for (const auto& [key, member] : kFields) {
    if (word.key != key) continue;
    if (!(entry.*member).empty()) return fmt::format("{} is given twice", key);
    if (key == "expires" && !IsDay(word.value)) {
      return fmt::format("'{}' is no day (YYYY-MM-DD)", word.value);
    }
    entry.*member = word.value;
    return "";
  }
  return fmt::format("unknown word '{}'", word.key);
}

std::string ParseLine(const std::string& line, Expectation& entry) {
  if (line.size() > kMaxLine) return fmt::format("longer than {} bytes", kMaxLine);
  if (std::any_of(line.begin(), line.end(),
                  [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; })) {
    return "control characters";
  }
  std::istringstream words(line);
  std::string status;
  words >> entry.glob >> status;
  const auto found = std::find_if(kExpectable.begin(), kExpectable.end(),
                                  [&](CaseStatus s) { return StatusName(s) == status; });
  if (found == kExpectable.end()) {
    return fmt::format("'{}' is no expected status (fail, crash, timeout, error)", status);
  }
  entry.status = *found;
  if (std::count(entry.glob.begin(), entry.glob.end(), '*') > kMaxStars) {
    return fmt::format("more than {} '*' in {}", kMaxStars, entry.glob);
  }
  while (words >> std::ws && words.peek() != EOF) {
    const auto word = SplitWord(words);
    if (!word) return "a quoted value does not end";
    if (std::string wrong = Take(*word, entry); !wrong.empty()) return wrong;
  }
  return "";
}

struct Release {
  std::vector<long> numbers;
  bool pre = false;
};

Release ParseRelease(std::string_view text) {
  Release release;
  text = text.substr(0, text.find('+'));  // Local part: the same release.
  while (!text.empty()) {
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    release.numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  release.pre = !text.empty() && !text.starts_with("post");
  while (!release.numbers.empty() && release.numbers.back() == 0) release.numbers.pop_back();
  return release;
}

}  // namespace

Expected<std::vector<Expectation>> ParseExpectations(std::string_view text, std::string_view name) {
  std::vector<Expectation> entries;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line[begin] == '#') continue;
    Expectation entry;
    entry.place = fmt::format("{}:{}", name, number);
    if (std::string wrong = ParseLine(line, entry); !wrong.empty()) {
      return Error{entry.place + ": " + wrong};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

int CompareVersions(std::string_view a, std::string_view b) {
  const Release x = ParseRelease(a), y = ParseRelease(b);
  if (x.numbers != y.numbers) return x.numbers < y.numbers ? -1 : 1;
  return static_cast<int>(y.pre) - static_cast<int>(x.pre);
}

}  // namespace dlpc
