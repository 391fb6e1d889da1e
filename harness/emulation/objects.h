// What the opaque handles of the PJRT C API are here: an accelerator whose memory is this process's
// own. Everything is done during the call, so every event is ready.
#ifndef DLPC_HARNESS_EMULATION_OBJECTS_H_
#define DLPC_HARNESS_EMULATION_OBJECTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/emulation/options.h"
#include "harness/emulation/pjrt_args.h"

namespace dlpc::emulation {

struct Error {
  Code code;
  std::string message;
};

Error* MakeError(Code code, std::string message);

struct Event {};

struct DeviceDescription {
  int32_t id;
  std::string kind;
  std::string debug_string;  // "EmuDevice(id=0)": shows up in messages of jaxlib.
};

struct Memory {
  int32_t id;
  std::string kind;
  std::string debug_string;
  Device* device;
};

struct Device {
  DeviceDescription description;
  int32_t hardware_id;  // -1: JAX shows None.
  Client* client;
  std::vector<Memory*> memories;  // The first is the default.

  Memory* FindMemory(std::string_view kind) const;
};

struct Topology {
  const Client* client;
  std::vector<DeviceDescription*> descriptions;
};

struct Client {
  explicit Client(Options options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Device* FindDevice(int64_t id) const;

  const Options options;
  std::vector<std::unique_ptr<Device>> owned_devices;
  std::vector<std::unique_ptr<Memory>> owned_memories;
  std::vector<Device*> devices;
  std::vector<Memory*> memories;
  Topology topology;
};

/// Bytes that one or more holders keep alive: our own, or a view of somebody else's.
class Storage {
 public:
  explicit Storage(size_t size);
  explicit Storage(void* foreign) : data_(foreign) {}
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void CallOnDelete(void (*on_delete)(void* data, void* user), void* user) {
    on_delete_ = on_delete;
    user_ = user;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_;
  const bool owned_ = false;
  void (*on_delete_)(void* data, void* user) = nullptr;
  void* user_ = nullptr;
};

struct Buffer {
  Buffer(Memory* memory, ElementType type, std::span<const int64_t> dims,
         std::shared_ptr<Storage> storage);

  size_t Elements() const;
  size_t Bytes() const;
  /// A new buffer with a copy of the bytes; nullptr when this one is deleted.
  Buffer* CopyTo(Memory* to);

  /// The bytes live on while somebody outside holds them.
  void Delete();
  void Hold();
  void Release();
  bool IsDeleted();
  /// nullptr once deleted and not held.
  std::shared_ptr<Storage> Data();

  Memory* const memory;
  const ElementType type;
  const std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;  // Always row-major.

 private:
  std::mutex mutex_;
  std::shared_ptr<Storage> storage_;
  int holders_ = 0;
  bool deleted_ = false;
};

/// A program that copies its one argument. Without devices it runs on whichever it is told.
struct LoadedExecutable {
  std::string memory_kind;  // Of the result.
  std::vector<Device*> devices;
  bool deleted = false;
};

/// What a loaded executable says of its program; outlives it.
struct Executable {
  explicit Executable(const LoadedExecutable& loaded)
      : memory_kind(loaded.memory_kind), partitions(std::max<size_t>(1, loaded.devices.size())) {}
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const std::string memory_kind;
  const size_t partitions;
  const char* const kind = memory_kind.data();  // As the caller wants it.
  const size_t kind_size = memory_kind.size();
};

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_OBJECTS_H_
