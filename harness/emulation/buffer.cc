// Buffers: their bytes, who keeps them, and what they say of themselves.
#include <new>
#include <numeric>
#include <utility>

#include "harness/emulation/elements.h"
#include "harness/emulation/objects.h"
#include "harness/emulation/table.h"

namespace dlpc::emulation {
namespace {

// What JAX asks of memory that it takes without a copy, and DLPack of every tensor before 1.3.
constexpr std::align_val_t kAlignment{256};

Error* Pointer(Buffer* buffer, void** out) {
  const std::shared_ptr<Storage> storage = buffer->Data();
  if (storage == nullptr) {
    return MakeError(Code::kFailedPrecondition, "the buffer has been deleted");
  }
  *out = storage->data();
  return nullptr;
}

void DescribeLayout(LayoutArgs& args) {
  args.layout = {};
  args.layout.header.struct_size = sizeof args.layout;
  args.layout.type = Layout::Type::kTiled;
  TiledLayout& tiled = args.layout.tiled;
  tiled.header.struct_size = sizeof tiled;
  tiled.minor_to_major = args.self->minor_to_major.data();
  tiled.rank = args.self->minor_to_major.size();
}

void DescribeDimensions(DimensionsArgs& args) {
  args.dims = args.self->dims.data();
  args.rank = args.self->dims.size();
}

void InstallShapes(Table& table) {
  table.Set<Slot::kBuffer_ElementType>(
      [](ValueArgs<Buffer, ElementType>& args) { args.value = args.self->type; });
  table.Set<Slot::kBuffer_Dimensions>([](DimensionsArgs& args) { DescribeDimensions(args); });
  table.Set<Slot::kBuffer_UnpaddedDimensions>(
      [](DimensionsArgs& args) { DescribeDimensions(args); });
  table.Set<Slot::kBuffer_DynamicDimensionIndices>([](DimensionIndicesArgs& args) {
    args.indices = nullptr;
    args.count = 0;
  });
  table.Set<Slot::kBuffer_GetMemoryLayout>([](LayoutArgs& args) { DescribeLayout(args); });
  table.Set<Slot::kBuffer_OnDeviceSizeInBytes>(
      [](ValueArgs<Buffer, size_t>& args) { args.value = args.self->Bytes(); });
}

void InstallLifetime(Table& table) {
  using Self = SelfArgs<Buffer>;
  table.Set<Slot::kBuffer_Destroy>([](Self& args) { delete args.self; });
  table.Set<Slot::kBuffer_Delete>([](Self& args) { args.self->Delete(); });
  table.Set<Slot::kBuffer_IsDeleted>(
      [](ValueArgs<Buffer, bool>& args) { args.value = args.self->IsDeleted(); });
  table.Set<Slot::kBuffer_IncreaseExternalReferenceCount>([](Self& args) { args.self->Hold(); });
  table.Set<Slot::kBuffer_DecreaseExternalReferenceCount>([](Self& args) { args.self->Release(); });
}

}  // namespace

Storage::Storage(size_t size)
    // Never without an address of its own, even if there is nothing to hold.
    : data_(::operator new(size == 0 ? 1 : size, kAlignment)), owned_(true) {}

Storage::~Storage() {
  if (owned_) ::operator delete(data_, kAlignment);
  if (on_delete_ != nullptr) on_delete_(data_, user_);
}

Buffer::Buffer(Memory* the_memory, ElementType the_type, std::span<const int64_t> the_dims,
               std::shared_ptr<Storage> storage)
    : memory(the_memory),
      type(the_type),
      dims(the_dims.begin(), the_dims.end()),
      minor_to_major(the_dims.size()),
      storage_(std::move(storage)) {
  std::iota(minor_to_major.rbegin(), minor_to_major.rend(), 0);
}

size_t Buffer::Elements() const { return ElementCount(dims); }
size_t Buffer::Bytes() const { return DeviceBytes(type, Elements()); }

void Buffer::Delete() {
  std::shared_ptr<Storage> dropped;  // Freed without the lock: that may call into the owner.
  const std::lock_guard lock(mutex_);
  deleted_ = true;
  if (holders_ == 0) dropped.swap(storage_);
}

void Buffer::Hold() {
  const std::lock_guard lock(mutex_);
  ++holders_;
}

void Buffer::Release() {
  std::shared_ptr<Storage> dropped;
  const std::lock_guard lock(mutex_);
  --holders_;
  if (holders_ == 0 && deleted_) dropped.swap(storage_);
}

bool Buffer::IsDeleted() {
  const std::lock_guard lock(mutex_);
  return deleted_;
}

std::shared_ptr<Storage> Buffer::Data() {
  const std::lock_guard lock(mutex_);
  return storage_;
}

void InstallBuffers(Table& table) {
  InstallShapes(table);
  InstallLifetime(table);
  table.Set<Slot::kBuffer_Device>(
      [](LinkArgs<Buffer, Device>& args) { args.link = args.self->memory->device; });
  table.Set<Slot::kBuffer_Memory>(
      [](LinkArgs<Buffer, Memory>& args) { args.link = args.self->memory; });
  // Not even pinned memory: callers must ask the plug-in for the bytes.
  table.Set<Slot::kBuffer_IsOnCpu>([](ValueArgs<Buffer, bool>& args) { args.value = false; });
  table.Set<Slot::kBuffer_ReadyEvent>([](LinkArgs<Buffer, Event>& args) { args.link = new Event; });
  table.Set<Slot::kBuffer_OpaqueDeviceMemoryDataPointer>(
      [](ValueArgs<Buffer, void*>& args) { return Pointer(args.self, &args.value); });
  table.Set<Slot::kBuffer_UnsafePointer>(
      [](ValueArgs<Buffer, void*>& args) { return Pointer(args.self, &args.value); });
}

}  // namespace dlpc::emulation
