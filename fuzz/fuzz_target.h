// Makes a fuzz target of a property: a violation is printed and traps, so that every engine and the
// replay see it as a crash.
#ifndef DLPC_FUZZ_FUZZ_TARGET_H_
#define DLPC_FUZZ_FUZZ_TARGET_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/properties.h"

#define DLPC_FUZZ_TARGET(Property)                                            \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {   \
    if (const auto broken = Property(std::span<const uint8_t>(data, size))) { \
      std::fprintf(stderr, "property broken: %s\n", broken->c_str());         \
      std::abort();                                                           \
    }                                                                         \
    return 0;                                                                 \
  }

#endif  // DLPC_FUZZ_FUZZ_TARGET_H_
