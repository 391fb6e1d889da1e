// XAPI: allocator, streams, imports, and how failures are reported. Source: dlpack.h 1.3, function
// types (lines 377-504).
#include <optional>
#include <utility>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/xapi_parts.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr Op kCalls[] = {Op::kTableExport, Op::kTableBorrow, Op::kTableAllocate, Op::kTableStream,
                         Op::kTableImport};
// Those that report a failure by a Python exception.
constexpr Op kPythonCalls[] = {Op::kTableExport, Op::kTableBorrow, Op::kTableStream,
                               Op::kTableImport};

// ---- Allocator ----------------------------------------------------------------------------------

std::optional<Wording> WrongProperty(const DLTensor& t, const Inspected& seen,
                                     const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  if (!(t.dtype == spec.dtype)) return "dtype " + Say(DTypeName, t.dtype);
  if (t.ndim != static_cast<int32_t>(view.shape.size())) return Say("ndim {}", t.ndim);
  if (seen.shape != view.shape) return "shape " + List(seen.shape);
  if (t.device.device_type != kDLCPU) return "device " + DeviceOf(seen);
  return std::nullopt;
}

// XAPI-09
Verdict JudgeAllocated(const Evidence& e) {
  const ArraySpec& spec = e.SpecOf(*e.StepOf(Op::kTableAllocate));
  const Wording expected =
      Say("an owning tensor: {}, shape {}, CPU; data, strides and byte_offset of the "
          "prototype are garbage",
          Say(DTypeName, spec.dtype), List(Resolve(spec.layout).shape));
  const TableCall* call = Call(e, Op::kTableAllocate);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableAllocate));
  if (call->code != 0) return NotApplicable(expected, "no such tensors: " + call->error);
  if (!Gave(*call)) return Fail(expected, e.Text(Op::kTableAllocate));
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return Fail(expected, e.WhyNoTensor());
  if (auto wrong = WrongProperty(TensorOf(*seen), *seen, spec)) return Fail(expected, *wrong);
  if (!call->writable.value_or(false)) {
    return Fail(expected, "its elements cannot be written: " + e.Text(Op::kInspect));
  }
  const Dropped* dropped = e.As<Dropped>(Op::kCallDeleter);
  if (dropped != nullptr && dropped->threw) return Fail(expected, e.Text(Op::kCallDeleter));
  return Pass(expected, e.Text(Op::kInspect));
}

// XAPI-10 (C-22)
Verdict JudgeSetError(const Evidence& e) {
  const Wording expected = "0 and no SetError, or a failure and one SetError";
  const TableCall* call = Call(e, Op::kTableAllocate);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableAllocate));
  const bool asked_wrong = e.StepOf(Op::kTableAllocate)->bad != BadInput::kNone;
  if (asked_wrong && call->code == 0 && call->set_errors == 0) {
    return NotApplicable(expected, "it was served: " + e.Text(Op::kTableAllocate));
  }
  return PassIf(call->set_errors == (call->code == 0 ? 0u : 1u), expected,
                e.Text(Op::kTableAllocate));
}

// XAPI-11. A call that needs the lock usually ends the process.
Verdict JudgeWithoutLock(const Evidence& e) {
  const Wording expected = "the same answer as with the lock, and no Python exception";
  const TableCall* with = Call(e, Op::kTableAllocate, 0);
  const TableCall* without = Call(e, Op::kTableAllocate, 1);
  if (with == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableAllocate, 0));
  if (without == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableAllocate, 1));
  const bool same = (with->code == 0) == (without->code == 0);
  return PassIf(
      same && !without->raised, expected,
      Say("{}; with the lock {}", e.Text(Op::kTableAllocate, 1), e.Text(Op::kTableAllocate, 0)));
}

// XAPI-13
Verdict JudgeNoException(const Evidence& e) {
  const Wording expected = "no C++ exception comes out";
  int made = 0;
  for (const Op op : kCalls) {
    for (int nth = 0; const TableCall* call = e.As<TableCall>(op, nth); ++nth) {
      ++made;
      if (call->threw) return Fail(expected, Say("{}: {}", OpName(op), e.Text(op, nth)));
    }
  }
  if (made == 0) return NotApplicable(expected, e.Text(Op::kTableExport));
  return Pass(expected, Say("{} calls returned", made));
}

// XAPI-15 (C-22): the signatures decide.
Verdict JudgeReturnCode(const Evidence& e) {
  const Wording expected = "0 and no exception, or -1 and an exception";
  std::optional<Wording> observed;
  Wording reason = e.Text(kPythonCalls[0]);
  for (const Op op : kPythonCalls) {
    if (e.StepOf(op) != nullptr && e.As<TableCall>(op) == nullptr) reason = e.Text(op);
    for (int nth = 0; const TableCall* call = e.As<TableCall>(op, nth); ++nth) {
      if (call->threw) continue;
      observed = Say("{}: {}", OpName(op), e.Text(op, nth));
      const bool right = call->code == 0 ? !call->raised : call->code == -1 && call->raised;
      if (!right) return Fail(expected, *observed);
    }
  }
  return observed ? Pass(expected, *observed) : NotApplicable(expected, reason);
}

