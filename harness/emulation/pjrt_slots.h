// The function table of the PJRT C API, in order, up to the last function that a plug-in of our age
// (kApiMinor) must have. The names are the functions' own, without their common prefix.
#ifndef DLPC_HARNESS_EMULATION_PJRT_SLOTS_H_
#define DLPC_HARNESS_EMULATION_PJRT_SLOTS_H_

#include <cstddef>

// clang-format off
#define DLPC_PJRT_SLOTS(X) \
  X(Error_Destroy) X(Error_Message) X(Error_GetCode) X(Plugin_Initialize) X(Plugin_Attributes) \
  X(Event_Destroy) X(Event_IsReady) X(Event_Error) X(Event_Await) X(Event_OnReady) \
  X(Client_Create) X(Client_Destroy) X(Client_PlatformName) X(Client_ProcessIndex) \
  X(Client_PlatformVersion) X(Client_Devices) X(Client_AddressableDevices) \
  X(Client_LookupDevice) X(Client_LookupAddressableDevice) X(Client_AddressableMemories) \
  X(Client_Compile) X(Client_DefaultDeviceAssignment) X(Client_BufferFromHostBuffer) \
  X(DeviceDescription_Id) X(DeviceDescription_ProcessIndex) X(DeviceDescription_Attributes) \
  X(DeviceDescription_Kind) X(DeviceDescription_DebugString) X(DeviceDescription_ToString) \
  X(Device_GetDescription) X(Device_IsAddressable) X(Device_LocalHardwareId) \
  X(Device_AddressableMemories) X(Device_DefaultMemory) X(Device_MemoryStats) X(Memory_Id) \
  X(Memory_Kind) X(Memory_DebugString) X(Memory_ToString) X(Memory_AddressableByDevices) \
  X(Executable_Destroy) X(Executable_Name) X(Executable_NumReplicas) \
  X(Executable_NumPartitions) X(Executable_NumOutputs) \
  X(Executable_SizeOfGeneratedCodeInBytes) X(Executable_GetCostAnalysis) \
  X(Executable_OutputMemoryKinds) X(Executable_OptimizedProgram) X(Executable_Serialize) \
  X(LoadedExecutable_Destroy) X(LoadedExecutable_GetExecutable) \
  X(LoadedExecutable_AddressableDevices) X(LoadedExecutable_Delete) \
  X(LoadedExecutable_IsDeleted) X(LoadedExecutable_Execute) X(Executable_DeserializeAndLoad) \
  X(LoadedExecutable_Fingerprint) X(Buffer_Destroy) X(Buffer_ElementType) X(Buffer_Dimensions) \
  X(Buffer_UnpaddedDimensions) X(Buffer_DynamicDimensionIndices) X(Buffer_GetMemoryLayout) \
  X(Buffer_OnDeviceSizeInBytes) X(Buffer_Device) X(Buffer_Memory) X(Buffer_Delete) \
  X(Buffer_IsDeleted) X(Buffer_CopyToDevice) X(Buffer_ToHostBuffer) X(Buffer_IsOnCpu) \
  X(Buffer_ReadyEvent) X(Buffer_UnsafePointer) X(Buffer_IncreaseExternalReferenceCount) \
  X(Buffer_DecreaseExternalReferenceCount) X(Buffer_OpaqueDeviceMemoryDataPointer) \
  X(CopyToDeviceStream_Destroy) X(CopyToDeviceStream_AddChunk) \
  X(CopyToDeviceStream_TotalBytes) X(CopyToDeviceStream_GranuleSize) \
  X(CopyToDeviceStream_CurrentBytes) X(TopologyDescription_Create) \
  X(TopologyDescription_Destroy) X(TopologyDescription_PlatformName) \
  X(TopologyDescription_PlatformVersion) X(TopologyDescription_GetDeviceDescriptions) \
  X(TopologyDescription_Serialize) X(TopologyDescription_Attributes) X(Compile) \
  X(Executable_OutputElementTypes) X(Executable_OutputDimensions) X(Buffer_CopyToMemory) \
  X(Client_CreateViewOfDeviceBuffer) X(Executable_Fingerprint) X(Client_TopologyDescription)
// clang-format on

namespace dlpc::emulation {

#define DLPC_PJRT_SLOT(name) k##name,
enum class Slot : size_t { DLPC_PJRT_SLOTS(DLPC_PJRT_SLOT) kCount_ };
#undef DLPC_PJRT_SLOT

inline constexpr size_t kSlots = static_cast<size_t>(Slot::kCount_);

#define DLPC_PJRT_SLOT(name) "PJRT_" #name,
inline constexpr const char* kSlotNames[] = {DLPC_PJRT_SLOTS(DLPC_PJRT_SLOT)};
#undef DLPC_PJRT_SLOT

/// What we claim to be. Callers reach for functions by this number: one that is newer than the
/// table makes them read past its end. jaxlib accepts 0.29 and later.
inline constexpr int kApiMajor = 0;
inline constexpr int kApiMinor = 40;

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_PJRT_SLOTS_H_
