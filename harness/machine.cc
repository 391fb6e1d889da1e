#include "harness/machine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "harness/consume_many.h"
#include "harness/exchange.h"
#include "harness/export_slots.h"
#include "harness/memory.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// Whether a step only looks at what is there: no code of the producer runs, no memory goes away.
bool OnlyLooks(Op op) {
  return op == Op::kInspect || op == Op::kRead || op == Op::kWrite || op == Op::kInterpose ||
         op == Op::kDeleterCalls;
}

// Heap blocks as a busy process would have them: what a producer freed too early gets overwritten.
void Churn(uint8_t byte) {
  constexpr size_t kBlocks = 200;
  void* blocks[kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t size = 16 + i % 32 * 16;
    blocks[i] = std::malloc(size);
    if (blocks[i] != nullptr) std::memset(blocks[i], byte, size);
  }
  for (void* block : blocks) std::free(block);
}

}  // namespace

struct Machine::Impl {
  struct ArraySlot {
    const char* missing = "no array was made";  // Why there is none; nullptr if there is.
    const ArraySpec* spec = nullptr;            // What it was made from, if that describes it.
    std::optional<bool> read_only;
    int64_t base_count = 0;  // References right after it was made.
  };

  Impl(Backend* b, Progress* p) : backend(b), progress(p), exports(b), exchange(b, &exports) {}

  Backend* backend;
  Progress* progress;
  ArraySlot arrays[kArraySlots];
  ExportSlots exports;
  Exchange exchange;
  bool counts = false;  // The script asks for reference counts.
  bool may_end = false;
  std::vector<ManagedRef> kept;

  Observation Perform(const Script& script, const Step& s);
  Observation TryPerform(const Script& script, const Step& s);
  Observation Make(const Script& script, const Step& s);
  Observation Derive(const Step& s);
  Observation End(bool last);
  template <typename Loop>
  Observation Measured(Loop loop);
  Observation OnArray(const Script& script, const Step& s);
  Observation OnTable(const Script& script, const Step& s);
  Observation Poke(const Step& s);
  Observation RefCount(const Step& s);
  int64_t References(int a);
  void ReleaseExports();
  void ReleaseAll();
};

Observation Machine::Impl::Make(const Script& script, const Step& s) {
  const bool from_spec = s.op == Op::kMake;
  if (from_spec && s.spec >= script.specs.size()) return NotPerformed{"no such spec"};
  ArraySlot& slot = arrays[s.a];
  slot = ArraySlot{};
  slot.missing = "array could not be made";
  Observation observation =
      from_spec ? backend->Make(s.a, script.specs[s.spec]) : backend->MakeRefusal(s.a, s.n);
  const Made* made = std::get_if<Made>(&observation);
  if (made == nullptr) return observation;
  slot.missing = nullptr;
  slot.read_only = made->read_only;
  if (from_spec && !made->given) slot.spec = &script.specs[s.spec];
  if (!counts) return observation;
  slot.base_count = References(s.a);
  return observation;
}

int64_t Machine::Impl::References(int a) {
  const Observation count = backend->RefCount(a);
  const auto* counted = std::get_if<Counted>(&count);
  return counted == nullptr ? 0 : counted->value;
}

Observation Machine::Impl::Poke(const Step& s) {
  const ArraySlot& slot = arrays[s.a];
  if (slot.spec == nullptr) return NotPerformed{"element type of the array is not known"};
  if (slot.read_only.value_or(false)) return NotPerformed{"array is read-only"};
  std::string element(ElementBytes(slot.spec->dtype), '\0');
  PatternElement(slot.spec->dtype, s.n, reinterpret_cast<uint8_t*>(element.data()));
  return backend->Poke(s.a, element);
}

Observation Machine::Impl::RefCount(const Step& s) {
  Observation observation = backend->RefCount(s.a);
  if (auto* counted = std::get_if<Counted>(&observation)) {
    counted->value -= arrays[s.a].base_count;
  }
  return observation;
}

Observation Machine::Impl::Derive(const Step& s) {
  if (arrays[s.e].missing != nullptr) return NotPerformed{arrays[s.e].missing};
  Observation observation = backend->Derive(
      s.a, s.e, static_cast<Derived>(s.n % static_cast<uint32_t>(Derived::kCount_)));
  arrays[s.a] = ArraySlot{};
  if (!backend->HasArray(s.a)) return observation;
  arrays[s.a].missing = nullptr;
  if (counts) arrays[s.a].base_count = References(s.a);
  return observation;
}

Observation Machine::Impl::End(bool last) {
  if (!may_end || !last) return NotPerformed{"the host stays"};
  if (!backend->HasInterpreter()) return Unsupported{"there is no interpreter"};
  kept = exports.Keep();
  if (kept.empty()) return NotPerformed{"no export was consumed"};
  return Ended{0, "not yet"};
}

// A loop, with the memory that it left behind.
template <typename Loop>
Observation Machine::Impl::Measured(Loop loop) {
  backend->Collect();  // What waits for the garbage collector is no leak.
  const auto objects = backend->LiveObjects();
  const auto heap = HeapInUse();
  Observation seen = loop();
  backend->Collect();
  if (Many* many = std::get_if<Many>(&seen)) {
    if (heap) many->heap_growth = *HeapInUse() - *heap;
    const auto after = backend->LiveObjects();
    if (objects && after) many->object_growth = *after - *objects;
  }
  return seen;
}

