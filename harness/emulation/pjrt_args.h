// Argument structs of the PJRT C API that have a shape of their own. See pjrt_abi.h.
#ifndef DLPC_HARNESS_EMULATION_PJRT_ARGS_H_
#define DLPC_HARNESS_EMULATION_PJRT_ARGS_H_

#include "harness/emulation/pjrt_abi.h"

namespace dlpc::emulation {

struct NamedValue {
  Header header;
  const char* name;
  size_t name_size;
  enum class Type : int32_t { kText, kInt, kInts, kFloat, kBool } type;
  union {
    const char* text;
    int64_t integer;
    const int64_t* integers;
    float real;
    bool truth;
  };
  size_t size;  // Bytes of text, length of integers.
};

struct PluginInitializeArgs {
  Header header;
};

struct PluginAttributesArgs {
  Header header;
  const NamedValue* attributes;
  size_t count;
};

struct DeviceAttributesArgs {
  Header header;
  DeviceDescription* self;
  size_t count;
  const NamedValue* attributes;
};

struct TopologyAttributesArgs {
  Header header;
  Topology* self;
  const NamedValue* attributes;
  size_t count;
};

struct ErrorCodeArgs {
  Header header;
  const Error* self;
  Code code;
};

struct EventOnReadyArgs {
  Header header;
  Event* self;
  void (*callback)(Error* error, void* user);  // Takes the error.
  void* user;
};

struct ClientCreateArgs {
  Header header;
  const NamedValue* options;
  size_t options_count;
  void* get;  // Key-value store of a cluster: not used.
  void* get_user;
  void* put;
  void* put_user;
  Client* client;
};

struct DeviceAssignmentArgs {
  Header header;
  Client* client;
  int32_t replicas;
  int32_t partitions;
  size_t capacity;
  int32_t* devices;
};

struct Program {
  Header header;
  const char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};

struct CompileArgs {
  Header header;
  Client* client;
  const Program* program;
  const char* options;  // Serialized CompileOptionsProto.
  size_t options_size;
  LoadedExecutable* executable;
};

struct TiledLayout {
  Header header;
  const int64_t* minor_to_major;
  size_t rank;
  const int64_t* tile_dims;
  const size_t* tile_sizes;
  size_t tiles;
};

struct StridesLayout {
  Header header;
  const int64_t* byte_strides;
  size_t rank;
};

struct Layout {
  Header header;
  union {
    TiledLayout tiled;
    StridesLayout strides;
  };
  enum class Type : int32_t { kTiled, kStrides } type;
};

struct FromHostArgs {
  Header header;
  Client* client;
  const void* data;
  ElementType type;
  const int64_t* dims;
  size_t rank;
  const int64_t* byte_strides;  // NULL: dense, row-major.
  size_t strides_count;
  int32_t semantics;  // How long `data` may be used. We copy it during the call: right for all.
  Device* device;
  Memory* memory;  // NULL: the default memory of `device`.
  const Layout* device_layout;
  Event* done;
  Buffer* buffer;
};

struct ViewArgs {
  Header header;
  Client* client;
  void* data;
  const int64_t* dims;
  size_t rank;
  ElementType type;
  const Layout* layout;
  Device* device;
  void (*on_delete)(void* data, void* user);
  void* on_delete_user;
  intptr_t stream;
  Buffer* buffer;
  // Callers before 0.54 have no `memory`: see ViewWithMemoryArgs.
};

struct ViewWithMemoryArgs {
  ViewArgs view;
  Memory* memory;
};

struct LayoutArgs {
  Header header;
  Buffer* self;
  Layout layout;
};

struct ToHostArgs {
  Header header;
  Buffer* self;
  const Layout* layout;
  void* data;  // NULL: only `size` is asked for.
  size_t size;
  Event* event;
};

struct DimensionsArgs {
  Header header;
  Buffer* self;
  const int64_t* dims;
  size_t rank;
};

struct DimensionIndicesArgs {
  Header header;
  Buffer* self;
  const size_t* indices;
  size_t count;
};

struct ExecuteArgs {
  Header header;
  LoadedExecutable* self;
  void* options;
  Buffer* const* const* arguments;  // Per device.
  size_t devices;
  size_t arguments_count;
  Buffer** const* outputs;  // Per device; the lists are the caller's.
  Event** done;             // Per device, or NULL.
  Device* device;           // For executables that run on any device.
};

struct OutputMemoryKindsArgs {
  Header header;
  Executable* self;
  size_t count;
  const char* const* kinds;
  const size_t* sizes;
};

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_PJRT_ARGS_H_
