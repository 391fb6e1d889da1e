// What a judge sees: one script, its trace, and helpers that turn facts into verdicts.
#ifndef DLPC_CONFORMANCE_EVIDENCE_H_
#define DLPC_CONFORMANCE_EVIDENCE_H_

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/wording.h"
#include "harness/backend.h"
#include "harness/results.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "reference/contract.h"

namespace dlpc {

/// A judge's answer for one case.
struct Verdict {
  CaseStatus status = CaseStatus::kError;
  Wording expected;
  Wording observed;
};

/// The rule holds / is broken / says nothing about what was seen. `expected` states the rule in
/// terms of this very case, `observed` the fact that decided.
Verdict Pass(Wording expected, Wording observed);
Verdict Fail(Wording expected, Wording observed);
Verdict NotApplicable(Wording expected, Wording reason);
Verdict PassIf(bool holds, Wording expected, Wording observed);

/// Which of the two structs an export gave, by its capsule's name.
enum class Kind : uint8_t { kLegacy, kVersioned, kOther };

/// The elements that specs describe, of those asked for lately: for whoever judges the same arrays
/// again and again.
class KnownValues {
 public:
  /// Valid until the next call.
  const std::string& Of(const ArraySpec& spec);

 private:
  struct Entry {
    bool used = false;
    ArraySpec spec;
    std::string values;
  };
  std::vector<Entry> entries_{1024};  // Each spec has one place.
};

/// Read-only view of one performed script. The nth step of an op counts from 0.
class Evidence {
 public:
  /// `known` may be nullptr.
  Evidence(const Script& script, const Trace& trace, const Claims* claims = nullptr,
           KnownValues* known = nullptr);

  /// The observation of the nth step with this op; NotPerformed if there is no such step.
  const Observation& At(Op op, int nth = 0) const {
    const size_t first = first_[static_cast<size_t>(op)];
    return nth == 0 && first < observed_ ? trace_.steps[first] : Later(op, nth);
  }
  /// The same if it has type T, else nullptr.
  template <typename T>
  const T* As(Op op, int nth = 0) const {
    return std::get_if<T>(&At(op, nth));
  }
  /// The nth step with this op; nullptr if there is none.
  const Step* StepOf(Op op, int nth = 0) const {
    const size_t first = first_[static_cast<size_t>(op)];
    if (first == end_) return nullptr;
    size_t index = 0;
    return nth == 0 ? &script_.steps[first] : Nth(op, nth, &index);
  }
  /// What a step of the exchange table names as its spec.
  const ArraySpec& SpecOf(const Step& step) const { return script_.specs[step.spec]; }
  Wording Text(Op op, int nth = 0) const { return Say(ObservationText, At(op, nth)); }
  /// The request of the nth export step.
  const Request& RequestOf(int nth = 0) const;

  /// What the host says of itself; nullptr if that is not known.
  const Claims* claims() const { return claims_; }

  const ArraySpec& spec(int nth = 0) const;  // Of the nth kMake step.
  const Made* made(int nth = 0) const { return As<Made>(Op::kMake, nth); }

  /// What `__dlpack_device__` first returned, if it returned.
  const DeviceAnswer* answer() const { return As<DeviceAnswer>(Op::kDevice); }

  /// The struct of the nth inspect step if it was read and is plausible, else nullptr.
  const Inspected* tensor(int nth = 0) const;
  /// Why tensor(nth) is nullptr.
  Wording WhyNoTensor(int nth = 0) const;

  /// Raised by the nth export, if it raised.
  const Raised* refusal(int nth = 0) const { return As<Raised>(Op::kExport, nth); }
  /// Refused was the legacy struct of a read-only array, which it cannot say: rightly (COPY-13).
  /// A given object of which nobody knows counts as one.
  bool RefusedAsReadOnly(int nth = 0) const;

  /// Address of the first element by the producer's own account (the array of the nth kMake).
  std::optional<uint64_t> OwnPointer(int nth = 0) const;

  /// Element bytes that every reader must see: the producer's own, else the spec's. nullptr if
  /// neither is known (an object given by the user that cannot be read).
  const std::string* OwnValues() const;
  const Extents* OwnShape() const;
  /// Size of an element in bytes, for texts: the spec's; of a given object what its struct says, 1
  /// if it says nothing.
  size_t ItemBytes() const;
  /// Whether the values that the producer reads itself are not those of the spec: then the
  /// adapter made another array than asked, and no verdict would be right.
  bool AdapterMadeOtherValues() const;

 private:
  /// The nth step with this op, and where it is; nullptr if there is none.
  const Step* Nth(Op op, int nth, size_t* index) const;
  const Observation& Later(Op op, int nth) const;
  const std::string& SpecValues() const;

  const Script& script_;
  const Trace& trace_;
  const Claims* claims_;
  KnownValues* known_;
  const size_t end_;       // Steps,
  const size_t observed_;  // and how many of them have observations.
  std::array<uint16_t, static_cast<size_t>(Op::kCount_)> first_;  // Step of each op; past the end.
  // What the judges of one script ask for again and again.
  mutable std::array<std::optional<bool>, kExportSlots> plausible_;  // The nth struct.
  mutable std::optional<std::string> spec_values_;                   // Unless they are known.
  mutable std::optional<Extents> spec_shape_;
};

/// What the script's write step gives the first element.
std::string WrittenElement(const Evidence& e);

/// Whether a call asks for the legacy struct.
bool AsksLegacy(const Request& request);

Kind KindOf(const Observation& observation);
std::string_view KindName(Kind kind);
bool IsA(const Raised& raised, std::string_view class_name);
/// The keyword itself is unknown: an older signature, which PROTO-01 judges and nothing else.
bool SaysUnknownKeyword(const Raised& raised);

/// The nth export was tried: it gave something or raised.
bool Tried(const Evidence& e, int nth = 0);
/// Export 0 was refused, and so was export 1, the control: the same call without the keyword that
/// is tested. Then the refusal says nothing of that keyword. False where there is no control.
bool RefusedAnyway(const Evidence& e);
Wording RefusedAnywayText(const Evidence& e);
StructFacts FactsOf(const Inspected& inspected);
bool IsNumber(Item kind);
/// What the (first) device query answered, if that was two numbers.
std::optional<DLDevice> AnsweredDevice(const Evidence& e);

// Formatting of facts.
Wording List(std::span<const int64_t> values);  // "(2, 3)"
Wording DeviceOf(const Inspected& inspected);   // "kDLCPU (1, 0)"
/// First difference of two element strings: "element 3 is 0x00000000, expected 0x3f800000".
Wording FirstDifference(const std::string& seen, const std::string& expected, size_t item);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_EVIDENCE_H_
