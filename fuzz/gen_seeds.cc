// Writes the named seeds of every corpus from valid objects: gen_seeds fuzz/corpus. To be run again
// when an input format changes.
#include "fuzz/gen_seeds.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/script.h"
#include "reference/dtype.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

bool Write(const std::filesystem::path& folder, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / name, std::ios::binary);
  file << bytes;
  return static_cast<bool>(file);
}

ArraySpec SpecOf(const std::vector<int64_t>& shape, std::string_view dtype = "float32") {
  ArraySpec spec;
  spec.dtype = FindDType(dtype)->dtype;
  spec.layout = Contiguous(shape);
  return spec;
}

struct NamedScript {
  std::string name;
  Script script;
};

/// One script for each way a consumer uses a producer, and one for each layout of the matrix.
std::vector<NamedScript> Scripts() {
  const Request versioned = WithVersion(1, 3);
  Request copy = versioned;
  copy.copy = Arg::kValue;
  copy.copy_value = true;
  std::vector<NamedScript> scripts = {
      {"export_legacy", ScriptBuilder(SpecOf({2, 3})).Export().Inspect().Read().Build()},
      {"export_copy", ScriptBuilder(SpecOf({4})).Export(copy).Inspect().Write(7).ReadOwn().Build()},
      {"consume_free_thread", ScriptBuilder(SpecOf({8}))
                                  .Export(versioned)
                                  .Interpose()
                                  .Rename(Name::kUsed)
                                  .DropCapsule()
                                  .DropArray()
                                  .Churn(0xAA)
                                  .Read()
                                  .CallDeleter(Thread::kForeign)
                                  .DeleterCalls()
                                  .Build()},
      {"drop_unconsumed", ScriptBuilder(SpecOf({3}))
                              .Export(versioned)
                              .Interpose()
                              .DropCapsule(0, true)
                              .DeleterCalls()
                              .RefCount()
                              .Build()},
      {"write_both_ways",
       ScriptBuilder(SpecOf({5})).Export(versioned).Write(3).ReadOwn().Poke(4).Read().Build()},
      {"export_many",
       ScriptBuilder(SpecOf({1})).ExportMany(20, versioned, false).Collect().Build()},
      {"device_and_probe", ScriptBuilder(SpecOf({})).Probe().Device(5).MakeRefusal(1, 0).Build()},
  };
  for (const NamedLayout& layout : Layouts()) {
    ArraySpec spec;
    spec.layout = layout.layout;
    scripts.push_back({"layout_" + std::string(layout.name),
                       ScriptBuilder(spec).Export(versioned).Inspect().Read().Build()});
  }
  return scripts;
}

ArraySpec SpecOf(const Layout& layout, std::string_view dtype, Memory memory, uint8_t flags = 0) {
  ArraySpec spec;
  spec.dtype = FindDType(dtype)->dtype;
  spec.layout = layout;
  spec.memory = memory;
  spec.flags = flags;
  return spec;
}

// Odd arguments, streams, imports, the ways around refusals.
Script ThirdTwinScript() {
  ScriptBuilder b(SpecOf(Contiguous({4}), "float32", Memory::kCuda));
  for (int odd = 0; odd < static_cast<int>(Odd::kCount_); ++odd) {
    Request request = WithVersion(1, 3);
    (odd % 4 == 0   ? request.version
     : odd % 4 == 1 ? request.copy
     : odd % 4 == 2 ? request.device
                    : request.stream) = Arg::kOdd;
    request.odd = static_cast<Odd>(odd);
    b.Export(request);
  }
  for (const int64_t stream : {-2, -1, 0, 1, 2, 3}) {
    Request request = WithVersion(1, 3);
    request.stream = Arg::kValue;
    request.stream_value = stream;
    b.Export(request);
  }
  for (const Extra extra : {Extra::kUnknownKeyword, Extra::kPositional}) {
    Request request = WithVersion(1, 3);
    request.extra = extra;
    b.Export(request);
  }
  Request to_cpu = WithVersion(1, 3);
  to_cpu.copy = to_cpu.device = Arg::kValue;  // Without a copy.
  to_cpu.dl_device = {kDLCPU, 0};
  b.Export(to_cpu)
      .UseStream(StreamUse::kConsumer)
      .UseStream(StreamUse::kChange)
      .UseStream(StreamUse::kWork);
  b.Derive(Derived::kImported, 1).Export(WithVersion(1, 3), 1, 1).Inspect(1);
  for (const uint32_t refusal : {5u, 7u, 8u, 9u}) {
    b.MakeRefusal(2, refusal).Derive(Derived::kRemedied, 3, 2).Export({}, 2, 3).ReadOwn(3);
  }
  for (const uint32_t refusal : {3u, 5u, 6u, 8u}) {
    b.MakeRefusal(2, refusal).Export(WithVersion(1, 3), 2, 2);
  }
  b.Make(3, SpecOf(Contiguous({2}), "bool", Memory::kCpu)).Export(WithVersion(1, 3), 2, 3);
  const ArraySpec plain = SpecOf(Contiguous({2, 3}), "int16", Memory::kCpu);
  b.Make(0, plain).TableAllocate(plain, BadInput::kNone, Thread::kLocked, 3).Inspect(3);
  return b.TableExport(3, 0, BadInput::kObject).TableBorrow(2).Build();
}

