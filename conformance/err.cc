// ERR: exceptions. Source: array API, array.__dlpack__, Raises (lines 381-382, 411-417); data
// interchange mechanisms, lines 104-116; dlpack.h 1.3, DLDataType (lines 185-187).
#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "conformance/catalogue.h"
#include "conformance/causes.h"
#include "conformance/families.h"

namespace dlpc {
namespace {

// Types that a producer of CPU arrays hardly serves. With copy=False the class is C-1's subject.
bool AsksOtherType(const NamedScript& script) {
  const Request& r = RequestOf(script);
  const bool copy_false = r.copy == Arg::kValue && !r.copy_value;
  // What a consumer of major 0 gets is VER-04's business.
  if (r.version == Arg::kValue && r.max_version.major == 0) return false;
  return r.device == Arg::kValue && r.dl_device.device_type != kDLCPU && r.stream != Arg::kValue &&
         !copy_false;
}

bool AsksOtherTypePlainly(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return AsksOtherType(script) && r.copy == Arg::kAbsent && r.stream == Arg::kAbsent;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool ContainsAny(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return text.find(word) != std::string::npos; });
}

// What the adapter calls the object; "" if it was not made.
std::string NameOf(const Evidence& e) {
  const Made* made = e.As<Made>(Op::kMakeRefusal);
  return made == nullptr ? "" : Lower(made->description);
}

bool IsSpread(const std::string& name) {
  return ContainsAny(name, {"sharded", "distributed", "sparse", "ragged", "nested"});
}
bool IsDead(const std::string& name) {
  return ContainsAny(name, {"deleted", "donated", "traced", "abstract", "fake", "meta"});
}
bool IsLazy(const std::string& name) {
  return ContainsAny(name,
                     {"conjugate", "negative bit", "negated", "lazy", "unevaluated", "pending"});
}
bool IsMissing(const std::string& name) { return ContainsAny(name, {"missing", "masked", "null"}); }

// Objects whose data DLPack cannot express: neither gone nor somewhere else.
bool IsData(const std::string& name) { return !IsSpread(name) && !IsDead(name) && !IsLazy(name); }

// A verdict on the objects of one kind; others are not applicable.
std::optional<Verdict> NotOfKind(const Evidence& e, bool (*kind)(const std::string&),
                                 const Wording& expected) {
  const std::string name = NameOf(e);
  if (name.empty() || !Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (!kind(name)) return NotApplicable(expected, Say("{}: another rule's subject", name));
  return std::nullopt;
}

Wording Observed(const Evidence& e) { return Say("{}: {}", Say(NameOf, e), e.Text(Op::kExport)); }

// ERR-01: the class only; what must not be exported is said by DT-02, DT-06, DT-14, ERR-08 and
// SHAPE-09.
Verdict JudgeClass(const Evidence& e) {
  const Wording expected = "data that DLPack cannot express raise BufferError";
  if (auto other = NotOfKind(e, IsData, expected)) return *other;
  if (e.refusal() == nullptr) return NotApplicable(expected, "exported: " + Observed(e));
  return PassIf(IsA(*e.refusal(), "BufferError"), expected, Observed(e));
}

// ERR-02
Verdict JudgeArgumentClass(const Evidence& e) {
  const Wording expected = "a wrong argument does not raise BufferError";
  if (e.refusal() == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  if (RefusedAnyway(e)) return NotApplicable(expected, RefusedAnywayText(e));
  return PassIf(!IsA(*e.refusal(), "BufferError"), expected, e.Text(Op::kExport));
}

// ERR-03
Verdict JudgeUnknownType(const Evidence& e) {
  const DLDevice asked = e.RequestOf().dl_device;
  const Wording expected = Say("BufferError for the device type {}", int32_t{asked.device_type});
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  if (raised != nullptr && SaysUnknownKeyword(*raised)) {
    return NotApplicable(expected, "an old producer (PROTO-01): " + e.Text(Op::kExport));
  }
  if (raised != nullptr) return PassIf(IsA(*raised, "BufferError"), expected, e.Text(Op::kExport));
  if (asked.device_type == 99) return Fail(expected, "no such type exists, and it was served");
  return NotApplicable(expected, "served (see DEV-11)");
}

// ERR-04
Verdict JudgeByteOrderNamed(const Evidence& e) {
  const Wording expected = "the message names the byte order";
  const auto swapped = [](const std::string& name) {
    return ContainsAny(name, {"byte-swapped", "byte order", "endian"});
  };
  if (auto other = NotOfKind(e, swapped, expected)) return *other;
  if (e.refusal() == nullptr) return NotApplicable(expected, "exported, see DT-14");
  const std::string message = Lower(e.refusal()->message);
  return PassIf(ContainsAny(message, {"byte order", "byteorder", "byte-order", "endian",
                                      "byte swapped", "byte-swapped", "byteswapped"}),
                expected, Observed(e));
}

// ERR-05
Verdict JudgeSpread(const Evidence& e) {
  const Wording expected = "if a method refuses, then with BufferError";
  if (auto other = NotOfKind(e, IsSpread, expected)) return *other;
  const Raised* raised = e.refusal();
  if (raised == nullptr) return NotApplicable(expected, "exported, see SHAPE-18");
  const Raised* query = e.As<Raised>(Op::kDevice);
  const bool right =
      IsA(*raised, "BufferError") && (query == nullptr || IsA(*query, "BufferError"));
  return PassIf(right, expected,
                Say("{}; __dlpack_device__(): {}", Observed(e), e.Text(Op::kDevice)));
}

// ERR-06. A computation that is only unfinished is STREAM-10's subject.
Verdict JudgeLazy(const Evidence& e) {
  const Wording expected = "an exception, or the values that the library itself gives";
  const auto lazy = [](const std::string& name) {
    return IsLazy(name) && !ContainsAny(name, {"pending"});
  };
  if (auto other = NotOfKind(e, lazy, expected)) return *other;
  if (e.refusal() != nullptr) return Pass(expected, Observed(e));
  const Elements* read = e.As<Elements>(Op::kRead);
  const Elements* own = e.As<Elements>(Op::kReadOwn);
  if (read == nullptr || own == nullptr) return NotApplicable(expected, e.Text(Op::kReadOwn));
  return PassIf(read->bytes == own->bytes, expected, FirstDifference(read->bytes, own->bytes, 4));
}

// ERR-07, ERR-08
template <bool (*kKind)(const std::string&)>
Verdict JudgeRefused(const Evidence& e) {
  const Wording expected = "an exception";
  if (auto other = NotOfKind(e, kKind, expected)) return *other;
  return PassIf(e.refusal() != nullptr, expected, Observed(e));
}

// ERR-09. Exports: 0 good, 1 refused, 2 good again.
Verdict JudgeRefusalHarmless(const Evidence& e) {
  const Wording expected = "after a refusal the array can be exported as before";
  if (e.As<Exported>(Op::kExport, 0) == nullptr) {
    return NotApplicable(expected, e.Text(Op::kExport, 0));
  }
  if (e.refusal(1) == nullptr) return NotApplicable(expected, "nothing was refused");
  if (e.refusal(2) != nullptr) return Fail(expected, e.Text(Op::kExport, 2));
  const Counted* before = e.As<Counted>(Op::kRefCount, 0);
  const Counted* after = e.As<Counted>(Op::kRefCount, 1);
  if (before != nullptr && after != nullptr && after->value != before->value) {
    return Fail(expected,
                Say("100 refusals left {} references to the array", after->value - before->value));
  }
  if (KindOf(e.At(Op::kExport, 2)) != KindOf(e.At(Op::kExport, 0))) {
    return Fail(expected, e.Text(Op::kExport, 2));
  }
  const Elements* first = e.As<Elements>(Op::kRead, 0);
  const Elements* again = e.As<Elements>(Op::kRead, 1);
  if (first == nullptr || again == nullptr) return NotApplicable(expected, e.Text(Op::kRead, 1));
  return PassIf(again->bytes == first->bytes, expected,
                FirstDifference(again->bytes, first->bytes, 4));
}

// ERR-10
Verdict JudgeDeviceNamed(const Evidence& e) {
  const Wording expected = "the message of the refusal speaks of the device";
  if (e.refusal() == nullptr || SaysUnknownKeyword(*e.refusal())) {
    return NotApplicable(expected, e.Text(Op::kExport));
  }
  return PassIf(
      ContainsAny(Lower(e.refusal()->message), {"device", "kdl", "backend", "platform", "gpu"}),
      expected, e.Text(Op::kExport));
}

bool NamesCause(const std::string& name, const std::string& message) {
  const std::vector<std::string_view> words = CauseWords(name);
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return message.find(word) != std::string::npos; });
}

Verdict JudgeCauseNamed(const Evidence& e) {
  const Wording expected = "a message that names the cause";
  if (e.refusal() == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(NamesCause(NameOf(e), Lower(e.refusal()->message)), expected, Observed(e));
}

bool AsksTooOld(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return r.version == Arg::kValue && r.max_version.major == 0;
}

Verdict JudgeVersionNamed(const Evidence& e) {
  const Wording expected = "a message that speaks of the version";
  if (e.refusal() == nullptr || SaysUnknownKeyword(*e.refusal())) {
    return NotApplicable(expected, e.Text(Op::kExport));
  }
  return PassIf(ContainsAny(Lower(e.refusal()->message), {"version"}), expected,
                e.Text(Op::kExport));
}

constexpr Check kErrChecks[] = {
    {"ERR-01", Inexpressible, 0, 0, JudgeClass},
    {"ERR-02", OddArguments, 0, 0, JudgeArgumentClass},
    {"ERR-03", Negotiation, 0, 0, JudgeUnknownType, AsksOtherType},
    {"ERR-04", Inexpressible, 0, 0, JudgeByteOrderNamed},
    {"ERR-05", Inexpressible, 0, 0, JudgeSpread},
    {"ERR-06", Inexpressible, 0, 0, JudgeLazy},
    {"ERR-07", Inexpressible, 0, 0, JudgeRefused<IsDead>},
    {"ERR-08", Inexpressible, 0, 0, JudgeRefused<IsMissing>},
    {"ERR-09", RefusedThenServed, 0, 0, JudgeRefusalHarmless},
    {"ERR-10", Negotiation, 0, 0, JudgeDeviceNamed, AsksOtherTypePlainly},
    {"ERR-10", Inexpressible, 0, 0, JudgeCauseNamed},
    {"ERR-10", Versions, 0, 0, JudgeVersionNamed, AsksTooOld},
};

}  // namespace

std::vector<std::string_view> CauseWords(const std::string& name) {
  if (IsSpread(name)) {
    return {"shard", "distribut", "sparse", "device", "layout", "nested", "ragged", "dense"};
  }
  if (IsDead(name)) {
    return {"delet",   "donat",  "trac",   "abstract", "fake",    "meta",
            "storage", "device", "buffer", "memory",   "initial", "alloc"};
  }
  if (IsLazy(name)) return {"conj", "neg", "lazy", "eval", "grad"};
  if (IsMissing(name)) return {"null", "mask", "missing"};
  if (ContainsAny(name, {"stride"})) return {"stride", "contiguous", "item"};
  if (ContainsAny(name, {"grad"})) return {"grad"};
  if (ContainsAny(name, {"byte-swapped", "byte order"})) return {"byte"};
  return {"type", "dtype", "bool", "bits", "format", "object", "long double", "quant", "string"};
}

std::span<const Check> ErrChecks() { return kErrChecks; }

}  // namespace dlpc
