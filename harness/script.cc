#include "harness/script.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "harness/bytes.h"

namespace dlpc {
namespace {

// ---- Wire form ----------------------------------------------------------------------------------

template <typename E>
E Clamped(uint8_t value) {
  return static_cast<E>(value % static_cast<uint8_t>(E::kCount_));
}

bool HasRequest(Op op) {
  return op == Op::kExport || op == Op::kExportMany || op == Op::kConsumeMany ||
         op == Op::kReleaseTogether;
}

// Most that one of each can take.
constexpr size_t kMaxVarint = 10;
constexpr size_t kSpecBytes = 8 + kMaxVarint + size_t{kMaxRank} * (4 * kMaxVarint + 1);
constexpr size_t kStepBytes = 3 + kMaxVarint + 7 + 5 * kMaxVarint;
constexpr size_t kScriptBytes = 2 + kMaxSpecs * kSpecBytes + kMaxSteps * kStepBytes;

// Writes where there is room: each function gets the place of its first byte and returns the place
// after its last one.
uint8_t* Put(uint8_t byte, uint8_t* to) {
  *to = byte;
  return to + 1;
}

template <typename E>
requires std::is_enum_v<E> uint8_t* Put(E value, uint8_t* to) {
  return Put(static_cast<uint8_t>(value), to);
}

uint8_t* PutVarint(uint64_t value, uint8_t* to) {
  for (; value >= 0x80; value >>= 7) to = Put(static_cast<uint8_t>(value | 0x80), to);
  return Put(static_cast<uint8_t>(value), to);
}

uint8_t* PutZigzag(int64_t value, uint8_t* to) {
  return PutVarint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63), to);
}

uint8_t* EncodeSpec(const ArraySpec& spec, uint8_t* to) {
  to = Put(spec.dtype.code, to);
  to = Put(spec.dtype.bits, to);
  to = PutVarint(spec.dtype.lanes, to);
  to = Put(spec.memory, to);
  to = Put(spec.flags, to);
  to = Put(spec.place, to);
  const size_t axes = std::min<size_t>(spec.layout.axes.size(), kMaxRank);
  to = Put(static_cast<uint8_t>(axes), to);
  for (const Axis& axis : std::span(spec.layout.axes.data(), axes)) {
    for (int64_t value : {axis.extent, axis.start, axis.count, axis.step}) {
      to = PutZigzag(value, to);
    }
  }
  const size_t perm = std::min<size_t>(spec.layout.perm.size(), kMaxRank);
  to = Put(static_cast<uint8_t>(perm), to);
  return std::copy_n(spec.layout.perm.begin(), perm, to);
}

void DecodeSpec(ByteReader& in, ArraySpec& spec) {
  spec.dtype.code = in.Int<uint8_t>();
  spec.dtype.bits = in.Int<uint8_t>();
  spec.dtype.lanes = static_cast<uint16_t>(in.Varint());
  spec.memory = Clamped<Memory>(in.Int<uint8_t>());
  spec.flags = in.Int<uint8_t>();
  spec.place = Clamped<Place>(in.Int<uint8_t>());
  // An axis that starts past the end is left out, as a step is.
  spec.layout.axes.clear();
  for (int axes = in.Int<uint8_t>() % (kMaxRank + 1); axes > 0 && in.left() > 0; --axes) {
    Axis axis;
    for (int64_t* value : {&axis.extent, &axis.start, &axis.count, &axis.step})
      *value = in.Zigzag();
    spec.layout.axes.push_back(axis);
  }
  spec.layout.perm.clear();
  spec.layout.perm.resize(std::min<size_t>(in.Int<uint8_t>() % (kMaxRank + 1), in.left()));
  in.Raw(spec.layout.perm.data(), spec.layout.perm.size());
  Normalize(spec);
}

uint8_t* EncodeRequest(const Request& r, uint8_t* to) {
  for (Arg arg : {r.version, r.copy, r.device, r.stream}) to = Put(arg, to);
  to = Put(r.odd, to);
  to = Put(r.extra, to);
  if (r.version == Arg::kValue) {
    to = PutVarint(r.max_version.major, to);
    to = PutVarint(r.max_version.minor, to);
  }
  if (r.copy == Arg::kValue) to = Put(static_cast<uint8_t>(r.copy_value), to);
  if (r.device == Arg::kValue) {
    to = PutZigzag(r.dl_device.device_type, to);
    to = PutZigzag(r.dl_device.device_id, to);
  }
  return r.stream == Arg::kValue ? PutZigzag(r.stream_value, to) : to;
}

