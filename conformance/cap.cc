// CAP: capsule life cycle. Source: DLPack Python specification, lines 74-151.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/ledger.h"
#include "conformance/places.h"

namespace dlpc {
namespace {

// Names and destructors are asked of real capsules only; a native plug-in returns bare structs.
const Exported* Capsule(const Evidence& e, Wording* why, int nth = 0) {
  const Exported* exported = e.As<Exported>(Op::kExport, nth);
  if (exported == nullptr || !exported->is_capsule) {
    *why = e.Text(Op::kExport, nth);
    return nullptr;
  }
  if (exported->emulated_capsule) {
    *why = "a native plug-in returns bare structs, no capsules";
    return nullptr;
  }
  return exported;
}

// CAP-01, CAP-02. With any other name nobody can consume the capsule.
template <bool kVersionedPath>
Verdict JudgeName(const Evidence& e) {
  const Wording expected = kVersionedPath ? "a versioned capsule is named dltensor_versioned"
                                          : "a capsule named dltensor";
  Wording why;
  const Exported* capsule = Capsule(e, &why);
  if (capsule == nullptr) return NotApplicable(expected, why);
  if (capsule->name == "dltensor_versioned" && !kVersionedPath) {
    return NotApplicable(expected, "a versioned capsule although none was asked for (see VER-01)");
  }
  if (capsule->name == "dltensor" && kVersionedPath) {
    return NotApplicable(expected, "a legacy capsule (see ABI-12)");
  }
  const bool legal = capsule->name == "dltensor" || capsule->name == "dltensor_versioned";
  return PassIf(legal, expected, Say("capsule named \"{}\"", capsule->name));
}

// CAP-03: the bytes make no sense at the layout that the name promises, but do at the other one.
Verdict JudgeNameFitsContent(const Evidence& e) {
  const Wording expected = "a struct of the kind that the capsule's name promises";
  Wording why;
  if (Capsule(e, &why) == nullptr) return NotApplicable(expected, why);
  const Inspected* seen = e.As<Inspected>(Op::kInspect);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (e.tensor() != nullptr) {
    return Pass(expected, Say("a readable {} struct", seen->versioned ? "versioned" : "legacy"));
  }
  Inspected other = *seen;
  other.versioned = !seen->versioned;
  const bool swapped = !ImplausibleTensor(TensorOf(other)) &&
                       (!other.versioned || !ImplausibleHeader(VersionOf(other), FlagsOf(other)));
  if (!swapped) return NotApplicable(expected, e.WhyNoTensor() + " (see ABI-01, ABI-03)");
  return Fail(expected,
              Say("named as {} but holds a {} struct", seen->versioned ? "versioned" : "legacy",
                  other.versioned ? "versioned" : "legacy"));
}

Verdict CountIs(const Evidence& e, int nth, int64_t wanted, const Wording& expected) {
  const Counted* calls = e.As<Counted>(Op::kDeleterCalls, nth);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kDeleterCalls, nth));
  return PassIf(calls->value == wanted && calls->same_pointer, expected,
                Say("deleter calls: {}{}", calls->value,
                    calls->same_pointer ? "" : ", with another pointer than the capsule's"));
}

// A destructor may release by a function of its own instead of reading the deleter field (jaxlib
// does): our counting deleter is then not called, which is no fault. What dropped exports leave
// behind tells.
Verdict JudgeReleasedOtherwise(const Evidence& e, const Wording& expected) {
  const Many* many = e.As<Many>(Op::kExportMany, 1);
  if (many == nullptr || many->capsules == 0) {
    return NotApplicable(expected, e.Text(Op::kExportMany, 1));
  }
  const Leftovers left = LeftBehind(e, *many);
  const Wording observed = "the destructor does not use the deleter field; " + left.text;
  if (!left.known) return NotApplicable(expected, observed + " (nothing can be counted)");
  return PassIf(!left.leaks, expected, observed);
}

// CAP-04
Verdict JudgeUnconsumedFreed(const Evidence& e) {
  const Wording expected = "dropping an unconsumed capsule calls the deleter once";
  Wording why;
  const Exported* capsule = Capsule(e, &why);
  if (capsule == nullptr) return NotApplicable(expected, why);
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (DeleterOf(*seen) == 0) return NotApplicable(expected, "deleter is NULL (see CAP-06)");
  if (!capsule->has_destructor) return Fail(expected, "the capsule has no destructor");
  const Counted* calls = e.As<Counted>(Op::kDeleterCalls);
  if (calls == nullptr) return NotApplicable(expected, e.Text(Op::kDeleterCalls));
  if (calls->value != 0) return CountIs(e, 0, 1, expected);
  return JudgeReleasedOtherwise(e, expected);
}

