// Readable construction of scripts.
#include <algorithm>
#include <utility>

#include "harness/script.h"

namespace dlpc {

ScriptBuilder::ScriptBuilder(ArraySpec spec) { Make(0, std::move(spec)); }
ScriptBuilder::ScriptBuilder() = default;

Step& ScriptBuilder::Add(Op op) {
  Step& step = script_.steps.emplace_back();
  step.op = op;
  return step;
}

uint8_t ScriptBuilder::Spec(ArraySpec spec) {
  Normalize(spec);
  auto& specs = script_.specs;
  const auto found = std::find(specs.begin(), specs.end(), spec);
  const auto index = static_cast<uint8_t>(found - specs.begin());
  if (found == specs.end()) specs.push_back(std::move(spec));
  return index;
}

ScriptBuilder& ScriptBuilder::Make(uint8_t a, ArraySpec spec) {
  const uint8_t index = Spec(std::move(spec));
  Step& step = Add(Op::kMake);
  step.a = a;
  step.spec = index;
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

ScriptBuilder& ScriptBuilder::Table(bool subclass, uint8_t a) {
  Step& step = Add(Op::kTable);
  step.a = a;
  step.pending = subclass;
  return *this;
}

ScriptBuilder& ScriptBuilder::TableExport(uint8_t e, uint8_t a, BadInput bad) {
  Step& step = Add(Op::kTableExport);
  step.a = a;
  step.e = e;
  step.bad = bad;
  return *this;
}

ScriptBuilder& ScriptBuilder::TableBorrow(uint32_t n, uint8_t a, BadInput bad) {
  Step& step = Add(Op::kTableBorrow);
  step.a = a;
  step.n = n;
  step.bad = bad;
  return *this;
}

ScriptBuilder& ScriptBuilder::TableAllocate(ArraySpec spec, BadInput bad, Thread thread,
                                            uint8_t e) {
  const uint8_t index = Spec(std::move(spec));
  Step& step = Add(Op::kTableAllocate);
  step.e = e;
  step.spec = index;
  step.bad = bad;
  step.thread = thread;
  return *this;
}

ScriptBuilder& ScriptBuilder::TableStream(uint32_t device_type, uint8_t a) {
  Step& step = Add(Op::kTableStream);
  step.a = a;
  step.n = device_type;
  return *this;
}

ScriptBuilder& ScriptBuilder::TableImport(uint8_t to, ArraySpec spec, BadInput bad,
                                          bool no_context) {
  const uint8_t index = Spec(std::move(spec));
  Step& step = Add(Op::kTableImport);
  step.e = to;
  step.spec = index;
  step.bad = bad;
  step.pending = no_context;
  return *this;
}

ScriptBuilder& ScriptBuilder::ImportCalls() {
  Add(Op::kImportCalls);
  return *this;
}

ScriptBuilder& ScriptBuilder::UseStream(StreamUse use, uint8_t a) {
  Step& step = Add(Op::kUseStream);
  step.a = a;
  step.n = static_cast<uint32_t>(use);
  return *this;
}

}  // namespace dlpc
