// Checks of options that the option library has not.
#ifndef DLPC_CONFORMANCE_OPTION_CHECKS_H_
#define DLPC_CONFORMANCE_OPTION_CHECKS_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace dlpc {

/// A number from `least` to `most`. Unlike CLI::Range it lets no NaN pass, of which no comparison
/// holds; before the conversion to an integer, which would wrap.
inline CLI::Validator Between(double least, double most) {
  const auto check = [=](std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool good = end != text.c_str() && *end == '\0' && value >= least && value <= most;
    return good ? std::string() : fmt::format("{} is no number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, fmt::format("[{} - {}]", least, most));
}

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_OPTION_CHECKS_H_
