// VER-10, VER-11: __dlpack__() against __dlpack__(max_version=(1, 3)). Source: array API,
// array.__dlpack__, Notes on max_version; dlpack.h 1.3, both managed structs.
#include "conformance/paths.h"

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// As a consumer computes them.
Extents SteppedStrides(const Inspected& in) {
  Extents strides = in.strides;
  if (TensorOf(in).strides == nullptr) strides = CompactStrides(in.shape);
  const auto count = ElementCount(in.shape);
  strides.resize(in.shape.size());
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (in.shape[axis] <= 1 || count == 0) strides[axis] = 0;
  }
  return strides;
}

bool IsInside(uint64_t address, const std::pair<uint64_t, uint64_t>& buffer) {
  return address >= buffer.first && address <= buffer.first + buffer.second;
}

// Whether the addresses contradict each other, as far as the library's own account can tell.
bool AddressesDiffer(const Evidence& e, const Inspected& a, const Inspected& b) {
  const uint64_t first = FirstElement(a), second = FirstElement(b);
  const auto own = e.OwnPointer();
  if (first == second || !own || ElementCount(a.shape) == 0) return false;
  if (first != *own && second != *own) return false;
  const auto buffer = e.made()->allocation;
  return buffer && IsInside(first, *buffer) && IsInside(second, *buffer);
}

Wording Fields(const char* field, const Wording& a, const Wording& b) {
  return Say("{} {} and {}", field, a, b);
}

// What the legacy struct cannot say: read-only memory, and types that came with a minor version.
bool LegacyCannotSay(const Evidence& e) {
  const Made* made = e.made();
  if (made != nullptr && made->read_only.value_or(false)) return true;
  const Inspected* versioned = e.tensor(1);
  if (versioned == nullptr) return true;
  const DLDataType dtype = TensorOf(*versioned).dtype;
  return FlagsOf(*versioned) != 0 || dtype.bits % 8 != 0 ||
         CodeSinceMinor(dtype.code).value_or(1) > 0;
}

// VER-10. Exports: 0 legacy, 1 versioned.
Verdict JudgeSameTensor(const Evidence& e) {
  const Wording expected = "both structs describe the same tensor";
  if (KindOf(e.At(Op::kExport, 1)) != Kind::kVersioned) {
    return NotApplicable(expected, e.Text(Op::kExport, 1));
  }
  const Inspected* legacy = e.tensor(0);
  const Inspected* versioned = e.tensor(1);
  if (legacy == nullptr) return NotApplicable(expected, "legacy: " + e.WhyNoTensor(0));
  if (versioned == nullptr) return NotApplicable(expected, "versioned: " + e.WhyNoTensor(1));
  if (auto difference = FirstDifferentField(e, *legacy, *versioned)) {
    return Fail(expected, "legacy and versioned: " + *difference);
  }
  return Pass(expected, e.Text(Op::kInspect, 1));
}

// VER-11
Verdict JudgeSameRefusals(const Evidence& e) {
  const Wording expected = "both structs are given, or both refused";
  if (!Tried(e, 0) || !Tried(e, 1)) return NotApplicable(expected, e.Text(Op::kExport, 0));
  const Wording observed = Say("without max_version: {}; with (1, 3): {}", e.Text(Op::kExport, 0),
                               e.Text(Op::kExport, 1));
  const bool legacy = e.refusal(0) == nullptr, versioned = e.refusal(1) == nullptr;
  if (!legacy && versioned && LegacyCannotSay(e)) {
    return NotApplicable(expected, "the legacy struct cannot say what the array is: " + observed);
  }
  return PassIf(legacy == versioned, expected, observed);
}

constexpr Check kPathsChecks[] = {
    {"VER-10", PathAgreement, 0, 0, JudgeSameTensor},
    {"VER-11", PathAgreement, 0, 0, JudgeSameRefusals},
    {"VER-11", PathRefusals, 0, 0, JudgeSameRefusals},
};

}  // namespace

std::optional<Wording> FirstDifferentField(const Evidence& e, const Inspected& a,
                                           const Inspected& b) {
  const DLTensor s = TensorOf(a), t = TensorOf(b);
  if (!(s.dtype == t.dtype))
    return Fields("dtype", Say(DTypeName, s.dtype), Say(DTypeName, t.dtype));
  if (s.ndim != t.ndim) {
    return Say("ndim {} and {}", s.ndim, t.ndim);
  }
  if (a.shape != b.shape) return Fields("shape", List(a.shape), List(b.shape));
  if (SteppedStrides(a) != SteppedStrides(b)) {
    return Fields("strides", List(a.strides), List(b.strides));
  }
  if (s.device.device_type != t.device.device_type || s.device.device_id != t.device.device_id) {
    return Fields("device", DeviceOf(a), DeviceOf(b));
  }
  if (AddressesDiffer(e, a, b)) {
    return Say("first element at {:#x} and {:#x}", FirstElement(a), FirstElement(b));
  }
  return std::nullopt;
}

uint64_t FirstElement(const Inspected& in) {
  const DLTensor t = TensorOf(in);
  return reinterpret_cast<uintptr_t>(t.data) + t.byte_offset;
}

std::span<const Check> PathChecks() { return kPathsChecks; }

}  // namespace dlpc
