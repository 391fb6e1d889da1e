#include "harness/cuda/producer_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "harness/cuda/buffer.h"
#include "harness/cuda/pointer_oracle.h"
#include "reference/contract.h"
#include "reference/request.h"

namespace dlpc::cuda {
namespace {

Refused Failed(const Error& error) { return {DLPC_OTHER, error.message}; }

Kind KindOf(int32_t device_type) {
  switch (device_type) {
    case kDLCUDA:
      return Kind::kDevice;
    case kDLCUDAHost:
      return Kind::kHost;
    case kDLCUDAManaged:
      return Kind::kManaged;
    default:
      return Kind::kUnregistered;
  }
}

size_t Bits(DLDataType t) { return size_t{t.bits} * t.lanes; }

// Calls f with the buffer index of each element, in row-major order of the shape.
template <typename F>
void ForEach(const Array& array, F f) {
  std::vector<int64_t> at(array.shape.size(), 0);
  for (const int64_t extent : array.shape) {
    if (extent == 0) return;
  }
  while (true) {
    int64_t index = array.offset;
    for (size_t i = 0; i < at.size(); ++i) index += at[i] * array.strides[i];
    f(static_cast<size_t>(index));
    size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == array.shape[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

// What an export owns.
template <typename Managed>
struct Holder {
  Managed managed{};
  std::shared_ptr<Buffer> buffer;
  std::vector<int64_t> shape, strides;
};

template <typename Managed>
Managed* Hold(const Array& array) {
  auto* holder = new (std::nothrow) Holder<Managed>;
  if (holder == nullptr) return nullptr;
  holder->buffer = array.buffer;
  holder->shape = array.shape;
  holder->strides = array.strides;
  const bool empty = std::count(array.shape.begin(), array.shape.end(), 0) != 0;
  DLTensor& t = holder->managed.dl_tensor;
  t.data = empty ? nullptr : array.buffer->data();
  t.device = DeviceOf({array.buffer->kind(), 0});
  t.ndim = static_cast<int32_t>(array.shape.size());
  t.dtype = array.dtype;
  t.shape = holder->shape.data();
  t.strides = holder->strides.data();
  t.byte_offset = empty ? 0 : static_cast<uint64_t>(array.offset) * Bits(array.dtype) / 8;
  holder->managed.manager_ctx = holder;
  holder->managed.deleter = [](Managed* self) {
    delete static_cast<Holder<Managed>*>(self->manager_ctx);
  };
  return &holder->managed;
}

}  // namespace

Producer::Producer(Runtime* runtime) : runtime_(runtime), work_(Error{"no stream"}) {
  const Expected<int> devices = runtime_->Devices();
  work_ = devices ? runtime_->MakeStream() : Expected<Stream>(devices.error());
}

Producer::~Producer() {
  if (!work_) return;
  static_cast<void>(runtime_->Synchronize(*work_));
  runtime_->DropStream(*work_);
}

OrRefused<Array> Producer::Make(const dlpc_spec& spec) {
  const Kind kind = KindOf(spec.device_type);
  if (kind == Kind::kUnregistered) return Refused{DLPC_UNSUPPORTED, "only CUDA memory"};
  if (!work_) return Refused{DLPC_UNSUPPORTED, work_.error().message};
  if (Bits(spec.dtype) % 8 != 0) return Refused{DLPC_UNSUPPORTED, "no packed types"};
  auto buffer = Buffer::Make(runtime_, kind, spec.base_bytes);
  if (!buffer) return Failed(buffer.error());
  Array array;
  array.buffer = *buffer;
  array.dtype = spec.dtype;
  array.shape.assign(spec.shape, spec.shape + spec.ndim);
  array.strides.assign(spec.strides, spec.strides + spec.ndim);
  array.offset = spec.offset;
  array.read_only = (spec.flags & DLPC_SPEC_READ_ONLY) != 0;
  if (spec.base_bytes != 0) {
    Status status = runtime_->Copy(array.buffer->data(), spec.base, spec.base_bytes, *work_);
    if (status) status = runtime_->Synchronize(*work_);  // The base is valid during the call only.
    if (!status) return Failed(status.error());
  }
  return array;
}

DLDevice Producer::Device(const Array& array) const { return DeviceOf({array.buffer->kind(), 0}); }

// STREAM-02 to -06, -09, -12: the consumer's stream must fit the device that the data go to, and
// waits for what this producer has still to write.
OrRefused<std::monostate> Producer::Order(const Array& array, DLDevice target,
                                          const dlpc_request& request) {
  const bool on_gpu = target.device_type == kDLCUDA || target.device_type == kDLCUDAManaged;
  if (request.has_stream != 0 && !on_gpu) {
    return Refused{DLPC_VALUE_ERROR, fmt::format("stream must be None on {}", DeviceText(target))};
  }
  if (request.has_stream != 0 && (request.stream == 0 || request.stream < -1)) {
    return Refused{DLPC_VALUE_ERROR, fmt::format("{} is no stream of CUDA", request.stream)};
  }
  if (request.has_stream != 0 && request.stream == -1) return std::monostate{};
  Status status = OkStatus();
  if (on_gpu && array.buffer->kind() != Kind::kUnregistered) {
    const Stream stream =
        request.has_stream != 0 ? static_cast<Stream>(request.stream) : kLegacyStream;
    status = runtime_->LetWait(stream, *work_);
  } else {
    status = runtime_->Synchronize(*work_);  // The host reads it.
  }
  if (!status) return Failed(status.error());
  return std::monostate{};
}

// The whole buffer, of the same kind and with the same layout.
OrRefused<Array> Producer::CopyWithin(const Array& array) {
  const size_t bytes = array.buffer->bytes();
  auto buffer = Buffer::Make(runtime_, array.buffer->kind(), bytes);
  if (!buffer) return Failed(buffer.error());
  Status status = OkStatus();
  if (bytes != 0) {
    status = runtime_->Copy((*buffer)->data(), array.buffer->data(), bytes, *work_);
    if (status) status = runtime_->Synchronize(*work_);
  }
  if (!status) return Failed(status.error());
  Array copy = array;
  copy.buffer = *buffer;
  copy.read_only = false;
  return copy;
}

// Compact, in main memory.
OrRefused<Array> Producer::CopyToHost(const Array& array) {
  const size_t item = Bits(array.dtype) / 8;
  size_t elements = 1;
  for (const int64_t extent : array.shape) elements *= static_cast<size_t>(extent);
  auto buffer = Buffer::Make(runtime_, Kind::kUnregistered, elements * item);
  if (!buffer) return Failed(buffer.error());
  Array copy = array;
  copy.read_only = false;
  const auto done = Access(array, DLPC_READ_ALL, (*buffer)->data(), elements * item);
  if (const auto* refused = std::get_if<Refused>(&done)) return *refused;
  copy.buffer = *buffer;
  copy.offset = 0;
  int64_t stride = 1;
  for (size_t i = copy.shape.size(); i-- > 0;) {
    copy.strides[i] = stride;
    stride *= std::max<int64_t>(copy.shape[i], 1);
  }
  return copy;
}

OrRefused<dlpc_exported> Producer::Export(const Array& array, const dlpc_request& request) {
  const DLDevice own = Device(array);
  const DLDevice target = request.has_dl_device != 0 ? request.dl_device : own;
  const bool versioned = request.has_max_version != 0 && request.max_version.major >= 1;
  const bool copied = !SameDevice(target, own) || request.copy == DLPC_COPY_TRUE;
  if (!SameDevice(target, own) && !SameDevice(target, {kDLCPU, 0})) {
    return Refused{DLPC_BUFFER_ERROR, fmt::format("Cannot export an array on {} to device {}",
                                                  DeviceText(own), DeviceText(target))};
  }
  if (copied && request.copy == DLPC_COPY_FALSE) {
    return Refused{DLPC_BUFFER_ERROR, "copy=False, but an export to another device needs a copy"};
  }
  const auto ordered = Order(array, target, request);
  if (const auto* refused = std::get_if<Refused>(&ordered)) return *refused;
  OrRefused<Array> source = !copied                   ? OrRefused<Array>(array)
                            : SameDevice(target, own) ? CopyWithin(array)
                                                      : CopyToHost(array);
  if (const auto* refused = std::get_if<Refused>(&source)) return *refused;
  const Array& exported = *std::get_if<Array>(&source);
  if (!versioned && exported.read_only) {
    return Refused{DLPC_BUFFER_ERROR, "the legacy struct cannot say that an array is read-only"};
  }
  dlpc_exported result{};
  result.struct_size = sizeof result;
  if (versioned) {
    result.versioned = Hold<DLManagedTensorVersioned>(exported);
    if (result.versioned == nullptr) return Refused{DLPC_OTHER, "out of memory"};
    result.versioned->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    result.versioned->flags = (exported.read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0) |
                              (copied ? DLPACK_FLAG_BITMASK_IS_COPIED : 0);
    return result;
  }
  result.legacy = Hold<DLManagedTensor>(exported);
  if (result.legacy == nullptr) return Refused{DLPC_OTHER, "out of memory"};
  return result;
}

dlpc_array_facts Producer::Facts(const Array& array) const {
  dlpc_array_facts facts{};
  facts.struct_size = sizeof facts;
  facts.known = DLPC_KNOWN_ALLOCATION | DLPC_KNOWN_READ_ONLY | DLPC_KNOWN_DEVICE;
  if (std::count(array.shape.begin(), array.shape.end(), 0) == 0) facts.known |= DLPC_KNOWN_POINTER;
  facts.allocation = reinterpret_cast<uint64_t>(array.buffer->data());
  facts.allocation_bytes = array.buffer->bytes();
  facts.pointer = facts.allocation + static_cast<uint64_t>(array.offset) * Bits(array.dtype) / 8;
  facts.read_only = array.read_only ? 1 : 0;
  // By the driver, not by what was asked for.
  const Expected<PointerFacts> known = runtime_->Facts(array.buffer->data());
  if (known) facts.device = DeviceOf(*known);
  if (!known) facts.known &= ~static_cast<uint32_t>(DLPC_KNOWN_DEVICE);
  return facts;
}

OrRefused<std::monostate> Producer::Access(const Array& array, int32_t mode, void* bytes,
                                           size_t size) {
  const size_t item = Bits(array.dtype) / 8;
  std::vector<uint8_t> host(array.buffer->bytes());
  Status status = OkStatus();
  if (!host.empty()) {
    status = runtime_->Copy(host.data(), array.buffer->data(), host.size(), *work_);
    if (status) status = runtime_->Synchronize(*work_);
  }
  if (!status) return Failed(status.error());
  auto* out = static_cast<uint8_t*>(bytes);
  if (mode == DLPC_WRITE_FIRST) {
    if (size != item || host.empty()) return Refused{DLPC_VALUE_ERROR, "no such element"};
    std::memcpy(host.data() + static_cast<size_t>(array.offset) * item, bytes, item);
    status = runtime_->Copy(array.buffer->data(), host.data(), host.size(), *work_);
    if (status) status = runtime_->Synchronize(*work_);
    if (!status) return Failed(status.error());
    return std::monostate{};
  }
  size_t done = 0;
  ForEach(array, [&](size_t index) {
    if (done + item <= size) std::memcpy(out + done, host.data() + index * item, item);
    done += item;
  });
  if (done != size) return Refused{DLPC_VALUE_ERROR, "wrong number of bytes"};
  return std::monostate{};
}

OrRefused<std::monostate> Producer::OverwriteLater(const Array& array,
                                                   std::chrono::milliseconds time,
                                                   const std::vector<uint8_t>& bytes) {
  if (!work_) return Failed(work_.error());
  // Pinned: a copy from pageable memory would make this call wait for the delay.
  auto staged = Buffer::Make(runtime_, Kind::kHost, bytes.size());
  if (!staged) return Failed(staged.error());
  std::memcpy((*staged)->data(), bytes.data(), bytes.size());
  Status status = runtime_->Delay(*work_, time);
  if (status) {
    status = runtime_->Copy(array.buffer->data(), (*staged)->data(), bytes.size(), *work_);
  }
  staged_.push_back(std::move(*staged));
  if (!status) return Failed(status.error());
  return std::monostate{};
}

}  // namespace dlpc::cuda
