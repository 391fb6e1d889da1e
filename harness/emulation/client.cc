#include <cstdlib>
#include <utility>

#include "harness/emulation/objects.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

Error* CreateClient(ClientCreateArgs& args) {
  auto options = ReadOptions({args.options, args.options_count},
                             [](const char* name) -> const char* { return std::getenv(name); });
  if (auto* wrong = std::get_if<std::string>(&options)) {
    return MakeError(Code::kInvalidArgument, std::move(*wrong));
  }
  args.client = new Client(std::get<Options>(std::move(options)));
  return nullptr;
}

Error* LookupDevice(LookupArgs& args) {
  args.device = args.client->FindDevice(args.id);
  if (args.device != nullptr) return nullptr;
  return MakeError(Code::kInvalidArgument,
                   "No matching device found for device_id " + std::to_string(args.id));
}

Error* LookupHardware(LookupArgs& args) {
  for (Device* device : args.client->devices) {
    if (device->hardware_id != args.id) continue;
    args.device = device;
    return nullptr;
  }
  return MakeError(Code::kInvalidArgument,
                   "No matching device found for local_device_id " + std::to_string(args.id));
}

Error* DefaultAssignment(DeviceAssignmentArgs& args) {
  const auto wanted = static_cast<size_t>(args.replicas) * static_cast<size_t>(args.partitions);
  if (wanted > args.client->devices.size() || wanted > args.capacity) {
    return MakeError(Code::kInvalidArgument, "more devices were asked for than there are");
  }
  for (size_t i = 0; i < wanted; ++i) args.devices[i] = static_cast<int32_t>(i);
  return nullptr;
}

template <typename Args>
void SetDevices(Args& args) {
  args.items = args.self->devices.data();
  args.count = args.self->devices.size();
}

}  // namespace

Client::Client(Options the_options) : options(std::move(the_options)) {
  for (const int32_t hardware_id : options.hardware_ids) {
    const auto id = static_cast<int32_t>(devices.size());
    auto& device = owned_devices.emplace_back(
        new Device{{id, options.device_kind, "EmuDevice(id=" + std::to_string(id) + ")"},
                   hardware_id,
                   this,
                   {}});
    devices.push_back(device.get());
    topology.descriptions.push_back(&device->description);
    for (const std::string& kind : options.memories) {
      const auto number = static_cast<int32_t>(memories.size());
      auto& memory = owned_memories.emplace_back(new Memory{
          number, kind, "EmuMemory(id=" + std::to_string(number) + ", kind=" + kind + ")",
          device.get()});
      memories.push_back(memory.get());
      device->memories.push_back(memory.get());
    }
  }
  topology.client = this;
}

Device* Client::FindDevice(int64_t id) const {
  const auto index = static_cast<size_t>(id);
  return id >= 0 && index < devices.size() ? devices[index] : nullptr;
}

void InstallClient(Table& table) {
  table.Set<Slot::kPlugin_Initialize>([](PluginInitializeArgs&) {});
  table.Set<Slot::kPlugin_Attributes>([](PluginAttributesArgs& args) {
    args.attributes = nullptr;
    args.count = 0;
  });
  table.Set<Slot::kClient_Create>([](ClientCreateArgs& args) { return CreateClient(args); });
  table.Set<Slot::kClient_Destroy>([](SelfArgs<Client>& args) { delete args.self; });
  table.Set<Slot::kClient_PlatformName>(
      [](TextArgs<Client>& args) { args.Set(args.self->options.platform); });
  table.Set<Slot::kClient_PlatformVersion>(
      [](TextArgs<Client>& args) { args.Set(args.self->options.platform_version); });
  table.Set<Slot::kClient_ProcessIndex>([](ValueArgs<Client, int32_t>& args) { args.value = 0; });
  table.Set<Slot::kClient_Devices>([](ListArgs<Client, Device>& args) { SetDevices(args); });
  table.Set<Slot::kClient_AddressableDevices>(
      [](ListArgs<Client, Device>& args) { SetDevices(args); });
  table.Set<Slot::kClient_LookupDevice>([](LookupArgs& args) { return LookupDevice(args); });
  table.Set<Slot::kClient_LookupAddressableDevice>(
      [](LookupArgs& args) { return LookupHardware(args); });
  table.Set<Slot::kClient_AddressableMemories>([](ListArgs<Client, Memory>& args) {
    args.items = args.self->memories.data();
    args.count = args.self->memories.size();
  });
  table.Set<Slot::kClient_DefaultDeviceAssignment>(
      [](DeviceAssignmentArgs& args) { return DefaultAssignment(args); });
  table.Set<Slot::kClient_TopologyDescription>(
      [](LinkArgs<Client, Topology>& args) { args.link = &args.self->topology; });
}

}  // namespace dlpc::emulation
