// COPY: zero copy, copies, read-only data. Source: array API, array.__dlpack__, copy and dl_device
// (lines 377-400); DLPack Python specification, lines 28-56; dlpack.h 1.3, flags (lines 310-320).
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/places.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

bool Flagged(const Inspected& seen, uint64_t bit) { return (FlagsOf(seen) & bit) != 0; }
bool IsCopied(const Inspected& seen) { return Flagged(seen, DLPACK_FLAG_BITMASK_IS_COPIED); }
bool IsReadOnly(const Inspected& seen) { return Flagged(seen, DLPACK_FLAG_BITMASK_READ_ONLY); }

Wording FlagsText(const Inspected& seen) {
  Wording text = Say("{:#x}", FlagsOf(seen));
  if (IsReadOnly(seen)) text += " READ_ONLY";
  if (IsCopied(seen)) text += " IS_COPIED";
  return text;
}

uint64_t FirstElement(const Inspected& seen) {
  const DLTensor t = TensorOf(seen);
  return reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
}

// Does the export share memory with its array? By the address that the library itself gives.
std::optional<bool> Shares(const Evidence& e, int nth, Wording* observed) {
  const Inspected* seen = e.tensor(nth);
  const auto own = e.OwnPointer();
  if (seen == nullptr || own.value_or(0) == 0) return std::nullopt;  // NULL: no memory to share.
  const uint64_t exported = FirstElement(*seen);
  *observed = exported == *own
                  ? "the array's own address"
                  : Say("exported address {:#x} is not the array's own, {:#x}", exported, *own);
  return exported == *own;
}

// A write through the export must be seen by the array and the reverse, where both were possible.
// The Copies family reads own values before and after a write through the export, then pokes.
std::optional<bool> WritesSeen(const Evidence& e, Wording* observed) {
  const Elements* own_before = e.As<Elements>(Op::kReadOwn, 0);
  const Elements* own_after = e.As<Elements>(Op::kReadOwn, 1);
  const bool wrote = e.As<Done>(Op::kWrite) != nullptr;
  const bool poked = e.As<Done>(Op::kPoke) != nullptr;
  const Elements* read_before = e.As<Elements>(Op::kRead, 0);
  const Elements* read_after = e.As<Elements>(Op::kRead, 1);
  std::optional<bool> seen;
  if (wrote && own_before != nullptr && own_after != nullptr) {
    const bool outward = own_before->bytes != own_after->bytes;
    // A given object may have that value from an earlier script: then nothing can be seen.
    if (outward || !own_before->bytes.starts_with(WrittenElement(e))) seen = outward;
    if (seen)
      *observed +=
          Say("; a write through the export is {}seen by the array", outward ? "" : "not ");
  }
  if (poked && read_before != nullptr && read_after != nullptr) {
    // The first element after the poke: what was poked, if shared.
    std::string poke(ElementBytes(e.spec().dtype), '\0');
    PatternElement(e.spec().dtype, e.StepOf(Op::kPoke)->n, reinterpret_cast<uint8_t*>(poke.data()));
    const bool inward = read_after->bytes.compare(0, poke.size(), poke) == 0;
    *observed += Say("; a write to the array is {}seen through the export", inward ? "" : "not ");
    if (seen && *seen != inward) *observed += " (the two directions differ)";
    seen = seen.value_or(inward) && inward;
  }
  return seen;
}

// The verdict of "shares memory" by address, writes or both; `want` is what the rule demands.
Verdict JudgeSharing(const Evidence& e, bool want, const Wording& expected) {
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  Wording observed;
  const std::optional<bool> by_address = Shares(e, 0, &observed);
  const std::optional<bool> by_write = WritesSeen(e, &observed);
  if (!by_address && !by_write) {
    return NotApplicable(expected, "the adapter knows no address, and nothing can be written");
  }
  const bool right = by_address.value_or(want) == want && by_write.value_or(want) == want;
  if (!right) return Fail(expected, observed);
  // Addresses differ from run to run: a passing case does without.
  Wording proof = !by_address ? ""
                  : want      ? "the array's own address"
                              : "another address than the array's";
  if (by_write)
    proof += want ? "; writes are seen on both sides" : "; writes are not seen on the other side";
  return Pass(expected, proof);
}

// COPY-01: copy not given.
Verdict JudgeZeroCopy(const Evidence& e) {
  return JudgeSharing(e, true, "the export shares the array's memory");
}

// COPY-02
Verdict JudgeCopyNone(const Evidence& e) {
  return JudgeSharing(e, true, "copy=None shares memory that can be shared");
}

