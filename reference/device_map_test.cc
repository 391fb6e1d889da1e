#include "reference/device_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dlpc {
namespace {

using ::testing::HasSubstr;

DeviceFacts Facts(std::string platform, std::string kind, std::optional<int64_t> id = 0,
                  int64_t shards = 1) {
  DeviceFacts facts;
  facts.platform = std::move(platform);
  facts.memory_kind = std::move(kind);
  facts.hardware_id = id;
  facts.shards = shards;
  return facts;
}

std::string Answer(const DeviceFacts& facts) { return MapText(MapDevice("generic", facts)); }

TEST(DeviceMapTest, GenericProfile) {
  EXPECT_EQ(Answer({}), "kDLCPU 1 0");
  EXPECT_EQ(Answer(Facts("cpu", "device", 3)), "kDLCPU 1 0");  // DEV-06
  EXPECT_EQ(Answer(Facts("cpu", "unpinned_host", std::nullopt)), "kDLCPU 1 0");
  EXPECT_EQ(Answer(Facts("cuda", "device", 3)), "kDLCUDA 2 3");
  EXPECT_EQ(Answer(Facts("cuda", "pinned_host", 3)), "kDLCUDAHost 3 0");  // DEV-07
  EXPECT_EQ(Answer(Facts("rocm", "pinned_host", 3)), "kDLROCMHost 11 0");
  EXPECT_EQ(Answer(Facts("cuda", "managed", 3)), "kDLCUDAManaged 13 0");  // DEV-08
  EXPECT_EQ(Answer(Facts("cuda", "unpinned_host", 3)), "kDLCPU 1 0");
  const std::pair<const char*, const char*> kOwn[] = {
      {"rocm", "kDLROCM 10 1"},     {"oneapi", "kDLOneAPI 14 1"},   {"opencl", "kDLOpenCL 4 1"},
      {"vulkan", "kDLVulkan 7 1"},  {"metal", "kDLMetal 8 1"},      {"vpi", "kDLVPI 9 1"},
      {"webgpu", "kDLWebGPU 15 1"}, {"hexagon", "kDLHexagon 16 1"}, {"maia", "kDLMAIA 17 1"},
      {"trn", "kDLTrn 18 1"},       {"extension", "kDLExtDev 12 1"}};
  for (const auto& [platform, text] : kOwn) {
    EXPECT_EQ(Answer(Facts(platform, "device", 1)), text);
  }
}

TEST(DeviceMapTest, Refusals) {
  EXPECT_THAT(Answer(Facts("quantum", "device")), HasSubstr("quantum"));
  EXPECT_THAT(Answer(Facts("quantum", "device")), HasSubstr("BufferError: "));
  EXPECT_THAT(Answer(Facts("cuda", "texture")), HasSubstr("texture memory on platform cuda"));
  EXPECT_THAT(Answer(Facts("cuda", "device", std::nullopt)), HasSubstr("hardware id"));
  EXPECT_THAT(Answer(Facts("cuda", "device", int64_t{1} << 40)), HasSubstr("hardware id"));
  EXPECT_THAT(Answer(Facts("cpu", "device", 0, 2)), HasSubstr("sharded over 2 devices"));
  EXPECT_THAT(Answer(Facts("cpu", "device", 0, 0)), HasSubstr("BufferError"));
}

TEST(DeviceMapTest, GuardAgreesWithMap) {
  for (std::string_view profile : DeviceProfiles()) {
    for (const char* platform : {"cpu", "cuda", "rocm", "tpu", "metal", "quantum", ""}) {
      for (const char* kind : {"device", "pinned_host", "unpinned_host", "managed", "odd"}) {
        for (const auto id : {std::optional<int64_t>(), std::optional<int64_t>(1)}) {
          for (const int64_t shards : {1, 2}) {
            const DeviceFacts facts = Facts(platform, kind, id, shards);
            const auto answer = MapDevice(profile, facts);
            EXPECT_EQ(SupportsDLPack(profile, facts), std::holds_alternative<DLDevice>(answer));
            EXPECT_FALSE(SupportsDLPack(profile, facts) && shards == 2);
          }
        }
      }
    }
  }
}

TEST(DeviceMapTest, TablesAreWellFormed) {
  ASSERT_NE(std::find(DeviceProfiles().begin(), DeviceProfiles().end(), "generic"),
            DeviceProfiles().end());
  EXPECT_TRUE(DeviceRules("no such profile").empty());
  EXPECT_EQ(DeviceMapMarkdown("no such profile"), "");
  for (std::string_view profile : DeviceProfiles()) {
    const auto rules = DeviceRules(profile);
    ASSERT_FALSE(rules.empty());
    EXPECT_EQ(rules.back().platform, "*") << "the last row must match everything";
    EXPECT_EQ(rules.back().memory_kind, "*");
    for (const DeviceRule& rule : rules) {
      EXPECT_EQ(rule.device_type == 0, !rule.exception.empty());
      EXPECT_EQ(rule.exception.empty(), rule.message.empty());
      EXPECT_FALSE(rule.citation.empty());
    }
    const std::string markdown = DeviceMapMarkdown(profile);
    const auto lines = std::count(markdown.begin(), markdown.end(), '\n');
    EXPECT_EQ(lines, static_cast<int64_t>(rules.size()) + 3);
  }
  EXPECT_THAT(DeviceMapMarkdown("generic"), HasSubstr("| cuda | pinned_host | kDLCUDAHost 3 0 | "));
}

}  // namespace
}  // namespace dlpc
