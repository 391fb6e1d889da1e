// XAPI: the C exchange table itself. Source: dlpack.h 1.3, DLPackExchangeAPI (lines 506-643);
// DLPack 1.3 Python specification, C exchange API.
#include <dlpack/dlpack.h>

#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/families.h"

namespace dlpc {
namespace {

constexpr std::string_view kFunctions[] = {
    "managed_tensor_allocator", "managed_tensor_from_py_object_no_sync",
    "managed_tensor_to_py_object_no_sync", "dltensor_from_py_object_no_sync",
    "current_work_stream"};
constexpr size_t kBorrow = 3;

bool IsCode(CodeIn place) { return place == CodeIn::kFile || place == CodeIn::kAnonymous; }

// The nth look-up if it led to a table that can be read; else why not.
const TableSeen* Table(const Evidence& e, int nth = 0) {
  const TableSeen* seen = e.As<TableSeen>(Op::kTable, nth);
  return seen != nullptr && seen->readable ? seen : nullptr;
}

Verdict NoTable(const Evidence& e, Wording expected, int nth = 0) {
  return NotApplicable(std::move(expected), e.Text(Op::kTable, nth));
}

// XAPI-01 (C-21): a permission; whether it is used is recorded.
Verdict JudgeOffered(const Evidence& e) {
  const Wording expected = "optional: the type offers __dlpack_c_exchange_api__";
  const TableSeen* seen = e.As<TableSeen>(Op::kTable);
  if (seen == nullptr) return NotApplicable(expected, e.Text(Op::kTable));
  const bool offered =
      seen->on_type != TableForm::kMissing || seen->on_instance != TableForm::kMissing;
  if (offered) return Pass(expected, e.Text(Op::kTable));
  return Fail(expected,
              seen->old_name ? "not offered; only the name of DLPack 1.2 is there" : "not offered");
}

// XAPI-02: a property on instances gives its descriptor when the type is asked.
Verdict JudgeOnType(const Evidence& e) {
  const Wording expected = "the type has it, not instances only";
  const TableSeen* seen = e.As<TableSeen>(Op::kTable);
  if (seen == nullptr) return NotApplicable(expected, e.Text(Op::kTable));
  if (seen->on_type == TableForm::kMissing && seen->on_instance == TableForm::kMissing) {
    return NotApplicable(expected, "not offered (see XAPI-01)");
  }
  const bool type_lacks_capsule =
      seen->on_type == TableForm::kMissing ||
      (seen->on_type == TableForm::kNoCapsule && seen->on_instance != TableForm::kNoCapsule);
  return PassIf(!type_lacks_capsule, expected, e.Text(Op::kTable));
}

// XAPI-03 (C-21)
Verdict JudgeCapsule(const Evidence& e) {
  const Wording expected = "a PyCapsule named \"dlpack_exchange_api\"";
  const TableSeen* seen = e.As<TableSeen>(Op::kTable);
  if (seen == nullptr) return NotApplicable(expected, e.Text(Op::kTable));
  if (seen->on_type == TableForm::kMissing ||
      (seen->on_type == TableForm::kNoCapsule && seen->on_instance != TableForm::kNoCapsule)) {
    return NotApplicable(expected, "the type has none: " + e.Text(Op::kTable));
  }
  return PassIf(seen->on_type == TableForm::kTable, expected, e.Text(Op::kTable));
}

// XAPI-04: looked up on one array, on another, and again after the first is gone.
Verdict JudgeStatic(const Evidence& e) {
  const Wording expected = "the same table for every instance, whatever was collected";
  const TableSeen* first = Table(e, 0);
  if (first == nullptr) return NoTable(e, expected);
  for (int nth = 1; nth < 3; ++nth) {
    const TableSeen* other = e.As<TableSeen>(Op::kTable, nth);
    if (other == nullptr) return NotApplicable(expected, e.Text(Op::kTable, nth));
    const bool same = other->readable && other->address == first->address &&
                      other->major == first->major && other->minor == first->minor &&
                      other->functions == first->functions;
    if (!same) {
      return Fail(expected, Say("{}, then {}", e.Text(Op::kTable, 0), e.Text(Op::kTable, nth)));
    }
  }
  return Pass(expected, Say("at {:#x} in three look-ups", first->address));
}

// XAPI-05
Verdict JudgeVersion(const Evidence& e) {
  const Wording expected = Say("version 1.2 to {}.{}", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  const TableSeen* seen = Table(e);
  if (seen == nullptr) return NoTable(e, expected);
  return PassIf(seen->major == 1 && seen->minor >= 2 && seen->minor <= DLPACK_MINOR_VERSION,
                expected, Say("version {}.{}", seen->major, seen->minor));
}

// XAPI-06 (C-21)
Verdict JudgeChain(const Evidence& e) {
  const Wording expected = "prev_api is NULL, or leads down to lower majors and ends";
  const TableSeen* seen = Table(e);
  if (seen == nullptr) return NoTable(e, expected);
  bool falls = seen->chain_ends;
  int64_t major = seen->major;
  for (const int64_t next : seen->chain) {
    falls = falls && next >= 0 && next < major;
    major = next;
  }
  return PassIf(falls, expected,
                Say("majors along the chain: {}, {}{}", seen->major, List(seen->chain),
                    seen->chain_ends ? "" : ", no end"));
}

// XAPI-07
Verdict JudgeFunctions(const Evidence& e) {
  const Wording expected = "four functions that are not NULL and lie in executable memory";
  const TableSeen* seen = Table(e);
  if (seen == nullptr) return NoTable(e, expected);
  for (size_t i = 0; i < seen->functions.size(); ++i) {
    if (i == kBorrow || IsCode(seen->functions[i])) continue;
    const bool null = seen->functions[i] == CodeIn::kNull;
    return Fail(expected, Say("{} is {}", kFunctions[i], null ? "NULL" : "not code"));
  }
  return Pass(expected, "all are functions");
}

// XAPI-08: a permission; whether it is used is recorded.
Verdict JudgeBorrowOffered(const Evidence& e) {
  const Wording expected = "optional: dltensor_from_py_object_no_sync is offered";
  const TableSeen* seen = Table(e);
  if (seen == nullptr) return NoTable(e, expected);
  return PassIf(IsCode(seen->functions[kBorrow]), expected,
                seen->functions[kBorrow] == CodeIn::kNull ? "NULL" : "not NULL");
}

// XAPI-22
Verdict JudgeCompiled(const Evidence& e) {
  const Wording expected = "the functions are code of a file, not made at run time";
  const TableSeen* seen = Table(e);
  if (seen == nullptr) return NoTable(e, expected);
  bool any = false;
  for (size_t i = 0; i < seen->functions.size(); ++i) {
    any = any || seen->functions[i] == CodeIn::kFile;
    if (seen->functions[i] != CodeIn::kAnonymous) continue;
    return Fail(expected, Say("{} lies in anonymous memory", kFunctions[i]));
  }
  if (!any) return NotApplicable(expected, "there is no function (see XAPI-07)");
  return Pass(expected, "all lie in mappings of files");
}

// XAPI-17, XAPI-21: what the library says of its own streams.
const Counted* Streamed(const Evidence& e, int nth) { return e.As<Counted>(Op::kUseStream, nth); }

Verdict JudgeCurrentStream(const Evidence& e) {
  const Wording expected = "current_work_stream gives the stream that was made current";
  const Counted* own = Streamed(e, 0);
  if (own == nullptr) return NotApplicable(expected, e.Text(Op::kUseStream));
  const TableCall* call = e.As<TableCall>(Op::kTableStream);
  if (call == nullptr) return NotApplicable(expected, e.Text(Op::kTableStream));
  return PassIf(call->code == 0 && call->out == static_cast<uint64_t>(own->value), expected,
                Say("{:#x}, the library's own is {:#x}; {}", call->out, own->value,
                    e.Text(Op::kTableStream)));
}

// Steps on the stream: 0 made current, 1 work started, 2 and 3 is it over, before and after.
Verdict JudgeNoSync(const Evidence& e) {
  const Wording expected = "exports return while work on the current stream goes on";
  const Counted* before = Streamed(e, 2);
  const Counted* after = Streamed(e, 3);
  if (before == nullptr || after == nullptr) {
    return NotApplicable(expected, e.Text(Op::kUseStream, 2));
  }
  const TableCall* call = e.As<TableCall>(Op::kTableExport);
  if (call == nullptr || call->code != 0) {
    return NotApplicable(expected, e.Text(Op::kTableExport));
  }
  if (before->value != 0) return NotApplicable(expected, "the work was over too soon");
  return PassIf(after->value == 0, expected,
                after->value == 0 ? "the work still runs" : "the work was over afterwards");
}

constexpr Check kXapiChecks[] = {
    {"XAPI-01", TableLookups, 0, 0, JudgeOffered},
    {"XAPI-02", TableLookups, 0, 0, JudgeOnType},
    {"XAPI-03", TableLookups, 0, 0, JudgeCapsule},
    {"XAPI-04", TableLookups, 0, 0, JudgeStatic},
    {"XAPI-05", TableLookups, 0, 0, JudgeVersion},
    {"XAPI-06", TableLookups, 0, 0, JudgeChain},
    {"XAPI-07", TableLookups, 0, 0, JudgeFunctions},
    {"XAPI-08", TableLookups, 0, 0, JudgeBorrowOffered},
    {"XAPI-17", TableCurrentStream, 0, 0, JudgeCurrentStream},
    {"XAPI-21", TableNoSync, 0, 0, JudgeNoSync},
    {"XAPI-22", TableLookups, 0, 0, JudgeCompiled},
};

}  // namespace

std::span<const Check> TableChecks() { return kXapiChecks; }

}  // namespace dlpc
