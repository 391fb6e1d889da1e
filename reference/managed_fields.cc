#include "reference/managed_fields.h"

#include "reference/dtype.h"

namespace dlpc {

using enum Mutant;

DLDataType ExportedDType(Mutant m, DLDataType t) {
  if (m == kNone) return t;
  const DLDataType kComplex64{kDLComplex, 64, 1}, kComplex32{kDLComplex, 32, 1};
  const bool float6 = t.code == kDLFloat6_e2m3fn || t.code == kDLFloat6_e3m2fn;
  const bool float8 = t.code >= kDLFloat8_e3m4 && t.code <= kDLFloat8_e8m0fnu;
  if (m == kUnsignedAsSigned && t.code == kDLUInt) t.code = kDLInt;
  if (m == kBfloatAsHalf && t.code == kDLBfloat) t.code = kDLFloat;
  if (m == kComplexAsPair && t == kComplex64) t = {kDLComplex, 32, 2};
  if (m == kBoolAsUint8 && t.code == kDLBool) t.code = kDLUInt;
  if (m == kFloat8AsUint8 && float8) t.code = kDLUInt;
  if (m == kFloat6EightBits && float6) t.bits = 8;
  if (m == kFloat4EightBits && t.code == kDLFloat4_e2m1fn) t.bits = 8;
  if (m == kVectorLanesZero && t.lanes > 1) t.lanes = 0;
  if (m == kInventedCode && t == kComplex32) t.code = 19;
  if (m == kComplexHalfBits && t == kComplex32) t.bits = 16;
  return t;
}

DLPackVersion DeclaredVersion(Mutant m, DLDataType dtype) {
  if (m == kVersionZero) return {0, 0};
  const bool float8 = dtype.code >= kDLFloat8_e3m4 && dtype.code <= kDLFloat8_e8m0fnu;
  if (m == kFloat8UnderOneZero && float8) return {1, 0};
  return {1, 3};
}

uint64_t Flags(Mutant m, const RefArray& array, Plan::Data data, uint64_t serial) {
  const bool copied = data == Plan::Data::kCopy;
  const bool read_only = (array.spec.flags & kReadOnly) != 0;
  uint64_t flags = 0;
  if (read_only && (m == kCopyKeepsReadOnly || (!copied && m != kReadOnlyUnflagged))) {
    flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  }
  if (copied && m != kCopiedFlagMissing) flags |= DLPACK_FLAG_BITMASK_IS_COPIED;  // COPY-06
  if (m == kCopiedFlagAlways) flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  if (m == kPackedFlaggedPadded && array.spec.dtype.bits % 8 != 0) {
    flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  }
  if (m == kReadOnlyOverflagged && !read_only) flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (m == kFlagsUndefinedBit) flags |= 1 << 7;
  // Stands for heap garbage: sanitizers and allocators that clear memory would hide the real thing.
  if (m == kUninitialisedFlags) flags |= (serial * 0x9E3779B9u | 1) << 32;
  return flags;
}

}  // namespace dlpc
