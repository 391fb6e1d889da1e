// A plug-in (dlpc/producer.h) whose every answer is the fuzzer's: statuses, texts, structs, facts.
#include <array>
#include <cstring>
#include <list>
#include <memory>
#include <string>

#include "fuzz/properties.h"
#include "harness/hosts/native_backend.h"
#include "harness/input_reader.h"
#include "harness/machine.h"

struct dlpc_array {
  int unused;
};

namespace dlpc {
namespace {

// What the plug-in has to say and what was done to it. The plug-in's functions are C: one of them
// at a time.
struct Plugin {
  InputReader reader{{}};
  std::array<int64_t, 8> numbers{};     // Shapes and strides.
  std::array<uint8_t, 256> elements{};  // Data.
  std::string claims, name;
  dlpc_array array{};
  int made = 0, released = 0;
  int exported = 0, deleted = 0, deleted_again = 0;
  std::list<DLManagedTensor> legacy;
  std::list<DLManagedTensorVersioned> versioned;
};
Plugin* plugin = nullptr;

dlpc_status Answer(char* message, size_t size) {
  const auto tag = plugin->reader.Take<uint8_t>();
  if (tag < 160) return DLPC_OK;
  if (tag < 200) std::memset(message, 'x', size);  // Not terminated.
  if (tag < 220) std::memset(message, tag, size / 2);
  return tag >= 250 ? plugin->reader.Take<int32_t>() : tag % 6;
}

void FillIn(DLTensor& tensor) {
  InputReader& reader = plugin->reader;
  const auto knobs = reader.Take<uint8_t>();
  for (int64_t& number : plugin->numbers) number = reader.TakeExtent();
  tensor.ndim = knobs % 8 == 7 ? reader.Take<int32_t>() : knobs % 5;
  tensor.dtype = {reader.Take<uint8_t>(), reader.Take<uint8_t>(), reader.Take<uint8_t>()};
  if ((knobs & 32) == 0) tensor.dtype = {kDLFloat, 32, 1};
  tensor.device = {static_cast<DLDeviceType>(reader.Take<uint8_t>() % 8), 0};
  tensor.byte_offset = reader.Take<uint8_t>();
  tensor.data = plugin->elements.data();
  if ((knobs & 64) != 0) tensor.data = reinterpret_cast<void*>(reader.Take<uint64_t>() | 1 << 20);
  if ((knobs & 128) != 0) tensor.data = nullptr;
  tensor.shape = reader.Take<uint8_t>() >= 240 ? nullptr : plugin->numbers.data();
  tensor.strides = reader.Take<uint8_t>() >= 240 ? nullptr : plugin->numbers.data() + 4;
}

template <typename Managed>
void Delete(Managed* managed) {
  if (managed->manager_ctx == nullptr) ++plugin->deleted_again;
  managed->manager_ctx = nullptr;
  ++plugin->deleted;
}

template <typename Managed>
Managed* Give(std::list<Managed>& all) {
  Managed& managed = all.emplace_back();
  FillIn(managed.dl_tensor);
  managed.manager_ctx = plugin;
  managed.deleter = Delete<Managed>;
  ++plugin->exported;
  return &managed;
}

NativeApi Api() {
  NativeApi api;
  api.abi_version = [] { return uint32_t{DLPC_PRODUCER_ABI}; };
  api.info = [](dlpc_producer_info* info) {
    const auto knobs = plugin->reader.Take<uint8_t>();
    info->name = (knobs & 1) != 0 ? nullptr : plugin->name.c_str();
    info->claims_json = (knobs & 2) != 0 ? plugin->claims.c_str() : nullptr;
  };
  api.make = [](const dlpc_spec*, dlpc_array** array, char* message, size_t size) {
    const dlpc_status status = Answer(message, size);
    if (plugin->reader.Take<uint8_t>() >= 250) return status;  // Without an array.
    *array = &plugin->array;
    if (status == DLPC_OK) ++plugin->made;
    return status;
  };
  api.release = [](dlpc_array*) { ++plugin->released; };
  api.export_array = [](dlpc_array*, const dlpc_request*, dlpc_exported* out, char* message,
                        size_t size) {
    const dlpc_status status = Answer(message, size);
    if (status != DLPC_OK) return status;
    const auto which = plugin->reader.Take<uint8_t>();
    if (which < 120) out->legacy = Give(plugin->legacy);
    if (which >= 120 && which < 240) {
      out->versioned = Give(plugin->versioned);
      out->versioned->version = {plugin->reader.Take<uint8_t>(), plugin->reader.Take<uint8_t>()};
      out->versioned->flags = plugin->reader.Take<uint16_t>();
    }
    return status;
  };
  api.device = [](dlpc_array*, DLDevice* device, char* message, size_t size) {
    device->device_type = static_cast<DLDeviceType>(plugin->reader.Take<int8_t>());
    device->device_id = plugin->reader.Take<int32_t>();
    return Answer(message, size);
  };
  api.facts = [](dlpc_array*, dlpc_array_facts* facts) {
    facts->known = plugin->reader.Take<uint32_t>();
    facts->pointer = plugin->reader.Take<uint64_t>();
    facts->allocation = plugin->reader.Take<uint64_t>();
    facts->allocation_bytes = plugin->reader.Take<uint64_t>();
    facts->read_only = plugin->reader.Take<uint8_t>() - 128;
  };
  api.access = [](dlpc_array*, int32_t, void* bytes, size_t size, char* message, size_t room) {
    if (size > 0) std::memset(bytes, plugin->reader.Take<uint8_t>(), size);
    return Answer(message, room);
  };
  return api;
}

// Everything that can be asked of a plug-in, but nothing written to memory that it names.
Script Questions() {
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  Request own = WithVersion(1, 3);
  own.device = Arg::kOwn;
  return ScriptBuilder(spec)
      .Probe()
      .Device(3)
      .Export()
      .Inspect()
      .Read()
      .ReadOwn()
      .Poke(7)
      .Export(WithVersion(1, 3), 1)
      .Inspect(1)
      .Read(1)
      .Interpose(1)
      .Rename(Name::kUsed, 1)
      .DropCapsule(1)
      .CallDeleter(Thread::kFree, 1)
      .DeleterCalls(1)
      .ExportMany(5, own, false)
      .DropCapsule()
      .DropArray()
      .Make(0, spec)
      .Export({}, 2)
      .Build();
}

Broken Judge(const Script& script, const Trace& trace) {
  if (trace.steps.size() != script.steps.size()) return "a step without an observation";
  for (const Observation& step : trace.steps) {
    if (ObservationText(step).empty()) return "an observation without a text";
  }
  std::string wire;
  EncodeTrace(trace, wire);
  const auto decoded = DecodeTrace({reinterpret_cast<const uint8_t*>(wire.data()), wire.size()});
  return decoded ? Broken() : Broken("a trace that does not decode: " + decoded.error().message);
}

}  // namespace

Broken PropertyPluginReply(std::span<const uint8_t> bytes) {
  Plugin state;
  plugin = &state;
  InputReader reader(bytes);
  const auto knobs = reader.Take<uint8_t>();
  for (int left = knobs % 16; left > 0; --left) {
    (knobs & 16 ? state.name : state.claims) += static_cast<char>(reader.Take<uint8_t>());
  }
  if ((knobs & 32) != 0) state.claims = "{\"dtypes\": []}";
  state.reader = reader;
  static const Script script = Questions();
  Broken broken;
  {
    auto backend = NativeBackend::Adopt(Api(), "plug-in");
    if (!backend) return backend.error().message.empty() ? Broken("no text") : Broken();
    broken = Judge(script, Machine(backend->get(), nullptr).Run(script));
  }
  if (broken) return broken;
  if (state.made != state.released) {
    return std::to_string(state.made) + " arrays made, " + std::to_string(state.released) +
           " released";
  }
  if (state.deleted_again != 0) return "a struct was deleted twice";
  return state.deleted == state.exported
             ? Broken()
             : Broken(std::to_string(state.exported) + " structs given, " +
                      std::to_string(state.deleted) + " deleted");
}

}  // namespace dlpc