// COPY-03
Verdict JudgeCopyTrue(const Evidence& e) {
  const Wording expected = "copy=True gives other memory";
  // Where even the plain export (PlaceCopies) is refused it is the place that cannot be named.
  if (const Raised* plain = e.refusal(1)) {
    return NotApplicable(expected,
                         "the array is refused as it is: " + Say(ObservationText, *plain));
  }
  if (const Raised* raised = e.refusal()) return Fail(expected, Say(ObservationText, *raised));
  return JudgeSharing(e, false, expected);
}

// COPY-04
Verdict JudgeCopyFalse(const Evidence& e) {
  const Wording expected = "copy=False shares memory and leaves IS_COPIED clear";
  const Inspected* seen = e.tensor();
  if (seen != nullptr && IsCopied(*seen)) {
    return Fail(expected, Say("flags {:#x}: IS_COPIED", FlagsOf(*seen)));
  }
  return JudgeSharing(e, true, expected);
}

// The device that the array is on: the library's own label, else what the query answers.
std::optional<DLDevice> Home(const Evidence& e) {
  if (e.made() != nullptr && e.made()->device) return e.made()->device;
  const DeviceAnswer* answer = e.As<DeviceAnswer>(Op::kDevice);
  if (answer == nullptr) return std::nullopt;
  return DLDevice{static_cast<DLDeviceType>(static_cast<int32_t>(answer->type)),
                  static_cast<int32_t>(answer->id)};
}

// In DeviceRequests export 0 has copy absent, 1 copy=False, 2 copy=True. A copy was needed if
// export 0 gave other memory than the array's.
Verdict JudgeImpossibleShare(const Evidence& e) {
  const Wording expected = "copy=False raises BufferError where a copy would be needed";
  Wording observed;
  const std::optional<DLDevice> home = Home(e);
  const DLDevice asked = e.RequestOf(0).dl_device;
  if (home && home->device_type == asked.device_type && home->device_id == asked.device_id) {
    return NotApplicable(expected, "no copy is needed: the array is there already");
  }
  const Inspected* needed = e.tensor(0);
  if (needed == nullptr) return NotApplicable(expected, "not served at all: " + e.WhyNoTensor(0));
  const std::optional<bool> shares = Shares(e, 0, &observed);
  if (!IsCopied(*needed) && shares.value_or(true)) {
    return NotApplicable(expected, "no copy is needed: " + observed);
  }
  if (const Raised* raised = e.refusal(1)) {
    Wording text = Say(ObservationText, *raised);
    if (raised->type == "ValueError")
      text += " (JAX, PyTorch, CuPy and MLX raise it; the standard says BufferError)";
    return PassIf(IsA(*raised, "BufferError"), expected, text);
  }
  return Fail(expected, e.Text(Op::kExport, 1));
}

// COPY-06, for any export that may have copied.
template <int kNth>
Verdict JudgeCopiedFlag(const Evidence& e) {
  const Wording expected = "IS_COPIED is set when memory was copied";
  const Inspected* seen = e.tensor(kNth);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor(kNth));
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct has no flags");
  Wording observed;
  const std::optional<bool> shares = Shares(e, kNth, &observed);
  if (!shares) return NotApplicable(expected, "the adapter knows no address");
  if (*shares) return NotApplicable(expected, "nothing was copied: " + observed);
  return PassIf(IsCopied(*seen), expected,
                Say("flags {:#x}; another address than the array's", FlagsOf(*seen)));
}

// COPY-07
Verdict JudgeSharedFlag(const Evidence& e) {
  const Wording expected = "IS_COPIED is clear when memory is shared";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct has no flags");
  Wording observed;
  const std::optional<bool> shares = Shares(e, 0, &observed);
  if (!shares) return NotApplicable(expected, "the adapter knows no address");
  if (!*shares) return NotApplicable(expected, "memory was copied: " + observed);
  return PassIf(!IsCopied(*seen), expected, Say("flags {:#x}; {}", FlagsOf(*seen), observed));
}

// COPY-08: two copies and their source. A write into the first must not appear anywhere else.
Verdict JudgeNoAlias(const Evidence& e) {
  const Wording expected = "two copies share memory neither with each other nor with the array";
  const Inspected* a = e.tensor(0);
  const Inspected* b = e.tensor(1);
  if (a == nullptr || b == nullptr) {
    return NotApplicable(expected, a == nullptr ? e.WhyNoTensor(0) : e.WhyNoTensor(1));
  }
  const Elements* ea = e.As<Elements>(Op::kRead, 0);
  const Elements* eb = e.As<Elements>(Op::kRead, 1);
  if (ea == nullptr || eb == nullptr) return NotApplicable(expected, e.Text(Op::kRead, 0));
  Wording addresses =
      Say("copies at [{:#x}, {:#x}) and [{:#x}, {:#x})", ea->low, ea->high, eb->low, eb->high);
  bool alias = ea->low < eb->high && eb->low < ea->high;
  if (const auto own = e.OwnPointer()) {
    addresses += Say(", the array at {:#x}", *own);
    alias |= (*own >= ea->low && *own < ea->high) || (*own >= eb->low && *own < eb->high);
  }
  const Elements* other = e.As<Elements>(Op::kRead, 2);
  if (e.As<Done>(Op::kWrite) != nullptr && other != nullptr) {
    alias |= other->bytes != eb->bytes;
    const Elements* own_before = e.As<Elements>(Op::kReadOwn, 0);
    const Elements* own_after = e.As<Elements>(Op::kReadOwn, 1);
    if (own_before != nullptr && own_after != nullptr)
      alias |= own_before->bytes != own_after->bytes;
  }
  return PassIf(!alias, expected, alias ? addresses : "three separate buffers");
}

