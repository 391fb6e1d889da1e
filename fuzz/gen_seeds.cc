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
  int twin = 0;  // Each script with a few of them.
  for (const auto& [name, script] : dlpc::Scripts()) {
    const std::string bytes = std::string(1, static_cast<char>(twin)) + dlpc::EncodeScript(script);
    written = dlpc::Write(folder / "twins", name, bytes) && written;
    twin += 5;
  }
  for (const auto& tensor : dlpc::Tensors()) {
    written = dlpc::Write(folder / "tensor_check", tensor.name, Encoded(tensor)) && written;
  }
  for (const auto& [target, name, bytes] : dlpc::OtherSeeds()) {
    written = dlpc::Write(folder / target, name, bytes) && written;
  }
  return written ? 0 : 1;
}
