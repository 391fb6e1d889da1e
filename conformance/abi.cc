// ABI: struct fields and layout. Source: dlpack.h 1.3, lines 128-375.
#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

Wording TensorText(const DLTensor& t) {
  return Say("device ({}, {}), ndim {}, dtype ({}, {}, {}), byte_offset {}",
             static_cast<int32_t>(t.device.device_type), t.device.device_id, t.ndim, t.dtype.code,
             t.dtype.bits, t.dtype.lanes, t.byte_offset);
}

// The struct of the other kind, if these bytes make sense as one: then the name is wrong (CAP-03),
// not the layout.
bool PlausibleUnderOtherLayout(const Inspected& inspected) {
  Inspected other = inspected;
  other.versioned = !inspected.versioned;
  return !ImplausibleTensor(TensorOf(other)) &&
         (!other.versioned || !ImplausibleHeader(VersionOf(other), FlagsOf(other)));
}

// The tensor with the dtype that it should have: whether dtype itself is right is ABI-04's
// business.
DLTensor WithKnownDType(const Evidence& e, const Inspected& seen) {
  DLTensor t = TensorOf(seen);
  if (e.made() != nullptr && !e.made()->given) t.dtype = e.spec().dtype;
  return t;
}

// ABI-01: DLTensor is read at its fixed offsets. Judged on the legacy struct, where nothing
// precedes it.
Verdict JudgeTensorLayout(const Evidence& e) {
  const Wording expected =
      "DLTensor fields at offsets 0/8/16/20/24/32/40 hold possible values, shape that of the array";
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (seen->versioned) return NotApplicable(expected, "a versioned struct (see ABI-03)");
  const DLTensor t = WithKnownDType(e, *seen);
  if (auto why = ImplausibleTensor(t)) {
    if (PlausibleUnderOtherLayout(*seen)) {
      return NotApplicable(expected, "holds the other struct (see CAP-03)");
    }
    return Fail(expected, *why + ": " + TensorText(t));
  }
  const Extents* shape = e.OwnShape();
  if (shape && t.ndim == static_cast<int32_t>(shape->size()) && !shape->empty() &&
      !seen->shape_readable) {
    return Fail(expected, "shape at offset 24 cannot be read");
  }
  return Pass(expected, TensorText(t));
}

Wording DeleterText(const Inspected& seen) {
  if (DeleterOf(seen) == 0) return "deleter is NULL";
  return seen.deleter_executable ? "deleter is a function" : "deleter is not in executable memory";
}

Verdict JudgeTail(const Evidence& e, const Wording& expected) {
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  return PassIf(DeleterOf(*seen) == 0 || seen->deleter_executable, expected,
                DeleterText(*seen) + "; " + e.Text(Op::kInspect));
}

// ABI-02: the legacy struct's manager_ctx and deleter.
Verdict JudgeLegacyTail(const Evidence& e) {
  const Wording expected = "manager_ctx at offset 48; NULL or a function at offset 56";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (seen->versioned) return NotApplicable(expected, "a versioned struct (see ABI-03)");
  return JudgeTail(e, expected);
}

// ABI-03: the versioned struct's header, and DLTensor at offset 32.
Verdict JudgeVersionedLayout(const Evidence& e) {
  const Wording expected =
      "version, manager_ctx, deleter, flags, dl_tensor at offsets 0/8/16/24/32";
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "a legacy struct (see VER-03)");
  const auto why_header = ImplausibleHeader(VersionOf(*seen), FlagsOf(*seen));
  const auto why_tensor = ImplausibleTensor(WithKnownDType(e, *seen));
  if (why_header || why_tensor) {
    if (PlausibleUnderOtherLayout(*seen)) {
      return NotApplicable(expected, "holds the other struct (see CAP-03)");
    }
    return Fail(expected,
                (why_header ? *why_header : *why_tensor) + ": " + TensorText(TensorOf(*seen)));
  }
  return JudgeTail(e, expected);
}

// ABI-04: DLDevice and DLDataType field by field against what the array is known to be.
Verdict JudgeSmallStructs(const Evidence& e) {
  const ArraySpec& spec = e.spec();
  const Wording expected = Say("dtype bytes code {}, bits {}, lanes {} (16 bit)", spec.dtype.code,
                               spec.dtype.bits, spec.dtype.lanes);
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (e.made() == nullptr || e.made()->given) {
    return NotApplicable(expected, "the dtype of a given object is not known");
  }
  const DLTensor t = TensorOf(*seen);
  const Wording observed = TensorText(t);
  // A wrong layout moves every field: that is ABI-01 or ABI-03. Here the fields around are right.
  if (ImplausibleTensor(
          DLTensor{t.data, t.device, t.ndim, spec.dtype, t.shape, t.strides, t.byte_offset})) {
    return NotApplicable(expected, "the struct around is unreadable: " + observed);
  }
  if (seen->versioned && ImplausibleHeader(VersionOf(*seen), FlagsOf(*seen))) {
    return NotApplicable(expected, e.WhyNoTensor());
  }
  const Extents* shape = e.OwnShape();
  if (shape && seen->shape != *shape) {
    return NotApplicable(expected, "the struct around is unreadable: " + observed);
  }
  return PassIf(t.dtype == spec.dtype, expected, observed);
}

