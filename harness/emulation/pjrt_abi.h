// The part of the PJRT C API that the emulated accelerator speaks, in our own words: the order of
// the function table and the memory layout of the arguments. layout_check.cc compares both with the
// real header in a build that has one.
//
// Every argument struct starts with its size and a chain of extensions. What follows is, for most
// functions, one of seven shapes; pjrt_args.h spells out the others.
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

// clang-format off
enum class ElementType : int32_t {
  kInvalid, kPred, kS8, kS16, kS32, kS64, kU8, kU16, kU32, kU64, kF16, kF32, kF64, kBF16, kC64, kC128,
  kF8E5M2, kF8E4M3FN, kF8E4M3B11FNUZ, kF8E5M2FNUZ, kF8E4M3FNUZ, kS4, kU4, kToken, kS2, kU2,
  kF8E4M3, kF8E3M4, kF8E8M0FNU, kF4E2M1FN,
  kS1, kU1, kF6E2M3FN, kF6E3M2FN,  // Later than 0.90; as jaxlib 0.12 (0.116) sends them.
  kCount_
};
// clang-format on

struct Header {
  size_t struct_size;
  void* extensions;
};

// ---- Shapes that many functions share. ----

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

template <typename T>
struct CopyArgs {
  Header header;
  Buffer* self;
  T* to;
  Buffer* copy;
};

/// Finds a device by a number.
struct LookupArgs {
  Header header;
  Client* client;
  int32_t id;
  Device* device;
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
