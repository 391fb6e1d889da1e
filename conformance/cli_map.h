// The verb `map` of the command line.
#ifndef DLPC_CONFORMANCE_CLI_MAP_H_
#define DLPC_CONFORMANCE_CLI_MAP_H_

#include <optional>
#include <string>

#include "reference/device_map.h"

namespace dlpc {

struct MapOptions {
  std::optional<std::string> profile;  // Left out: generic, or all of them with `markdown`.
  DeviceFacts facts;
  std::optional<int> devices;  // Left out: as many as shards.
  bool markdown = false, batch = false;
};

/// Exit code: 0, or 2 for a question that nothing answers.
int MapVerb(const MapOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_MAP_H_