// COPY-09
Verdict JudgeLegacyCopy(const Evidence& e) {
  const Wording expected = "copy=True without a flag to tell: a copy all the same, or an exception";
  if (const Raised* raised = e.refusal()) return Pass(expected, Say(ObservationText, *raised));
  const Inspected* seen = e.tensor();
  if (seen != nullptr && seen->versioned) {
    return NotApplicable(expected, "a versioned struct although none was asked for");
  }
  return JudgeSharing(e, false, expected);
}

// COPY-10 (contested, C-11)
Verdict JudgeCopyWritable(const Evidence& e) {
  const Wording expected = "READ_ONLY is clear on a copy: it was asked for to be modified";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct has no flags");
  return PassIf(!IsReadOnly(*seen), expected, "flags after copy=True: " + FlagsText(*seen));
}

// COPY-11
Verdict JudgePhysicalCopy(const Evidence& e) {
  return JudgeSharing(e, false, "copy=True is a physical copy, also of read-only data");
}

// COPY-12
Verdict JudgeReadOnlyFlag(const Evidence& e) {
  const Inspected* seen = e.tensor();
  const Wording expected = "READ_ONLY exactly when the array must not be written";
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct has no flags");
  if (e.made() == nullptr || !e.made()->read_only) {
    return NotApplicable(expected, "the adapter does not know whether the array may be written");
  }
  if (IsCopied(*seen)) return NotApplicable(expected, "memory was copied (see COPY-10)");
  const bool read_only = *e.made()->read_only;
  return PassIf(
      IsReadOnly(*seen) == read_only, expected,
      Say("flags {:#x}, the array is {}", FlagsOf(*seen), read_only ? "read-only" : "writable"));
}

// COPY-13 (contested, C-12)
Verdict JudgeReadOnlyLegacy(const Evidence& e) {
  const Wording expected = "read-only data is not handed out as if it were writable";
  if (const Raised* raised = e.refusal()) return Pass(expected, Say(ObservationText, *raised));
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (seen->versioned) return NotApplicable(expected, "a versioned struct, which has a flag");
  if (e.made() == nullptr || !e.made()->read_only.value_or(false)) {
    return NotApplicable(expected, "the adapter does not know whether the array may be written");
  }
  Wording observed;
  const std::optional<bool> shares = Shares(e, 0, &observed);
  if (!shares) return NotApplicable(expected, "the adapter knows no address");
  return PassIf(
      !*shares, expected,
      *shares ? "read-only array, no max_version: a legacy capsule on its own memory, which a "
                "consumer takes for writable"
              : "a legacy capsule on a copy");
}

// COPY-14
Verdict JudgeCpuOffered(const Evidence& e) {
  const Wording expected = "dl_device=(kDLCPU, 0) gives CPU memory";
  const Inspected* seen = e.tensor(0);
  if (e.refusal(0) != nullptr) return Fail(expected, e.WhyNoTensor(0));
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  const DLDevice device = TensorOf(*seen).device;
  return PassIf(device.device_type == kDLCPU && device.device_id == 0, expected,
                "struct: " + DeviceOf(*seen));
}

// COPY-16: the class of a refusal; whether a served request was obeyed is DEV-11's business.
Verdict JudgeOtherDevice(const Evidence& e) {
  const Wording expected = "another device is served or refused with BufferError";
  const Wording observed = Say("{}: {}", Say(RequestText, e.RequestOf(0)), e.Text(Op::kExport, 0));
  const Raised* raised = e.refusal(0);
  if (raised == nullptr) {
    if (e.As<Exported>(Op::kExport, 0) == nullptr) return NotApplicable(expected, observed);
    return Pass(expected, "served: " + observed);
  }
  return PassIf(IsA(*raised, "BufferError"), expected, observed);
}

