// Compares our declarations with the real header, when the build has it (DLPC_PJRT_HEADER_DIR). It
// is compiled, never run. The header may be newer: it only ever appends functions and fields.
#include <xla/pjrt/c/pjrt_c_api.h>
#include <xla/pjrt/c/pjrt_c_api_stream_extension.h>

#include <cstddef>
#include <type_traits>

#include "harness/emulation/objects.h"
#include "harness/emulation/pjrt_abi.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

// Same place and same size. Kinds of pointers may differ, numbers and truth values may not.
#define SAME_FIELD(ours, our_field, theirs, their_field)                      \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                    sizeof(ours::our_field) == sizeof(theirs::their_field),   \
                #theirs "." #their_field)

// `whole`: ours has every field of theirs. Else theirs goes on where ours ends.
template <typename Ours, typename Theirs>
inline constexpr bool kWhole = sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
template <typename Ours, typename Theirs>
inline constexpr bool kPrefix = sizeof(Ours) < sizeof(Theirs) && alignof(Ours) == alignof(Theirs);

#define SAME_HEADER(ours, theirs)                                                                 \
  static_assert(std::is_standard_layout_v<ours>, #ours);                                          \
  static_assert(                                                                                  \
      offsetof(ours, header) + offsetof(Header, struct_size) == offsetof(theirs, struct_size),    \
      #theirs);                                                                                   \
  static_assert(                                                                                  \
      offsetof(ours, header) + offsetof(Header, extensions) == offsetof(theirs, extension_start), \
      #theirs)

#define WHOLE(ours, theirs) static_assert(kWhole<ours, theirs>, #theirs)
#define PREFIX(ours, theirs) static_assert(kPrefix<ours, theirs>, #theirs)

// ---- The six shapes. ----

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

// ---- The others: our field, their field. ----

#define F(our_field, their_field) SAME_FIELD(Ours, our_field, Theirs, their_field)
#define CHECK(ours, theirs)  \
  struct Check_##theirs {    \
    using Ours = ours;       \
    using Theirs = theirs;   \
    SAME_HEADER(Ours, Theirs)

CHECK(NamedValue, PJRT_NamedValue);
  WHOLE(Ours, Theirs); F(name, name); F(name_size, name_size); F(type, type);
  F(text, string_value); F(integer, int64_value); F(integers, int64_array_value);
  F(real, float_value); F(truth, bool_value); F(size, value_size);
};
CHECK(PluginInitializeArgs, PJRT_Plugin_Initialize_Args);
  WHOLE(Ours, Theirs);
};
CHECK(PluginAttributesArgs, PJRT_Plugin_Attributes_Args);
  WHOLE(Ours, Theirs); F(attributes, attributes); F(count, num_attributes);
};
CHECK(DeviceAttributesArgs, PJRT_DeviceDescription_Attributes_Args);
  WHOLE(Ours, Theirs); F(self, device_description); F(count, num_attributes);
  F(attributes, attributes);
};
CHECK(TopologyAttributesArgs, PJRT_TopologyDescription_Attributes_Args);
  WHOLE(Ours, Theirs); F(self, topology); F(attributes, attributes); F(count, num_attributes);
};
CHECK(ErrorCodeArgs, PJRT_Error_GetCode_Args);
  WHOLE(Ours, Theirs); F(self, error); F(code, code);
};
CHECK(EventOnReadyArgs, PJRT_Event_OnReady_Args);
  WHOLE(Ours, Theirs); F(self, event); F(callback, callback); F(user, user_arg);
};
CHECK(ClientCreateArgs, PJRT_Client_Create_Args);
  PREFIX(Ours, Theirs); F(options, create_options); F(options_count, num_options);
  F(get, kv_get_callback); F(get_user, kv_get_user_arg); F(put, kv_put_callback);
  F(put_user, kv_put_user_arg); F(client, client);
};
CHECK(LookupArgs, PJRT_Client_LookupDevice_Args);
  WHOLE(Ours, Theirs); F(client, client); F(id, id); F(device, device);
};
CHECK(LookupArgs, PJRT_Client_LookupAddressableDevice_Args);
  WHOLE(Ours, Theirs); F(client, client); F(id, local_hardware_id); F(device, addressable_device);
};
CHECK(DeviceAssignmentArgs, PJRT_Client_DefaultDeviceAssignment_Args);
  WHOLE(Ours, Theirs); F(client, client); F(replicas, num_replicas);
  F(partitions, num_partitions); F(capacity, default_assignment_size);
  F(devices, default_assignment);
};
CHECK(Program, PJRT_Program);
  WHOLE(Ours, Theirs); F(code, code); F(code_size, code_size); F(format, format);
  F(format_size, format_size);
};
CHECK(CompileArgs, PJRT_Client_Compile_Args);
  WHOLE(Ours, Theirs); F(client, client); F(program, program); F(options, compile_options);
  F(options_size, compile_options_size); F(executable, executable);
};
CHECK(TiledLayout, PJRT_Buffer_MemoryLayout_Tiled);
  WHOLE(Ours, Theirs); F(minor_to_major, minor_to_major); F(rank, minor_to_major_size);
  F(tile_dims, tile_dims); F(tile_sizes, tile_dim_sizes); F(tiles, num_tiles);
};
CHECK(StridesLayout, PJRT_Buffer_MemoryLayout_Strides);
  WHOLE(Ours, Theirs); F(byte_strides, byte_strides); F(rank, num_byte_strides);
};
CHECK(Layout, PJRT_Buffer_MemoryLayout);
  WHOLE(Ours, Theirs); F(tiled, tiled); F(strides, strides); F(type, type);
};
CHECK(FromHostArgs, PJRT_Client_BufferFromHostBuffer_Args);
  WHOLE(Ours, Theirs); F(client, client); F(data, data); F(type, type); F(dims, dims);
  F(rank, num_dims); F(byte_strides, byte_strides); F(strides_count, num_byte_strides);
  F(semantics, host_buffer_semantics); F(device, device); F(memory, memory);
  F(device_layout, device_layout); F(done, done_with_host_buffer); F(buffer, buffer);
};
CHECK(ViewArgs, PJRT_Client_CreateViewOfDeviceBuffer_Args);
  PREFIX(Ours, Theirs); F(client, client); F(data, device_buffer_ptr); F(dims, dims);
  F(rank, num_dims); F(type, element_type); F(layout, layout); F(device, device);
  F(on_delete, on_delete_callback); F(on_delete_user, on_delete_callback_arg); F(stream, stream);
  F(buffer, buffer);
};
CHECK(LayoutArgs, PJRT_Buffer_GetMemoryLayout_Args);
  WHOLE(Ours, Theirs); F(self, buffer); F(layout, layout);
};
CHECK(DimensionsArgs, PJRT_Buffer_Dimensions_Args);
  WHOLE(Ours, Theirs); F(self, buffer); F(dims, dims); F(rank, num_dims);
};
CHECK(DimensionsArgs, PJRT_Buffer_UnpaddedDimensions_Args);
  WHOLE(Ours, Theirs); F(self, buffer); F(dims, unpadded_dims); F(rank, num_dims);
};
CHECK(DimensionIndicesArgs, PJRT_Buffer_DynamicDimensionIndices_Args);
  WHOLE(Ours, Theirs); F(self, buffer); F(indices, dynamic_dim_indices);
  F(count, num_dynamic_dims);
};
CHECK(ToHostArgs, PJRT_Buffer_ToHostBuffer_Args);
  WHOLE(Ours, Theirs); F(self, src); F(layout, host_layout); F(data, dst); F(size, dst_size);
  F(event, event);
};
CHECK(ExecuteArgs, PJRT_LoadedExecutable_Execute_Args);
  WHOLE(Ours, Theirs); F(self, executable); F(options, options); F(arguments, argument_lists);
  F(devices, num_devices); F(arguments_count, num_args); F(outputs, output_lists);
  F(done, device_complete_events); F(device, execute_device);
};
CHECK(OutputMemoryKindsArgs, PJRT_Executable_OutputMemoryKinds_Args);
  WHOLE(Ours, Theirs); F(self, executable); F(count, num_outputs); F(kinds, memory_kinds);
  F(sizes, memory_kind_sizes);
};
CHECK(ApiVersion, PJRT_Api_Version);
  WHOLE(Ours, Theirs); F(major, major_version); F(minor, minor_version);
};
// clang-format on

static_assert(offsetof(ViewWithMemoryArgs, memory) ==
              offsetof(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory));
static_assert(kWhole<ViewWithMemoryArgs, PJRT_Client_CreateViewOfDeviceBuffer_Args>);

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
