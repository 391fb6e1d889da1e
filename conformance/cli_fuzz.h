// The verb `fuzz`.
#ifndef DLPC_CONFORMANCE_CLI_FUZZ_H_
#define DLPC_CONFORMANCE_CLI_FUZZ_H_

#include <string>
#include <vector>

#include "conformance/fuzz_run.h"
#include "conformance/producers.h"

namespace dlpc {

struct FuzzVerbOptions {
  ProducerOptions producer;
  FuzzOptions fuzz;
  EngineOptions engine;
  std::string level = "may";
  std::vector<std::string> until;
  std::vector<std::string> replay;
  std::vector<std::string> cross;  // Other producers to compare with.
  std::string out = "dlpack-fuzz";
  std::string engine_name = "auto";
  bool json = false;
  bool fresh = false;  // Without running the catalogue first.
};

int FuzzVerb(FuzzVerbOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_FUZZ_H_
