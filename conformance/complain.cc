#include "conformance/complain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace dlpc {

int Complain(int code, std::string message) {
  // One line that a terminal cannot take for orders, whatever is quoted in it.
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  fmt::print(stderr, "dlpack-conformance: {}\n", message);
  return code;
}

}  // namespace dlpc
