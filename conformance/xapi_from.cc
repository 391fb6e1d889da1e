// XAPI: tensors from objects, and whether the table and __dlpack__ agree. Source: dlpack.h 1.3,
// DLPackManagedTensorFromPyObjectNoSync and DLPackDLTensorFromPyObjectNoSync (lines 404-453).
#include <utility>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/paths.h"
#include "conformance/xapi_parts.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// ---- From objects -------------------------------------------------------------------------------

// XAPI-12: the struct. Where __dlpack__ refuses as well, JudgeRefusalClass looks at the exception.
Verdict JudgeOwned(const Evidence& e) {
  const Wording expected = "an owning versioned struct";
  const TableCall* call = Call(e, Op::kTableExport);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableExport));
  if (call->code != 0) {
    return NotApplicable(expected, "refused (see XAPI-20): " + e.Text(Op::kTableExport));
  }
  if (!Gave(*call)) return Fail(expected, e.Text(Op::kTableExport));
  const Inspected* seen = VersionedTensor(e, 2);
  if (seen == nullptr) {
    if (e.tensor(1) == nullptr) return NotApplicable(expected, "as by __dlpack__ (see ABI-03)");
    return Fail(expected, e.WhyNoTensor(2));
  }
  const uint64_t deleter = DeleterOf(*seen);
  if (deleter != 0 && !seen->deleter_executable) {
    const Inspected* other = e.tensor(1);
    if (other != nullptr && !other->deleter_executable) {
      return NotApplicable(expected, "deleter is not code, as by __dlpack__ (see ABI-08)");
    }
    return Fail(expected, "deleter is not in executable memory");
  }
  return Pass(expected, e.Text(Op::kInspect, 2));
}

// XAPI-12: "a BufferError if possible". It is possible where __dlpack__ does it.
Verdict JudgeRefusalClass(const Evidence& e) {
  const Wording expected = "an exception; BufferError where __dlpack__ raises it";
  const TableCall* call = Call(e, Op::kTableExport);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableExport));
  if (call->code == 0) return NotApplicable(expected, "not refused: " + e.Text(Op::kTableExport));
  const Raised* other = e.refusal(1);
  if (!call->raised) return Fail(expected, e.Text(Op::kTableExport));
  const bool needs_class = other != nullptr && IsA(*other, "BufferError");
  return PassIf(!needs_class || IsA(*call->raised, "BufferError"), expected,
                Say("{}; __dlpack__: {}", e.Text(Op::kTableExport), e.Text(Op::kExport, 1)));
}

// XAPI-14: against the struct that the table itself gives.
Verdict JudgeBorrowed(const Evidence& e) {
  const Wording expected = "the fields of the owned struct, with axes that can be read";
  const TableCall* call = Call(e, Op::kTableBorrow);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableBorrow));
  if (call->code != 0) {
    return NotApplicable(expected, "refused (see XAPI-20): " + e.Text(Op::kTableBorrow));
  }
  if (!call->tensor) return Fail(expected, e.Text(Op::kTableBorrow));
  const Inspected* owned = VersionedTensor(e, 2);
  if (owned == nullptr) return NotApplicable(expected, "owned: " + e.WhyNoTensor(2));
  const DLTensor t = TensorOf(*call->tensor);
  if (t.ndim > 0 && owned->shape_readable && !call->tensor->shape_readable) {
    return Fail(expected, "shape cannot be read: " + e.Text(Op::kTableBorrow));
  }
  if (auto difference = FirstDifferentField(e, *owned, *call->tensor)) {
    return Fail(expected, "owned and borrowed: " + *difference);
  }
  // Where the struct shares the array's memory, a loan from elsewhere is a copy that nobody owns.
  const uint64_t lent = FirstElement(*call->tensor);
  if (e.OwnPointer() == FirstElement(*owned) && lent != FirstElement(*owned) &&
      ElementCount(owned->shape) != 0) {
    return Fail(expected, Say("lent at {:#x}, the array is at {:#x}", lent, FirstElement(*owned)));
  }
  return Pass(expected, e.Text(Op::kTableBorrow));
}

Verdict JudgeBorrowLeaks(const Evidence& e) {
  const TableCall* call = Call(e, Op::kTableBorrow);
  const Wording expected = "borrowing again and again takes no memory";
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableBorrow));
  if (call->code != 0) return NotApplicable(expected, e.Text(Op::kTableBorrow));
  if (!call->heap_growth) return NotApplicable(expected, "the heap's size is not known");
  const uint32_t times = e.StepOf(Op::kTableBorrow)->n;
  return PassIf(*call->heap_growth < int64_t{times} * 8, expected,
                Say("{} calls took {} bytes", times, *call->heap_growth));
}