// Everything that most twins do wrong: calls with each argument, structs, deleters, capsules of
// foreign names; refusals, subclasses, the table.
Script TwinScript(int which) {
  if (which == 2) return ThirdTwinScript();
  const Layout view{{{3, 0, 3, 1}, {1, 0, 1, 1}, {4, 1, 2, 2}}, {2, 1, 0}};
  const ArraySpec cpu = SpecOf(view, "float32", Memory::kCpu);
  Request copy = WithVersion(1, 3), own = copy, gpu = copy, text = copy, none = copy;
  copy.copy = Arg::kValue;
  copy.copy_value = true;
  own.device = Arg::kOwn;
  gpu.device = Arg::kValue;
  gpu.dl_device = {kDLCUDA, 0};
  text.device = Arg::kOdd;
  none.stream = none.copy = Arg::kNone;
  if (which == 0) {
    ScriptBuilder b(cpu);
    for (const Request& request :
         {Request{}, WithVersion(1, 3), WithVersion(0, 8), WithVersion(2, 0), WithVersion(1, 20),
          copy, own, gpu, text, none, WithVersion(1, 3)}) {
      b.Export(request).Inspect().Read();
    }
    b.Interpose().Rename(Name::kForeign).DropCapsule().Export({}, 1).Interpose(1);
    b.Rename(Name::kUsed, 1).DropCapsule(1).CallDeleter(Thread::kFree, 1, true).DeleterCalls(1);
    b.Export(copy, 2).Rename(Name::kUsed, 2).DropCapsule(2).CallDeleter(Thread::kLocked, 2);
    return b.Device(2).RefCount().DropArray().Build();
  }
  ScriptBuilder b(SpecOf(Contiguous({2, 3}), "int4", Memory::kCpu));
  b.Export(WithVersion(1, 3)).Inspect().Export(copy).Read().Make(1, cpu);
  b.Make(1, SpecOf(Contiguous({4}), "bool", Memory::kCudaManaged, kSharded)).Device(1, 1);
  b.Export(WithVersion(1, 3), 1, 1).Inspect(1).MakeRefusal(1, 0).Export({}, 1, 1);
  for (const uint32_t refusal : {1u, 2u, 4u, 7u, 9u}) {
    b.MakeRefusal(2, refusal).Export(WithVersion(1, 3), 2, 2).Inspect(2).Export({}, 2, 2);
  }
  b.Make(3, SpecOf(Contiguous({0, 3}), "float8_e5m2", Memory::kRocmPinned)).Device(1, 3);
  b.Export(WithVersion(1, 3), 3, 3).Inspect(3).Export(gpu, 3, 3).Derive(Derived::kSubclass, 2, 3);
  b.Export(WithVersion(1, 3), 3, 2).Table().TableExport(1).TableBorrow().TableStream(2);
  b.TableAllocate(cpu, BadInput::kDType, Thread::kLocked, 2);
  return b.TableImport(1, cpu).TableImport(1, cpu, BadInput::kExtent).ImportCalls().Build();
}

struct NamedTensor {
  std::string name;
  uint8_t knobs;  // See Input in property_tensor_check.cc.
  DLDataType dtype;
  std::vector<int> shape, strides;  // Each from -4 to 11.
};

std::string Encoded(const NamedTensor& tensor) {
  const auto rank = static_cast<uint8_t>(tensor.shape.size());
  std::string bytes;
  constexpr int kAnyType = 255;
  for (const int byte : {int{tensor.knobs}, 1, 3, 0, int{rank}, kAnyType, int{tensor.dtype.code},
                         int{tensor.dtype.bits}, int{tensor.dtype.lanes}, int{kDLCPU}, 0}) {
    bytes += static_cast<char>(byte);
  }
  bytes += std::string("\0\x10\0\0\0\0\0\0", 8);  // data
  bytes += std::string(2, '\0');                  // byte_offset
  for (const auto* numbers : {&tensor.shape, &tensor.strides}) {
    for (const int number : *numbers) bytes += static_cast<char>(number + 4);
  }
  return bytes;
}

std::vector<NamedTensor> Tensors() {
  const DLDataType f32{kDLFloat, 32, 1};
  return {
      {"contiguous", 1, f32, {2, 3}, {3, 1}},    {"transposed", 1, f32, {3, 2}, {1, 3}},
      {"negative_stride", 1, f32, {4}, {-1}},    {"broadcast", 1, f32, {4, 3}, {0, 1}},
      {"empty", 1, f32, {0, 3}, {3, 1}},         {"scalar", 1, f32, {}, {}},
      {"null_strides", 16, f32, {2, 2}, {}},     {"null_shape", 8, f32, {}, {1}},
      {"four_bit", 1, {kDLInt, 4, 1}, {4}, {1}}, {"lanes", 1, {kDLFloat, 32, 4}, {2, 2}, {2, 1}},
      {"overlap", 1, f32, {3, 3}, {2, 1}},       {"bad_dtype", 1, {99, 0, 0}, {2}, {1}},
  };
}

}  // namespace
}  // namespace dlpc

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gen_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  bool written = true;
  for (const auto& [name, script] : dlpc::Scripts()) {
    written = dlpc::Write(folder / "script", name, dlpc::EncodeScript(script)) && written;
  }
  int twin = 0;  // See PropertyTwins.
  for (const dlpc::MutantRow& row : dlpc::Mutants()) {
    if (row.breaks_memory) continue;
    const std::string number(1, static_cast<char>(twin++));
    const std::string name(row.name);
    for (int i = 0; i < 3; ++i) {
      const std::string bytes = number + dlpc::EncodeScript(dlpc::TwinScript(i));
      const std::string file = name + "-" + std::to_string(i + 1);
      written = dlpc::Write(folder / "twins", file, bytes) && written;
    }
  }
  for (const auto& tensor : dlpc::Tensors()) {
    written = dlpc::Write(folder / "tensor_check", tensor.name, Encoded(tensor)) && written;
  }
  for (const auto& [target, name, bytes] : dlpc::OtherSeeds()) {
    written = dlpc::Write(folder / target, name, bytes) && written;
  }
  return written ? 0 : 1;
}
