// One random array made by several producers: where do their exports differ, and who says what?
#ifndef DLPC_CONFORMANCE_FUZZ_CROSS_H_
#define DLPC_CONFORMANCE_FUZZ_CROSS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/engine.h"
#include "harness/script.h"

namespace dlpc {

struct CrossProducer {
  std::string name;
  HostCommand host;
};

/// A field in which producers differ, for one array.
struct Disagreement {
  std::string field;                                    // "versioned: strides"
  std::map<std::string, std::vector<std::string>> say;  // What is said -> by whom.
  std::string array;                                    // The array as text.
  int64_t size = 0;
  uint64_t count = 1;  // Arrays with the same field and the same parties.
};

struct CrossReport {
  std::vector<Disagreement> disagreements;  // The most frequent first.
  std::map<std::string, uint64_t> made;     // Arrays that each producer could make.
  uint64_t arrays = 0;
  double seconds = 0;
};

/// `producers`: the reference is one of them, if it is to be asked. Arrays that a producer cannot
/// make are compared among the others.
Expected<CrossReport> CrossFuzz(const std::vector<CrossProducer>& producers,
                                const EngineOptions& engine, double seconds, uint64_t seed,
                                uint64_t most_arrays);

std::string CrossText(const CrossReport& report);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FUZZ_CROSS_H_
