#include <array>
#include <memory>
#include <string>
#include <variant>

#include "fuzz/properties.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "reference/contract.h"

namespace dlpc {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Long repetitions find nothing new and only slow the fuzzer down.
void Shorten(Script& script) {
  constexpr uint32_t kMost = 50;
  for (Step& step : script.steps) {
    if (step.op == Op::kExportMany || step.op == Op::kConsumeMany ||
        step.op == Op::kReleaseTogether || step.op == Op::kDevice || step.op == Op::kTableBorrow) {
      step.n = std::min(step.n, kMost);
    }
  }
}

Broken StableCoding(const Script& script) {
  const std::string wire = EncodeScript(script);
  if (EncodeScript(DecodeScript(Bytes(wire))) != wire) return "a script changes on the wire";
  if (ScriptText(script).size() != script.steps.size()) return "a step without a text";
  return std::nullopt;
}

Broken StableCoding(const Trace& trace) {
  std::string wire, again;
  EncodeTrace(trace, wire);
  const Expected<Trace> decoded = DecodeTrace(Bytes(wire));
  if (!decoded) return "a trace does not decode: " + decoded.error().message;
  EncodeTrace(*decoded, again);
  if (again != wire) return "a trace changes on the wire";
  return std::nullopt;
}

/// The reference producer is never at fault, whatever is done to it.
Broken Faultless(const Script& script, size_t i, const Observation& observation) {
  const std::string where = "step " + std::to_string(i) + " (" +
                            std::string(OpName(script.steps[i].op)) +
                            "): " + ObservationText(observation);
  if (std::holds_alternative<AdapterFault>(observation)) return where;
  if (const auto* dropped = std::get_if<Dropped>(&observation)) {
    if (dropped->threw || dropped->left_exception || dropped->lost_exception) return where;
  }
  if (const auto* elements = std::get_if<Elements>(&observation)) {
    if (!elements->readable) return where;
  }
  if (const auto* inspected = std::get_if<Inspected>(&observation)) {
    StructFacts facts;
    facts.versioned = inspected->versioned;
    facts.version = VersionOf(*inspected);
    facts.flags = FlagsOf(*inspected);
    facts.tensor = TensorOf(*inspected);
    facts.shape = inspected->shape;
    facts.strides = inspected->strides;
    for (const Violation& violation : CheckStruct(facts)) {
      return where + ": " + violation.requirement + " " + violation.observed;
    }
  }
  return std::nullopt;
}

/// How often the deleter of each slot's export must have run, by what was done to it: dropping an
/// unconsumed capsule runs it, and so does its consumer, once.
class DeleterModel {
 public:
  /// What is wrong with the observation of this step, if anything.
  Broken Follow(const Step& step, const Observation& seen) {
    Slot& slot = slots_[step.e];
    const bool done = std::holds_alternative<Done>(seen);
    const bool dropped = std::holds_alternative<Dropped>(seen);
    switch (step.op) {
      case Op::kExport:
        slot = Slot{};
        slot.known = std::holds_alternative<Exported>(seen);
        break;
      case Op::kRename:
        slot.consumed |= done;
        break;
      case Op::kDropCapsule:
        if (dropped && !slot.consumed) slot.calls = 1;
        break;
      case Op::kCallDeleter:
        if (dropped) slot.calls = 1;
        slot.consumed |= dropped;
        break;
      case Op::kDeleterCalls:
        return Compare(slot, seen);
      case Op::kTableExport:
      case Op::kTableAllocate:
        slot.known = false;
        break;
      case Op::kConsumeMany:
      case Op::kReleaseTogether:
        slots_ = {};
        break;
      default:
        break;
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    bool known = false;
    bool consumed = false;
    int64_t calls = 0;
  };

  static Broken Compare(const Slot& slot, const Observation& seen) {
    const auto* counted = std::get_if<Counted>(&seen);
    if (counted == nullptr || !slot.known) return std::nullopt;
    if (counted->value == slot.calls && counted->same_pointer) return std::nullopt;
    return ObservationText(seen) + " where the model has " + std::to_string(slot.calls);
  }

  std::array<Slot, kExportSlots> slots_;
};

/// One producer for many scripts, as in a host: nothing of one may be seen in the next.
Trace Perform(const Script& script) {
  constexpr int kScripts = 4096;
  static int left = 0;
  static std::unique_ptr<Backend> backend;
  if (left-- == 0) {
    backend = MakeReferenceBackend(Mutant::kNone);
    left = kScripts;
  }
  return Machine(backend.get(), nullptr).Run(script);
}

}  // namespace

Broken PropertyScript(std::span<const uint8_t> bytes) {
  Script script = DecodeScript(bytes);
  Shorten(script);
  if (auto broken = StableCoding(script)) return broken;
  const Trace first = Perform(script);
  const Trace second = Perform(script);
  if (first.steps.size() != script.steps.size()) return "a step without an observation";
  if (auto broken = StableCoding(first)) return broken;
  DeleterModel model;
  for (size_t i = 0; i < first.steps.size(); ++i) {
    if (auto broken = Faultless(script, i, first.steps[i])) return broken;
    if (auto broken = model.Follow(script.steps[i], first.steps[i])) {
      return "step " + std::to_string(i) + ": " + *broken;
    }
    if (first.steps[i].index() != second.steps[i].index()) {
      return "step " + std::to_string(i) +
             " differs the second time: " + ObservationText(first.steps[i]) + " / " +
             ObservationText(second.steps[i]);
    }
  }
  return std::nullopt;
}

}  // namespace dlpc
