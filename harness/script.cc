#include "harness/script.h"

#include <algorithm>
#include <array>
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

void EncodeSpec(const ArraySpec& spec, ByteWriter& out) {
  out.Int(spec.dtype.code);
  out.Int(spec.dtype.bits);
  out.Varint(spec.dtype.lanes);
  out.Int(static_cast<uint8_t>(spec.memory));
  out.Int(spec.flags);
  out.Int(static_cast<uint8_t>(spec.place));
  out.Int(static_cast<uint8_t>(spec.layout.axes.size()));
  for (const Axis& axis : spec.layout.axes) {
    for (int64_t value : {axis.extent, axis.start, axis.count, axis.step}) out.Zigzag(value);
  }
  out.Int(static_cast<uint8_t>(spec.layout.perm.size()));
  out.Raw(spec.layout.perm.data(), spec.layout.perm.size());
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

void EncodeRequest(const Request& r, ByteWriter& out) {
  for (Arg arg : {r.version, r.copy, r.device, r.stream}) out.Int(static_cast<uint8_t>(arg));
  out.Int(static_cast<uint8_t>(r.odd));
  out.Int(static_cast<uint8_t>(r.extra));
  if (r.version == Arg::kValue) {
    out.Varint(r.max_version.major);
    out.Varint(r.max_version.minor);
  }
  if (r.copy == Arg::kValue) out.Int(static_cast<uint8_t>(r.copy_value));
  if (r.device == Arg::kValue) {
    out.Zigzag(r.dl_device.device_type);
    out.Zigzag(r.dl_device.device_id);
  }
  if (r.stream == Arg::kValue) out.Zigzag(r.stream_value);
}

Request DecodeRequest(ByteReader& in) {
  Request r;
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
  return r;
}

void EncodeStep(const Step& step, ByteWriter& out) {
  out.Int(static_cast<uint8_t>(step.op));
  out.Int(static_cast<uint8_t>((step.a & 3) | (step.e & 3) << 2 | (step.spec & 3) << 4 |
                               step.pending << 6));
  out.Int(static_cast<uint8_t>(static_cast<int>(step.name) | static_cast<int>(step.thread) << 1 |
                               static_cast<int>(step.bad) << 3));
  out.Varint(step.n);
  if (HasRequest(step.op)) EncodeRequest(step.request, out);
}

Step DecodeStep(ByteReader& in, size_t specs) {
  static_assert(kArraySlots == 4 && kExportSlots == 4 && kMaxSpecs == 4, "two bits each");
  static_assert(static_cast<int>(Name::kCount_) == 2, "one bit");
  Step step;
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
  if (HasRequest(step.op)) step.request = DecodeRequest(in);
  return step;
}

}  // namespace

std::string EncodeScript(const Script& script) {
  std::string bytes;
  ByteWriter out(&bytes);
  const size_t specs = std::min<size_t>(script.specs.size(), kMaxSpecs);
  const size_t steps = std::min<size_t>(script.steps.size(), kMaxSteps);
  out.Int(static_cast<uint8_t>(specs));
  out.Int(static_cast<uint8_t>(steps));
  for (size_t i = 0; i < specs; ++i) EncodeSpec(script.specs[i], out);
  for (size_t i = 0; i < steps; ++i) EncodeStep(script.steps[i], out);
  out.Flush();
  return bytes;
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
  constexpr size_t kStepBytes = 4;  // Of the shortest.
  script.steps.reserve(std::min<size_t>(static_cast<size_t>(steps), in.left() / kStepBytes + 1));
  // A step that starts past the end is left out: short inputs are short scripts.
  for (int i = 0; i < steps && in.left() > 0; ++i) {
    script.steps.push_back(DecodeStep(in, script.specs.size()));
  }
}

}  // namespace dlpc
