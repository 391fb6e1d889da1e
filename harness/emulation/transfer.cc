// Bytes in and out: from the host, to the host, between memories, and views of foreign memory.
#include <algorithm>
#include <utility>

#include "harness/emulation/elements.h"
#include "harness/emulation/objects.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

constexpr const char* kOnlyRowMajor = "only row-major layouts are emulated";
constexpr const char* kDeleted = "the buffer has been deleted";

/// The memory to use: `memory`, or the default of `device`.
Memory* Choose(Memory* memory, const Device* device) {
  return memory != nullptr ? memory : device->memories.front();
}

Error* CheckShape(ElementType type, const Layout* layout, std::span<const int64_t> dims) {
  if (BitWidth(type) == 0) {
    return MakeError(
        Code::kUnimplemented,
        "element type " + std::to_string(static_cast<int32_t>(type)) + " is not emulated");
  }
  return IsRowMajor(layout, type, dims) ? nullptr : MakeError(Code::kUnimplemented, kOnlyRowMajor);
}

Error* FromHost(FromHostArgs& args) {
  const std::span dims(args.dims, args.rank);
  if (Error* error = CheckShape(args.type, args.device_layout, dims)) return error;
  if (args.strides_count != 0 && args.strides_count != args.rank) {
    return MakeError(Code::kInvalidArgument, "as many strides as dimensions are needed");
  }
  auto storage = std::make_shared<Storage>(DeviceBytes(args.type, ElementCount(dims)));
  ToDevice(args.type, dims, {args.byte_strides, args.strides_count},
           static_cast<const std::byte*>(args.data), storage->data());
  auto buffer = std::make_unique<Buffer>(Choose(args.memory, args.device), args.type, dims,
                                         std::move(storage));
  args.done = new Event;
  args.buffer = buffer.release();
  return nullptr;
}

Error* ToHostBuffer(ToHostArgs& args) {
  Buffer& buffer = *args.self;
  if (!IsRowMajor(args.layout, buffer.type, buffer.dims)) {
    return MakeError(Code::kUnimplemented, kOnlyRowMajor);
  }
  const size_t size = buffer.Elements() * HostWidth(buffer.type);
  if (args.data == nullptr) {
    args.size = size;
    return nullptr;
  }
  if (args.size < size) return MakeError(Code::kInvalidArgument, "the host's memory is too small");
  const std::shared_ptr<Storage> storage = buffer.Data();
  if (storage == nullptr) return MakeError(Code::kFailedPrecondition, kDeleted);
  ToHost(buffer.type, buffer.Elements(), storage->data(), static_cast<std::byte*>(args.data));
  args.event = new Event;
  return nullptr;
}

template <typename T>
Error* Copy(CopyArgs<T>& args, Memory* to) {
  args.copy = args.self->CopyTo(to);
  return args.copy != nullptr ? nullptr : MakeError(Code::kFailedPrecondition, kDeleted);
}

/// No copy: the buffer is a view until it goes.
Error* CreateView(ViewArgs& args) {
  const std::span dims(args.dims, args.rank);
  if (Error* error = CheckShape(args.type, args.layout, dims)) return error;
  Memory* memory = nullptr;
  if (args.header.struct_size >= sizeof(ViewWithMemoryArgs)) {
    memory = reinterpret_cast<ViewWithMemoryArgs&>(args).memory;
  }
  // The callback is the new buffer's duty only if there is one: allocate first.
  auto storage = std::make_shared<Storage>(args.data);
  auto buffer = std::make_unique<Buffer>(Choose(memory, args.device), args.type, dims, storage);
  storage->CallOnDelete(args.on_delete, args.on_delete_user);
  args.buffer = buffer.release();
  return nullptr;
}

}  // namespace

Buffer* Buffer::CopyTo(Memory* to) {
  const std::shared_ptr<Storage> from = Data();
  if (from == nullptr) return nullptr;
  auto storage = std::make_shared<Storage>(Bytes());
  std::copy_n(from->data(), Bytes(), storage->data());
  return new Buffer(to, type, dims, std::move(storage));
}

void InstallTransfers(Table& table) {
  table.Set<Slot::kClient_BufferFromHostBuffer>([](FromHostArgs& args) { return FromHost(args); });
  table.Set<Slot::kBuffer_ToHostBuffer>([](ToHostArgs& args) { return ToHostBuffer(args); });
  table.Set<Slot::kBuffer_CopyToDevice>(
      [](CopyArgs<Device>& args) { return Copy(args, args.to->memories.front()); });
  table.Set<Slot::kBuffer_CopyToMemory>([](CopyArgs<Memory>& args) { return Copy(args, args.to); });
  table.Set<Slot::kClient_CreateViewOfDeviceBuffer>(
      [](ViewArgs& args) { return CreateView(args); });
}

}  // namespace dlpc::emulation
