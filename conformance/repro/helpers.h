// The parts of helpers.py, by the name that each defines.
#ifndef DLPC_CONFORMANCE_REPRO_HELPERS_H_
#define DLPC_CONFORMANCE_REPRO_HELPERS_H_

#include <string_view>
#include <vector>

namespace dlpc {

struct ReproHelper {
  std::string_view name;
  std::string_view text;  // Without empty lines around.
};

/// In the order of the file.
const std::vector<ReproHelper>& ReproHelpers();

extern const char kReproHelpersFile[];  // helpers.py, whole.

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_HELPERS_H_
