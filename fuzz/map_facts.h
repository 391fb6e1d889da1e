// Facts about an array's place out of random bytes: words of the frameworks, mixed and mangled.
#ifndef DLPC_FUZZ_MAP_FACTS_H_
#define DLPC_FUZZ_MAP_FACTS_H_

#include "harness/input_reader.h"
#include "reference/device_map.h"

namespace dlpc {

/// Every field of `facts` is set; its memory is used again.
void TakeFacts(InputReader& reader, DeviceFacts& facts);

}  // namespace dlpc

#endif  // DLPC_FUZZ_MAP_FACTS_H_