// ABI-05 and ABI-06 follow from the struct alone.
template <const char* kId>
Verdict JudgeByContract(const Evidence& e) {
  const Wording expected = std::string_view(kId) == "ABI-05"
                               ? "version.major is 1, version.minor that of a DLPack release"
                               : "bits of flags other than 0, 1, 2 are 0";
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct has neither");
  if (ImplausibleTensor(TensorOf(*seen))) return NotApplicable(expected, e.WhyNoTensor());
  const DLPackVersion v = VersionOf(*seen);
  if (auto violation = CheckStruct(FactsOf(*seen), kId)) return Fail(expected, violation->observed);
  return Pass(expected, Say("version {}.{}, flags {:#x}", v.major, v.minor, FlagsOf(*seen)));
}
constexpr char kAbi05[] = "ABI-05";
constexpr char kAbi06[] = "ABI-06";

bool Released(const Evidence& e) {
  const Counted* before = e.As<Counted>(Op::kRefCount, 0);
  const Counted* after = e.As<Counted>(Op::kRefCount, 1);
  return before != nullptr && after != nullptr && after->value == before->value;
}

// ABI-07: NULL manager_ctx is fine if the producer really does not need it.
Verdict JudgeNullContext(const Evidence& e) {
  const Wording expected = "manager_ctx is set, or the drop releases the array without it";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (ManagerContextOf(*seen) != 0) {
    return Pass(expected, "manager_ctx is set");
  }
  if (e.As<Counted>(Op::kRefCount, 1) == nullptr) {
    return NotApplicable(expected, "manager_ctx is NULL; references cannot be counted");
  }
  return PassIf(Released(e), expected,
                "manager_ctx is NULL; references after the drop: " + e.Text(Op::kRefCount, 1));
}

// ABI-08: a NULL deleter is fine if the data can still be read; any other must be code.
Verdict JudgeDeleter(const Evidence& e) {
  const Wording expected = "deleter is a function, or NULL and the data is readable";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (DeleterOf(*seen) != 0) return PassIf(seen->deleter_executable, expected, DeleterText(*seen));
  const Elements* read = e.As<Elements>(Op::kRead);
  return PassIf(read != nullptr && read->readable, expected,
                "deleter is NULL, data: " + e.Text(Op::kRead));
}

// ABI-09 (contested, C-2): views that start inside their buffer say so by byte_offset.
Verdict JudgeByteOffset(const Evidence& e) {
  const Wording expected = "data is the start of the allocation, byte_offset leads to the view";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const DLTensor t = TensorOf(*seen);
  const auto pointer = e.OwnPointer();
  const auto allocation = e.made() ? e.made()->allocation : std::nullopt;
  if (!pointer || !allocation) {
    return NotApplicable(expected, "the adapter knows no allocation");
  }
  const uint64_t data = reinterpret_cast<uint64_t>(t.data);
  if (data + t.byte_offset != *pointer) {
    return NotApplicable(expected, "not the array's own memory (see COPY-01)");
  }
  if (*pointer == allocation->first) {
    return NotApplicable(expected, "the array starts where its allocation starts");
  }
  return PassIf(data == allocation->first, expected,
                Say("data lies {} bytes into the allocation, byte_offset is {}",
                    static_cast<int64_t>(data - allocation->first), t.byte_offset));
}

