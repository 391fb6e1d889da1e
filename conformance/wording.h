// What verdicts tell their readers. Most verdicts say that a rule holds, and a fuzzer throws those
// away: it asks for none of these texts until something is broken.
#ifndef DLPC_CONFORMANCE_WORDING_H_
#define DLPC_CONFORMANCE_WORDING_H_

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace dlpc {

namespace internal {
// Asked for each text: a call to find it would cost as much as the rest.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool words_wanted;
}  // namespace internal

/// For texts that take some looking before they are said.
inline bool WordsWanted() { return internal::words_wanted; }

/// While one lives, all Wordings that this thread makes are empty, and cost next to nothing.
class WithoutWords {
 public:
  WithoutWords() : before_(internal::words_wanted) { internal::words_wanted = false; }
  ~WithoutWords() { internal::words_wanted = before_; }
  WithoutWords(const WithoutWords&) = delete;
  WithoutWords& operator=(const WithoutWords&) = delete;

 private:
  const bool before_;
};

/// A text that a judge can make, join and hand on, but neither read nor compare: what it decides
/// is the same without words (a test tries both).
class Wording {
 public:
  Wording() = default;
  template <std::convertible_to<std::string_view> T>
  Wording(const T& text) {  // NOLINT(google-explicit-constructor): texts are many.
    if (WordsWanted()) text_ = std::string_view(text);
  }

  Wording& operator+=(const Wording& more) {
    text_ += more.text_;
    return *this;
  }
  friend Wording operator+(Wording first, const Wording& second) { return first += second; }
  friend bool operator==(const Wording&, const Wording&) = delete;

  /// For whoever reports the verdict.
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// fmt::format, if words are wanted.
template <typename... Args>
Wording Say(fmt::format_string<Args...> text, Args&&... args) {
  if (!WordsWanted()) return {};
  return fmt::vformat(text, fmt::make_format_args(args...));
}
/// The text that `text_of` makes of the arguments, if words are wanted.
template <std::convertible_to<std::string_view> Result, typename... Parameters, typename... Args>
Wording Say(Result (*text_of)(Parameters...), const Args&... args) {
  if (!WordsWanted()) return {};
  return text_of(args...);
}

}  // namespace dlpc

template <>
struct fmt::formatter<dlpc::Wording> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const dlpc::Wording& wording, Context& context) const {
    return fmt::formatter<std::string_view>::format(wording.text(), context);
  }
};

#endif  // DLPC_CONFORMANCE_WORDING_H_
