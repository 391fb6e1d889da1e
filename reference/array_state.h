// What an array may be beside its elements: states that DLPack cannot say.
#ifndef DLPC_REFERENCE_ARRAY_STATE_H_
#define DLPC_REFERENCE_ARRAY_STATE_H_

#include <cstdint>

namespace dlpc {

enum class ArrayState : uint8_t {
  kPlain,
  kBitPackedBool,
  kObject,      // Elements are references to objects.
  kLongDouble,  // 80 bits in 16 bytes.
  kByteSwapped,
  kDeleted,
  kMissing,    // Some elements have no value.
  kConjugate,  // The elements are the conjugates of what is stored.
  kPending,    // Being computed: elements are there once somebody waits. Can be exported.
  kCount_,
};

}  // namespace dlpc

#endif  // DLPC_REFERENCE_ARRAY_STATE_H_
