#include "harness/trace.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "harness/bytes.h"

namespace dlpc {
namespace {

template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// The fields of every alternative, in wire order; the same list writes and reads.
template <typename A, Is<NotPerformed> T>
void Fields(A& ar, T& v) {
  ar(v.reason);
}
template <typename A, Is<Done> T>
void Fields(A&, T&) {}
template <typename A, Is<Unsupported> T>
void Fields(A& ar, T& v) {
  ar(v.reason);
}
template <typename A, Is<AdapterFault> T>
void Fields(A& ar, T& v) {
  ar(v.text);
}
template <typename A, Is<Raised> T>
void Fields(A& ar, T& v) {
  ar(v.type, v.bases, v.message);
}
template <typename A, Is<Made> T>
void Fields(A& ar, T& v) {
  ar(v.given, v.description, v.pointer, v.read_only, v.device, v.shape, v.allocation, v.values);
}
template <typename A, Is<Probed> T>
void Fields(A& ar, T& v) {
  ar(v.type_has_dlpack, v.type_has_device, v.instance_has_dlpack, v.instance_has_device);
}
template <typename A, Is<DeviceAnswer> T>
void Fields(A& ar, T& v) {
  ar(v.is_tuple, v.size, v.type_kind, v.id_kind, v.type, v.id, v.repr, v.calls, v.differing);
}
template <typename A, Is<Exported> T>
void Fields(A& ar, T& v) {
  ar(v.is_capsule, v.type_name, v.name, v.name_pointer, v.managed, v.has_destructor,
     v.emulated_capsule, v.waits);
}
template <typename A, Is<Inspected> T>
void Fields(A& ar, T& v) {
  ar(v.versioned, v.raw, v.shape, v.strides, v.shape_readable, v.strides_readable,
     v.deleter_executable);
}
template <typename A, Is<Elements> T>
void Fields(A& ar, T& v) {
  ar(v.first, v.low, v.high, v.readable, v.bytes);
}
template <typename A, Is<Dropped> T>
void Fields(A& ar, T& v) {
  ar(v.threw, v.left_exception, v.lost_exception, v.unraisable, v.without_lock);
}
template <typename A, Is<Counted> T>
void Fields(A& ar, T& v) {
  ar(v.value, v.same_pointer);
}
template <typename A, Is<Many> T>
void Fields(A& ar, T& v) {
  ar(v.tried, v.capsules, v.distinct_capsules, v.distinct_managed, v.distinct_name_pointers,
     v.differing, v.names, v.first_error, v.heap_growth, v.object_growth);
}

template <typename A, Is<Ended> T>
void Fields(A& ar, T& v) {
  ar(v.stage, v.how);
}
template <typename A, Is<TableSeen> T>
void Fields(A& ar, T& v) {
  ar(v.on_type, v.on_instance, v.on_subclass, v.old_name, v.found, v.address, v.readable, v.major,
     v.minor, v.chain, v.chain_ends);
  for (auto& function : v.functions) ar(function);
}
template <typename A, Is<TableCall> T>
void Fields(A& ar, T& v) {
  ar(v.code, v.threw, v.raised, v.out_written, v.out, v.set_errors, v.error, v.tensor, v.writable,
     v.made, v.same_type, v.heap_growth);
}

// Alternatives that are fields of others.
template <typename T>
concept Nested = Is<T, Raised> || Is<T, Made> || Is<T, Inspected>;
template <typename T>
concept Enum = std::is_enum_v<T> && requires {
  T::kCount_;
};

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }

 private:
  void Put(bool v) { out_.Int(static_cast<uint8_t>(v)); }
  template <Enum T>
  void Put(T v) {
    out_.Int(static_cast<uint8_t>(v));
  }
  template <std::integral T>
  void Put(T v) {
    out_.Int(v);
  }
  void Put(const std::string& v) { out_.Text(v); }
  void Put(const std::array<uint8_t, 80>& v) { out_.Raw(v.data(), v.size()); }
  void Put(const Extents& v) { Numbers(v); }
  void Put(const std::vector<int64_t>& v) { Numbers(v); }
  void Numbers(std::span<const int64_t> v) {
    out_.Int(static_cast<uint32_t>(v.size()));
    out_.Raw(v.data(), v.size() * sizeof(int64_t));
  }
  void Put(const std::vector<std::string>& v) {
    out_.Int(static_cast<uint32_t>(v.size()));
    for (const std::string& text : v) out_.Text(text);
  }
  void Put(const std::pair<uint64_t, uint64_t>& v) { (*this)(v.first, v.second); }
  void Put(const DLDevice& v) {
    (*this)(static_cast<int32_t>(v.device_type), int32_t{v.device_id});
  }
  template <Nested T>
  void Put(const T& v) {
    Fields(*this, v);
  }
  template <Optional T>
  void Put(const T& v) {
    Put(v.has_value());
    if (v) Put(*v);
  }

  ByteWriter out_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : in_(bytes) {}
  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  bool ok() const { return in_.ok(); }
  void Fail() { in_.Fail(); }
  size_t left() const { return in_.left(); }

