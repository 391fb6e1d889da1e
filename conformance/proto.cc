// PROTO: the Python protocol and its keywords. Source: array API, array.__dlpack__ (lines 317-325,
// 370-417, 462-472); DLPack Python specification, lines 15-38 and 87-90.
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/negotiation.h"

namespace dlpc {
namespace {

bool NoStream(const NamedScript& script) { return RequestOf(script).stream != Arg::kValue; }

// Every keyword absent, None, or a value that a producer of CPU arrays has to serve. The array's
// own tuple, whatever it is, is PROTO-05's.
bool IsServable(const NamedScript& script) {
  const Request& r = RequestOf(script);
  const bool own =
      r.device != Arg::kValue || (r.dl_device.device_type == kDLCPU && r.dl_device.device_id == 0);
  return own && r.device != Arg::kOwn && NoStream(script);
}

// Legal values that a producer may refuse, but not with TypeError. Type 99 is no enumerator (ERR-03
// names its class), and which exception refuses a stream is nowhere said (C-13).
bool IsLegal(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return NoStream(script) && r.device != Arg::kOwn &&
         (r.device != Arg::kValue || r.dl_device.device_type != 99);
}

template <Arg Request::*kKeyword>
bool IsOdd(const NamedScript& script) {
  return RequestOf(script).*kKeyword == Arg::kOdd;
}
template <Extra kExtra>
bool HasExtra(const NamedScript& script) {
  return RequestOf(script).extra == kExtra;
}

// PROTO-01. What is refused by right is other rows' business (VER-02, COPY-09, COPY-13).
Verdict JudgeCombination(const Evidence& e) {
  const Wording expected = Say("__dlpack__({}) works", Say(RequestText, e.RequestOf()));
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  if (raised == nullptr) return Pass(expected, e.Text(Op::kExport));
  const Made* made = e.made();
  if (made == nullptr || (made->given && !made->device)) {
    return NotApplicable(expected, "what the array is, is not known: " + e.Text(Op::kExport));
  }
  const ExportFacts facts{made->device.value_or(DLDevice{kDLCPU, 0}),
                          made->read_only.value_or(false), false};
  const Negotiated negotiated = Negotiate(facts, e.RequestOf());
  const bool may_refuse = (negotiated.allowed & ~(kLegacyCapsule | kVersionedCapsule)) != 0;
  // That copies are made, or none where none is needed, is said by COPY-03 and COPY-04.
  const bool about_copy = e.RequestOf().copy == Arg::kValue;
  if ((may_refuse || about_copy) && !IsA(*raised, "TypeError")) {
    return NotApplicable(expected,
                         Say("refused, see {}: {}", negotiated.rule, e.Text(Op::kExport)));
  }
  return Fail(expected, e.Text(Op::kExport));
}

// PROTO-02
Verdict JudgePositional(const Evidence& e) {
  const Wording expected = "__dlpack__(None) raises TypeError";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  return PassIf(raised != nullptr && IsA(*raised, "TypeError"), expected, e.Text(Op::kExport));
}

// PROTO-03, its legal half.
Verdict JudgeNoTypeError(const Evidence& e) {
  const Wording expected = "a legal value, served or refused, never raises TypeError";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  if (raised != nullptr && SaysUnknownKeyword(*raised)) {
    return NotApplicable(expected, "an old producer (PROTO-01): " + e.Text(Op::kExport));
  }
  return PassIf(raised == nullptr || !IsA(*raised, "TypeError"), expected, e.Text(Op::kExport));
}

// PROTO-03, its illegal half: recorded only (docs/levels.md, principle 1).
Verdict JudgeUnknownKeyword(const Evidence& e) {
  const Wording expected = "an unknown keyword raises TypeError";
  const Raised* raised = e.refusal();
  if (raised == nullptr || !IsA(*raised, "TypeError")) {
    return NotApplicable(expected, "recorded: " + e.Text(Op::kExport));
  }
  return Pass(expected, e.Text(Op::kExport));
}

// PROTO-04
Verdict JudgeOddVersion(const Evidence& e) {
  const Wording expected = "a malformed max_version is an argument error";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (RefusedAnyway(e)) return NotApplicable(expected, RefusedAnywayText(e));
  const bool argument_error = e.refusal() != nullptr && !IsA(*e.refusal(), "BufferError");
  return PassIf(argument_error, expected, e.Text(Op::kExport));
}

// PROTO-06, PROTO-07: the class of the exception is ERR-02's business.
Verdict JudgeOddRejected(const Evidence& e) {
  const Wording expected = Say("an exception for {}", Say(RequestText, e.RequestOf()));
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (RefusedAnyway(e)) return NotApplicable(expected, RefusedAnywayText(e));
  return PassIf(e.refusal() != nullptr, expected, e.Text(Op::kExport));
}

uint64_t FirstElement(const Inspected& seen) {
  const DLTensor t = TensorOf(seen);
  return reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
}

// What two exports of one array must have in common, or nothing. Their address if they are shared.
std::optional<Wording> Difference(const Inspected& a, const Inspected& b, bool shared) {
  if (a.versioned != b.versioned) return "the kinds of struct differ";
  if (!SameDevice(TensorOf(a).device, TensorOf(b).device)) {
    return Say("{} and {}", DeviceOf(a), DeviceOf(b));
  }
  if (shared && FirstElement(a) != FirstElement(b)) return "the data are at different addresses";
  if (a.shape != b.shape) return Say("shapes {} and {}", List(a.shape), List(b.shape));
  return std::nullopt;
}

// PROTO-05
Verdict JudgeOwnTuple(const Evidence& e) {
  const Wording expected = "the array's own device tuple gives what dl_device=None gives";
  const Inspected* plain = e.tensor(0);
  if (plain == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  const bool shared = e.OwnPointer().value_or(0) == FirstElement(*plain);
  bool compared = false;
  for (const int nth : {1, 2}) {
    const Raised* raised = e.refusal(nth);
    const Made* made = e.made();
    // The plain pair (1, 0) belongs to an array on the CPU; an object that was given may not be.
    const bool on_cpu = SameDevice(TensorOf(*plain).device, {kDLCPU, 0});
    if (nth == 2 && (made == nullptr || (made->given && !on_cpu))) break;
    if (raised != nullptr && SaysUnknownKeyword(*raised)) {
      return NotApplicable(expected,
                           "an old producer (PROTO-01): " + Say(ObservationText, *raised));
    }
    if (raised != nullptr) {
      return Fail(expected,
                  Say("{}: {}", Say(RequestText, e.RequestOf(nth)), Say(ObservationText, *raised)));
    }
    const Inspected* seen = e.tensor(nth);
    if (seen == nullptr) continue;
    compared = true;
    if (const auto difference = Difference(*plain, *seen, shared)) {
      return Fail(expected, Say("{}: {}", Say(RequestText, e.RequestOf(nth)), *difference));
    }
  }
  if (!compared) return NotApplicable(expected, e.WhyNoTensor(1));
  return Pass(expected, "device " + DeviceOf(*plain) + ", the same data");
}

// PROTO-08
Verdict JudgeCapsule(const Evidence& e) {
  const Wording expected = "a PyCapsule";
  const Exported* exported = e.As<Exported>(Op::kExport);
  if (exported == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(exported->is_capsule, expected, Say("type {}", exported->type_name));
}

// PROTO-09: exports 0 and 1; inspected is the one that is dropped, before and after the other was
// consumed and released. Both may lie in one struct that counts its holders (nanobind): whose
// deleter call is whose cannot be told then.
Verdict JudgeIndependent(const Evidence& e) {
  const Wording expected = "two exports live and die without regard to each other";
  const Exported* a = e.As<Exported>(Op::kExport, 0);
  const Exported* b = e.As<Exported>(Op::kExport, 1);
  if (a == nullptr || b == nullptr) return NotApplicable(expected, e.Text(Op::kExport, 0));
  const bool shared = a->managed != 0 && a->managed == b->managed;
  const Inspected *before = e.tensor(0), *after = e.tensor(1);
  if (before == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  if (shared) return NotApplicable(expected, "one struct for both, which counts its holders");
  if (after == nullptr) return Fail(expected, "after the other's release: " + e.WhyNoTensor(1));
  if (const auto difference = Difference(*before, *after, true)) {
    return Fail(expected, "after the other's release: " + *difference);
  }
  const Counted* counts[4] = {};
  for (int i = 0; i < 4; ++i) counts[i] = e.As<Counted>(Op::kDeleterCalls, i);
  if (counts[0] == nullptr || counts[1] == nullptr || counts[2] == nullptr ||
      counts[3] == nullptr) {
    return NotApplicable(expected, "deleter calls could not be counted");
  }
  // Whether a destructor calls a deleter is CAP-04's subject, a second call CAP-05's and CAP-11's.
  const bool separate = counts[0]->value == 1 && counts[1]->value == 0 && counts[3]->value <= 1;
  return PassIf(separate, expected,
                Say("deleter calls: consumed {}, other {}; at the end {} and {}", counts[0]->value,
                    counts[1]->value, counts[2]->value, counts[3]->value));
}

// PROTO-10
Verdict JudgeSourceKept(const Evidence& e) {
  const Wording expected = "the array keeps its elements and can be exported again";
  const Elements* before = e.As<Elements>(Op::kReadOwn, 0);
  if (e.As<Exported>(Op::kExport, 0) == nullptr) {
    return NotApplicable(expected, e.Text(Op::kExport, 0));
  }
  if (before == nullptr) return NotApplicable(expected, e.Text(Op::kReadOwn, 0));
  constexpr const char* kWhen[] = {"while exported", "after the release", "after a dropped export"};
  for (int i = 0; i < 3; ++i) {
    const Elements* now = e.As<Elements>(Op::kReadOwn, i + 1);
    if (now == nullptr) {
      return Fail(expected, Say("{}: {}", kWhen[i], e.Text(Op::kReadOwn, i + 1)));
    }
    if (now->bytes != before->bytes) {
      return Fail(expected, Say("{}: {}", kWhen[i], FirstDifference(now->bytes, before->bytes, 4)));
    }
  }
  if (const Raised* raised = e.refusal(1)) {
    return Fail(expected, "the second export: " + Say(ObservationText, *raised));
  }
  return Pass(expected, "the same elements throughout");
}

// PROTO-11: by either struct.
Verdict JudgeDTypeOffered(const Evidence& e) {
  const Wording expected = "every dtype of the array API standard can be exported";
  const Made* made = e.made();
  if (made == nullptr || !Tried(e, 0) || !Tried(e, 1)) {
    return NotApplicable(expected, e.Text(Op::kExport));
  }
  if (made->given) return NotApplicable(expected, "the object was given, its dtype is its own");
  const bool offered = e.refusal(0) == nullptr || e.refusal(1) == nullptr;
  return PassIf(offered, expected, e.Text(Op::kExport, e.refusal(1) == nullptr ? 1 : 0));
}

// PROTO-13: the sum of the syntax.
Verdict JudgeWholeSyntax(const Evidence& e) {
  const Wording expected = "both methods, the four keywords and a capsule";
  const Probed* probed = e.As<Probed>(Op::kProbe);
  if (probed == nullptr || !Tried(e, 0)) return NotApplicable(expected, e.Text(Op::kProbe));
  if (!probed->instance_has_dlpack || !probed->instance_has_device) {
    return Fail(expected, "a method is missing");
  }
  for (const int nth : {0, 1, 2}) {
    const Raised* raised = e.refusal(nth);
    const Exported* exported = e.As<Exported>(Op::kExport, nth);
    const Wording call = Say("__dlpack__({})", Say(RequestText, e.RequestOf(nth)));
    // Without a version BufferError is allowed (VER-02).
    const bool allowed = raised == nullptr || (nth < 2 && IsA(*raised, "BufferError"));
    if (!allowed || (exported != nullptr && !exported->is_capsule)) {
      return Fail(expected, call + ": " + e.Text(Op::kExport, nth));
    }
  }
  return Pass(expected, e.Text(Op::kExport, 2));
}

// PROTO-12: export 1 goes through a subclass or a wrapper.
Verdict JudgeDerived(const Evidence& e) {
  const Wording expected = "both methods answer as those of the array itself do";
  const Inspected* plain = e.tensor(0);
  if (plain == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  if (e.As<Made>(Op::kDerive) == nullptr) return NotApplicable(expected, e.Text(Op::kDerive));
  const std::string own = ObservationText(e.At(Op::kDevice, 0)),
                    derived = ObservationText(e.At(Op::kDevice, 1));
  const Raised *a = e.As<Raised>(Op::kDevice, 0), *b = e.As<Raised>(Op::kDevice, 1);
  const bool same_class = a != nullptr && b != nullptr && a->type == b->type;  // Texts name types.
  if (own != derived && !same_class) {
    return Fail(expected, Say("__dlpack_device__: {} instead of {}", derived, own));
  }
  if (e.As<Exported>(Op::kExport, 1) == nullptr) return Fail(expected, e.Text(Op::kExport, 1));
  const Inspected* seen = e.tensor(1);
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor(1));
  const auto found = Difference(*plain, *seen, false);
  return PassIf(!found, expected, found.value_or(e.Text(Op::kExport, 1)));
}

constexpr Check kProtoChecks[] = {
    {"PROTO-01", Negotiation, 0, 0, JudgeCombination, IsServable},
    {"PROTO-02", OddArguments, 0, 0, JudgePositional, HasExtra<Extra::kPositional>},
    {"PROTO-03", Negotiation, 0, 0, JudgeNoTypeError, IsLegal},
    {"PROTO-03", OddArguments, 0, 0, JudgeUnknownKeyword, HasExtra<Extra::kUnknownKeyword>},
    {"PROTO-04", OddArguments, 0, 0, JudgeOddVersion, IsOdd<&Request::version>},
    {"PROTO-05", OwnDevice, 0, 0, JudgeOwnTuple},
    {"PROTO-06", OddArguments, 0, 0, JudgeOddRejected, IsOdd<&Request::device>},
    {"PROTO-07", OddArguments, 0, 0, JudgeOddRejected, IsOdd<&Request::copy>},
    {"PROTO-08", Negotiation, 0, 0, JudgeCapsule, IsServable},
    {"PROTO-09", TwoExports, 0, 0, JudgeIndependent},
    {"PROTO-10", SourceAfterwards, 0, 0, JudgeSourceKept},
    {"PROTO-11", ArrayApiDTypes, 0, 0, JudgeDTypeOffered},
    {"PROTO-12", DerivedArrays, 0, 0, JudgeDerived},
    {"PROTO-13", WholeSyntax, 0, 0, JudgeWholeSyntax},
};

}  // namespace

std::span<const Check> ProtoChecks() { return kProtoChecks; }

}  // namespace dlpc
