// Scripts that use streams of a device.
#include "conformance/families.h"
#include "conformance/family_parts.h"

namespace dlpc {
namespace {

Request OnStream(int64_t stream) {
  Request request = WithVersion(1, 3);
  request.stream = Arg::kValue;
  request.stream_value = stream;
  return request;
}

Request OnNone() {
  Request request = WithVersion(1, 3);
  request.stream = Arg::kNone;
  return request;
}

// The work runs on a stream of its own, which waits for no other: only the export can order it.
ScriptBuilder WhileWorking() {
  return ScriptBuilder(PlainSpec(Memory::kCuda))
      .UseStream(StreamUse::kConsumer)
      .UseStream(StreamUse::kChange)
      .UseStream(StreamUse::kWork);
}

Family MakeStreamOrders() {
  const struct {
    const char* name;
    Request request;
    StreamUse idle;
  } kRows[] = {{"none", OnNone(), StreamUse::kLegacyIdle},
               {"legacy", OnStream(1), StreamUse::kLegacyIdle},
               {"per-thread", OnStream(2), StreamUse::kThreadIdle},
               {"handle", OnStream(kConsumersStream), StreamUse::kConsumerIdle}};
  Family f;
  for (const auto& [name, request, idle] : kRows) {
    f.push_back({"stream/order/" + std::string(name),
                 WhileWorking()
                     .UseStream(StreamUse::kIsOver)
                     .Export(request)
                     .UseStream(idle)
                     .UseStream(StreamUse::kIsOver)
                     .UseStream(StreamUse::kEndConsumer)
                     .Build(),
                 kTagVersioned | kTagNeedsCuda});
  }
  return f;
}

Request StrayQueue() {
  Request request = WithVersion(1, 3);
  request.stream = Arg::kOdd;
  request.odd = Odd::kObject;
  return request;
}

}  // namespace

const Family& StreamOrders() {
  static const Family family = MakeStreamOrders();
  return family;
}
const Family& StreamKept() {
  static const Family family = {{"stream/kept",
                                 WhileWorking()
                                     .Export(OnStream(kConsumersStream))
                                     .UseStream(StreamUse::kEndConsumer)
                                     .Rename(Name::kUsed)
                                     .DropCapsule()
                                     .CallDeleter()
                                     .Build(),
                                 kTagVersioned | kTagNeedsCuda}};
  return family;
}
const Family& StreamImports() {
  static const Family family = [] {
    Family f;
    for (const Memory memory : {Memory::kCuda, Memory::kRocm}) {
      f.push_back({"stream/import/" + std::string(MemoryName(memory)),
                   ScriptBuilder(PlainSpec(memory))
                       .Derive(Derived::kWrapper, 1)
                       .Derive(Derived::kImported, 2, 1)
                       .Build(),
                   0});
    }
    return f;
  }();
  return family;
}
const Family& StrayQueues() {
  static const Family family = {
      {"stream/oneapi/stray-queue",
       ScriptBuilder(PlainSpec(Memory::kOneApi)).Export(StrayQueue()).Build(), kTagVersioned}};
  return family;
}

}  // namespace dlpc
