// Scripts that use the C exchange table, and those that compare the ways out of one array.
#include <fmt/format.h>

#include <iterator>

#include "conformance/families.h"
#include "conformance/family_parts.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr uint32_t kMaxRefusals = 16;
constexpr uint32_t kManyBorrows = 500;
constexpr uint32_t kNoSuchDevice = 99;

ArraySpec SpecOf(std::string_view dtype, const Layout& layout) {
  ArraySpec spec;
  spec.dtype = FindDType(dtype)->dtype;
  spec.layout = layout;
  return spec;
}

// Exports: 0 legacy, 1 versioned, 2 by the table; then borrowed.
Script AllPaths(const ArraySpec& spec) {
  return ScriptBuilder(spec)
      .Export(Request{}, 0)
      .Inspect(0)
      .Export(WithVersion(1, 3), 1)
      .Inspect(1)
      .TableExport(2)
      .Inspect(2)
      .TableBorrow()
      .Build();
}

Family MakePathAgreement() {
  Family f;
  const auto add = [&f](std::string name, const ArraySpec& spec) {
    f.push_back({"paths/" + std::move(name), AllPaths(spec), LayoutTags(spec) | kTagVersioned});
  };
  for (const DTypeRow& dtype : DTypes()) {
    if (!dtype.byte_sized) continue;
    for (const char* layout : {"c-2x3", "sliced-step2"}) {
      add(fmt::format("{}/{}", dtype.name, layout), SpecOf(dtype.name, LayoutNamed(layout)));
    }
  }
  for (const NamedLayout& layout : Layouts()) {
    if (layout.name == "c-2x3" || layout.name == "sliced-step2") continue;
    add(fmt::format("float32/{}", layout.name), SpecOf("float32", layout.layout));
  }
  ArraySpec read_only = PlainSpec();
  read_only.flags = kReadOnly;
  add("float32/read-only", read_only);
  return f;
}

Family MakePathRefusals() {
  Family f;
  for (uint32_t n = 0; n < kMaxRefusals; ++n) {
    f.push_back({fmt::format("paths/refusal/{}", n),
                 ScriptBuilder()
                     .MakeRefusal(0, n)
                     .Export(Request{}, 0)
                     .Export(WithVersion(1, 3), 1)
                     .TableExport(2)
                     .TableBorrow()
                     .Build(),
                 kTagVersioned});
  }
  return f;
}

Family MakeAllocations() {
  const struct {
    const char* name;
    ArraySpec spec;
    BadInput fault;
  } kPrototypes[] = {{"float32-2x3", SpecOf("float32", Contiguous({2, 3})), BadInput::kNone},
                     {"int32-scalar", SpecOf("int32", Contiguous({})), BadInput::kNone},
                     {"int8-2x3x4", SpecOf("int8", Contiguous({2, 3, 4})), BadInput::kNone},
                     {"float32-empty", SpecOf("float32", Contiguous({0, 3})), BadInput::kNone},
                     {"bad-dtype", PlainSpec(), BadInput::kDType},
                     {"bad-device", PlainSpec(), BadInput::kDevice},
                     {"bad-extent", PlainSpec(), BadInput::kExtent}};
  constexpr std::pair<Thread, const char*> kThreads[] = {
      {Thread::kLocked, "locked"}, {Thread::kFree, "unlocked"}, {Thread::kForeign, "foreign"}};
  Family f;
  for (const auto& [name, spec, fault] : kPrototypes) {
    for (const auto& [thread, how] : kThreads) {
      f.push_back({fmt::format("table/allocate/{}/{}", name, how),
                   ScriptBuilder(PlainSpec())
                       .TableAllocate(spec, fault, Thread::kLocked, 0)
                       .Inspect(0)
                       .CallDeleter(Thread::kLocked, 0)
                       .TableAllocate(spec, fault, thread, 1)
                       .Build(),
                   (thread == Thread::kLocked ? kTagLocked : 0u) |
                       (fault == BadInput::kNone ? 0u : kTagFault)});
    }
  }
  return f;
}