// COPY-17
Verdict JudgeCopyEqual(const Evidence& e) {
  const Wording expected = "a copy with the array's elements, shape and dtype";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const std::string* own = e.OwnValues();
  const Extents* shape = e.OwnShape();
  const Elements* read = e.As<Elements>(Op::kRead);
  if (!own || !shape || read == nullptr) return NotApplicable(expected, e.Text(Op::kRead));
  if (seen->shape != *shape) {
    return Fail(expected, Say("shape {}, the array's is {}", List(seen->shape), List(*shape)));
  }
  if (!e.made()->given && !(TensorOf(*seen).dtype == e.spec().dtype)) {
    return Fail(expected, "dtype " + Say(DTypeName, TensorOf(*seen).dtype));
  }
  if (!read->readable) return Fail(expected, "the copy lies in memory that cannot be read");
  return PassIf(read->bytes == *own, expected,
                FirstDifference(read->bytes, *own, ElementBytes(TensorOf(*seen).dtype)));
}

constexpr Check kCopyChecks[] = {
    {"COPY-01", Copies, kTagCopyAbsent, kTagCopyTrue, JudgeZeroCopy},
    {"COPY-01", PlaceCopies, kTagCopyAbsent, 0, JudgeZeroCopy},
    {"COPY-01", Zoo, kTagElements, 0, JudgeZeroCopy},
    {"COPY-02", Copies, kTagCopyNone, 0, JudgeCopyNone},
    {"COPY-02", PlaceCopies, kTagCopyNone, 0, JudgeCopyNone},
    {"COPY-03", PlaceCopies, kTagCopyTrue | kTagVersioned, 0, JudgeCopyTrue},
    {"COPY-03", Copies, kTagCopyTrue | kTagVersioned, 0, JudgeCopyTrue},
    {"COPY-04", Copies, kTagCopyFalse, 0, JudgeCopyFalse},
    {"COPY-04", PlaceCopies, kTagCopyFalse, 0, JudgeCopyFalse},
    {"COPY-05", DeviceRequests, kTagOtherDevice, 0, JudgeImpossibleShare},
    {"COPY-05", PlaceRequests, kTagOtherDevice, 0, JudgeImpossibleShare},
    {"COPY-06", Copies, kTagVersioned, 0, JudgeCopiedFlag<0>},
    {"COPY-06", DeviceRequests, 0, 0, JudgeCopiedFlag<0>},
    {"COPY-06", PlaceRequests, 0, 0, JudgeCopiedFlag<0>},
    {"COPY-06", PlaceCopies, kTagVersioned, 0, JudgeCopiedFlag<0>},
    {"COPY-07", PlaceCopies, kTagVersioned, 0, JudgeSharedFlag},
    {"COPY-07", Zoo, kTagVersioned | kTagElements, 0, JudgeSharedFlag},
    {"COPY-08", TwoCopies, 0, 0, JudgeNoAlias},
    {"COPY-09", Copies, kTagCopyTrue | kTagLegacy, 0, JudgeLegacyCopy},
    {"COPY-10", Copies, kTagCopyTrue | kTagVersioned, 0, JudgeCopyWritable},
    {"COPY-10", PlaceCopies, kTagCopyTrue | kTagVersioned, 0, JudgeCopyWritable},
    {"COPY-10", ReadOnlyExports, kTagCopyTrue | kTagVersioned, 0, JudgeCopyWritable},
    {"COPY-11", ReadOnlyExports, kTagCopyTrue | kTagVersioned, 0, JudgePhysicalCopy},
    {"COPY-12", PlaceCopies, kTagVersioned, kTagCopyTrue, JudgeReadOnlyFlag},
    {"COPY-12", Zoo, kTagVersioned, 0, JudgeReadOnlyFlag},
    {"COPY-12", ReadOnlyExports, kTagVersioned, kTagCopyTrue, JudgeReadOnlyFlag},
    {"COPY-13", ReadOnlyExports, kTagLegacy, kTagCopyTrue, JudgeReadOnlyLegacy},
    {"COPY-14", DeviceRequests, kTagCpuRequest, 0, JudgeCpuOffered},
    {"COPY-14", PlaceRequests, kTagCpuRequest, 0, JudgeCpuOffered},
    {"COPY-15", PlaceRequests, kTagCpuRequest, 0, JudgeImpossibleShare},
    {"COPY-15", DeviceRequests, kTagCpuRequest, 0, JudgeImpossibleShare},
    {"COPY-16", DeviceRequests, kTagOtherDevice, 0, JudgeOtherDevice},
    {"COPY-16", PlaceRequests, kTagOtherDevice, 0, JudgeOtherDevice},
    {"COPY-17", PlaceCopies, kTagCopyTrue, 0, JudgeCopyEqual},
    {"COPY-17", Copies, kTagCopyTrue, 0, JudgeCopyEqual},
};

}  // namespace

std::span<const Check> CopyChecks() { return kCopyChecks; }

}  // namespace dlpc
