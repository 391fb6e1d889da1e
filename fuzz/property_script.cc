#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/properties.h"
#include "fuzz/sample.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"
#include "harness/memory.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "reference/contract.h"

namespace dlpc {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Loops and threads cost as much as hundreds of plain exports, and large arrays as much as tens.
bool IsLoop(Op op) {
  return op == Op::kExportMany || op == Op::kConsumeMany || op == Op::kReleaseTogether;
}

/// A script that shows as much as a few microseconds can: small arrays, no thread, no loop.
void MakeQuick(Script& script) {
  constexpr int64_t kMostElements = 64;
  for (ArraySpec& spec : script.specs) {
    int64_t elements = 1;  // Of the base.
    for (const Axis& axis : spec.layout.axes) elements *= axis.extent;
    if (elements <= kMostElements) continue;
    for (Axis& axis : spec.layout.axes) axis.extent = std::min<int64_t>(axis.extent, 3);
    if (spec.layout.axes.size() > 3) spec.layout.axes.resize(3);
    Normalize(spec);
  }
  for (Step& step : script.steps) {
    if (IsLoop(step.op)) step.op = Op::kExport;
    if (step.op == Op::kChurn) step.op = Op::kProbe;
    if (step.op == Op::kDevice || step.op == Op::kTableBorrow) step.n = 1;
    if (step.thread != Thread::kFree) step.thread = Thread::kLocked;
  }
}

/// Long repetitions find nothing new and only slow the fuzzer down. What the heap holds before and
/// after a loop takes longest of all, and then a thread that waits until another one wants the
/// lock: one loop, and both in few scripts (`long_ones`), are enough.
void Shorten(Script& script, bool long_ones) {
  constexpr uint32_t kMost = 50;
  bool loop = long_ones;
  for (Step& step : script.steps) {
    const bool borrows = step.op == Op::kTableBorrow && step.n > 1;
    if ((IsLoop(step.op) || borrows) && !std::exchange(loop, false)) {
      if (!borrows) step.op = Op::kExport;
      if (borrows) step.n = 1;
    }
    if (IsLoop(step.op) || step.op == Op::kDevice || borrows) step.n = std::min(step.n, kMost);
    if (step.thread == Thread::kContended && !long_ones) step.thread = Thread::kForeign;
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

/// What an observation shows that the reference producer never does.
Broken Fault(const Observation& observation) {
  if (std::holds_alternative<AdapterFault>(observation)) return "the host is at fault";
  if (const auto* dropped = std::get_if<Dropped>(&observation)) {
    if (dropped->threw || dropped->left_exception || dropped->lost_exception) return "not clean";
  }
  if (const auto* elements = std::get_if<Elements>(&observation)) {
    if (!elements->readable) return "elements that cannot be read";
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
      return violation.requirement + (" " + violation.observed);
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
    return "the model has " + std::to_string(slot.calls);
  }

  std::array<Slot, kExportSlots> slots_;
};

/// One producer and one machine for many scripts, as in a host: nothing of one may be seen in the
/// next.
class Host {
 public:
  explicit Host(Mutant mutant) : mutant_(mutant) {}

  void Perform(const Script& performed, Trace& into) {
    constexpr int kScripts = 4096;
    if (left_-- == 0) {
      machine_.reset();
      backend_ = MakeReferenceBackend(mutant_);
      machine_ = std::make_unique<Machine>(backend_.get(), nullptr);
      left_ = kScripts;
    }
    machine_->Run(performed, into);
  }

  // Of the input at hand; their memory is used again.
  Script script;
  Trace trace;

 private:
  const Mutant mutant_;
  int left_ = 0;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Machine> machine_;
};

std::string StepText(const Script& script, size_t i, const Observation& seen) {
  return "step " + std::to_string(i) + " (" + std::string(OpName(script.steps[i].op)) +
         "): " + ObservationText(seen) + ": ";
}

Broken JudgeSteps(const Script& script, const Trace& trace) {
  if (trace.steps.size() != script.steps.size()) return "a step without an observation";
  DeleterModel model;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const Observation& seen = trace.steps[i];
    if (auto fault = Fault(seen)) return StepText(script, i, seen) + *fault;
    if (auto fault = model.Follow(script.steps[i], seen)) return StepText(script, i, seen) + *fault;
  }
  return std::nullopt;
}

// What is dear: both codings there and back, and all of it once more.
Broken Thorough(Host& host) {
  const Script& script = host.script;
  const Trace& first = host.trace;
  if (auto broken = StableCoding(script)) return broken;
  if (auto broken = StableCoding(first)) return broken;
  Trace second;
  host.Perform(script, second);
  for (size_t i = 0; i < first.steps.size(); ++i) {
    if (first.steps[i].index() != second.steps[i].index()) {
      return StepText(script, i, first.steps[i]) +
             "differs the second time: " + ObservationText(second.steps[i]);
    }
  }
  return std::nullopt;
}

// One input in 8192 is performed with its threads and large arrays, and checked thoroughly; one in
// 8 of these has loops and waiting threads.
Broken TryScript(Host& host, std::span<const uint8_t> bytes) {
  Script& script = host.script;
  DecodeScript(bytes, script);
  const bool thorough = Sampled(bytes, 8192);
  thorough ? Shorten(script, Sampled(bytes, 65536)) : MakeQuick(script);
  host.Perform(script, host.trace);
  if (auto broken = JudgeSteps(script, host.trace)) return broken;
  return thorough ? Thorough(host) : Broken();
}

}  // namespace

Broken PropertyScript(std::span<const uint8_t> bytes) {
  static Host* const host = [] {
    RememberPages();
    return new Host(Mutant::kNone);
  }();
  return TryScript(*host, bytes);
}

// One host for each twin, as in a kill matrix.
Broken PropertyTwins(std::span<const uint8_t> bytes) {
  static const std::vector<Mutant> sound = [] {
    RememberPages();
    std::vector<Mutant> twins;
    for (const MutantRow& row : Mutants()) {
      if (!row.breaks_memory) twins.push_back(row.mutant);
    }
    return twins;
  }();
  static auto* const hosts = new std::map<Mutant, Host>;
  if (bytes.empty()) return std::nullopt;
  const Mutant twin = sound[bytes[0] % sound.size()];
  Host& host = hosts->try_emplace(twin, twin).first->second;
  Script& script = host.script;
  DecodeScript(bytes.subspan(1), script);
  Sampled(bytes, 1024) ? Shorten(script, false) : MakeQuick(script);
  for (Step& step : script.steps) {  // This one dies without the lock, by intent.
    if (twin == Mutant::kAllocatorNeedsLock) step.thread = Thread::kLocked;
  }
  Trace& trace = host.trace;
  host.Perform(script, trace);
  if (trace.steps.size() != script.steps.size()) return "a step without an observation";
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    if (std::holds_alternative<AdapterFault>(trace.steps[i])) {
      return StepText(script, i, trace.steps[i]) + "the host is at fault";
    }
  }
  return std::nullopt;
}

Broken PropertyScriptOf(Mutant mutant, std::span<const uint8_t> bytes) {
  Host host(mutant);
  return TryScript(host, bytes);
}

}  // namespace dlpc