// No deleter call may be counted, and of many consumed structs no two may have one address: all of
// them are still ours. The second also shows destructors that free without the deleter field (see
// CAP-04).
Verdict JudgeKept(const Evidence& e, const Wording& expected) {
  Verdict counted = CountIs(e, 0, 0, expected);
  if (counted.status != CaseStatus::kPass) return counted;
  const Many* many = e.As<Many>(Op::kConsumeMany);
  if (many == nullptr || many->capsules == 0) {
    return NotApplicable(expected, e.Text(Op::kConsumeMany));
  }
  // Exports 1 and 2 live at the same time. In one struct? Then the producer counts its holders,
  // which the protocol allows (nanobind does so), and addresses tell nothing.
  const Exported* a = e.As<Exported>(Op::kExport, 1);
  const Exported* b = e.As<Exported>(Op::kExport, 2);
  if (a != nullptr && b != nullptr && a->managed == b->managed && many->distinct_managed == 1) {
    return Pass(expected, "deleter calls: 0; all exports share one struct");
  }
  return PassIf(many->distinct_managed == many->capsules, expected,
                Say("deleter calls: 0; {} consumed structs lie at {} addresses", many->capsules,
                    many->distinct_managed));
}

// CAP-05
Verdict JudgeConsumedKept(const Evidence& e) {
  const Wording expected = "dropping a consumed (renamed) capsule calls no deleter";
  Wording why;
  if (Capsule(e, &why) == nullptr) return NotApplicable(expected, why);
  return JudgeKept(e, expected);
}

// CAP-06: judged only when the exported deleter is NULL; reaching the end is the proof.
Verdict JudgeNullDeleterGuarded(const Evidence& e) {
  const Wording expected = "dropping a capsule whose deleter is NULL does nothing";
  Wording why;
  if (Capsule(e, &why) == nullptr) return NotApplicable(expected, why);
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (DeleterOf(*seen) != 0) return NotApplicable(expected, "the deleter is not NULL");
  const Dropped* dropped = e.As<Dropped>(Op::kDropCapsule);
  if (dropped == nullptr) return NotApplicable(expected, e.Text(Op::kDropCapsule));
  return PassIf(dropped->unraisable.empty() && !dropped->left_exception, expected,
                e.Text(Op::kDropCapsule));
}

// CAP-07: reporting an unraisable error is allowed, freeing is not.
Verdict JudgeForeignName(const Evidence& e) {
  const Wording expected = "dropping a capsule with an unknown name frees nothing";
  Wording why;
  if (Capsule(e, &why) == nullptr) return NotApplicable(expected, why);
  const Dropped* dropped = e.As<Dropped>(Op::kDropCapsule);
  if (dropped != nullptr && dropped->left_exception) {
    return Fail(expected, "an exception is left set: " + e.Text(Op::kDropCapsule));
  }
  return JudgeKept(e, expected);
}

const Many* ManyOf(const Evidence& e, Wording* why) {
  const Many* many = e.As<Many>(Op::kExportMany);
  if (many != nullptr && many->capsules > 0) return many;
  const bool raised = many != nullptr && many->first_error;
  *why = raised ? Say(ObservationText, *many->first_error) : e.Text(Op::kExportMany);
  return nullptr;
}

// CAP-08: one static string gives one address. A producer may keep several static copies (one per
// translation unit), so only a number that grows with the exports is a failure.
Verdict JudgeStaticNames(const Evidence& e) {
  const Wording expected = "the name strings of 1000 capsules have a handful of addresses";
  Wording why;
  const Many* many = ManyOf(e, &why);
  if (many == nullptr) return NotApplicable(expected, why);
  return PassIf(many->distinct_name_pointers <= 8, expected,
                Say("{} addresses in {} capsules", many->distinct_name_pointers, many->capsules));
}

