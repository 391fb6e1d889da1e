#include <utility>

#include "harness/emulation/objects.h"
#include "harness/emulation/program.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

Error* Compile(CompileArgs& args) {
  const std::string_view code(args.program->code, args.program->code_size);
  const std::string_view format(args.program->format, args.program->format_size);
  if (format != "mlir") {
    return MakeError(Code::kUnimplemented, "programs in format " + std::string(format));
  }
  if (auto why = WhyNotCopy(code)) return MakeError(Code::kUnimplemented, std::move(*why));

  const Client& client = *args.client;
  auto loaded = std::make_unique<LoadedExecutable>();
  loaded->memory_kind = NamedMemoryKind(code, client.options.memories);
  if (loaded->memory_kind.empty()) loaded->memory_kind = client.options.memories.front();
  for (const int64_t id : AssignedDevices({args.options, args.options_size})) {
    Device* device = client.FindDevice(id);
    if (device == nullptr) {
      return MakeError(Code::kInvalidArgument, "no device has id " + std::to_string(id));
    }
    loaded->devices.push_back(device);
  }
  args.executable = loaded.release();
  return nullptr;
}

Error* Execute(ExecuteArgs& args) {
  LoadedExecutable& loaded = *args.self;
  if (loaded.deleted) return MakeError(Code::kFailedPrecondition, "the executable is deleted");
  const std::span<Device* const> devices =
      args.device != nullptr ? std::span<Device* const>(&args.device, 1) : loaded.devices;
  if (args.arguments_count != 1 || args.devices != devices.size()) {
    return MakeError(Code::kInvalidArgument, "one argument for each device is needed");
  }
  std::vector<std::unique_ptr<Buffer>> copies;  // All or none.
  for (size_t i = 0; i < args.devices; ++i) {
    Memory* memory = devices[i]->FindMemory(loaded.memory_kind);
    copies.emplace_back(args.arguments[i][0]->CopyTo(memory));
    if (copies.back() == nullptr) {
      return MakeError(Code::kInvalidArgument, "the argument has been deleted");
    }
  }
  for (size_t i = 0; i < args.devices; ++i) {
    args.outputs[i][0] = copies[i].release();
    if (args.done != nullptr) args.done[i] = new Event;
  }
  return nullptr;
}

}  // namespace

void InstallExecutables(Table& table) {
  using Self = SelfArgs<LoadedExecutable>;
  using Count = ValueArgs<Executable, size_t>;
  table.Set<Slot::kClient_Compile>([](CompileArgs& args) { return Compile(args); });
  table.Set<Slot::kExecutable_Destroy>([](SelfArgs<Executable>& args) { delete args.self; });
  table.Set<Slot::kExecutable_Name>([](TextArgs<Executable>& args) { args.Set("jit_copy"); });
  table.Set<Slot::kExecutable_NumReplicas>([](Count& args) { args.value = 1; });
  table.Set<Slot::kExecutable_NumPartitions>(
      [](Count& args) { args.value = args.self->partitions; });
  table.Set<Slot::kExecutable_NumOutputs>([](Count& args) { args.value = 1; });
  table.Set<Slot::kExecutable_SizeOfGeneratedCodeInBytes>(
      [](ValueArgs<Executable, int64_t>& args) { args.value = 0; });
  table.Set<Slot::kExecutable_OutputMemoryKinds>([](OutputMemoryKindsArgs& args) {
    args.count = 1;
    args.kinds = &args.self->kind;
    args.sizes = &args.self->kind_size;
  });
  table.Set<Slot::kLoadedExecutable_Destroy>([](Self& args) { delete args.self; });
  table.Set<Slot::kLoadedExecutable_GetExecutable>(
      [](LinkArgs<LoadedExecutable, Executable>& args) { args.link = new Executable(*args.self); });
  table.Set<Slot::kLoadedExecutable_AddressableDevices>(
      [](ListArgs<LoadedExecutable, Device>& args) {
        args.items = args.self->devices.data();
        args.count = args.self->devices.size();
      });
  table.Set<Slot::kLoadedExecutable_Delete>([](Self& args) { args.self->deleted = true; });
  table.Set<Slot::kLoadedExecutable_IsDeleted>(
      [](ValueArgs<LoadedExecutable, bool>& args) { args.value = args.self->deleted; });
  table.Set<Slot::kLoadedExecutable_Execute>([](ExecuteArgs& args) { return Execute(args); });
}

}  // namespace dlpc::emulation
