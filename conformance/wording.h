// What verdicts tell their readers. Most verdicts say that a rule holds, and a fuzzer throws those
// away: it asks for none of these texts until something is broken.
#ifndef DLPC_CONFORMANCE_WORDING_H_
#define DLPC_CONFORMANCE_WORDING_H_

#include <fmt/format.h>

#include <concepts>
#include <memory>
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
    if (WordsWanted()) text_ = std::make_unique<std::string>(std::string_view(text));
  }
  Wording(std::string&& text) {  // NOLINT(google-explicit-constructor): likewise.
    if (WordsWanted()) text_ = std::make_unique<std::string>(std::move(text));
  }
  Wording(const Wording& other) {
    if (other.text_) text_ = std::make_unique<std::string>(*other.text_);
  }
  Wording(Wording&&) noexcept = default;
  Wording& operator=(const Wording& other) { return *this = Wording(other); }
  Wording& operator=(Wording&&) noexcept = default;
  ~Wording() = default;

  Wording& operator+=(const Wording& more) {
    if (!more.text_) return *this;
    if (!text_) return *this = more;
    *text_ += *more.text_;
    return *this;
  }
  friend Wording operator+(Wording first, const Wording& second) {
    first += second;
    return first;
  }
  friend bool operator==(const Wording&, const Wording&) = delete;

  /// For whoever reports the verdict.
  const std::string& text() const& {
    static const std::string kNone;
    return text_ ? *text_ : kNone;
  }
  std::string text() && { return text_ ? std::move(*text_) : std::string(); }

 private:
  std::unique_ptr<std::string> text_;  // None: judges hand on many that are empty.
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
