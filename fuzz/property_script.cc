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

Trace Perform(const Script& script) {
  const auto backend = MakeReferenceBackend(Mutant::kNone);
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
  for (size_t i = 0; i < first.steps.size(); ++i) {
    if (auto broken = Faultless(script, i, first.steps[i])) return broken;
    if (first.steps[i].index() != second.steps[i].index()) {
      return "step " + std::to_string(i) +
             " differs the second time: " + ObservationText(first.steps[i]) + " / " +
             ObservationText(second.steps[i]);
    }
  }
  return std::nullopt;
}

}  // namespace dlpc
