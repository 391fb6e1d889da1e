// Devices, memories and the topology: what they say of themselves.
#include "harness/emulation/objects.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

void InstallDescriptions(Table& table) {
  using Text = TextArgs<DeviceDescription>;
  using Number = ValueArgs<DeviceDescription, int32_t>;
  table.Set<Slot::kDeviceDescription_Id>([](Number& args) { args.value = args.self->id; });
  table.Set<Slot::kDeviceDescription_ProcessIndex>([](Number& args) { args.value = 0; });
  table.Set<Slot::kDeviceDescription_Attributes>([](DeviceAttributesArgs& args) {
    args.attributes = nullptr;
    args.count = 0;
  });
  table.Set<Slot::kDeviceDescription_Kind>([](Text& args) { args.Set(args.self->kind); });
  table.Set<Slot::kDeviceDescription_DebugString>(
      [](Text& args) { args.Set(args.self->debug_string); });
  table.Set<Slot::kDeviceDescription_ToString>(
      [](Text& args) { args.Set(args.self->debug_string); });
}

void InstallMemories(Table& table) {
  using Text = TextArgs<Memory>;
  table.Set<Slot::kMemory_Id>([](ValueArgs<Memory, int32_t>& args) { args.value = args.self->id; });
  table.Set<Slot::kMemory_Kind>([](Text& args) { args.Set(args.self->kind); });
  table.Set<Slot::kMemory_DebugString>([](Text& args) { args.Set(args.self->debug_string); });
  table.Set<Slot::kMemory_ToString>([](Text& args) { args.Set(args.self->debug_string); });
  table.Set<Slot::kMemory_AddressableByDevices>([](ListArgs<Memory, Device>& args) {
    args.items = &args.self->device;
    args.count = 1;
  });
}

void InstallTopology(Table& table) {
  using Text = TextArgs<const Topology>;
  // There is no other than the client's, which the client keeps.
  table.Set<Slot::kTopologyDescription_Destroy>([](SelfArgs<Topology>&) {});
  table.Set<Slot::kTopologyDescription_PlatformName>(
      [](Text& args) { args.Set(args.self->client->options.platform); });
  table.Set<Slot::kTopologyDescription_PlatformVersion>(
      [](Text& args) { args.Set(args.self->client->options.platform_version); });
  table.Set<Slot::kTopologyDescription_GetDeviceDescriptions>(
      [](ListArgs<const Topology, DeviceDescription>& args) {
        args.items = args.self->descriptions.data();
        args.count = args.self->descriptions.size();
      });
  table.Set<Slot::kTopologyDescription_Attributes>([](TopologyAttributesArgs& args) {
    args.attributes = nullptr;
    args.count = 0;
  });
}

}  // namespace

Memory* Device::FindMemory(std::string_view kind) const {
  for (Memory* memory : memories) {
    if (memory->kind == kind) return memory;
  }
  return nullptr;
}

void InstallDevices(Table& table) {
  InstallDescriptions(table);
  InstallMemories(table);
  InstallTopology(table);
  table.Set<Slot::kDevice_GetDescription>(
      [](LinkArgs<Device, DeviceDescription>& args) { args.link = &args.self->description; });
  table.Set<Slot::kDevice_IsAddressable>([](ValueArgs<Device, bool>& args) { args.value = true; });
  table.Set<Slot::kDevice_LocalHardwareId>(
      [](ValueArgs<Device, int32_t>& args) { args.value = args.self->hardware_id; });
  table.Set<Slot::kDevice_AddressableMemories>([](ListArgs<Device, Memory>& args) {
    args.items = args.self->memories.data();
    args.count = args.self->memories.size();
  });
  table.Set<Slot::kDevice_DefaultMemory>(
      [](LinkArgs<Device, Memory>& args) { args.link = args.self->memories.front(); });
}

}  // namespace dlpc::emulation
