// Facts about an array's place out of random bytes: words of the frameworks, mixed and mangled.
#ifndef DLPC_FUZZ_MAP_FACTS_H_
#define DLPC_FUZZ_MAP_FACTS_H_

#include "harness/input_reader.h"
#include "reference/device_map.h"

namespace dlpc {

DeviceFacts TakeFacts(InputReader& reader);

}  // namespace dlpc

#endif  // DLPC_FUZZ_MAP_FACTS_H_
