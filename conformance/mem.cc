// MEM: who owns the memory, and what the deleter does, when and on which thread.
#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/ledger.h"

namespace dlpc {
namespace {

bool IsNative(const Evidence& e) { return e.claims() != nullptr && e.claims()->kind == "native"; }

// Why the release of export 0 tells nothing; nullopt if it was performed.
std::optional<Wording> WhyNoRelease(const Evidence& e) {
  if (e.As<Dropped>(Op::kCallDeleter) != nullptr) return std::nullopt;
  if (e.As<Inspected>(Op::kInspect) == nullptr) return e.WhyNoTensor();
  return e.Text(Op::kCallDeleter);
}

// The references that an array got and lost between two counts: "1", or why nobody knows.
Wording CountText(std::optional<int64_t> change) {
  return change ? Say("{:+}", *change) : "cannot be counted";
}

// ---- What is left behind ------------------------------------------------------------------------

// MEM-01, MEM-02: ten thousand (of copies: two thousand) consumed and released.
Verdict NothingLeft(const Evidence& e, const Wording& expected) {
  const Many* many = e.As<Many>(Op::kConsumeMany, 1);
  if (many == nullptr) return NotApplicable(expected, e.Text(Op::kConsumeMany, 1));
  if (many->capsules < many->tried || many->tried == 0) {
    return NotApplicable(expected, e.Text(Op::kConsumeMany, 1));
  }
  const Leftovers left = LeftBehind(e, *many);
  if (!left.known) return NotApplicable(expected, "nothing can be counted");
  return PassIf(!left.leaks, expected, left.text);
}

// MEM-01 (C-19 leaves open who owns a copy, not who frees it).
Verdict JudgeCopyFreed(const Evidence& e) {
  const Wording expected = "consumed and released exports with copy=True leave nothing behind";
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  return NothingLeft(e, expected);
}

// MEM-02
Verdict JudgeStructFreed(const Evidence& e) {
  return NothingLeft(e, "consumed and released exports leave nothing behind");
}

// ---- References ---------------------------------------------------------------------------------

// MEM-03: counts 0 before the export, 1 while it lives, kLast after its release.
template <int kLast>
Verdict JudgeOneReference(const Evidence& e) {
  const Wording expected = "the deleter gives back what the export took";
  if (auto why = WhyNoRelease(e)) return NotApplicable(expected, *why);
  const auto taken = ReferenceChange(e, 0, 1), left = ReferenceChange(e, 0, kLast);
  if (!taken || !left) return NotApplicable(expected, e.Text(Op::kRefCount));
  const Wording observed =
      Say("references to the array while exported: {:+}, after the release: {:+}", *taken, *left);
  if (*taken == 0 && *left == 0) {
    return NotApplicable(expected, observed + " (the owner is another object)");
  }
  return PassIf(*left == 0, expected, observed);
}

// The release came to its end, and what the export took is back, where that can be counted.
Verdict Released(const Evidence& e, const Wording& expected) {
  if (auto why = WhyNoRelease(e)) return NotApplicable(expected, *why);
  const auto change = ReferenceChange(e, 0, 3);
  return PassIf(
      change.value_or(0) == 0, expected,
      Say("the deleter returned; references to the array afterwards: {}", CountText(change)));
}

// MEM-04: on the interpreter's thread, after it gave the lock back.
Verdict JudgeWithoutLock(const Evidence& e) {
  const Wording expected = "the deleter releases without the interpreter lock held";
  if (IsNative(e)) return NotApplicable(expected, "native code has no interpreter lock");
  return Released(e, expected);
}

// MEM-04: another thread holds the lock. Whoever needs it has to wait; a count that changes
// meanwhile was changed without it.
Verdict JudgeTakesLock(const Evidence& e) {
  const Wording expected = "no reference count changes while another thread holds the lock";
  if (IsNative(e)) return NotApplicable(expected, "native code has no interpreter lock");
  if (auto why = WhyNoRelease(e)) return NotApplicable(expected, *why);
  if (!e.As<Dropped>(Op::kCallDeleter)->without_lock) {
    return Pass(expected, "the deleter waited for the lock");
  }
  const auto change = ReferenceChange(e, 2, 3);
  if (!change) return NotApplicable(expected, "it did not wait; references cannot be counted");
  return PassIf(*change == 0, expected,
                Say("the deleter did not wait; references to the array: {:+}", *change));
}

// MEM-05
Verdict JudgeForeignThread(const Evidence& e) {
  return Released(e, "the deleter releases on a thread that the interpreter never saw");
}

// MEM-07: a deadlock is a timeout.
Verdict JudgeLocked(const Evidence& e) {
  return Released(e, "the deleter releases on a thread that holds the interpreter lock");
}

// MEM-06. Ending a process is also the business of a large library's other parts: only what happens
// while the deleters run is theirs.
Verdict JudgeAfterEnd(const Evidence& e) {
  const Wording expected = "after the interpreter's end the deleter returns";
  const Ended* ended = e.As<Ended>(Op::kEnd);
  if (ended == nullptr) return NotApplicable(expected, e.Text(Op::kEnd));
  const Wording observed = e.Text(Op::kEnd);
  if (ended->stage == 1) return Fail(expected, observed);
  return ended->stage == 2 ? Pass(expected, observed) : NotApplicable(expected, observed);
}

// ---- Exceptions ---------------------------------------------------------------------------------

// MEM-08 (contested, C-20)
Verdict JudgeException(const Evidence& e) {
  const Wording expected = "the deleter leaves the exception state as it was";
  if (IsNative(e)) return NotApplicable(expected, "native code has no pending exceptions");
  if (auto why = WhyNoRelease(e)) return NotApplicable(expected, *why);
  const Dropped* dropped = e.As<Dropped>(Op::kCallDeleter);
  return PassIf(!dropped->lost_exception && !dropped->left_exception, expected,
                e.Text(Op::kCallDeleter));
}

// ---- Data ---------------------------------------------------------------------------------------

// MEM-09: after the consumer took the struct, the array and much else is gone.
Verdict JudgeDataKept(const Evidence& e) {
  const Wording expected = "the elements stay what they were until the deleter runs";
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (auto why = WrongFromTheStart(e)) return NotApplicable(expected, *why);
  return ElementsKept(e, expected);
}

// MEM-09, three deep: export, import by the library's own consumer, and that twice more.
Verdict JudgeDataKeptThreeDeep(const Evidence& e) {
  for (const int nth : {0, 1}) {
    if (e.As<Made>(Op::kDerive, nth) != nullptr) continue;
    return NotApplicable("an import can be exported", e.Text(Op::kDerive, nth));
  }
  if (e.As<Exported>(Op::kExport, 1) == nullptr) {
    return NotApplicable("an import can be exported", e.Text(Op::kExport, 1));
  }
  return JudgeDataKept(e);
}

// Exports that hand out one and the same struct (nanobind): whose release is whose cannot be told.
bool ShareStruct(const Evidence& e) {
  const auto at = [&](int nth) {
    const Exported* exported = e.As<Exported>(Op::kExport, nth);
    return exported == nullptr ? 0 : exported->managed;
  };
  return at(0) != 0 && (at(0) == at(1) || at(0) == at(2) || at(1) == at(2));
}

// MEM-10: the first read is of all three, then two after the first release, one after the second.
Verdict JudgeEachItsOwn(const Evidence& e) {
  const Wording expected = "each export lives until its own deleter runs, and that runs once";
  for (int nth = 0; nth < 3; ++nth) {
    if (e.tensor(nth) == nullptr) return NotApplicable(expected, e.WhyNoTensor(nth));
    if (e.As<Counted>(Op::kDeleterCalls, nth) == nullptr) {
      return NotApplicable(expected, e.Text(Op::kDeleterCalls, nth));
    }
  }
  if (auto why = WrongFromTheStart(e)) return NotApplicable(expected, *why);
  if (ShareStruct(e)) {
    return NotApplicable(expected, "one struct, which counts its holders");
  }
  const Elements* before = e.As<Elements>(Op::kRead, 0);
  for (int nth = 1; nth <= 3; ++nth) {
    const Wording when = nth < 3 ? "after the first release: " : "after the second release: ";
    const Elements* now = e.As<Elements>(Op::kRead, nth);
    if (now == nullptr) return Fail(expected, when + e.Text(Op::kRead, nth));
    if (!now->readable || now->bytes != before->bytes) {
      return Fail(expected, when + ChangeText(e, *now, *before));
    }
  }
  const auto calls = [&](int nth) { return e.As<Counted>(Op::kDeleterCalls, nth)->value; };
  return PassIf(
      calls(0) == 1 && calls(1) == 1 && calls(2) == 1, expected,
      Say("the elements stayed; deleter calls: {}, {}, {}", calls(0), calls(1), calls(2)));
}

// MEM-11
Verdict JudgeArrayStays(const Evidence& e) {
  const Wording expected = "the array keeps its elements and is exported again";
  if (auto why = WhyNoRelease(e)) return NotApplicable(expected, *why);
  if (const Elements* before = e.As<Elements>(Op::kReadOwn, 0)) {
    const Elements* now = e.As<Elements>(Op::kReadOwn, 1);
    if (now == nullptr) return Fail(expected, "afterwards: " + e.Text(Op::kReadOwn, 1));
    if (now->bytes != before->bytes) return Fail(expected, ChangeText(e, *now, *before));
  }
  if (e.refusal(1) != nullptr) return Fail(expected, "again: " + e.Text(Op::kExport, 1));
  const Inspected *first = e.tensor(0), *again = e.tensor(1);
  if (first == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  if (again == nullptr) return Fail(expected, "again: " + e.WhyNoTensor(1));
  const auto at = [](const Inspected& seen) {
    const DLTensor t = TensorOf(seen);
    return reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
  };
  // An array that is shared stays where it is.
  if (const auto own = e.OwnPointer(); own && at(*first) == *own && at(*again) != *own) {
    return Fail(expected, Say("the array is at {:#x}, its next export at {:#x}", *own, at(*again)));
  }
  return Pass(expected, "again: " + e.Text(Op::kExport, 1));
}

// ---- Several threads ----------------------------------------------------------------------------

const Many* Together(const Evidence& e, Wording* why) {
  const Many* many = e.As<Many>(Op::kReleaseTogether, 1);
  if (many != nullptr && many->capsules > 0) return many;
  *why = e.Text(Op::kReleaseTogether, 1);
  return nullptr;
}

// MEM-05
Verdict JudgeReleasedTogether(const Evidence& e) {
  const Wording expected = "64 exports are released on several threads at once";
  Wording why;
  if (Together(e, &why) == nullptr) return NotApplicable(expected, why);
  const auto change = ReferenceChange(e, 0, 1);
  return PassIf(change.value_or(0) == 0, expected,
                "all returned; references to the array afterwards: " + CountText(change));
}

// MEM-12 (not stated anywhere)
Verdict JudgeExportedTogether(const Evidence& e) {
  const Wording expected = "64 exports on several threads at once are alike and each its own";
  Wording why;
  const Many* many = Together(e, &why);
  if (many == nullptr) return NotApplicable(expected, why);
  if (many->distinct_managed == 0) {
    return NotApplicable(expected, "one struct for all, which counts its holders");
  }
  const auto change = ReferenceChange(e, 0, 1);
  const bool alike = many->differing == 0 && many->distinct_managed == many->capsules;
  return PassIf(alike && many->capsules == many->tried && change.value_or(0) == 0, expected,
                Say("{}; references to the array afterwards: {}", e.Text(Op::kReleaseTogether, 1),
                    CountText(change)));
}

// MEM-13: what our counting deleter was handed, by the capsule's destructor or by our host.
Verdict JudgeSamePointer(const Evidence& e) {
  const Wording expected = "the deleter is handed the pointer that the capsule held";
  const Counted* calls = e.As<Counted>(Op::kDeleterCalls);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kDeleterCalls));
  if (calls->value == 0) {
    return NotApplicable(expected, "the destructor does not go through the deleter field");
  }
  return PassIf(calls->same_pointer, expected, "deleter calls: " + e.Text(Op::kDeleterCalls));
}

// ---- Which script is for whom -------------------------------------------------------------------

template <const char* kThread>
bool On(const NamedScript& script) {
  return script.name.find(kThread) != std::string::npos;
}
constexpr char kLocked[] = "/locked/", kFree[] = "/free/", kForeign[] = "/foreign/",
               kContended[] = "/contended/";

constexpr Check kMemChecks[] = {
    {"MEM-01", ConsumedCopies, 0, 0, JudgeCopyFreed},
    {"MEM-02", ConsumedExports, 0, 0, JudgeStructFreed},
    {"MEM-03", Releases, 0, 0, JudgeOneReference<3>, On<kLocked>},
    {"MEM-03", ThreeDeepReleased, 0, 0, JudgeOneReference<2>},
    {"MEM-04", Releases, 0, 0, JudgeWithoutLock, On<kFree>},
    {"MEM-04", Releases, 0, 0, JudgeTakesLock, On<kContended>},
    {"MEM-05", Releases, 0, 0, JudgeForeignThread, On<kForeign>},
    {"MEM-05", ReleasedTogether, 0, 0, JudgeReleasedTogether},
    {"MEM-06", KeptBeyondTheEnd, 0, 0, JudgeAfterEnd},
    {"MEM-07", Releases, 0, 0, JudgeLocked, On<kLocked>},
    {"MEM-08", PendingReleases, 0, 0, JudgeException},
    {"MEM-08", Releases, 0, 0, JudgeException, On<kLocked>},
    {"MEM-09", ConsumedThenChurned, 0, 0, JudgeDataKept},
    {"MEM-09", ThreeDeep, 0, 0, JudgeDataKeptThreeDeep},
    {"MEM-10", ThreeExports, 0, 0, JudgeEachItsOwn},
    {"MEM-11", AfterRelease, 0, 0, JudgeArrayStays},
    {"MEM-12", ExportedTogether, 0, 0, JudgeExportedTogether},
    {"MEM-13", DropUnconsumed, 0, 0, JudgeSamePointer},
    {"MEM-13", ReleaseOnly, 0, 0, JudgeSamePointer},
};

}  // namespace

std::span<const Check> MemChecks() { return kMemChecks; }

}  // namespace dlpc
