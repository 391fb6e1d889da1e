// Faulty twins of the reference producer: one switch, one fault. The suite is trusted because each
// requirement fails on its mutants and on no others.
#ifndef DLPC_REFERENCE_MUTANTS_H_
#define DLPC_REFERENCE_MUTANTS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace dlpc {

enum class Mutant : uint16_t {
  kNone,
  // DEV
  kDeviceTriple,
  kDeviceTypeText,
  kDeviceIdNone,
  kDeviceOffList,
  kStructDeviceUnknown,
  kCpuIdOrdinal,
  kPinnedAsCpu,
  kManagedAsCuda,
  kRocmAsCuda,
  kDeviceIndexLost,
  kMissingIdExported,
  kStructDeviceDiffers,
  kDlDeviceIgnored,
  kDeviceFlips,
  kShardedQueryTypeError,
  kMethodsOnInstanceOnly,
  kNoDeviceMethod,
  kExtensionAsOneApi,
  kPost13Device,
  kPinnedIdOrdinal,
  // CAP
  kLegacyName,
  kVersionedName,
  kNameLies,
  kNoDestructor,
  kDestructorDoesNothing,
  kDestructorFreesConsumed,
  kNullDeleterUnguarded,
  kForeignNameFrees,
  kHeapName,
  kDestructorClearsException,
  kCapsuleOwnsNothing,
  kUsedFreedLate,
  kCachedCapsule,
  kLeakOnError,
  // ABI
  kNdim64,
  kLegacyTailSwapped,
  kNoFlagsField,
  kDTypeFieldOrder,
  kVersionZero,
  kFlagsUndefinedBit,
  kNullContextLeaks,
  kDeleterNotCode,
  kOffsetFolded,
  kUninitialisedFlags,
  kDeleterThrows,
  kLegacyOnly,
  kHeaderReordered,
  // SHAPE
  kUnitAxisDropped,
  kByteStrides,
  kNullStrides,
  kLegacyNullStridesWrong,
  kScalarShapeDangles,
  kStridesReversed,
  kNegativeStrideAbs,
  kBroadcastCompact,
  kOddStrideFloored,
  kUnitStrideHuge,
  kEmptyDataNotNull,
  kEmptyNullShape,
  kScalarNullData,
  kAlign64,
  kElementMisaligned,
  kOnePastTheEnd,
  kShapeDies,
  kShardedExported,
  // COPY
  kCopiesByDefault,
  kCopyNoneCopies,
  kCopyTrueIgnored,
  kCopyFalseCopies,
  kCopyFalseOtherDeviceCopies,
  kCopiedFlagMissing,
  kCopiedFlagAlways,
  kCopiesShared,
  kLegacyCopyIgnored,
  kCopyKeepsReadOnly,
  kCopyOfReadOnlySkipped,
  kReadOnlyUnflagged,
  kReadOnlyOverflagged,
  kReadOnlyLegacySilent,
  kCpuRequestRefused,
  kCpuRequestCopyFalseValueError,
  kOtherDeviceTypeError,
  kCopyIgnoresLayout,
  // VER
  kNoneRefused,
  kNoneVersioned,
  kOlderMinorLegacy,
  kOldMajorValueError,
  kNewerMajorRefused,
  kFloat8UnderOneZero,
  kVersionsComparedAsText,
  kCopyForcesLegacy,
  kOldMajorVersioned,
  // PROTO
  kStreamNoneTypeError,
  kPositionalAccepted,
  kCpuOrdinalTypeError,
  kVersionListAccepted,
  kOwnTupleTypeError,
  kDeviceArgumentTripleAccepted,
  kCopyByTruth,
  kWrappedCapsule,
  kReleaseHitsSiblings,
  kReleaseClearsSource,
  kBoolRefused,
  kFourthKeywordRefused,
  kExactTypeOnly,
  // DT
  kUnsignedAsSigned,
  kLongDoubleExported,
  kBfloatAsHalf,
  kComplexAsPair,
  kBoolAsUint8,
  kBitPackedExported,
  kFloat8AsUint8,
  kFloat6EightBits,
  kFloat4EightBits,
  kNibblesSwapped,
  kPackedFlaggedPadded,
  kVectorLanesZero,
  kInventedCode,
  kByteSwappedExported,
  kObjectAsHandle,
  kComplexHalfBits,
  // ERR
  kObjectTypeError,
  kArgumentBufferError,
  kUnknownTypeKeyError,
  kByteOrderUnnamed,
  kShardedExportTypeError,
  kConjugateExported,
  kDeletedExported,
  kMissingExported,
  kRefusalDisables,
  kDeviceUnnamed,
  kPlaceTextOther,
  kAddressInText,
  kRemedyRefused,
  // STREAM
  kCpuStreamIgnored,
  kNegativeStreamAccepted,
  kCudaStreamZeroAccepted,
  kRocmStreamsAsCuda,
  kStreamUnnamed,
  kPendingExported,
  kStreamCheckedOnSource,
  kMinusOneWaits,
  kStreamNotWaited,
  // XAPI
  kTableAbsent,
  kTableOnInstanceOnly,
  kTableCapsuleName,
  kTablePerInstance,
  kTableVersionOld,
  kTablePrevSelf,
  kTableStreamNull,
  kTableNoBorrow,
  kAllocatorKeepsOffset,
  kAllocatorSilent,
  kAllocatorNeedsLock,
  kTableRefusalTypeError,
  kTableThrows,
  kBorrowLeaks,
  kBorrowOffsetLost,
  kTableErrorUnset,
  kStreamUntouched,
  kStreamNull,
  kImportNeverReleased,
  kImportFreesTwice,
  kTableExportsConjugate,
  kTableSyncs,
  kTableAnonymous,
  kTableStructOld,
  kAllocatorNullStrides,
  kLegacyOffsetLost,
  // Agreement of the paths.
  kLegacyRefusesViews,
  // MEM
  kCopyLeaks,
  kStructLeaks,
  kTwoReferences,
  kDeleterWithoutLock,
  kDeleterThreadBound,
  kDeleterAfterEnd,
  kDeleterLockNotReentrant,
  kDeleterClearsException,
  kDataDiesWithCapsule,
  kExportedFlag,
  kReleaseDetaches,
  kExportThreadBound,
  kDestructorPassesCopy,
  kCount_,
};

/// One row of the mutant table. Ids are comma-separated requirement ids.
struct MutantRow {
  Mutant mutant;
  std::string_view name;     // "cpu-id-ordinal", as given to --mutant.
  std::string_view fault;    // What it does wrong, one sentence.
  std::string_view kills;    // Requirements that must fail.
  std::string_view implied;  // Requirements that may fail with them, as a consequence.
  // By intent it uses memory that is not its own, or makes its host do so: sanitizers may end it.
  // All other twins run clean under them.
  bool breaks_memory = false;
};

std::span<const MutantRow> Mutants();
std::span<const MutantRow> LaterMutants();  // The second half of Mutants(): from DT on.
const MutantRow* FindMutant(std::string_view name);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_MUTANTS_H_
