// The part of the PJRT C API that the emulated accelerator speaks, in our own words: the order of
// the function table and the memory layout of the arguments. layout_check.cc compares both with the
// real header in a build that has one.
//
// Every argument struct starts with its size and a chain of extensions. What follows is, for most
// functions, one of six shapes; only the others are spelled out.
#ifndef DLPC_HARNESS_EMULATION_PJRT_ABI_H_
#define DLPC_HARNESS_EMULATION_PJRT_ABI_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/emulation/pjrt_slots.h"

namespace dlpc::emulation {

// Opaque to the caller: our own objects (objects.h).
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Topology;
struct Buffer;
struct Executable;
struct LoadedExecutable;

/// The canonical status codes.
enum class Code : int32_t {
  kInvalidArgument = 3,
  kNotFound = 5,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
};

enum class ElementType : int32_t {
  kInvalid,
  kPred,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kBF16,
  kC64,
  kC128,
  kF8E5M2,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kS4,
  kU4,
  kToken,
  kS2,
  kU2,
  kF8E4M3,
  kF8E3M4,
  kF8E8M0FNU,
  kF4E2M1FN,
  kCount_
};

struct Header {
  size_t struct_size;
  void* extensions;
};

// ---- The six shapes. ----

template <typename T>
struct SelfArgs {
  Header header;
  T* self;
};

template <typename T>
struct TextArgs {
  Header header;
  T* self;
  const char* text;
  size_t size;
  void Set(std::string_view value) {
    text = value.data();
    size = value.size();
  }
};

/// A number or a truth value.
template <typename T, typename V>
struct ValueArgs {
  Header header;
  T* self;
  V value;
};

template <typename T, typename U>
struct LinkArgs {
  Header header;
  T* self;
  U* link;
};

template <typename T, typename U>
struct ListArgs {
  Header header;
  T* self;
  U* const* items;
  size_t count;
};

/// Finds a device by a number.
struct LookupArgs {
  Header header;
  Client* client;
  int32_t id;
  Device* device;
};

// ---- The others. ----

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

template <typename T>
struct CopyArgs {
  Header header;
  Buffer* self;
  T* to;
  Buffer* copy;
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

struct ApiVersion {
  Header header;
  int32_t major;
  int32_t minor;
};

using Function = Error* (*)(void* args);

struct Api {
  Header header;
  ApiVersion version;
  Function slots[kSlots];
};

// ---- The stream extension (its arguments have no chain of extensions). ----

inline constexpr int32_t kStreamExtensionType = 3;

struct GetStreamArgs {
  size_t struct_size;
  Device* device;
  intptr_t stream;
};

struct WaitOnStreamArgs {
  size_t struct_size;
  intptr_t stream;
  Buffer* buffer;
};

struct StreamExtension {
  size_t struct_size;
  int32_t type;
  void* next;
  Error* (*get_stream)(GetStreamArgs* args);
  Error* (*wait_on_stream)(WaitOnStreamArgs* args);
};

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_PJRT_ABI_H_