// ABI-10: fields must not depend on what the allocator left behind.
Verdict JudgeInitialised(const Evidence& e) {
  const Wording expected = "the same fields in each export, whatever the heap held before";
  const Inspected* first = e.tensor(0);
  if (first == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  const DLTensor a = TensorOf(*first);
  for (int nth = 1; nth < 3; ++nth) {
    const Inspected* other = e.tensor(nth);
    if (other == nullptr) return NotApplicable(expected, e.WhyNoTensor(nth));
    const DLTensor b = TensorOf(*other);
    const bool same =
        VersionOf(*first).major == VersionOf(*other).major &&
        VersionOf(*first).minor == VersionOf(*other).minor && FlagsOf(*first) == FlagsOf(*other) &&
        a.device.device_type == b.device.device_type && a.device.device_id == b.device.device_id &&
        a.ndim == b.ndim && a.dtype == b.dtype && a.byte_offset == b.byte_offset &&
        first->shape == other->shape && first->strides == other->strides;
    if (!same) {
      return Fail(expected, Say("flags {:#x} then {:#x}; {} then {}", FlagsOf(*first),
                                FlagsOf(*other), TensorText(a), TensorText(b)));
    }
  }
  return Pass(expected, Say("flags {:#x}; {}", FlagsOf(*first), TensorText(a)));
}

// ABI-11: deleters are C functions.
Verdict JudgeNoThrow(const Evidence& e) {
  const Wording expected = "the deleter returns normally";
  const Dropped* call = e.As<Dropped>(Op::kCallDeleter);
  if (call == nullptr) return NotApplicable(expected, e.Text(Op::kCallDeleter));
  return PassIf(!call->threw, expected,
                call->threw ? "a C++ exception came out of the deleter" : "returned");
}

// ABI-12: both structs are offered. Export 0 of the sweep is the version asked, export 1 is (1,
// 99).
Verdict JudgeBothStructs(const Evidence& e) {
  const Wording expected = "max_version absent: legacy capsule; (1, 99): versioned capsule";
  for (int nth = 0; nth < 2; ++nth) {
    const bool tried = e.refusal(nth) != nullptr || e.As<Exported>(Op::kExport, nth) != nullptr;
    if (!tried || e.RefusedAsReadOnly(nth)) {
      return NotApplicable(expected, e.Text(Op::kExport, nth));
    }
  }
  const Kind without = KindOf(e.At(Op::kExport, 0));
  const Kind with = KindOf(e.At(Op::kExport, 1));
  return PassIf(without == Kind::kLegacy && with == Kind::kVersioned, expected,
                Say("absent: {}; (1, 99): {}", e.Text(Op::kExport, 0), e.Text(Op::kExport, 1)));
}

// ABI-13: version and deleter alone are enough to release a struct of any version.
Verdict JudgeHeaderOnly(const Evidence& e) {
  const Wording expected = "a consumer that reads only version and deleter can release the tensor";
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "a legacy struct (see VER-03)");
  const DLPackVersion v = VersionOf(*seen);
  if (v.major == 0 || v.major > 16 || v.minor > 64) {
    if (PlausibleUnderOtherLayout(*seen)) {
      return NotApplicable(expected, "holds the other struct (see CAP-03)");
    }
    return Fail(expected, Say("version at offset 0 is {}.{}", v.major, v.minor));
  }
  const uint64_t deleter = DeleterOf(*seen);
  if (deleter == 0) return Pass(expected, "version readable, deleter is NULL");
  if (!seen->deleter_executable) {
    return Fail(expected, "the deleter at offset 16 is not code");
  }
  const Counted* calls = e.As<Counted>(Op::kDeleterCalls);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kDeleterCalls));
  return PassIf(calls->value == 1, expected,
                Say("version {}.{}, deleter calls: {}", v.major, v.minor, calls->value));
}

bool IsAbsentSweep(const NamedScript& script) { return script.name == "max-version/absent"; }

constexpr Check kAbiChecks[] = {
    {"ABI-01", Zoo, kTagLegacy, 0, JudgeTensorLayout},
    {"ABI-02", Zoo, kTagLegacy, 0, JudgeLegacyTail},
    {"ABI-03", Zoo, kTagVersioned, 0, JudgeVersionedLayout},
    {"ABI-04", Zoo, kTagRank, 0, JudgeSmallStructs},
    {"ABI-05", Zoo, kTagVersioned, 0, JudgeByContract<kAbi05>},
    {"ABI-06", Zoo, kTagVersioned, 0, JudgeByContract<kAbi06>},
    {"ABI-07", DroppedExports, 0, 0, JudgeNullContext},
    {"ABI-07", StaticStorage, 0, 0, JudgeNullContext},
    {"ABI-08", Zoo, 0, 0, JudgeDeleter},
    {"ABI-08", StaticStorage, 0, 0, JudgeDeleter},
    {"ABI-09", Zoo, kTagOffset | kTagElements, 0, JudgeByteOffset},
    {"ABI-10", DirtyAllocator, 0, 0, JudgeInitialised},
    {"ABI-11", ReleaseOnly, 0, 0, JudgeNoThrow},
    {"ABI-12", Versions, 0, 0, JudgeBothStructs, IsAbsentSweep},
    {"ABI-13", ReleaseOnly, kTagVersioned, 0, JudgeHeaderOnly},
};

}  // namespace

std::span<const Check> AbiChecks() { return kAbiChecks; }

}  // namespace dlpc