Family MakeImports() {
  const std::pair<const char*, ArraySpec> kTensors[] = {
      {"float32-2x3", PlainSpec()},
      {"int8-4", SpecOf("int8", Contiguous({4}))},
      {"int32-scalar", SpecOf("int32", Contiguous({}))}};
  Family f;
  for (const auto& [name, spec] : kTensors) {
    f.push_back({fmt::format("table/import/{}", name),
                 ScriptBuilder(PlainSpec())
                     .ReadOwn(0)
                     .TableImport(1, spec)
                     .ReadOwn(1)
                     .DropArray(1)
                     .Collect()
                     .ImportCalls()
                     .Build(),
                 0});
  }
  f.push_back({"table/import/null-context",
               ScriptBuilder(PlainSpec())
                   .ReadOwn(0)
                   .TableImport(1, PlainSpec(), BadInput::kNone, /*no_context=*/true)
                   .ReadOwn(1)
                   .DropArray(1)
                   .Collect()
                   .ImportCalls()
                   .Build(),
               0});
  f.push_back({"table/import/bad-dtype",
               ScriptBuilder(PlainSpec())
                   .TableImport(1, PlainSpec(), BadInput::kDType)
                   .DropArray(1)
                   .Collect()
                   .ImportCalls()
                   .Build(),
               kTagFault});
  return f;
}

// An array of a CUDA device beside one of the CPU, which tells whether there is a table at all.
ScriptBuilder OnCuda() {
  return ScriptBuilder(PlainSpec())
      .Table()
      .Make(1, PlainSpec(Memory::kCuda))
      .UseStream(StreamUse::kChange, 1);
}

}  // namespace

const Family& PathAgreement() {
  static const Family family = MakePathAgreement();
  return family;
}
const Family& PathRefusals() {
  static const Family family = MakePathRefusals();
  return family;
}
const Family& TableLookups() {
  static const Family family = {{"table/look-up",
                                 ScriptBuilder(PlainSpec())
                                     .Table(/*subclass=*/true)
                                     .Make(1, SpecOf("int32", Contiguous({4})))
                                     .Table(false, 1)
                                     .DropArray(0)
                                     .Collect()
                                     .Table(false, 1)
                                     .Build(),
                                 0}};
  return family;
}
const Family& TableAllocations() {
  static const Family family = MakeAllocations();
  return family;
}
const Family& TableImports() {
  static const Family family = MakeImports();
  return family;
}
const Family& TableBorrows() {
  static const Family family = {
      {"table/borrow-many", ScriptBuilder(PlainSpec()).TableBorrow(kManyBorrows).Build(), 0}};
  return family;
}
const Family& TableStreams() {
  static const Family family = {
      {"table/stream/cpu", ScriptBuilder(PlainSpec()).TableStream(kDLCPU).Build(), kTagPlainCpu},
      {"table/stream/cuda", ScriptBuilder(PlainSpec()).TableStream(kDLCUDA).Build(), 0},
      {"table/stream/unknown", ScriptBuilder(PlainSpec()).TableStream(kNoSuchDevice).Build(), 0}};
  return family;
}
const Family& TableWrongObjects() {
  static const Family family = {{"table/wrong-object",
                                 ScriptBuilder(PlainSpec())
                                     .TableExport(0, 0, BadInput::kObject)
                                     .TableBorrow(1, 0, BadInput::kObject)
                                     .Build(),
                                 0}};
  return family;
}
const Family& TableCurrentStream() {
  static const Family family = {
      {"table/cuda-stream", OnCuda().TableStream(kDLCUDA, 1).Build(), kTagNeedsCuda}};
  return family;
}
const Family& TableNoSync() {
  static const Family family = {{"table/cuda-no-sync",
                                 OnCuda()
                                     .UseStream(StreamUse::kWork, 1)
                                     .UseStream(StreamUse::kIsOver, 1)
                                     .TableExport(0, 1)
                                     .TableBorrow(1, 1)
                                     .UseStream(StreamUse::kIsOver, 1)
                                     .Build(),
                                 kTagNeedsCuda}};
  return family;
}

}  // namespace dlpc