// ---- Agreement ----------------------------------------------------------------------------------

// XAPI-20
Verdict JudgeSameTensor(const Evidence& e) {
  const Wording expected = "the table and __dlpack__(max_version=(1, 3)) describe one tensor";
  if (Call(e, Op::kTableExport) == nullptr) {
    return NotApplicable(expected, WhyNoCall(e, Op::kTableExport));
  }
  const Inspected* method = e.tensor(1);
  const Inspected* table = VersionedTensor(e, 2);
  if (method == nullptr) return NotApplicable(expected, "__dlpack__: " + e.WhyNoTensor(1));
  if (table == nullptr) return NotApplicable(expected, "table: " + e.Text(Op::kInspect, 2));
  if (auto difference = FirstDifferentField(e, *method, *table)) {
    return Fail(expected, "__dlpack__ and table: " + *difference);
  }
  constexpr uint64_t kDefined = 7;
  const uint64_t a = FlagsOf(*method) & kDefined, b = FlagsOf(*table) & kDefined;
  if (method->versioned && a != b) {
    return Fail(expected, Say("__dlpack__ and table: flags {:#x} and {:#x}", a, b));
  }
  return Pass(expected, e.Text(Op::kInspect, 2));
}

Verdict JudgeSameRefusals(const Evidence& e) {
  const Wording expected = "the table refuses what __dlpack__ refuses, and nothing else";
  const TableCall* call = Call(e, Op::kTableExport);
  if (call == nullptr) return NotApplicable(expected, WhyNoCall(e, Op::kTableExport));
  if (!Tried(e, 1)) return NotApplicable(expected, e.Text(Op::kExport, 1));
  const bool refused = e.refusal(1) != nullptr;
  const Made* made = e.As<Made>(Op::kMakeRefusal);
  const Wording observed =
      Say("{}__dlpack__: {}; table: {}", made == nullptr ? "" : made->description + ": ",
          e.Text(Op::kExport, 1), e.Text(Op::kTableExport));
  if (refused != (call->code != 0)) return Fail(expected, observed);
  const TableCall* borrow = Call(e, Op::kTableBorrow);
  if (borrow != nullptr && refused != (borrow->code != 0)) {
    return Fail(expected, observed + "; borrowed: " + e.Text(Op::kTableBorrow));
  }
  return Pass(expected, observed);
}

// XAPI-20: served by both, and then the same tensor; or refused by both.
Verdict JudgeAgreement(const Evidence& e) {
  Verdict refusals = JudgeSameRefusals(e);
  if (refusals.status != CaseStatus::kPass || e.refusal(1) != nullptr) return refusals;
  return JudgeSameTensor(e);
}

// XAPI-23. A fault that __dlpack__ has as well is judged there.
Verdict JudgeTableStruct(const Evidence& e) {
  const Wording expected = "version 1.2 or newer, and strides";
  const Inspected* owned = VersionedTensor(e, 2);
  if (owned == nullptr) return NotApplicable(expected, e.Text(Op::kTableExport));
  const Inspected* method = e.tensor(1);
  if (method != nullptr && method->versioned && WrongStruct(*method, true) != nullptr) {
    return NotApplicable(expected, "as by __dlpack__ (see ABI-05, SHAPE-03)");
  }
  if (const char* wrong = WrongStruct(*owned, true)) return Fail(expected, wrong);
  const TableCall* borrow = Call(e, Op::kTableBorrow);
  if (borrow != nullptr && borrow->tensor) {
    const char* wrong = WrongStruct(*borrow->tensor, false);
    if (wrong != nullptr) return Fail(expected, std::string("the borrowed one ") + wrong);
  }
  const DLPackVersion v = VersionOf(*owned);
  return Pass(expected, Say("version {}.{}, strides {}", v.major, v.minor, List(owned->strides)));
}

constexpr Check kXapiFromChecks[] = {
    {"XAPI-12", PathAgreement, 0, 0, JudgeOwned},
    {"XAPI-12", PathRefusals, 0, 0, JudgeRefusalClass},
    {"XAPI-14", PathAgreement, 0, 0, JudgeBorrowed},
    {"XAPI-14", TableBorrows, 0, 0, JudgeBorrowLeaks},
    {"XAPI-20", PathAgreement, 0, 0, JudgeAgreement},
    {"XAPI-20", PathRefusals, 0, 0, JudgeSameRefusals},
    {"XAPI-23", PathAgreement, 0, 0, JudgeTableStruct},
};

}  // namespace

std::span<const Check> TableFromChecks() { return kXapiFromChecks; }

}  // namespace dlpc
