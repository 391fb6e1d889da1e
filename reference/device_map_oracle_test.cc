// The tables against a second telling of the same facts: plain ifs, written from the frameworks'
// sources and measurements (the facts of J-DEV and J-ERR), not from the tables. Then the proof that
// this comparison notices: each row of each table is made wrong in each way.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference/device_map.h"

namespace dlpc {
namespace {

bool Has(const std::string& text, const char* word) { return text.find(word) != text.npos; }

DeviceAnswerOrRefusal Is(int type, int id) { return DLDevice{static_cast<DLDeviceType>(type), id}; }
DeviceAnswerOrRefusal No(const char* exception, const std::string& text) {
  return Refusal{exception, text};
}
DeviceAnswerOrRefusal Buffer(const std::string& text) { return No("BufferError", text); }

std::string NameOf(const DeviceFacts& f) {
  return f.hardware_id ? f.platform + ":" + std::to_string(*f.hardware_id) : f.platform;
}

DeviceAnswerOrRefusal Generic(const DeviceFacts& f) {
  const std::string array = "Cannot describe an array on " + f.platform;
  if (f.shards != 1) {
    return Buffer(array + " that is sharded over " + std::to_string(f.shards) + " devices");
  }
  if (f.devices > 1) {
    return Buffer(array + " that is spread over " + std::to_string(f.devices) + " devices");
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
      return Buffer(array + ": its device has no local hardware id");
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
  const std::string no_id = "Couldn't get local_hardware_id for __dlpack__";
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
  const bool xla_on_cuda = Has(f.platform_version, "cuda") || Has(f.platform_version, "CUDA");
  if (p == "cuda") return Is(Has(f.platform_version, "hip") ? 10 : 2, id);
  if (p == "cpu") return Is(f.memory_kind == "pinned_host" ? 3 : 1, id);
  if (p == "xpu") return Is(14, id);
  if (p == "privateuse1") return Is(12, id);
  if (p == "mps") return Is(8, id);
  if (p == "xla" && xla_on_cuda) return Is(2, id);
  return No("ValueError", "Unknown device type " + p + " for Dlpack");
}

DeviceAnswerOrRefusal TorchCapsule(const DeviceFacts& f) {
  const std::string& p = f.platform;
  const int id = f.hardware_id.value_or(0);
  if (p == "xla") {
    if (Has(f.platform_version, "cuda") || Has(f.platform_version, "CUDA")) return Is(2, id);
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

struct Oracle {
  const char* profile;
  DeviceAnswerOrRefusal (*answer)(const DeviceFacts&);
};
const Oracle kOracles[] = {
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

// Not taken from the tables, so that a word that a table has wrong is missing there only.
const std::vector<DeviceFacts>& Grid() {
  static const std::vector<DeviceFacts> grid = [] {
    std::vector<DeviceFacts> all;
    for (const char* platform :
         {"cpu",         "CPU",    "cuda",      "rocm",  "oneapi", "gpu",    "GPU",
          "tpu",         "xpu",    "mps",       "meta",  "hip",    "xla",    "privateuseone",
          "privateuse1", "opencl", "vulkan",    "metal", "vpi",    "webgpu", "hexagon",
          "maia",        "trn",    "extension", "METAL", "Cuda",   ""}) {
      for (const char* version :
           {"", "cuda 12090", "rocm 60300", "oneapi 2025", "hip 6.3", "CUDA:0", "some gpu 1",
            "PJRT C API\ncuda", "rocm and cuda", "oneapi or rocm"}) {
        for (const char* kind : {"device", "pinned_host", "unpinned_host", "managed", ""}) {
          for (const std::optional<int32_t> id :
               {std::optional(0), std::optional(3), {}, std::optional(-1)}) {
            for (const auto& [shards, devices] : {std::pair(1, 1), {2, 2}, {1, 2}, {0, 1}}) {
              all.push_back({platform, version, kind, id, shards, devices, ""});
            }
          }
        }
      }
    }
    return all;
  }();
  return grid;
}

// The first facts that table and oracle answer differently; nullptr: none.
const DeviceFacts* Difference(std::span<const DeviceRule> rules, const Oracle& oracle) {
  const auto found = std::find_if(Grid().begin(), Grid().end(), [&](const DeviceFacts& facts) {
    return MapText(MapDevice(rules, facts)) != MapText(oracle.answer(facts));
  });
  return found == Grid().end() ? nullptr : &*found;
}

TEST(DeviceMapOracleTest, EveryProfileHasOne) {
  const auto profiles = DeviceProfiles();
  ASSERT_EQ(profiles.size(), std::size(kOracles));
  for (size_t i = 0; i < profiles.size(); ++i) EXPECT_EQ(profiles[i], kOracles[i].profile);
}

TEST(DeviceMapOracleTest, TablesAgreeEverywhere) {
  for (const Oracle& oracle : kOracles) {
    const DeviceFacts* facts = Difference(DeviceRules(oracle.profile), oracle);
    if (facts == nullptr) continue;
    ADD_FAILURE() << oracle.profile << ": platform '" << facts->platform << "', version '"
                  << facts->platform_version << "', memory '" << facts->memory_kind << "', table "
                  << MapText(MapDevice(oracle.profile, *facts)) << ", oracle "
                  << MapText(oracle.answer(*facts));
  }
}

struct Fault {
  const char* name;
  bool (*apply)(DeviceRule& rule);  // False: the row has nothing of the kind.
};
const Fault kFaults[] = {
    {"wrong type",
     [](DeviceRule& r) { return r.device_type != 0 && (r.device_type += 100, true); }},
    {"wrong id",
     [](DeviceRule& r) {
       r.id =
           r.id == DeviceRule::Id::kZero ? DeviceRule::Id::kHardwareOrZero : DeviceRule::Id::kZero;
       return r.device_type != 0;
     }},
    {"missing refusal",
     [](DeviceRule& r) { return r.device_type == 0 && (r.device_type = kDLCPU, true); }},
    {"needless refusal",
     [](DeviceRule& r) {
       if (r.device_type == 0) return false;
       r.device_type = 0;
       r.exception = "BufferError";
       r.message = "no";
       return true;
     }},
    {"wrong class",
     [](DeviceRule& r) { return r.device_type == 0 && (r.exception = "TypeError", true); }},
    {"wrong text",
     [](DeviceRule& r) {
       if (r.device_type != 0) return false;
       r.message.remove_prefix(1);
       return true;
     }},
    {"wrong platform",
     [](DeviceRule& r) { return r.platform != "*" && (r.platform = "nowhere", true); }},
    {"any platform", [](DeviceRule& r) { return r.platform != "*" && (r.platform = "*", true); }},
    {"any version", [](DeviceRule& r) { return r.version != "*" && (r.version = "*", true); }},
    {"any memory",
     [](DeviceRule& r) { return r.memory_kind != "*" && (r.memory_kind = "*", true); }},
    {"always",
     [](DeviceRule& r) {
       return r.when != DeviceRule::When::kAlways && (r.when = DeviceRule::When::kAlways, true);
     }},
};

TEST(DeviceMapOracleTest, EveryFaultInEveryRowIsNoticed) {
  size_t tried = 0;
  for (const Oracle& oracle : kOracles) {
    const auto rules = DeviceRules(oracle.profile);
    for (size_t i = 0; i < rules.size(); ++i) {
      for (const Fault& fault : kFaults) {
        std::vector<DeviceRule> faulty(rules.begin(), rules.end());
        if (!fault.apply(faulty[i])) continue;
        ++tried;
        EXPECT_NE(Difference(faulty, oracle), nullptr)
            << oracle.profile << " row " << i + 1 << ": " << fault.name;
      }
      std::vector<DeviceRule> without(rules.begin(), rules.end());
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(Difference(without, oracle), nullptr)
          << oracle.profile << " row " << i + 1 << " is not needed";
    }
  }
  EXPECT_GT(tried, 300u);
}

}  // namespace
}  // namespace dlpc