// XAPI-16: a permission.
Verdict JudgeCpuStream(const Evidence& e) {
  const Wording expected = "for (kDLCPU, 0): 0, and NULL is stored";
  const TableCall* call = Call(e, Op::kTableStream);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableStream));
  return PassIf(call->code == 0 && call->out_written && call->out == 0, expected,
                Say("{}; out {:#x}", e.Text(Op::kTableStream), call->out));
}

// ---- To objects ---------------------------------------------------------------------------------

// XAPI-18. Reads: 0 of the array that leads to the table, 1 of the new object.
Verdict JudgeImported(const Evidence& e) {
  const Wording expected =
      "an object of the array's type with shape and values of the tensor, whose end calls the "
      "deleter once";
  const TableCall* call = Call(e, Op::kTableImport);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableImport));
  if (call->code != 0) return NotApplicable(expected, "refused: " + e.Text(Op::kTableImport));
  if (!call->made) return Fail(expected, e.Text(Op::kTableImport));
  if (!call->same_type) return Fail(expected, "an object of another type");
  const ArraySpec& spec = e.SpecOf(*e.StepOf(Op::kTableImport));
  const auto shape = Resolve(spec.layout).shape;
  if (call->made->shape && *call->made->shape != shape) {
    return Fail(expected, "shape " + List(*call->made->shape));
  }
  const Elements* own = e.As<Elements>(Op::kReadOwn, 1);
  if (own != nullptr && own->bytes != PatternValues(spec)) {
    return Fail(expected,
                FirstDifference(own->bytes, PatternValues(spec), ElementBytes(spec.dtype)));
  }
  const Counted* calls = e.As<Counted>(Op::kImportCalls);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kImportCalls));
  return PassIf(calls->value == 1, expected,
                Say("deleter calls after the object was dropped: {}", calls->value));
}

// XAPI-19: either way is allowed, twice is not.
Verdict JudgeFailedImport(const Evidence& e) {
  const Wording expected = "not defined; the deleter is called once or never";
  const TableCall* call = Call(e, Op::kTableImport);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableImport));
  if (call->code == 0) return NotApplicable(expected, "served: " + e.Text(Op::kTableImport));
  const Counted* calls = e.As<Counted>(Op::kImportCalls);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kImportCalls));
  return PassIf(calls->value <= 1, expected, Say("deleter calls: {}", calls->value));
}

// XAPI-23
Verdict JudgeAllocatedStruct(const Evidence& e) {
  const Wording expected = "version 1.2 or newer, and strides";
  const TableCall* call = Call(e, Op::kTableAllocate);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableAllocate));
  const Inspected* seen = VersionedTensor(e, 0);
  if (seen == nullptr) return NotApplicable(expected, e.Text(Op::kInspect));
  const char* wrong = WrongStruct(*seen, true);
  return PassIf(wrong == nullptr, expected, wrong == nullptr ? e.Text(Op::kInspect) : wrong);
}

constexpr Check kXapiCallsChecks[] = {
    {"XAPI-09", TableAllocations, kTagLocked, kTagFault, JudgeAllocated},
    {"XAPI-10", TableAllocations, kTagLocked, 0, JudgeSetError},
    {"XAPI-11", TableAllocations, 0, kTagLocked, JudgeWithoutLock},
    {"XAPI-13", PathRefusals, 0, 0, JudgeNoException},
    {"XAPI-13", TableAllocations, kTagLocked | kTagFault, 0, JudgeNoException},
    {"XAPI-13", TableImports, kTagFault, 0, JudgeNoException},
    {"XAPI-13", TableStreams, 0, 0, JudgeNoException},
    {"XAPI-13", TableWrongObjects, 0, 0, JudgeNoException},
    {"XAPI-15", PathAgreement, 0, 0, JudgeReturnCode},
    {"XAPI-15", PathRefusals, 0, 0, JudgeReturnCode},
    {"XAPI-15", TableImports, 0, 0, JudgeReturnCode},
    {"XAPI-15", TableStreams, 0, 0, JudgeReturnCode},
    {"XAPI-15", TableWrongObjects, 0, 0, JudgeReturnCode},
    {"XAPI-16", TableStreams, kTagPlainCpu, 0, JudgeCpuStream},
    {"XAPI-18", TableImports, 0, kTagFault, JudgeImported},
    {"XAPI-19", TableImports, kTagFault, 0, JudgeFailedImport},
    {"XAPI-23", TableAllocations, kTagLocked, kTagFault, JudgeAllocatedStruct},
};

}  // namespace

std::span<const Check> TableCallChecks() { return kXapiCallsChecks; }

}  // namespace dlpc
