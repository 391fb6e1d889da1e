// Families of the areas PROTO, DT, ERR and STREAM.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/families.h"
#include "conformance/family_parts.h"
#include "reference/dtype.h"
#include "reference/layout.h"

namespace dlpc {
namespace {

// One way to give a keyword: a name for case ids and what it does to the request.
struct Choice {
  std::string name;
  void (*apply)(Request&, int64_t, int64_t);
  int64_t first = 0;
  int64_t second = 0;
};

constexpr auto kNothing = [](Request&, int64_t, int64_t) {};

const std::vector<Choice>& VersionChoices() {
  constexpr auto kPair = [](Request& r, int64_t major, int64_t minor) {
    r.version = Arg::kValue;
    r.max_version = {static_cast<uint32_t>(major), static_cast<uint32_t>(minor)};
  };
  static const std::vector<Choice> choices = {
      {"version-absent", kNothing},
      {"version-none", [](Request& r, int64_t, int64_t) { r.version = Arg::kNone; }},
      {"version-0.8", kPair, 0, 8},
      {"version-1.0", kPair, 1, 0},
      {"version-1.3", kPair, 1, 3},
      {"version-1.99", kPair, 1, 99},
      {"version-2.0", kPair, 2, 0}};
  return choices;
}

const std::vector<Choice>& CopyChoices() {
  constexpr auto kBool = [](Request& r, int64_t value, int64_t) {
    r.copy = Arg::kValue;
    r.copy_value = value != 0;
  };
  static const std::vector<Choice> choices = {
      {"copy-absent", kNothing},
      {"copy-none", [](Request& r, int64_t, int64_t) { r.copy = Arg::kNone; }},
      {"copy-true", kBool, 1},
      {"copy-false", kBool, 0}};
  return choices;
}

void SetDevice(Request& r, int64_t type, int64_t id) {
  r.device = Arg::kValue;
  r.dl_device = {static_cast<DLDeviceType>(type), static_cast<int32_t>(id)};
}

const std::vector<Choice>& DeviceChoices() {
  static const std::vector<Choice> choices = {
      {"device-absent", kNothing},
      {"device-none", [](Request& r, int64_t, int64_t) { r.device = Arg::kNone; }},
      {"device-own", [](Request& r, int64_t, int64_t) { r.device = Arg::kOwn; }},
      {"device-cpu-0", SetDevice, kDLCPU, 0},
      {"device-cpu-5", SetDevice, kDLCPU, 5},
      {"device-cuda-0", SetDevice, kDLCUDA, 0},
      {"device-16-0", SetDevice, 16, 0},
      {"device-99-0", SetDevice, 99, 0}};
  return choices;
}

void SetStream(Request& r, int64_t value, int64_t) {
  r.stream = Arg::kValue;
  r.stream_value = value;
}

const std::vector<Choice>& StreamChoices() {
  static const std::vector<Choice> choices = {
      {"stream-absent", kNothing},
      {"stream-none", [](Request& r, int64_t, int64_t) { r.stream = Arg::kNone; }},
      {"stream-minus-2", SetStream, -2},
      {"stream-minus-1", SetStream, -1},
      {"stream-0", SetStream, 0},
      {"stream-1", SetStream, 1},
      {"stream-2", SetStream, 2},
      {"stream-12345", SetStream, 12345}};
  return choices;
}

void Apply(const Choice& choice, Request& request) {
  choice.apply(request, choice.first, choice.second);
}

Family MakeNegotiation() {
  Family f;
  for (const Choice& version : VersionChoices()) {
    for (const Choice& copy : CopyChoices()) {
      for (const Choice& device : DeviceChoices()) {
        for (const Choice& stream : StreamChoices()) {
          Request request;
          for (const Choice* choice : {&version, &copy, &device, &stream}) Apply(*choice, request);
          f.push_back({fmt::format("negotiation/{}/{}/{}/{}", version.name, copy.name, device.name,
                                   stream.name),
                       WithControl(request, &Request::stream),
                       request.version == Arg::kValue && request.max_version.major > 0
                           ? kTagVersioned
                           : kTagLegacy});
        }
      }
    }
  }
  return f;
}

constexpr std::pair<Memory, const char*> kStreamMemories[] = {
    {Memory::kCpu, "cpu"}, {Memory::kCuda, "cuda"}, {Memory::kRocm, "rocm"}};

Family MakeStreams() {
  std::vector<Choice> choices = StreamChoices();
  for (const auto& [name, odd] :
       {std::pair{"stream-string", Odd::kString}, std::pair{"stream-strings", Odd::kStrings},
        std::pair{"stream-object", Odd::kObject}}) {
    choices.push_back({name,
                       [](Request& r, int64_t value, int64_t) {
                         r.stream = Arg::kOdd;
                         r.odd = static_cast<Odd>(value);
                       },
                       static_cast<int64_t>(odd)});
  }
  Family f;
  for (const auto& [memory, name] : kStreamMemories) {
    for (const Choice& stream : choices) {
      Request request = WithVersion(1, 3);
      Apply(stream, request);
      f.push_back({fmt::format("stream/{}/{}", name, stream.name),
                   ScriptBuilder(PlainSpec(memory)).Export(request).Build(), kTagVersioned});
    }
  }
  return f;
}

Family MakeStreamTargets() {
  Family f;
  for (const auto& [memory, name] : {kStreamMemories[1], kStreamMemories[2]}) {
    for (const Choice& stream : StreamChoices()) {
      Request request = WithVersion(1, 3);
      SetDevice(request, kDLCPU, 0);
      Apply(stream, request);
      ScriptBuilder builder(PlainSpec(memory));
      builder.Export(request).Inspect().Read().ReadOwn();
      if (request.stream == Arg::kValue) builder.ExportMany(100, request, /*drop_each=*/true);
      f.push_back(
          {fmt::format("stream-target/{}/{}", name, stream.name), builder.Build(), kTagVersioned});
    }
  }
  return f;
}

Family MakeOwnDevice() {
  constexpr std::pair<Memory, const char*> kMemories[] = {{Memory::kCpu, "cpu"},
                                                          {Memory::kCuda, "cuda"},
                                                          {Memory::kCudaPinned, "cuda-pinned"},
                                                          {Memory::kCudaManaged, "cuda-managed"},
                                                          {Memory::kRocm, "rocm"},
                                                          {Memory::kOneApi, "oneapi"},
                                                          {Memory::kExtension, "extension"}};
  Family f;
  for (const auto& [memory, name] : kMemories) {
    for (const Path& path : Paths()) {
      Request own = path.request;
      own.device = Arg::kOwn;
      ScriptBuilder builder(PlainSpec(memory));
      builder.Export(path.request, 0).Inspect(0).Export(own, 1).Inspect(1);
      if (memory == Memory::kCpu) {
        Request pair = path.request;
        SetDevice(pair, kDLCPU, 0);
        builder.Export(pair, 2).Inspect(2);
      }
      f.push_back({fmt::format("own-device/{}/{}", name, path.name), builder.Build(), path.tag});
    }
  }
  return f;
}

Family MakeWholeSyntax() {
  Request none;
  none.version = none.copy = none.device = none.stream = Arg::kNone;
  Request versioned = none;
  versioned.version = Arg::kValue;
  versioned.max_version = {1, 3};
  return {{"whole-syntax",
           ScriptBuilder(PlainSpec())
               .Probe()
               .Device()
               .Export(Request{}, 0)
               .Export(none, 1)
               .Export(versioned, 2)
               .Build(),
           0}};
}

Family MakeTwoExports() {
  Family f;
  for (const Path& path : Paths()) {
    for (const uint8_t consumed : {uint8_t{0}, uint8_t{1}}) {
      const auto dropped = static_cast<uint8_t>(1 - consumed);
      ScriptBuilder builder(PlainSpec());
      builder.Export(path.request, 0).Export(path.request, 1).Interpose(0).Interpose(1);
      builder.Inspect(dropped).Rename(Name::kUsed, consumed);
      builder.CallDeleter(Thread::kLocked, consumed).Inspect(dropped);
      builder.DeleterCalls(consumed).DeleterCalls(dropped);
      builder.DropCapsule(dropped).DropCapsule(consumed);
      builder.DeleterCalls(consumed).DeleterCalls(dropped);
      f.push_back(
          {fmt::format("two-exports/{}-consumed/{}", consumed == 0 ? "first" : "second", path.name),
           builder.Build(), path.tag});
    }
  }
  return f;
}

Family MakeSourceAfterwards() {
  Family f;
  for (const Path& path : Paths()) {
    f.push_back({std::string("source-afterwards/") + path.name,
                 ScriptBuilder(PlainSpec())
                     .ReadOwn()
                     .Export(path.request, 0)
                     .ReadOwn()
                     .Rename(Name::kUsed, 0)
                     .CallDeleter(Thread::kLocked, 0)
                     .DropCapsule(0)
                     .ReadOwn()
                     .Export(path.request, 1)
                     .DropCapsule(1)
                     .ReadOwn()
                     .Build(),
                 path.tag});
  }
  return f;
}

Family MakeArrayApiDTypes() {
  Family f;
  for (const DTypeRow& row : DTypes()) {
    if (!row.array_api) continue;
    ArraySpec spec = PlainSpec();
    spec.dtype = row.dtype;
    f.push_back({"array-api-dtype/" + std::string(row.name),
                 ScriptBuilder(spec).Export(Request{}, 0).Export(WithVersion(1, 3), 1).Build(), 0});
  }
  return f;
}

Family MakePackedTypes() {
  Family f;
  for (const DTypeRow& row : DTypes()) {
    if (row.byte_sized) continue;
    for (const auto& [name, shape] :
         std::initializer_list<std::pair<const char*, std::vector<int64_t>>>{
             {"c-2x3", {2, 3}}, {"c-5", {5}}, {"c-16", {16}}}) {
      for (const Path& path : Paths()) {
        ArraySpec spec;
        spec.dtype = row.dtype;
        spec.layout = Contiguous(shape);
        f.push_back(
            {fmt::format("packed/{}/{}/{}", row.name, name, path.name),
             ScriptBuilder(spec).Device().Export(path.request).Inspect().Read().ReadOwn().Build(),
             path.tag});
      }
    }
  }
  return f;
}

Family MakeRefusedThenServed() {
  Family f;
  for (const Path& path : Paths()) {
    Request device = path.request, stream = path.request, keyword = path.request;
    SetDevice(device, 99, 0);
    SetStream(stream, 12345, 0);
    keyword.extra = Extra::kUnknownKeyword;
    for (const auto& [name, refused] :
         {std::pair{"device-99", device}, std::pair{"stream-12345", stream},
          std::pair{"unknown-keyword", keyword}}) {
      f.push_back({fmt::format("refused-then-served/{}/{}", name, path.name),
                   ScriptBuilder(PlainSpec())
                       .Export(path.request, 0)
                       .Inspect(0)
                       .Read(0)
                       .Export(refused, 1)
                       .RefCount()
                       .ExportMany(100, refused, /*drop_each=*/true)
                       .RefCount()
                       .Export(path.request, 2)
                       .Inspect(2)
                       .Read(2)
                       .Build(),
                   path.tag});
    }
  }
  return f;
}

}  // namespace

const Family& Negotiation() {
  static const Family family = MakeNegotiation();
  return family;
}
const Family& Streams() {
  static const Family family = MakeStreams();
  return family;
}
const Family& StreamTargets() {
  static const Family family = MakeStreamTargets();
  return family;
}
const Family& OwnDevice() {
  static const Family family = MakeOwnDevice();
  return family;
}
const Family& WholeSyntax() {
  static const Family family = MakeWholeSyntax();
  return family;
}
const Family& TwoExports() {
  static const Family family = MakeTwoExports();
  return family;
}
const Family& SourceAfterwards() {
  static const Family family = MakeSourceAfterwards();
  return family;
}
const Family& ArrayApiDTypes() {
  static const Family family = MakeArrayApiDTypes();
  return family;
}
const Family& PackedTypes() {
  static const Family family = MakePackedTypes();
  return family;
}
const Family& RefusedThenServed() {
  static const Family family = MakeRefusedThenServed();
  return family;
}

}  // namespace dlpc
