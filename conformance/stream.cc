// STREAM: the stream keyword. Source: array API, array.__dlpack__, stream (lines 334-369): the
// rules on the value, what an emulated device is told, and what streams do on a device.
#include <optional>

#include "conformance/catalogue.h"
#include "conformance/families.h"

namespace dlpc {
namespace {

Memory MemoryOf(const NamedScript& script) {
  return script.script.specs.empty() ? Memory::kCpu : script.script.specs[0].memory;
}

// An int that stands for a stream; -1 stands for none and is contested on the CPU (C-13).
bool HasStream(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return r.stream == Arg::kValue && r.stream_value != -1;
}

bool CpuStream(const NamedScript& script) {
  return HasStream(script) && RequestOf(script).device != Arg::kValue;
}

// dl_device=(kDLCPU, 0) with a stream, or CUDA with one that no CUDA device knows.
bool MisfitStream(const NamedScript& script) {
  const Request& r = RequestOf(script);
  if (!HasStream(script) || r.device != Arg::kValue) return false;
  const bool cpu = r.dl_device.device_type == kDLCPU && r.dl_device.device_id == 0;
  const bool cuda = r.dl_device.device_type == kDLCUDA;
  return cpu || (cuda && (r.stream_value == 0 || r.stream_value < -1));
}

bool OnAccelerator(const NamedScript& script) { return MemoryOf(script) != Memory::kCpu; }

bool IllegalOnAccelerator(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return OnAccelerator(script) &&
         (r.stream == Arg::kOdd || (r.stream == Arg::kValue && r.stream_value < -1));
}

template <Memory kMemory, int64_t... kValues>
bool Numbered(const NamedScript& script) {
  const Request& r = RequestOf(script);
  return MemoryOf(script) == kMemory && r.stream == Arg::kValue &&
         ((r.stream_value == kValues) || ...);
}

template <Memory kMemory>
bool StreamNone(const NamedScript& script) {
  const Arg stream = RequestOf(script).stream;
  return MemoryOf(script) == kMemory && (stream == Arg::kNone || stream == Arg::kAbsent);
}

// Numbers of streams that exist: the runtime must be told to let them wait.
bool RealStream(const NamedScript& script) {
  return Numbered<Memory::kCuda, 1, 2, 12345>(script) || Numbered<Memory::kRocm, 12345>(script);
}
bool MinusOne(const NamedScript& script) {
  return Numbered<Memory::kCuda, -1>(script) || Numbered<Memory::kRocm, -1>(script);
}

bool ForAnyDevice(const NamedScript& script) { return HasStream(script); }
bool WithoutStream(const NamedScript& script) { return RequestOf(script).stream != Arg::kValue; }

// STREAM-02, -06, -07 and, by dl_device, -12: any exception will do.
Verdict JudgeRejected(const Evidence& e) {
  const Wording expected = Say("an exception for {}", Say(RequestText, e.RequestOf()));
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (RefusedAnyway(e)) return NotApplicable(expected, RefusedAnywayText(e));
  const Many* many = e.As<Many>(Op::kExportMany);
  if (many == nullptr) return PassIf(e.refusal() != nullptr, expected, e.Text(Op::kExport));
  // A producer that objects only while it has to wait (jaxlib does) answers by chance: one call
  // proves nothing, so it is asked often.
  const bool accepted = e.refusal() == nullptr || many->capsules > 0;
  const bool always = e.refusal() == nullptr && many->capsules == many->tried;
  return PassIf(!accepted, expected,
                !accepted ? e.Text(Op::kExport)
                : always  ? "accepted"
                          : "accepted by chance");
}

// STREAM-01
Verdict JudgeCpuTakesNone(const Evidence& e) {
  const Wording expected =
      Say("no stream on the CPU: an exception for {}", Say(RequestText, e.RequestOf()));
  if (!Tried(e) || e.made() == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  if (RefusedAnyway(e)) return NotApplicable(expected, RefusedAnywayText(e));
  const Made& made = *e.made();
  if (made.given && (!made.device || made.device->device_type != kDLCPU)) {
    return NotApplicable(expected, "where the array lives is not known");
  }
  return PassIf(e.refusal() != nullptr, expected, e.Text(Op::kExport));
}

// How often the stream of the request was made to wait; nullopt where that is not known.
std::optional<int64_t> Waits(const Evidence& e) {
  const Exported* exported = e.As<Exported>(Op::kExport);
  return exported == nullptr ? std::nullopt : exported->waits;
}

// STREAM-03. The very number that stands for none must not reach the runtime as a stream.
Verdict JudgeNotWaited(const Evidence& e) {
  const Wording expected = "stream=-1: nothing is made to wait";
  if (!Waits(e)) return NotApplicable(expected, "waits are not counted: " + e.Text(Op::kExport));
  return PassIf(*Waits(e) == 0, expected,
                Say("the runtime was asked {} times to let the stream -1 wait", *Waits(e)));
}

// STREAM-09
Verdict JudgeWaited(const Evidence& e) {
  const int64_t stream = e.RequestOf().stream_value;
  const Wording expected = Say("stream {} is made to wait for the data", stream);
  if (!Waits(e)) return NotApplicable(expected, "waits are not counted: " + e.Text(Op::kExport));
  return PassIf(*Waits(e) > 0, expected,
                Say("the runtime was asked {} times to let it wait", *Waits(e)));
}

// STREAM-07: the default stream of ROCm.
Verdict JudgeRocmDefault(const Evidence& e) {
  const Wording expected = "a capsule for the default stream of ROCm";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (e.refusal() != nullptr && e.RequestOf().stream == Arg::kValue) {
    return NotApplicable(expected, "streams are optional (STREAM-08): " + e.Text(Op::kExport));
  }
  return PassIf(e.refusal() == nullptr, expected, e.Text(Op::kExport));
}

// STREAM-08: a permission. What can be asked of a refusal is that it names its cause.
Verdict JudgeRefusalNamesStream(const Evidence& e) {
  const Wording expected = "served, or refused by an exception that names stream";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  if (raised == nullptr) return Pass(expected, e.Text(Op::kExport));
  if (SaysUnknownKeyword(*raised)) return NotApplicable(expected, e.Text(Op::kExport));
  const bool named = raised->message.find("stream") != std::string::npos ||
                     raised->message.find("Stream") != std::string::npos;
  return PassIf(named, expected, e.Text(Op::kExport));
}

bool IsPending(const Evidence& e) {
  const Made* made = e.As<Made>(Op::kMakeRefusal);
  return made != nullptr && made->description.find("pending") != std::string::npos;
}

Verdict JudgeFinal(const Evidence& e, const Wording& expected) {
  if (e.refusal() != nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  const Elements* read = e.As<Elements>(Op::kRead);
  const Elements* own = e.As<Elements>(Op::kReadOwn);
  if (read == nullptr || own == nullptr) return NotApplicable(expected, e.Text(Op::kRead));
  return PassIf(read->bytes == own->bytes, expected,
                FirstDifference(read->bytes, own->bytes,
                                e.tensor() == nullptr ? 1 : TensorOf(*e.tensor()).dtype.bits / 8));
}

// STREAM-10: elements are read through the raw pointer at once, then by the library, which waits.
Verdict JudgePendingWaited(const Evidence& e) {
  const Wording expected = "all elements are final when __dlpack__() returns";
  if (!IsPending(e)) return NotApplicable(expected, "no pending computation");
  return JudgeFinal(e, expected);
}

// STREAM-12, the other half: a copy to the CPU is complete.
Verdict JudgeCopyComplete(const Evidence& e) {
  return JudgeFinal(e, "dl_device=(kDLCPU, 0) without a stream: all elements are final");
}

// What the library says of the streams of the device (StreamOrders, StreamKept).
const Counted* Streamed(const Evidence& e, int nth) { return e.As<Counted>(Op::kUseStream, nth); }

// STREAM-04, -05: either the data are ready, or the stream on which they are read waits for them.
// The work may end between the two questions, so the stream is asked first.
Verdict JudgeOrdered(const Evidence& e) {
  const Wording expected = Say("the stream meant by {} waits for the work, or the work is over",
                               Say(RequestText, e.RequestOf()));
  if (e.As<Exported>(Op::kExport) == nullptr) {
    return NotApplicable(expected, "optional (STREAM-08): " + e.Text(Op::kExport));
  }
  const Counted *before = Streamed(e, 3), *idle = Streamed(e, 4), *after = Streamed(e, 5);
  if (before == nullptr || idle == nullptr || after == nullptr) {
    return NotApplicable(expected, e.Text(Op::kUseStream, 3));
  }
  if (before->value != 0) return NotApplicable(expected, "the work was over too soon");
  const bool waits = idle->value == 0;
  return PassIf(waits || after->value != 0, expected,
                waits               ? "it waits"
                : after->value != 0 ? "the work is over"
                                    : "it is idle while the work goes on");
}

// STREAM-11. A producer that uses the stream afterwards crashes, which the engine reports; that a
// deleter throws is ABI-11's subject.
Verdict JudgeStreamLeft(const Evidence& e) {
  const Wording expected = "the consumer's stream is left to it, and not needed by the deleter";
  if (e.As<Exported>(Op::kExport) == nullptr) {
    return NotApplicable(expected, "optional (STREAM-08): " + e.Text(Op::kExport));
  }
  const Counted* ended = Streamed(e, 3);
  const Dropped* released = e.As<Dropped>(Op::kCallDeleter);
  if (ended == nullptr) return NotApplicable(expected, e.Text(Op::kUseStream, 3));
  if (ended->value == 0) return Fail(expected, "the stream had been destroyed");
  if (released == nullptr || released->threw) {
    return NotApplicable(expected, e.Text(Op::kCallDeleter));
  }
  return Pass(expected, "the consumer destroyed it, then the export was released");
}

// STREAM-13: what queues are is private to the libraries, but this object is none.
Verdict JudgeStrayQueue(const Evidence& e) {
  const Wording expected = "an exception for an object that is no queue";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(e.refusal() != nullptr, expected, e.Text(Op::kExport));
}

// STREAM-14: the wrapper recorded what it was asked for.
Verdict JudgeExplicit(const Evidence& e) {
  const Wording expected = "the library's own import names a stream by its number";
  const Made* imported = e.As<Made>(Op::kDerive, 1);
  if (imported == nullptr) return NotApplicable(expected, e.Text(Op::kDerive, 1));
  const std::string& asked = imported->description;
  if (!asked.starts_with("stream=")) return NotApplicable(expected, "the wrapper was not asked");
  return PassIf(asked != "stream=None", expected, asked);
}

constexpr Check kStreamChecks[] = {
    {"STREAM-01", Negotiation, 0, 0, JudgeCpuTakesNone, CpuStream},
    {"STREAM-02", Streams, 0, 0, JudgeRejected, IllegalOnAccelerator},
    {"STREAM-03", Streams, 0, 0, JudgeNotWaited, MinusOne},
    {"STREAM-04", StreamOrders, 0, 0, JudgeOrdered, StreamNone<Memory::kCuda>},
    {"STREAM-05", StreamOrders, 0, 0, JudgeOrdered, HasStream},
    {"STREAM-06", Streams, 0, 0, JudgeRejected, Numbered<Memory::kCuda, 0>},
    {"STREAM-07", Streams, 0, 0, JudgeRocmDefault, StreamNone<Memory::kRocm>},
    {"STREAM-07", Streams, 0, 0, JudgeRocmDefault, Numbered<Memory::kRocm, 0>},
    {"STREAM-07", Streams, 0, 0, JudgeRejected, Numbered<Memory::kRocm, 1, 2>},
    {"STREAM-08", Streams, 0, 0, JudgeRefusalNamesStream, ForAnyDevice},
    {"STREAM-09", Streams, 0, 0, JudgeWaited, RealStream},
    {"STREAM-10", Inexpressible, 0, 0, JudgePendingWaited},
    {"STREAM-11", StreamKept, 0, 0, JudgeStreamLeft},
    {"STREAM-12", Negotiation, 0, 0, JudgeRejected, MisfitStream},
    {"STREAM-12", StreamTargets, 0, 0, JudgeRejected, MisfitStream},
    {"STREAM-12", StreamTargets, 0, 0, JudgeCopyComplete, WithoutStream},
    {"STREAM-13", StrayQueues, 0, 0, JudgeStrayQueue},
    {"STREAM-14", StreamImports, 0, 0, JudgeExplicit},
};

}  // namespace

std::span<const Check> StreamChecks() { return kStreamChecks; }

}  // namespace dlpc
