#include "reference/testing/device_map_oracle.h"

#include <string>
#include <utility>

namespace dlpc {
namespace {

bool Has(const std::string& text, const char* word) { return text.find(word) != text.npos; }

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text;
}

DeviceAnswerOrRefusal Is(int type, int id) { return DLDevice{static_cast<DLDeviceType>(type), id}; }
DeviceAnswerOrRefusal No(const char* exception, const std::string& text) {
  return Refusal{exception, text};
}
DeviceAnswerOrRefusal Buffer(const std::string& text) { return No("BufferError", text); }

std::string NameOf(const DeviceFacts& f) {
  if (!f.device.empty()) return f.device;
  return f.hardware_id ? f.platform + ":" + std::to_string(*f.hardware_id) : f.platform;
}

DeviceAnswerOrRefusal Generic(const DeviceFacts& f) {
  // Made where it is needed: a fuzzer asks a million times a second.
  const auto array = [&f] { return "Cannot describe an array on " + f.platform; };
  if (f.shards != 1) {
    return Buffer(array() + " that is sharded over " + std::to_string(f.shards) + " devices");
  }
  if (f.devices > 1) {
    return Buffer(array() + " that is spread over " + std::to_string(f.devices) + " devices");
  }
  const std::string& p = f.platform;
  const std::string& kind = f.memory_kind;
  if (p == "cpu") return Is(1, 0);
  if (kind == "pinned_host" && p == "cuda") return Is(3, 0);
  if (kind == "pinned_host" && p == "rocm") return Is(11, 0);
  if (kind == "managed" && p == "cuda") return Is(13, 0);
  if (kind == "unpinned_host" && (p == "cuda" || p == "rocm" || p == "oneapi")) return Is(1, 0);
  const std::pair<const char*, int> types[] = {{"cuda", 2},   {"rocm", 10},   {"oneapi", 14},
                                               {"opencl", 4}, {"vulkan", 7},  {"metal", 8},
                                               {"vpi", 9},    {"webgpu", 15}, {"hexagon", 16},
                                               {"maia", 17},  {"trn", 18},    {"extension", 12}};
  for (const auto& [name, type] : types) {
    if (p != name || kind != "device") continue;
    if (!f.hardware_id || *f.hardware_id < 0) {
      return Buffer(array() + ": its device has no local hardware id");
    }
    return Is(type, *f.hardware_id);
  }
  return Buffer("Cannot describe " + kind + " memory on platform " + p + " as a DLPack device");
}

// 0.10.2 has the type for pinned memory of CUDA, 0.11 those of the other platforms.
enum Jax { kOld, kCudaHost, kNew };

DeviceAnswerOrRefusal JaxQuery(const DeviceFacts& f, Jax release) {
  const bool new_types = release == kNew;
  if (f.shards != 1) return Buffer("__dlpack__ only supported for unsharded arrays.");
  const std::string& p = f.platform;
  const bool pinned = new_types && f.memory_kind == "pinned_host";
  const bool cuda_pinned = release != kOld && f.memory_kind == "pinned_host";
  const char* const no_id = "Couldn't get local_hardware_id for __dlpack__";
  if (p == "cpu") return Is(1, 0);
  if (p == "cuda" || p == "rocm" || p == "gpu" || (new_types && p == "oneapi")) {
    int type = 0;
    if (Has(f.platform_version, "cuda")) {
      type = cuda_pinned ? 3 : 2;
    } else if (Has(f.platform_version, "rocm")) {
      type = pinned ? 11 : 10;
    } else if (new_types && Has(f.platform_version, "oneapi")) {
      type = 14;
    } else {
      return Buffer("Unknown GPU platform for __dlpack__: " + f.platform_version);
    }
    return f.hardware_id ? Is(type, *f.hardware_id) : Buffer(no_id);
  }
  if (!new_types) {
    return Buffer("__dlpack__ device only supported for CPU and GPU, got platform: " + p);
  }
  if (p == "tpu") {
    if (!pinned) return Buffer("__dlpack__ device only supported for TPU pinned host memory");
    return f.hardware_id ? Is(20, *f.hardware_id) : Buffer(no_id);
  }
  return Buffer(
      "__dlpack__ device only supported for CPU, GPU and TPU pinned host, got platform: " + p);
}

DeviceAnswerOrRefusal JaxCapsule(const DeviceFacts& f, Jax release) {
  const bool new_types = release == kNew;
  if (f.devices > 1) {
    return Buffer(
        "to_dlpack can only pack a dlpack tensor from an array on a singular device, but an array "
        "with a Sharding over " +
        std::to_string(f.devices) + " devices was provided.");
  }
  const std::string& p = f.platform;
  const bool pinned = new_types && f.memory_kind == "pinned_host";
  const bool cuda_pinned = release != kOld && f.memory_kind == "pinned_host";
  const int id = f.hardware_id.value_or(-1);
  if (p == "cpu") return Is(1, id);
  if (p == "cuda") return Is(cuda_pinned ? 3 : 2, id);
  if (p == "rocm") return Is(pinned ? 11 : 10, id);
  if (p == "oneapi" && new_types) return Is(14, id);
  if (p == "tpu" && pinned) return Is(20, id);
  return No("JaxRuntimeError",
            "INVALID_ARGUMENT: Device " + NameOf(f) + " cannot be used as a DLPack device.");
}

DeviceAnswerOrRefusal TorchQuery(const DeviceFacts& f) {
  const std::string& p = f.platform;
  const int id = f.hardware_id.value_or(0);
  if (p == "cuda") return Is(Has(f.platform_version, "hip") ? 10 : 2, id);
  if (p == "cpu") return Is(f.memory_kind == "pinned_host" ? 3 : 1, id);
  if (p == "xpu") return Is(14, id);
  if (p == "privateuse1") return Is(12, id);
  if (p == "mps") return Is(8, id);
  if (p == "xla" && Has(Lower(f.platform_version), "cuda")) return Is(2, id);
  return No("ValueError", "Unknown device type " + p + " for Dlpack");
}

DeviceAnswerOrRefusal TorchCapsule(const DeviceFacts& f) {
  const std::string& p = f.platform;
  const int id = f.hardware_id.value_or(0);
  if (p == "xla") {
    if (Has(Lower(f.platform_version), "cuda")) return Is(2, id);
    return No("RuntimeError", "Can't export to dlpack an XLA tensor that is not on CUDA.");
  }
  if (p == "cpu") return Is(1, 0);
  if (p == "cuda") return Is(Has(f.platform_version, "hip") ? 10 : 2, id);
  if (p == "opencl") return Is(4, 0);
  if (p == "hip") return Is(10, 0);
  if (p == "xpu") return Is(14, id);
  if (p == "maia") return Is(17, 0);
  if (p == "privateuseone" || p == "privateuse1") return Is(12, id);
  if (p == "mps") return Is(8, 0);
  return Buffer("Cannot pack tensors on " + NameOf(f));
}

DeviceAnswerOrRefusal Numpy(const DeviceFacts& f) {
  const int id = f.hardware_id.value_or(0);
  if (f.platform == "cpu") return Is(1, 0);
  if (f.platform == "cuda" && f.memory_kind == "pinned_host") return Is(3, id);
  if (f.platform == "cuda" && f.memory_kind == "managed") return Is(13, id);
  if (f.platform == "rocm" && f.memory_kind == "pinned_host") return Is(11, id);
  return Buffer("Unsupported device in DLTensor.");
}

DeviceAnswerOrRefusal Cupy(const DeviceFacts& f) {
  if (f.platform != "cuda") {
    return No("NoSuchArray", "CuPy has no arrays on platform " + f.platform);
  }
  const int id = f.hardware_id.value_or(0);
  if (Has(f.platform_version, "hip") || Has(f.platform_version, "rocm")) return Is(10, id);
  return Is(f.memory_kind == "managed" ? 13 : 2, id);
}

DeviceAnswerOrRefusal Tensorflow(const DeviceFacts& f) {
  const std::string& p = f.platform;
  if (p == "cpu" || p == "CPU") return Is(1, f.hardware_id.value_or(0));
  if (p == "gpu" || p == "GPU" || p == "cuda" || p == "rocm") {
    return Is(2, f.hardware_id.value_or(0));
  }
  return No("InvalidArgumentError", "Unsupported Device Type for dlpack");
}

constexpr MapOracle kOracles[] = {
    {"generic", Generic},
    {"jax", [](const DeviceFacts& f) { return JaxQuery(f, kNew); }},
    {"jax@0.10.2", [](const DeviceFacts& f) { return JaxQuery(f, kCudaHost); }},
    {"jax@0.10", [](const DeviceFacts& f) { return JaxQuery(f, kOld); }},
    {"jaxlib", [](const DeviceFacts& f) { return JaxCapsule(f, kNew); }},
    {"jaxlib@0.10.2", [](const DeviceFacts& f) { return JaxCapsule(f, kCudaHost); }},
    {"jaxlib@0.10", [](const DeviceFacts& f) { return JaxCapsule(f, kOld); }},
    {"torch", TorchQuery},
    {"torch-capsule", TorchCapsule},
    {"numpy", Numpy},
    {"cupy", Cupy},
    {"tensorflow", Tensorflow},
};

}  // namespace

std::span<const MapOracle> MapOracles() { return kOracles; }

}  // namespace dlpc