// An import fills an array slot; other calls leave the arrays as they are.
Observation Machine::Impl::OnTable(const Script& script, const Step& s) {
  Observation observation = exchange.Perform(script, s, arrays[s.a].read_only);
  if (s.op != Op::kTableImport) return observation;
  const TableCall* call = std::get_if<TableCall>(&observation);
  if (call == nullptr) return observation;
  ArraySlot& slot = arrays[s.e];
  slot = ArraySlot{};
  slot.missing = "import failed";
  if (!call->made) return observation;
  slot.missing = nullptr;
  slot.read_only = call->made->read_only;
  return observation;
}

Observation Machine::Impl::OnArray(const Script& script, const Step& s) {
  ArraySlot& slot = arrays[s.a];
  if (slot.missing != nullptr) return NotPerformed{slot.missing};
  switch (s.op) {
    case Op::kProbe:
      return backend->Probe(s.a);
    case Op::kDevice:
      return backend->Device(s.a, std::max<uint32_t>(s.n, 1));
    case Op::kExport:
      return exports.Export(s, slot.read_only);
    case Op::kExportMany:
      return Measured([&] { return backend->ExportMany(s.a, s.n, s.request, s.pending); });
    case Op::kConsumeMany:
      ReleaseExports();
      return Measured([&] { return ConsumeMany(backend, s); });
    case Op::kReleaseTogether:
      ReleaseExports();
      return ReleaseTogether(backend, s);
    case Op::kReadOwn:
      return backend->ReadOwn(s.a);
    case Op::kPoke:
      return Poke(s);
    case Op::kRefCount:
      return RefCount(s);
    case Op::kTable:
    case Op::kTableExport:
    case Op::kTableBorrow:
    case Op::kTableAllocate:
    case Op::kTableStream:
    case Op::kTableImport:
      return OnTable(script, s);
    case Op::kUseStream:
      return exports.UseStream(s);
    case Op::kDropArray:
      slot.missing = "array was dropped";
      return backend->DropArray(s.a);
    default:
      return NotPerformed{"no such operation"};
  }
}

Observation Machine::Impl::Perform(const Script& script, const Step& s) {
  if (s.a >= kArraySlots || s.e >= kExportSlots) return NotPerformed{"no such slot"};
  switch (s.op) {
    case Op::kMake:
    case Op::kMakeRefusal:
      return Make(script, s);
    case Op::kDerive:
      return Derive(s);
    case Op::kEnd:
      return End(&s == &script.steps.back());
    case Op::kCollect:
      return backend->Collect();
    case Op::kChurn:
      Churn(static_cast<uint8_t>(s.n));
      return Done{};
    case Op::kInspect:
    case Op::kRead:
    case Op::kWrite:
    case Op::kInterpose:
    case Op::kRename:
    case Op::kDropCapsule:
    case Op::kCallDeleter:
    case Op::kDeleterCalls:
      return exports.Perform(s);
    case Op::kImportCalls:
      return exchange.ImportCalls();
    default:
      return OnArray(script, s);
  }
}

// A backend may not throw; one that does anyway must not end the host.
Observation Machine::Impl::TryPerform(const Script& script, const Step& s) {
  try {
    return Perform(script, s);
  } catch (const std::exception& e) {
    return AdapterFault{std::string("exception in the host: ") + e.what()};
  } catch (...) {
    return AdapterFault{"exception in the host"};
  }
}

// A faulty producer may hand out the very struct of another slot again.
void Machine::Impl::ReleaseExports() {
  exports.ReleaseAll();
  exports.Clear();
  ForgetReadable();
}

void Machine::Impl::ReleaseAll() {
  try {
    exports.ReleaseAll();
    backend->Reset();
  } catch (...) {  // Nothing left to tell it to: every step has its observation.
  }
  ForgetReadable();
  exports.Clear();
  exchange.Clear();
  std::fill(std::begin(arrays), std::end(arrays), ArraySlot{});
}

Machine::Machine(Backend* backend, Progress* progress)
    : impl_(std::make_unique<Impl>(backend, progress)) {}
Machine::~Machine() = default;

void Machine::AllowEnd() { impl_->may_end = true; }
const std::vector<ManagedRef>& Machine::Kept() const { return impl_->kept; }

Trace Machine::Run(const Script& script) {
  Trace trace;
  Run(script, trace);
  return trace;
}
void Machine::Run(const Script& script, Trace& trace) {
  using Clock = std::chrono::steady_clock;
  // Who does not follow does not ask how long it took: looking at the clock is dear.
  Progress* const progress = impl_->progress;
  const Clock::time_point start = progress != nullptr ? Clock::now() : Clock::time_point();
  trace.duration_us = 0;
  trace.steps.clear();
  trace.steps.reserve(script.steps.size());
  impl_->counts = std::any_of(script.steps.begin(), script.steps.end(),
                              [](const Step& s) { return s.op == Op::kRefCount; });
  for (const Step& step : script.steps) {
    if (progress != nullptr) progress->step.store(static_cast<uint32_t>(trace.steps.size()));
    trace.steps.push_back(impl_->TryPerform(script, step));
    if (!OnlyLooks(step.op)) ForgetReadable();
  }
  impl_->ReleaseAll();
  if (progress == nullptr) return;
  const auto us = std::chrono::floor<std::chrono::microseconds>(Clock::now() - start).count();
  trace.duration_us = static_cast<uint32_t>(std::min<int64_t>(us, UINT32_MAX));
}

}  // namespace dlpc
