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

ArraySpec DecodeSpec(ByteReader& in) {
  ArraySpec spec;
  spec.dtype.code = in.Int<uint8_t>();
  spec.dtype.bits = in.Int<uint8_t>();
  spec.dtype.lanes = static_cast<uint16_t>(in.Varint());
  spec.memory = Clamped<Memory>(in.Int<uint8_t>());
  spec.flags = in.Int<uint8_t>();
  spec.place = Clamped<Place>(in.Int<uint8_t>());
  spec.layout.axes.resize(in.Int<uint8_t>() % (kMaxRank + 1));
  for (Axis& axis : spec.layout.axes) {
    for (int64_t* value : {&axis.extent, &axis.start, &axis.count, &axis.step})
      *value = in.Zigzag();
  }
  spec.layout.perm.resize(in.Int<uint8_t>() % (kMaxRank + 1));
  for (uint8_t& axis : spec.layout.perm) axis = in.Int<uint8_t>();
  Normalize(spec);
  return spec;
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
  out.Int(static_cast<uint8_t>(static_cast<int>(step.name) | static_cast<int>(step.thread) << 1));
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
  step.thread = Clamped<Thread>(how >> 1);
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
  ByteReader in(bytes);
  Script script;
  script.specs.resize(in.Int<uint8_t>() % (kMaxSpecs + 1));
  const int steps = in.Int<uint8_t>() % (kMaxSteps + 1);
  for (ArraySpec& spec : script.specs) spec = DecodeSpec(in);
  // A step that starts past the end is left out: short inputs are short scripts.
  for (int i = 0; i < steps && in.left() > 0; ++i) {
    script.steps.push_back(DecodeStep(in, script.specs.size()));
  }
  return script;
}

// ---- Builder ------------------------------------------------------------------------------------

ScriptBuilder::ScriptBuilder(ArraySpec spec) { Make(0, std::move(spec)); }
ScriptBuilder::ScriptBuilder() = default;

Step& ScriptBuilder::Add(Op op) {
  Step& step = script_.steps.emplace_back();
  step.op = op;
  return step;
}

ScriptBuilder& ScriptBuilder::Make(uint8_t a, ArraySpec spec) {
  Normalize(spec);
  auto& specs = script_.specs;
  const auto found = std::find(specs.begin(), specs.end(), spec);
  Step& step = Add(Op::kMake);
  step.a = a;
  step.spec = static_cast<uint8_t>(found - specs.begin());
  if (found == specs.end()) specs.push_back(std::move(spec));
  return *this;
}

ScriptBuilder& ScriptBuilder::MakeRefusal(uint8_t a, uint32_t n) {
  Step& step = Add(Op::kMakeRefusal);
  step.a = a;
  step.n = n;
  return *this;
}

ScriptBuilder& ScriptBuilder::Probe(uint8_t a) {
  Add(Op::kProbe).a = a;
  return *this;
}

ScriptBuilder& ScriptBuilder::Device(uint32_t n, uint8_t a) {
  Step& step = Add(Op::kDevice);
  step.a = a;
  step.n = n;
  return *this;
}

ScriptBuilder& ScriptBuilder::Export(Request request, uint8_t e, uint8_t a) {
  Step& step = Add(Op::kExport);
  step.a = a;
  step.e = e;
  step.request = std::move(request);
  return *this;
}

ScriptBuilder& ScriptBuilder::Inspect(uint8_t e) {
  Add(Op::kInspect).e = e;
  return *this;
}

ScriptBuilder& ScriptBuilder::Read(uint8_t e) {
  Add(Op::kRead).e = e;
  return *this;
}

ScriptBuilder& ScriptBuilder::ReadOwn(uint8_t a) {
  Add(Op::kReadOwn).a = a;
  return *this;
}

ScriptBuilder& ScriptBuilder::Write(uint32_t n, uint8_t e) {
  Step& step = Add(Op::kWrite);
  step.e = e;
  step.n = n;
  return *this;
}

ScriptBuilder& ScriptBuilder::Poke(uint32_t n, uint8_t a) {
  Step& step = Add(Op::kPoke);
  step.a = a;
  step.n = n;
  return *this;
}

ScriptBuilder& ScriptBuilder::Interpose(uint8_t e) {
  Add(Op::kInterpose).e = e;
  return *this;
}

ScriptBuilder& ScriptBuilder::Rename(Name name, uint8_t e) {
  Step& step = Add(Op::kRename);
  step.e = e;
  step.name = name;
  return *this;
}

ScriptBuilder& ScriptBuilder::DropCapsule(uint8_t e, bool pending) {
  Step& step = Add(Op::kDropCapsule);
  step.e = e;
  step.pending = pending;
  return *this;
}

ScriptBuilder& ScriptBuilder::CallDeleter(Thread thread, uint8_t e, bool pending) {
  Step& step = Add(Op::kCallDeleter);
  step.e = e;
  step.thread = thread;
  step.pending = pending;
  return *this;
}

ScriptBuilder& ScriptBuilder::DeleterCalls(uint8_t e) {
  Add(Op::kDeleterCalls).e = e;
  return *this;
}

ScriptBuilder& ScriptBuilder::DropArray(uint8_t a) {
  Add(Op::kDropArray).a = a;
  return *this;
}

ScriptBuilder& ScriptBuilder::Collect() {
  Add(Op::kCollect);
  return *this;
}

ScriptBuilder& ScriptBuilder::Churn(uint32_t byte) {
  Add(Op::kChurn).n = byte;
  return *this;
}

ScriptBuilder& ScriptBuilder::RefCount(uint8_t a) {
  Add(Op::kRefCount).a = a;
  return *this;
}

ScriptBuilder& ScriptBuilder::ConsumeMany(uint32_t n, Request request, Name name, uint8_t e,
                                          uint8_t a) {
  Step& step = Add(Op::kConsumeMany);
  step.a = a;
  step.e = e;
  step.n = n;
  step.name = name;
  step.request = request;
  return *this;
}

ScriptBuilder& ScriptBuilder::ConsumeEach(uint32_t n, Request request) {
  ConsumeMany(n, std::move(request), Name::kUsed);
  script_.steps.back().pending = true;
  return *this;
}

ScriptBuilder& ScriptBuilder::ReleaseTogether(uint32_t n, Request request, Thread exports_on) {
  Step& step = Add(Op::kReleaseTogether);
  step.n = n;
  step.thread = exports_on;
  step.request = std::move(request);
  return *this;
}

ScriptBuilder& ScriptBuilder::End() {
  Add(Op::kEnd);
  return *this;
}

ScriptBuilder& ScriptBuilder::Derive(Derived how, uint8_t a, uint8_t from) {
  Step& step = Add(Op::kDerive);
  step.a = a;
  step.e = from;
  step.n = static_cast<uint32_t>(how);
  return *this;
}

ScriptBuilder& ScriptBuilder::ExportMany(uint32_t n, Request request, bool drop_each, uint8_t a) {
  Step& step = Add(Op::kExportMany);
  step.a = a;
  step.n = n;
  step.request = std::move(request);
  step.pending = drop_each;
  return *this;
}

}  // namespace dlpc
