// The verb `map` of the command line.
#ifndef DLPC_CONFORMANCE_CLI_MAP_H_
#define DLPC_CONFORMANCE_CLI_MAP_H_

#include <CLI/CLI.hpp>
#include <string>

#include "reference/device_map.h"

namespace dlpc {

struct MapOptions {
  std::string profile = "generic";
  DeviceFacts facts;
  bool markdown = false, batch = false;
};

void AddMapOptions(CLI::App* map, MapOptions* options);

/// Exit code: 0, or 2 for a question that nothing answers.
int MapVerb(const CLI::App& map, MapOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_MAP_H_
