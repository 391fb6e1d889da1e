// The second part of layout_check.cc: structs with a shape of their own.
#include "harness/emulation/layout_check.h"

namespace dlpc::emulation {
namespace {

// clang-format off
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

}  // namespace
}  // namespace dlpc::emulation