// CAP-09 (contested, C-20)
Verdict JudgePendingKept(const Evidence& e) {
  const Wording expected = "the exception that is pending survives the drop";
  Wording why;
  const Exported* capsule = Capsule(e, &why);
  if (capsule == nullptr) return NotApplicable(expected, why);
  const Dropped* dropped = e.As<Dropped>(Op::kDropCapsule);
  if (dropped == nullptr) return NotApplicable(expected, e.Text(Op::kDropCapsule));
  return PassIf(
      !dropped->lost_exception, expected,
      dropped->lost_exception ? "the pending exception is gone or replaced" : "it survived");
}

// CAP-10: elements read before and after the source and all its names are gone.
Verdict JudgeDataOutlivesSource(const Evidence& e) {
  return ElementsKept(e, "the elements stay what they were after the source array is gone");
}

// CAP-11: the release came first here; the drop after it must not release again.
Verdict JudgeEitherOrder(const Evidence& e) {
  const Wording expected = "release, then drop of the consumed capsule: one deleter call";
  Wording why;
  if (Capsule(e, &why) == nullptr) return NotApplicable(expected, why);
  const Counted* control = e.As<Counted>(Op::kDeleterCalls, 0);
  if (control == nullptr || control->value == 0) {
    return NotApplicable(expected,
                         "the destructor does not use the deleter field: calls cannot be counted");
  }
  return CountIs(e, 1, 1, expected);
}

// CAP-12
Verdict JudgeFreshCapsules(const Evidence& e) {
  const Wording expected = "1000 exports give 1000 capsules, none consumed before";
  Wording why;
  const Many* many = ManyOf(e, &why);
  if (many == nullptr) return NotApplicable(expected, why);
  const bool fresh = std::all_of(many->names.begin(), many->names.end(), [](const auto& name) {
    return name == "dltensor" || name == "dltensor_versioned";
  });
  return PassIf(fresh && many->distinct_capsules == many->capsules, expected,
                Say("{} capsules, {} distinct, {} structs, names: {}", many->capsules,
                    many->distinct_capsules, many->distinct_managed, fmt::join(many->names, ", ")));
}

// CAP-13: references to the source after 10,000 refused exports.
Verdict JudgeRefusalLeaksNothing(const Evidence& e) {
  const Wording expected = "10,000 refused exports leave nothing behind";
  const Many* many = e.As<Many>(Op::kExportMany, 1);
  if (many == nullptr) return NotApplicable(expected, e.Text(Op::kExportMany, 1));
  if (many->capsules != 0) return NotApplicable(expected, "dl_device=(99, 0) was not refused");
  const Leftovers left = LeftBehind(e, *many);
  if (!left.known) return NotApplicable(expected, "nothing can be counted");
  return PassIf(!left.leaks, expected, left.text);
}

constexpr Check kCapChecks[] = {
    {"CAP-01", Zoo, kTagLegacy, 0, JudgeName<false>},
    {"CAP-02", Zoo, kTagVersioned, 0, JudgeName<true>},
    {"CAP-03", Zoo, 0, 0, JudgeNameFitsContent},
    {"CAP-04", DropUnconsumed, 0, 0, JudgeUnconsumedFreed},
    {"CAP-04", PlaceDropUnconsumed, 0, 0, JudgeUnconsumedFreed},
    {"CAP-05", PlaceDropThenRelease, 0, 0, JudgeConsumedKept},
    {"CAP-05", DropThenRelease, 0, 0, JudgeConsumedKept},
    {"CAP-06", StaticStorage, 0, 0, JudgeNullDeleterGuarded},
    {"CAP-07", DropForeignName, 0, 0, JudgeForeignName},
    {"CAP-08", ManyCapsules, 0, 0, JudgeStaticNames},
    {"CAP-09", DropWhilePending, 0, 0, JudgePendingKept},
    {"CAP-10", SourceDroppedFirst, 0, 0, JudgeDataOutlivesSource},
    {"CAP-11", ReleaseThenDrop, 0, 0, JudgeEitherOrder},
    {"CAP-11", PlaceReleaseThenDrop, 0, 0, JudgeEitherOrder},
    {"CAP-12", ManyCapsules, 0, 0, JudgeFreshCapsules},
    {"CAP-13", RefusedExports, 0, 0, JudgeRefusalLeaksNothing},
};

}  // namespace

std::span<const Check> CapChecks() { return kCapChecks; }

}  // namespace dlpc