 private:
  void Get(bool& v) {
    const uint8_t byte = in_.Int<uint8_t>();
    if (byte > 1) in_.Fail();
    v = byte == 1;
  }
  template <Enum T>
  void Get(T& v) {
    const uint8_t byte = in_.Int<uint8_t>();
    if (byte >= static_cast<uint8_t>(T::kCount_)) {
      in_.Fail();
    } else {
      v = static_cast<T>(byte);
    }
  }
  template <std::integral T>
  void Get(T& v) {
    v = in_.Int<T>();
  }
  void Get(std::string& v) { v = in_.Text(); }
  void Get(std::array<uint8_t, 80>& v) { in_.Raw(v.data(), v.size()); }
  // No length is believed that the bytes left cannot hold: a bad one cannot allocate much.
  size_t Count(size_t element_bytes) {
    const size_t count = in_.Int<uint32_t>();
    if (count <= in_.left() / element_bytes) return count;
    in_.Fail();
    return 0;
  }
  void Get(Extents& v) { Numbers(v); }
  void Get(std::vector<int64_t>& v) { Numbers(v); }
  template <typename T>
  void Numbers(T& v) {
    v.resize(Count(sizeof(int64_t)));
    in_.Raw(v.data(), v.size() * sizeof(int64_t));
  }
  void Get(std::vector<std::string>& v) {
    v.resize(Count(sizeof(uint32_t)));
    for (std::string& text : v) Get(text);
  }
  void Get(std::pair<uint64_t, uint64_t>& v) { (*this)(v.first, v.second); }
  void Get(DLDevice& v) {
    v.device_type = static_cast<DLDeviceType>(in_.Int<int32_t>());
    v.device_id = in_.Int<int32_t>();
  }
  template <Nested T>
  void Get(T& v) {
    Fields(*this, v);
  }
  template <Optional T>
  void Get(T& v) {
    bool has = false;
    Get(has);
    if (has && in_.ok()) Get(v.emplace());
  }

  ByteReader in_;
};

template <size_t... I>
bool ReadAlternative(Reader& in, uint8_t index, Observation& out, std::index_sequence<I...>) {
  return ((index == I && (Fields(in, out.emplace<I>()), true)) || ...);
}

}  // namespace

void EncodeTrace(const Trace& trace, std::string& out) {
  Writer ar(&out);
  ar(trace.duration_us, static_cast<uint32_t>(trace.steps.size()));
  for (const Observation& observation : trace.steps) {
    ar(static_cast<uint8_t>(observation.index()));
    std::visit([&ar](const auto& alternative) { Fields(ar, alternative); }, observation);
  }
}

Expected<Trace> DecodeTrace(std::span<const uint8_t> bytes) {
  Reader in(bytes);
  Trace trace;
  uint32_t steps = 0;
  in(trace.duration_us, steps);
  if (!in.ok() || steps > in.left()) return Error{"trace: truncated header"};
  trace.steps.reserve(std::min<uint32_t>(steps, 64));
  for (uint32_t i = 0; i < steps; ++i) {
    uint8_t index = 0;
    in(index);
    constexpr auto kAll = std::make_index_sequence<std::variant_size_v<Observation>>();
    if (!ReadAlternative(in, index, trace.steps.emplace_back(), kAll) || !in.ok()) {
      return Error{"trace: malformed observation of step " + std::to_string(i)};
    }
  }
  if (in.left() != 0) return Error{"trace: bytes after the last step"};
  return trace;
}

// ---- The raw struct
// ------------------------------------------------------------------------------

namespace {

template <typename T>
T At(const Inspected& inspected, size_t legacy, size_t versioned) {
  T value;
  std::memcpy(&value, inspected.raw.data() + (inspected.versioned ? versioned : legacy),
              sizeof value);
  return value;
}

}  // namespace

static_assert(sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);

DLTensor TensorOf(const Inspected& inspected) {
  return At<DLTensor>(inspected, offsetof(DLManagedTensor, dl_tensor),
                      offsetof(DLManagedTensorVersioned, dl_tensor));
}

DLPackVersion VersionOf(const Inspected& inspected) {
  if (!inspected.versioned) return {0, 0};
  return At<DLPackVersion>(inspected, 0, offsetof(DLManagedTensorVersioned, version));
}

uint64_t FlagsOf(const Inspected& inspected) {
  if (!inspected.versioned) return 0;
  return At<uint64_t>(inspected, 0, offsetof(DLManagedTensorVersioned, flags));
}

uint64_t ManagerContextOf(const Inspected& inspected) {
  return At<uint64_t>(inspected, offsetof(DLManagedTensor, manager_ctx),
                      offsetof(DLManagedTensorVersioned, manager_ctx));
}

uint64_t DeleterOf(const Inspected& inspected) {
  return At<uint64_t>(inspected, offsetof(DLManagedTensor, deleter),
                      offsetof(DLManagedTensorVersioned, deleter));
}

}  // namespace dlpc
