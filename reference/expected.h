// Value-or-error return type. No exception crosses an ABI or process edge in this project;
// functions that can fail for reasons outside our control return Expected<T>.
#ifndef DLPC_REFERENCE_EXPECTED_H_
#define DLPC_REFERENCE_EXPECTED_H_

#include <string>
#include <utility>
#include <variant>

namespace dlpc {

/// What went wrong, in one line fit for a terminal.
struct Error {
  std::string message;
};

/// Either a T or an Error. Test with `if (x)`; `*x` and `x->` are valid only when it holds a T.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return *std::get_if<0>(&state_); }
  const T& operator*() const { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success carries no value.
using Status = Expected<std::monostate>;
inline Status OkStatus() { return std::monostate{}; }

}  // namespace dlpc

#endif  // DLPC_REFERENCE_EXPECTED_H_
