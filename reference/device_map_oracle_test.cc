// The tables against a second telling of the same facts (testing/device_map_oracle.h). Then the
// proof that this comparison notices: each row of each table is made wrong in each way.
#include "reference/testing/device_map_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference/device_map.h"

namespace dlpc {
namespace {

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
const DeviceFacts* Difference(std::span<const DeviceRule> rules, const MapOracle& oracle) {
  const auto found = std::find_if(Grid().begin(), Grid().end(), [&](const DeviceFacts& facts) {
    return MapText(MapDevice(rules, facts)) != MapText(oracle.answer(facts));
  });
  return found == Grid().end() ? nullptr : &*found;
}

TEST(DeviceMapOracleTest, EveryProfileHasOne) {
  const auto profiles = DeviceProfiles();
  ASSERT_EQ(profiles.size(), MapOracles().size());
  for (size_t i = 0; i < profiles.size(); ++i) EXPECT_EQ(profiles[i], MapOracles()[i].profile);
}

TEST(DeviceMapOracleTest, TablesAgreeEverywhere) {
  for (const MapOracle& oracle : MapOracles()) {
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
  for (const MapOracle& oracle : MapOracles()) {
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
