#include "conformance/families.h"

#include <string>
#include <utility>

#include "conformance/family_parts.h"
#include "reference/dtype.h"
#include "reference/layout.h"

namespace dlpc {
namespace {

Script ZooScript(const ArraySpec& spec, const Request& request) {
  return ScriptBuilder(spec)
      .Device()
      .Export(request)
      .Inspect()
      .Read()
      .ReadOwn()
      .DropCapsule()
      .Build();
}

void AddZoo(Family& family, const DTypeRow& dtype, const NamedLayout& layout) {
  ArraySpec spec;
  spec.dtype = dtype.dtype;
  spec.layout = layout.layout;
  for (const Path& path : Paths()) {
    family.push_back(
        {"zoo/" + std::string(dtype.name) + "/" + std::string(layout.name) + "/" + path.name,
         ZooScript(spec, path.request), LayoutTags(spec) | path.tag | kTagCopyAbsent});
  }
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  for (std::string_view candidate : names) {
    if (candidate == name) return true;
  }
  return false;
}

constexpr std::pair<Memory, const char*> kMemories[] = {{Memory::kCpu, "cpu"},
                                                        {Memory::kCuda, "cuda"},
                                                        {Memory::kCudaPinned, "cuda-pinned"},
                                                        {Memory::kCudaManaged, "cuda-managed"},
                                                        {Memory::kRocm, "rocm"},
                                                        {Memory::kRocmPinned, "rocm-pinned"},
                                                        {Memory::kOneApi, "oneapi"},
                                                        {Memory::kExtension, "extension"}};

}  // namespace

const Family& Zoo() {
  static const Family family = [] {
    Family f;
    for (const DTypeRow& dtype : DTypes()) {
      if (!dtype.byte_sized) continue;  // Packed types have rules of their own (DT-08 to DT-11).
      for (const NamedLayout& layout : Layouts()) {
        const bool every_layout = IsOneOf(dtype.name, {"int8", "float32", "complex128"});
        const bool every_dtype =
            IsOneOf(layout.name, {"c-2x3", "sliced-step2", "scalar", "empty-1d"});
        if (every_layout || every_dtype) AddZoo(f, dtype, layout);
      }
    }
    return f;
  }();
  return family;
}

const Family& MemoryKinds() {
  static const Family family = [] {
    Family f;
    for (const auto& [memory, name] : kMemories) {
      for (const Path& path : Paths()) {
        ArraySpec spec = PlainSpec();
        spec.memory = memory;
        f.push_back({std::string("memory/") + name + "/" + path.name, ZooScript(spec, path.request),
                     LayoutTags(spec) | path.tag | kTagCopyAbsent});
      }
    }
    return f;
  }();
  return family;
}

const Family& SameViews() {
  static const Family family = [] {
    Family f;
    for (std::string_view layout :
         {"f-2x3", "sliced-step2", "interior-2d", "columns", "reversed-last", "broadcast-rows"}) {
      for (const Path& path : Paths()) {
        ScriptBuilder builder;
        uint8_t slot = 0;
        for (std::string_view dtype : {"int8", "float32", "complex128"}) {
          ArraySpec spec;
          spec.dtype = FindDType(dtype)->dtype;
          spec.layout = LayoutNamed(layout);
          builder.Make(slot, spec).Export(path.request, slot, slot).Inspect(slot);
          ++slot;
        }
        f.push_back(
            {"same-view/" + std::string(layout) + "/" + path.name, builder.Build(), path.tag});
      }
    }
    return f;
  }();
  return family;
}

const Family& ReadOnlyExports() {
  static const Family family = [] {
    Family f;
    ArraySpec spec = PlainSpec();
    spec.flags = kReadOnly;
    for (const CopyArg& copy : kCopyArgs) {
      for (const Path& path : Paths()) {
        f.push_back({std::string("read-only/") + copy.name + "/" + path.name,
                     ScriptBuilder(spec)
                         .Export(WithCopy(path.request, copy))
                         .Inspect()
                         .Read()
                         .ReadOwn()
                         .Build(),
                     LayoutTags(spec) | path.tag | copy.tag});
      }
    }
    return f;
  }();
  return family;
}

const Family& Copies() {
  static const Family family = [] {
    Family f;
    for (std::string_view layout : {"c-2x3", "f-2x3", "sliced-step2", "offset-1d", "interior-2d",
                                    "reversed-last", "broadcast-rows", "scalar"}) {
      for (std::string_view dtype : {"int8", "float32", "complex128"}) {
        for (const CopyArg& copy : kCopyArgs) {
          for (const Path& path : Paths()) {
            ArraySpec spec;
            spec.dtype = FindDType(dtype)->dtype;
            spec.layout = LayoutNamed(layout);
            f.push_back({"copy/" + std::string(copy.name) + "/" + std::string(dtype) + "/" +
                             std::string(layout) + "/" + path.name,
                         ScriptBuilder(spec)
                             .Export(WithCopy(path.request, copy))
                             .Inspect()
                             .Read()
                             .ReadOwn()
                             .Write(41)
                             .ReadOwn()
                             .Poke(43)
                             .Read()
                             .Build(),
                         LayoutTags(spec) | path.tag | copy.tag});
          }
        }
      }
    }
    return f;
  }();
  return family;
}

const Family& TwoCopies() {
  static const Family family = [] {
    Family f;
    Request request = WithVersion(1, 3);
    request.copy = Arg::kValue;
    request.copy_value = true;
    for (const bool read_only : {false, true}) {
      for (std::string_view layout : {"c-2x3", "sliced-step2", "scalar"}) {
        ArraySpec spec;
        spec.layout = LayoutNamed(layout);
        spec.flags = read_only ? kReadOnly : 0;
        f.push_back({std::string("two-copies/") + (read_only ? "read-only/" : "writable/") +
                         std::string(layout),
                     ScriptBuilder(spec)
                         .Export(request, 0)
                         .Inspect(0)
                         .Export(request, 1)
                         .Inspect(1)
                         .Read(0)
                         .Read(1)
                         .ReadOwn()
                         .Write(41, 0)
                         .Read(1)
                         .ReadOwn()
                         .Build(),
                     LayoutTags(spec) | kTagVersioned | kTagCopyTrue});
      }
    }
    return f;
  }();
  return family;
}

const Family& DeviceRequests() {
  static const Family family = [] {
    struct Target {
      const char* name;
      Arg arg;
      DLDevice device;
      uint32_t tag;
    };
    const Target targets[] = {{"own", Arg::kOwn, {}, kTagOwnRequest},
                              {"cpu-0", Arg::kValue, {kDLCPU, 0}, kTagCpuRequest},
                              {"cpu-1", Arg::kValue, {kDLCPU, 1}, kTagOtherDevice},
                              {"cuda-0", Arg::kValue, {kDLCUDA, 0}, kTagOtherDevice},
                              {"cuda-1", Arg::kValue, {kDLCUDA, 1}, kTagOtherDevice},
                              {"cuda-host-0", Arg::kValue, {kDLCUDAHost, 0}, kTagOtherDevice},
                              {"rocm-0", Arg::kValue, {kDLROCM, 0}, kTagOtherDevice},
                              {"hexagon-0", Arg::kValue, {kDLHexagon, 0}, kTagOtherDevice}};
    Family f;
    for (const auto& [memory, memory_name] : kMemories) {
      for (const Target& target : targets) {
        ArraySpec spec = PlainSpec();
        spec.memory = memory;
        ScriptBuilder builder(spec);
        builder.Device();
        uint8_t slot = 0;
        for (const CopyArg& copy : {kCopyArgs[0], kCopyArgs[3], kCopyArgs[2]}) {
          Request request = WithCopy(WithVersion(1, 3), copy);
          request.device = target.arg;
          request.dl_device = target.device;
          builder.Export(request, slot).Inspect(slot).Read(slot);
          ++slot;
        }
        f.push_back({std::string("dl-device/") + memory_name + "/" + target.name,
                     builder.ReadOwn().Build(), LayoutTags(spec) | kTagVersioned | target.tag});
      }
    }
    return f;
  }();
  return family;
}

const Family& Versions() {
  static const Family family = [] {
    Family f;
    auto add = [&f](const std::string& name, const Request& request, uint32_t tag) {
      f.push_back({"max-version/" + name,
                   ScriptBuilder(PlainSpec())
                       .Export(request, 0)
                       .Inspect(0)
                       .Export(WithVersion(1, 99), 1)
                       .Inspect(1)
                       .Export(WithVersion(2, 0), 2)
                       .Build(),
                   tag});
    };
    add("absent", Request{}, kTagLegacy);
    Request none;
    none.version = Arg::kNone;
    add("none", none, kTagLegacy);
    for (const auto& [major, minor] :
         std::initializer_list<std::pair<uint32_t, uint32_t>>{{0, 0},
                                                              {0, 5},
                                                              {0, 8},
                                                              {1, 0},
                                                              {1, 1},
                                                              {1, 2},
                                                              {1, 3},
                                                              {1, 10},
                                                              {1, 99},
                                                              {2, 0},
                                                              {10, 0},
                                                              {100, 3}}) {
      add(std::to_string(major) + "." + std::to_string(minor), WithVersion(major, minor),
          major == 0 ? kTagLegacy : kTagVersioned);
    }
    return f;
  }();
  return family;
}

const Family& VersionCross() {
  static const Family family = [] {
    struct DeviceArg {
      const char* name;
      Arg arg;
    };
    const DeviceArg devices[] = {{"device-absent", Arg::kAbsent},
                                 {"device-none", Arg::kNone},
                                 {"device-own", Arg::kOwn},
                                 {"device-cpu", Arg::kValue}};
    Family f;
    for (const auto& [major, minor] :
         std::initializer_list<std::pair<uint32_t, uint32_t>>{{0, 8}, {1, 0}, {1, 3}, {2, 0}}) {
      for (const CopyArg& copy : kCopyArgs) {
        for (const DeviceArg& device : devices) {
          Request alone = WithVersion(major, minor);
          Request crossed = WithCopy(alone, copy);
          crossed.device = device.arg;
          crossed.dl_device = {kDLCPU, 0};
          f.push_back({"version-cross/" + std::to_string(major) + "." + std::to_string(minor) +
                           "/" + copy.name + "/" + device.name,
                       ScriptBuilder(PlainSpec()).Export(alone, 0).Export(crossed, 1).Build(),
                       copy.tag | (major == 0 ? kTagLegacy : kTagVersioned)});
        }
      }
    }
    return f;
  }();
  return family;
}

const Family& DeviceQueries() {
  static const Family family = [] {
    Family f;
    for (const auto& [memory, name] : kMemories) {
      ArraySpec spec = PlainSpec();
      spec.memory = memory;
      f.push_back({std::string("device-query/") + name, ScriptBuilder(spec).Device(100).Build(),
                   LayoutTags(spec)});
    }
    return f;
  }();
  return family;
}

const Family& Probes() {
  static const Family family = {
      {"methods", ScriptBuilder(PlainSpec()).Probe().Build(), kTagPlainCpu}};
  return family;
}

const Family& Refusals() {
  static const Family family = [] {
    Family f;
    ArraySpec sharded = PlainSpec();
    sharded.flags = kSharded;
    ArraySpec sharded_cuda = sharded;
    sharded_cuda.memory = Memory::kCuda;
    for (const Path& path : Paths()) {
      f.push_back({std::string("refusal/sharded/") + path.name,
                   ScriptBuilder(sharded).Device().Export(path.request).Build(), path.tag});
      f.push_back({std::string("refusal/sharded-cuda/") + path.name,
                   ScriptBuilder(sharded_cuda).Device().Export(path.request).Build(), path.tag});
      for (uint32_t n = 0; n < 16; ++n) {
        f.push_back({"refusal/" + std::to_string(n) + "/" + path.name,
                     ScriptBuilder().MakeRefusal(0, n).Device().Export(path.request).Build(),
                     path.tag});
      }
    }
    return f;
  }();
  return family;
}

const Family& OddStrides() {
  static const Family family = [] {
    ArraySpec spec;
    spec.layout = Contiguous({3});
    spec.flags = kOddStride;
    return BothPaths("odd-stride", spec, [](ScriptBuilder b, const Request& request) {
      return b.Export(request).Inspect().Read().ReadOwn();
    });
  }();
  return family;
}

const Family& FreshArrays() {
  static const Family family = [] {
    Family f;
    for (const Path& path : Paths()) {
      ScriptBuilder builder;
      // Each array is made while its predecessor is still held, so that it gets other memory.
      for (int i = 0; i < 16; ++i) {
        ArraySpec spec;
        spec.layout = Contiguous({3 + 40 * (i % 4)});
        const auto slot = static_cast<uint8_t>(i % 4);
        builder.Make(slot, spec).Export(path.request, slot, slot).Inspect(slot);
      }
      f.push_back({std::string("fresh-arrays/") + path.name, builder.Build(), path.tag});
    }
    return f;
  }();
  return family;
}

}  // namespace dlpc
