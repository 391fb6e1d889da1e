// Compares our declarations with the real header, when the build has it (DLPC_PJRT_HEADER_DIR). It
// is compiled, never run. The header may be newer: it only ever appends functions and fields.
#include "harness/emulation/layout_check.h"

#include <xla/pjrt/c/pjrt_c_api_stream_extension.h>

namespace dlpc::emulation {
namespace {

// ---- Shapes that many functions share. ----

#define SELF(name, type, field)             \
  using name##_ = SelfArgs<type>;           \
  SAME_HEADER(name##_, PJRT_##name##_Args); \
  WHOLE(name##_, PJRT_##name##_Args);       \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field)
#define TEXT(name, type, field, text_, size_)           \
  using name##_ = TextArgs<type>;                       \
  SAME_HEADER(name##_, PJRT_##name##_Args);             \
  WHOLE(name##_, PJRT_##name##_Args);                   \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field); \
  SAME_FIELD(name##_, text, PJRT_##name##_Args, text_); \
  SAME_FIELD(name##_, size, PJRT_##name##_Args, size_)
#define VALUE(name, type, value_type, field, value_)    \
  using name##_ = ValueArgs<type, value_type>;          \
  SAME_HEADER(name##_, PJRT_##name##_Args);             \
  WHOLE(name##_, PJRT_##name##_Args);                   \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field); \
  SAME_FIELD(name##_, value, PJRT_##name##_Args, value_)
#define LINK(name, type, to, field, link_)              \
  using name##_ = LinkArgs<type, to>;                   \
  SAME_HEADER(name##_, PJRT_##name##_Args);             \
  WHOLE(name##_, PJRT_##name##_Args);                   \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field); \
  SAME_FIELD(name##_, link, PJRT_##name##_Args, link_)
#define LIST(name, type, of, field, items_, count_)       \
  using name##_ = ListArgs<type, of>;                     \
  SAME_HEADER(name##_, PJRT_##name##_Args);               \
  WHOLE(name##_, PJRT_##name##_Args);                     \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field);   \
  SAME_FIELD(name##_, items, PJRT_##name##_Args, items_); \
  SAME_FIELD(name##_, count, PJRT_##name##_Args, count_)
#define COPY(name, to_type, field, to_, copy_)          \
  using name##_ = CopyArgs<to_type>;                    \
  SAME_HEADER(name##_, PJRT_##name##_Args);             \
  WHOLE(name##_, PJRT_##name##_Args);                   \
  SAME_FIELD(name##_, self, PJRT_##name##_Args, field); \
  SAME_FIELD(name##_, to, PJRT_##name##_Args, to_);     \
  SAME_FIELD(name##_, copy, PJRT_##name##_Args, copy_)

// clang-format off
SELF(Error_Destroy, Error, error);
SELF(Event_Destroy, Event, event);
SELF(Event_Error, Event, event);
SELF(Event_Await, Event, event);
SELF(Client_Destroy, Client, client);
SELF(TopologyDescription_Destroy, Topology, topology);
SELF(Executable_Destroy, Executable, executable);
SELF(LoadedExecutable_Destroy, LoadedExecutable, executable);
SELF(LoadedExecutable_Delete, LoadedExecutable, executable);
SELF(Buffer_Destroy, Buffer, buffer);
SELF(Buffer_Delete, Buffer, buffer);
SELF(Buffer_IncreaseExternalReferenceCount, Buffer, buffer);
SELF(Buffer_DecreaseExternalReferenceCount, Buffer, buffer);

TEXT(Error_Message, const Error, error, message, message_size);
TEXT(Client_PlatformName, Client, client, platform_name, platform_name_size);
TEXT(Client_PlatformVersion, Client, client, platform_version, platform_version_size);
TEXT(DeviceDescription_Kind, DeviceDescription, device_description, device_kind, device_kind_size);
TEXT(DeviceDescription_DebugString, DeviceDescription, device_description, debug_string, debug_string_size);
TEXT(DeviceDescription_ToString, DeviceDescription, device_description, to_string, to_string_size);
TEXT(Memory_Kind, Memory, memory, kind, kind_size);
TEXT(Memory_DebugString, Memory, memory, debug_string, debug_string_size);
TEXT(Memory_ToString, Memory, memory, to_string, to_string_size);
TEXT(TopologyDescription_PlatformName, const Topology, topology, platform_name, platform_name_size);
TEXT(TopologyDescription_PlatformVersion, const Topology, topology, platform_version, platform_version_size);
TEXT(Executable_Name, Executable, executable, executable_name, executable_name_size);

VALUE(Event_IsReady, Event, bool, event, is_ready);
VALUE(Client_ProcessIndex, Client, int32_t, client, process_index);
VALUE(DeviceDescription_Id, DeviceDescription, int32_t, device_description, id);
VALUE(DeviceDescription_ProcessIndex, DeviceDescription, int32_t, device_description, process_index);
VALUE(Device_IsAddressable, Device, bool, device, is_addressable);
VALUE(Device_LocalHardwareId, Device, int32_t, device, local_hardware_id);
VALUE(Memory_Id, Memory, int32_t, memory, id);
VALUE(Executable_NumReplicas, Executable, size_t, executable, num_replicas);
VALUE(Executable_NumPartitions, Executable, size_t, executable, num_partitions);
VALUE(Executable_NumOutputs, Executable, size_t, executable, num_outputs);
VALUE(Executable_SizeOfGeneratedCodeInBytes, Executable, int64_t, executable, size_in_bytes);
VALUE(LoadedExecutable_IsDeleted, LoadedExecutable, bool, executable, is_deleted);
VALUE(Buffer_ElementType, Buffer, ElementType, buffer, type);
VALUE(Buffer_OnDeviceSizeInBytes, Buffer, size_t, buffer, on_device_size_in_bytes);
VALUE(Buffer_IsDeleted, Buffer, bool, buffer, is_deleted);
VALUE(Buffer_IsOnCpu, Buffer, bool, buffer, is_on_cpu);
VALUE(Buffer_UnsafePointer, Buffer, void*, buffer, buffer_pointer);
VALUE(Buffer_OpaqueDeviceMemoryDataPointer, Buffer, void*, buffer, device_memory_ptr);

LINK(Client_TopologyDescription, Client, Topology, client, topology);
LINK(Device_GetDescription, Device, DeviceDescription, device, device_description);
LINK(Device_DefaultMemory, Device, Memory, device, memory);
LINK(LoadedExecutable_GetExecutable, LoadedExecutable, Executable, loaded_executable, executable);
LINK(Buffer_Device, Buffer, Device, buffer, device);
LINK(Buffer_Memory, Buffer, Memory, buffer, memory);
LINK(Buffer_ReadyEvent, Buffer, Event, buffer, event);

LIST(Client_Devices, Client, Device, client, devices, num_devices);
LIST(Client_AddressableDevices, Client, Device, client, addressable_devices, num_addressable_devices);
LIST(Client_AddressableMemories, Client, Memory, client, addressable_memories, num_addressable_memories);
LIST(Device_AddressableMemories, Device, Memory, device, memories, num_memories);
LIST(Memory_AddressableByDevices, Memory, Device, memory, devices, num_devices);
LIST(TopologyDescription_GetDeviceDescriptions, const Topology, DeviceDescription, topology, descriptions, num_descriptions);
LIST(LoadedExecutable_AddressableDevices, LoadedExecutable, Device, executable, addressable_devices, num_addressable_devices);

COPY(Buffer_CopyToDevice, Device, buffer, dst_device, dst_buffer);
COPY(Buffer_CopyToMemory, Memory, buffer, dst_memory, dst_buffer);

// clang-format on

// ---- The function table and the numbers. ----

#define SLOT(name)                                                                              \
  static_assert(offsetof(Api, slots) + static_cast<size_t>(Slot::k##name) * sizeof(Function) == \
                    offsetof(PJRT_Api, PJRT_##name),                                            \
                #name);
DLPC_PJRT_SLOTS(SLOT)
SAME_HEADER(Api, PJRT_Api);
SAME_FIELD(Api, version, PJRT_Api, pjrt_api_version);
static_assert(kApiMajor == PJRT_API_MAJOR && kApiMinor <= PJRT_API_MINOR);

#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<int32_t>(ours) == static_cast<int32_t>(theirs), #theirs)
SAME_VALUE(Code::kInvalidArgument, PJRT_Error_Code_INVALID_ARGUMENT);
SAME_VALUE(Code::kFailedPrecondition, PJRT_Error_Code_FAILED_PRECONDITION);
SAME_VALUE(Code::kUnimplemented, PJRT_Error_Code_UNIMPLEMENTED);
SAME_VALUE(Code::kInternal, PJRT_Error_Code_INTERNAL);
SAME_VALUE(NamedValue::Type::kText, PJRT_NamedValue_kString);
SAME_VALUE(NamedValue::Type::kInts, PJRT_NamedValue_kInt64List);
SAME_VALUE(NamedValue::Type::kBool, PJRT_NamedValue_kBool);
SAME_VALUE(Layout::Type::kTiled, PJRT_Buffer_MemoryLayout_Type_Tiled);
SAME_VALUE(Layout::Type::kStrides, PJRT_Buffer_MemoryLayout_Type_Strides);
#define SAME_TYPE(name) SAME_VALUE(ElementType::k##name, PJRT_Buffer_Type_##name)
SAME_VALUE(ElementType::kInvalid, PJRT_Buffer_Type_INVALID);
SAME_VALUE(ElementType::kPred, PJRT_Buffer_Type_PRED);
SAME_VALUE(ElementType::kToken, PJRT_Buffer_Type_TOKEN);
SAME_TYPE(S8);
SAME_TYPE(S16);
SAME_TYPE(S32);
SAME_TYPE(S64);
SAME_TYPE(U8);
SAME_TYPE(U16);
SAME_TYPE(U32);
SAME_TYPE(U64);
SAME_TYPE(F16);
SAME_TYPE(F32);
SAME_TYPE(F64);
SAME_TYPE(BF16);
SAME_TYPE(C64);
SAME_TYPE(C128);
SAME_TYPE(F8E5M2);
SAME_TYPE(F8E4M3FN);
SAME_TYPE(F8E4M3B11FNUZ);
SAME_TYPE(F8E5M2FNUZ);
SAME_TYPE(F8E4M3FNUZ);
SAME_TYPE(S4);
SAME_TYPE(U4);
SAME_TYPE(S2);
SAME_TYPE(U2);
SAME_TYPE(F8E4M3);
SAME_TYPE(F8E3M4);
SAME_TYPE(F8E8M0FNU);
SAME_TYPE(F4E2M1FN);

// ---- The stream extension. ----

SAME_VALUE(kStreamExtensionType, PJRT_Extension_Type_Stream);
static_assert(kWhole<GetStreamArgs, PJRT_Get_Stream_For_External_Ready_Events_Args>);
SAME_FIELD(GetStreamArgs, device, PJRT_Get_Stream_For_External_Ready_Events_Args, device);
SAME_FIELD(GetStreamArgs, stream, PJRT_Get_Stream_For_External_Ready_Events_Args, stream);
static_assert(kWhole<WaitOnStreamArgs, PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>);
SAME_FIELD(WaitOnStreamArgs, stream, PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, stream);
SAME_FIELD(WaitOnStreamArgs, buffer, PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer);
static_assert(kWhole<StreamExtension, PJRT_Stream_Extension>);
SAME_FIELD(StreamExtension, struct_size, PJRT_Extension_Base, struct_size);
SAME_FIELD(StreamExtension, type, PJRT_Extension_Base, type);
SAME_FIELD(StreamExtension, next, PJRT_Extension_Base, next);
SAME_FIELD(StreamExtension, get_stream, PJRT_Stream_Extension, get_stream);
SAME_FIELD(StreamExtension, wait_on_stream, PJRT_Stream_Extension, wait_stream);

}  // namespace
}  // namespace dlpc::emulation
