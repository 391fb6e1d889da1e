#include "reference/plan_checks.h"

#include <fmt/format.h>

#include "reference/contract.h"

namespace dlpc {
namespace {

using enum Mutant;

// Legal calls that twins refuse.
std::optional<Refusal> CheckTwinSignature(Mutant m, const Request& r) {
  if (m == kStreamNoneTypeError && r.stream == Arg::kNone) {
    return TypeError("stream must be an int, got None");
  }
  const bool all = r.version != Arg::kAbsent && r.copy != Arg::kAbsent &&
                   r.device != Arg::kAbsent && r.stream != Arg::kAbsent;
  if (m == kFourthKeywordRefused && all) return TypeError("__dlpack__() takes 3 keywords at most");
  if (m == kOwnTupleTypeError && r.device == Arg::kOwn) {
    return TypeError("dl_device must be a tuple of two ints");
  }
  if (m == kCpuOrdinalTypeError && r.device == Arg::kValue && r.dl_device.device_type == kDLCPU &&
      r.dl_device.device_id != 0) {
    return TypeError("the CPU has no ordinal");
  }
  return std::nullopt;
}

}  // namespace

// PROTO-02, -03, -04, -06, -07: all arguments are keywords, and each has one legal type.
std::optional<Refusal> CheckSignature(Mutant m, const Request& r) {
  if (r.extra == Extra::kPositional && m != kPositionalAccepted) {
    return TypeError("__dlpack__() takes 1 positional argument but 2 were given");
  }
  if (r.extra == Extra::kUnknownKeyword) {
    return TypeError("__dlpack__() got an unexpected keyword argument");
  }
  const struct {
    Arg arg;
    const char* text;
    bool accepted;  // By a twin.
  } kArguments[] = {
      {r.version, "max_version must be None or a tuple of two ints",
       m == kVersionListAccepted && r.odd == Odd::kList},
      {r.device, "dl_device must be None or a tuple of two ints",
       m == kDeviceArgumentTripleAccepted && r.odd == Odd::kTuple3},
      {r.copy, "copy must be None or a bool", m == kCopyByTruth},
  };
  for (const auto& [arg, text, accepted] : kArguments) {
    if (arg != Arg::kOdd || accepted) continue;
    std::string message = fmt::format("{}, got {}", text, OddText(r.odd));
    if (m == kArgumentBufferError && r.copy == Arg::kOdd) return BufferError(std::move(message));
    return TypeError(std::move(message));
  }
  return m == kNone ? std::nullopt : CheckTwinSignature(m, r);
}

namespace {

// What each state is refused with; nullptr: it can be exported.
const char* StateText(ArrayState state) {
  switch (state) {
    case ArrayState::kBitPackedBool:
      return "Cannot export bit-packed booleans";
    case ArrayState::kObject:
      return "Cannot export references to objects";
    case ArrayState::kLongDouble:
      return "Cannot export long double: it is no IEEE format of 128 bits";
    case ArrayState::kByteSwapped:
      return "Cannot export data that are not in native byte order";
    case ArrayState::kDeleted:
      return "Cannot export a deleted array";
    case ArrayState::kMissing:
      return "Cannot export an array with missing values";
    case ArrayState::kConjugate:
      return "Cannot export a conjugate view";
    case ArrayState::kPlain:
    case ArrayState::kPending:
    case ArrayState::kCount_:
      break;
  }
  return nullptr;
}

// The twin that exports the state all the same.
Mutant ExporterOf(ArrayState state) {
  switch (state) {
    case ArrayState::kBitPackedBool:
      return kBitPackedExported;
    case ArrayState::kObject:
      return kObjectAsHandle;
    case ArrayState::kLongDouble:
      return kLongDoubleExported;
    case ArrayState::kByteSwapped:
      return kByteSwappedExported;
    case ArrayState::kDeleted:
      return kDeletedExported;
    case ArrayState::kMissing:
      return kMissingExported;
    case ArrayState::kConjugate:
      return kConjugateExported;
    case ArrayState::kPlain:
    case ArrayState::kPending:
    case ArrayState::kCount_:
      break;
  }
  return kNone;
}

// DT-02, DT-06, DT-14, ERR-01, ERR-04, ERR-06 to ERR-08.
std::optional<Refusal> CheckState(const PlanFacts& facts) {
  const Mutant m = facts.mutant;
  const char* const text = StateText(facts.state);
  if (text == nullptr || (m != kNone && m == ExporterOf(facts.state))) return std::nullopt;
  if (m == kObjectTypeError && facts.state == ArrayState::kObject) return TypeError(text);
  if (m == kByteOrderUnnamed && facts.state == ArrayState::kByteSwapped) {
    return BufferError("Cannot export this array");
  }
  return BufferError(text);
}

}  // namespace

// SHAPE-09, SHAPE-18: what DLPack cannot describe.
std::optional<Refusal> CheckArray(const PlanFacts& facts) {
  if ((facts.flags & kSharded) && facts.unplaced != nullptr) {
    Refusal refusal = *facts.unplaced;
    if (facts.mutant == kShardedExportTypeError) refusal.exception = "TypeError";
    return refusal;
  }
  if (facts.mutant == kBoolRefused && facts.dtype.code == kDLBool) {
    return BufferError("Cannot export bool");
  }
  if ((facts.flags & kOddStride) && facts.mutant != kOddStrideFloored) {
    return BufferError("Cannot export strides that are no multiple of the element size");
  }
  return CheckState(facts);
}

namespace {

bool IsStream(Mutant m, bool rocm, int64_t stream) {
  if (stream < -1) return m == kNegativeStreamAccepted;
  if (rocm) return stream != 1 && stream != 2;
  return stream != 0 || m == kCudaStreamZeroAccepted;
}

}  // namespace

// STREAM-01, -02, -06, -07, -12: the stream must fit the device that the data are exported to.
std::optional<Refusal> CheckStream(Mutant m, DLDevice target, const Request& r) {
  int64_t stream = r.stream_value;
  if (r.stream == Arg::kOdd) {
    if (m == kQueueUnchecked && target.device_type == kDLOneAPI) return std::nullopt;
    if (r.odd != Odd::kInt1 && r.odd != Odd::kInt2) {
      return TypeError(fmt::format("stream must be None or an int, got {}", OddText(r.odd)));
    }
    stream = r.odd == Odd::kInt1 ? 1 : 2;
  } else if (r.stream != Arg::kValue) {
    return std::nullopt;
  }
  const bool cuda = target.device_type == kDLCUDA;
  const bool rocm = target.device_type == kDLROCM;
  if (!cuda && !rocm) {
    if (m == kCpuStreamIgnored && target.device_type == kDLCPU) return std::nullopt;
    if (m == kStreamUnnamed) return ValueError("not supported");
    return ValueError(fmt::format("stream must be None on {}, got {}", DeviceText(target), stream));
  }
  if (IsStream(m, rocm && m != kRocmStreamsAsCuda, stream)) return std::nullopt;
  if (m == kStreamUnnamed) return ValueError("not supported");
  return ValueError(fmt::format("stream {} is not supported on {}", stream, DeviceText(target)));
}

}  // namespace dlpc