void DecodeRequest(ByteReader& in, Request& r) {
  for (Arg* arg : {&r.version, &r.copy, &r.device, &r.stream}) {
    *arg = Clamped<Arg>(in.Int<uint8_t>());
    if (*arg == Arg::kOwn && arg != &r.device) *arg = Arg::kNone;
  }
  r.odd = Clamped<Odd>(in.Int<uint8_t>());
  r.extra = Clamped<Extra>(in.Int<uint8_t>());
  if (r.version == Arg::kValue) {
    r.max_version.major = static_cast<uint32_t>(in.Varint());
    r.max_version.minor = static_cast<uint32_t>(in.Varint());
  }
  if (r.copy == Arg::kValue) r.copy_value = in.Int<uint8_t>() & 1;
  if (r.device == Arg::kValue) {
    r.dl_device.device_type = static_cast<DLDeviceType>(in.Zigzag());
    r.dl_device.device_id = static_cast<int32_t>(in.Zigzag());
  }
  if (r.stream == Arg::kValue) r.stream_value = in.Zigzag();
}

uint8_t* EncodeStep(const Step& step, uint8_t* to) {
  to = Put(step.op, to);
  to = Put(static_cast<uint8_t>((step.a & 3) | (step.e & 3) << 2 | (step.spec & 3) << 4 |
                                step.pending << 6),
           to);
  to = Put(static_cast<uint8_t>(static_cast<int>(step.name) | static_cast<int>(step.thread) << 1 |
                                static_cast<int>(step.bad) << 3),
           to);
  to = PutVarint(step.n, to);
  return HasRequest(step.op) ? EncodeRequest(step.request, to) : to;
}

// `step` has the defaults.
void DecodeStep(ByteReader& in, size_t specs, Step& step) {
  static_assert(kArraySlots == 4 && kExportSlots == 4 && kMaxSpecs == 4, "two bits each");
  static_assert(static_cast<int>(Name::kCount_) == 2, "one bit");
  step.op = Clamped<Op>(in.Int<uint8_t>());
  const uint8_t slots = in.Int<uint8_t>();
  step.a = slots & 3;
  step.e = slots >> 2 & 3;
  step.spec = static_cast<uint8_t>((slots >> 4 & 3) % std::max<size_t>(specs, 1));
  step.pending = slots >> 6 & 1;
  const uint8_t how = in.Int<uint8_t>();
  step.name = static_cast<Name>(how & 1);
  step.thread = Clamped<Thread>(how >> 1 & 3);
  step.bad = Clamped<BadInput>(how >> 3);
  step.n = static_cast<uint32_t>(in.Varint() % (kMaxRepeat + 1));
  if (HasRequest(step.op)) DecodeRequest(in, step.request);
}

}  // namespace

namespace {
// Returns how many bytes: at most `most`, or 0 if the specs alone take more.
size_t EncodeInto(uint8_t (&bytes)[kScriptBytes], const Script& script, size_t most) {
  const size_t specs = std::min<size_t>(script.specs.size(), kMaxSpecs);
  const size_t steps = std::min<size_t>(script.steps.size(), kMaxSteps);
  uint8_t* end = bytes + 2;
  for (size_t i = 0; i < specs; ++i) end = EncodeSpec(script.specs[i], end);
  if (static_cast<size_t>(end - bytes) > most) return 0;
  size_t done = 0;
  for (; done < steps; ++done) {
    uint8_t* const next = EncodeStep(script.steps[done], end);
    if (static_cast<size_t>(next - bytes) > most) break;
    end = next;
  }
  bytes[0] = static_cast<uint8_t>(specs);
  bytes[1] = static_cast<uint8_t>(done);
  return static_cast<size_t>(end - bytes);
}
}  // namespace

size_t EncodeScript(const Script& script, std::span<uint8_t> to) {
  uint8_t bytes[kScriptBytes];
  const size_t size = EncodeInto(bytes, script, to.size());
  std::copy_n(bytes, size, to.data());
  return size;
}

std::string EncodeScript(const Script& script) {
  uint8_t bytes[kScriptBytes];
  const size_t size = EncodeInto(bytes, script, sizeof bytes);
  return {reinterpret_cast<const char*>(bytes), size};
}

Script DecodeScript(std::span<const uint8_t> bytes) {
  Script script;
  DecodeScript(bytes, script);
  return script;
}

void DecodeScript(std::span<const uint8_t> bytes, Script& script) {
  ByteReader in(bytes);
  script.specs.resize(in.Int<uint8_t>() % (kMaxSpecs + 1));
  script.steps.clear();
  const int steps = in.Int<uint8_t>() % (kMaxSteps + 1);
  for (ArraySpec& spec : script.specs) DecodeSpec(in, spec);
  constexpr size_t kShortestStep = 4;  // In bytes.
  script.steps.reserve(std::min<size_t>(static_cast<size_t>(steps), in.left() / kShortestStep + 1));
  // A step that starts past the end is left out: short inputs are short scripts.
  for (int i = 0; i < steps && in.left() > 0; ++i) {
    DecodeStep(in, script.specs.size(), script.steps.emplace_back());
  }
}

}  // namespace dlpc
