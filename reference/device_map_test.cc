// Properties of the tables: total, every row reachable, guard and map agree, texts well-formed.
#include "reference/device_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "reference/device_map_tables.h"

namespace dlpc {
namespace {

using ::testing::HasSubstr;

DeviceFacts Facts(std::string platform, std::string kind, std::optional<int32_t> id = 0,
                  int64_t shards = 1) {
  DeviceFacts facts;
  facts.platform = std::move(platform);
  facts.memory_kind = std::move(kind);
  facts.hardware_id = id;
  facts.shards = shards;
  facts.devices = shards;
  return facts;
}

std::string Answer(const DeviceFacts& facts, std::string_view profile = "generic") {
  return MapText(MapDevice(profile, facts));
}

TEST(DeviceMapTest, GenericProfile) {
  EXPECT_EQ(Answer({}), "kDLCPU 1 0");
  EXPECT_EQ(Answer(Facts("cpu", "device", 3)), "kDLCPU 1 0");  // DEV-06
  EXPECT_EQ(Answer(Facts("cpu", "unpinned_host", std::nullopt)), "kDLCPU 1 0");
  EXPECT_EQ(Answer(Facts("cuda", "device", 3)), "kDLCUDA 2 3");
  EXPECT_EQ(Answer(Facts("cuda", "pinned_host", 3)), "kDLCUDAHost 3 0");  // DEV-07
  EXPECT_EQ(Answer(Facts("rocm", "pinned_host", 3)), "kDLROCMHost 11 0");
  EXPECT_EQ(Answer(Facts("cuda", "managed", 3)), "kDLCUDAManaged 13 0");  // DEV-08
  EXPECT_EQ(Answer(Facts("cuda", "unpinned_host", 3)), "kDLCPU 1 0");
  EXPECT_THAT(Answer(Facts("quantum", "device")), HasSubstr("BufferError: "));
  EXPECT_THAT(Answer(Facts("cuda", "texture")), HasSubstr("texture memory on platform cuda"));
  EXPECT_THAT(Answer(Facts("cuda", "device", std::nullopt)), HasSubstr("hardware id"));
  EXPECT_THAT(Answer(Facts("cuda", "device", -1)), HasSubstr("hardware id"));
  EXPECT_THAT(Answer(Facts("cpu", "device", 0, 2)), HasSubstr("sharded over 2 devices"));
  EXPECT_THAT(Answer(Facts("cpu", "device", 0, 0)), HasSubstr("BufferError"));
}

TEST(DeviceMapTest, ExamplesOfTheCommandLine) {
  EXPECT_EQ(Answer(Facts("xpu", "device", std::nullopt), "jax"),
            "BufferError: __dlpack__ device only supported for CPU, GPU and TPU pinned host, got "
            "platform: xpu");
  EXPECT_EQ(Answer(Facts("tpu", "pinned_host"), "jax"), "kDLTPUHost 20 0");
  EXPECT_EQ(Answer(Facts("tpu", "pinned_host"), "jax@0.10"),
            "BufferError: __dlpack__ device only supported for CPU and GPU, got platform: tpu");
}

TEST(DeviceMapTest, Releases) {
  const auto table = [](std::string_view name) { return DeviceRules(name).data(); };
  for (const char* name : {"jax@0.10.1", "jax@0.9.0", "jax@0.4.34", "jax@0.10"}) {
    EXPECT_EQ(table(name), table("jax@0.10")) << name;
  }
  for (const char* name : {"jax@0.11", "jax@0.11.0", "jax@0.12.0.1", "jax@1.0", "jax@0.100"}) {
    EXPECT_EQ(table(name), table("jax")) << name;
  }
  EXPECT_NE(table("jax"), table("jax@0.10"));
  EXPECT_NE(table("jax@0.10.2"), table("jax@0.10.1"));
  EXPECT_NE(table("jax@0.10.2"), table("jax@0.11"));
  EXPECT_EQ(table("jax@0.10.9"), table("jax@0.10.2"));
  EXPECT_EQ(table("jaxlib@0.11.0"), table("jaxlib"));
  // Releases that nobody looked at, and names that are none.
  for (const char* name : {"jax@0.4.33", "jax@", "jax@new", "numpy@2.1", "", "@", "ja", "jax@@1"}) {
    EXPECT_TRUE(DeviceRules(name).empty()) << name;
    EXPECT_EQ(DeviceMapMarkdown(name), "") << name;
    EXPECT_FALSE(SupportsDLPack(name, {})) << name;
  }
}

// More than the tables name: near misses, other cases, blanks, braces, bytes, long texts.
std::vector<DeviceFacts> BroadGrid() {
  std::vector<DeviceFacts> grid = EveryDeviceFacts();
  const std::string odd[] = {"",
                             "*",
                             " cuda",
                             "Cuda",
                             "cud",
                             "cuda|rocm",
                             "{platform}",
                             "{",
                             "}",
                             "\xff\xfe",
                             std::string("a\0b", 3),
                             std::string(5000, 'x')};
  const std::string kinds[] = {"", "*", "device", "pinned_host", "PINNED_HOST", "{shards}"};
  for (const std::string& platform : odd) {
    for (const std::string& version : odd) {
      for (const std::string& kind : kinds) {
        for (const std::optional<int32_t> id :
             {std::optional<int32_t>(), std::optional(-1), std::optional(2147483647)}) {
          grid.push_back({platform, version, kind, id, 1, 1, "a {device}"});
          grid.push_back({platform, version, kind, id, -1, 3, ""});
        }
      }
    }
  }
  return grid;
}

TEST(DeviceMapTest, EveryInputHasOneAnswerAndTheGuardKnowsIt) {
  const auto grid = BroadGrid();
  ASSERT_GT(grid.size(), 10000u);
  for (std::string_view profile : DeviceProfiles()) {
    const auto rules = DeviceRules(profile);
    for (const DeviceFacts& facts : grid) {
      ASSERT_LT(DecidingRule(rules, facts), rules.size()) << profile << ' ' << facts.platform;
      const auto answer = MapDevice(profile, facts);
      ASSERT_EQ(SupportsDLPack(profile, facts), std::holds_alternative<DLDevice>(answer));
      if (const auto* device = std::get_if<DLDevice>(&answer)) {
        ASSERT_GT(static_cast<int>(device->device_type), 0);
      } else {
        ASSERT_FALSE(std::get<Refusal>(answer).message.empty());
      }
    }
  }
}

TEST(DeviceMapTest, EveryRowIsReachable) {
  for (std::string_view profile : DeviceProfiles()) {
    const auto rules = DeviceRules(profile);
    std::set<size_t> reached;
    for (const DeviceFacts& facts : EveryDeviceFacts()) reached.insert(DecidingRule(rules, facts));
    for (size_t i = 0; i < rules.size(); ++i) {
      EXPECT_EQ(reached.count(i), 1u) << profile << " row " << i + 1;
    }
  }
}

TEST(DeviceMapTest, TextsHaveNoBracesAndNameTheirFacts) {
  for (std::string_view profile : DeviceProfiles()) {
    for (const DeviceFacts& facts : EveryDeviceFacts()) {
      const auto answer = MapDevice(profile, facts);
      const auto* refusal = std::get_if<Refusal>(&answer);
      if (refusal == nullptr) continue;
      ASSERT_EQ(refusal->message.find_first_of("{}"), std::string::npos) << refusal->message;
      ASSERT_FALSE(refusal->exception.empty());
    }
  }
}

TEST(DeviceMapTest, PlaceholdersAreReplacedOnce) {
  const DeviceRule rules[] = {
      {.exception = "E",
       .message = "{platform}, {platform_version}, {memory_kind}, {shards}/{devices}, {device}."}};
  const auto text = [&](const DeviceFacts& facts) {
    return std::get<Refusal>(MapDevice(rules, facts)).message;
  };
  EXPECT_EQ(text({"p", "v", "k", 7, 2, 3, "d"}), "p, v, k, 2/3, d.");
  EXPECT_EQ(text({"{platform_version}", "{device}", "{", {}, 1, 1, "{x}"}),
            "{platform_version}, {device}, {, 1/1, {x}.");
  EXPECT_THAT(text({"p", "", "", 7, 1, 1, ""}), HasSubstr("p:7."));
  EXPECT_THAT(text({"p", "", "", {}, 1, 1, ""}), HasSubstr(" p."));
  const DeviceRule wrong[] = {{.exception = "E", .message = "{nothing} {"}};
  EXPECT_EQ(std::get<Refusal>(MapDevice(wrong, DeviceFacts{})).message, "{nothing} {");
}

TEST(DeviceMapTest, TablesAreWellFormed) {
  const auto names = DeviceProfiles();
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.front(), "generic");
  for (const DeviceProfile* profile : AllDeviceProfiles()) {
    EXPECT_EQ(FindDeviceProfile(profile->name), profile) << profile->name;
    EXPECT_FALSE(profile->about.empty());
    EXPECT_TRUE(profile->capsule.empty() || FindDeviceProfile(profile->capsule) != nullptr);
    const DeviceRule& last = profile->rules.back();
    EXPECT_EQ(
        std::string(last.platform) + std::string(last.version) + std::string(last.memory_kind),
        "***")
        << profile->name;
    EXPECT_EQ(last.when, DeviceRule::When::kAlways);
    for (const DeviceRule& rule : profile->rules) {
      EXPECT_EQ(rule.device_type == 0, !rule.exception.empty());
      EXPECT_EQ(rule.exception.empty(), rule.message.empty());
      EXPECT_FALSE(rule.citation.empty());
    }
  }
}

TEST(DeviceMapTest, MarkdownShowsEveryRowWithItsText) {
  for (std::string_view profile : DeviceProfiles()) {
    const std::string markdown = DeviceMapMarkdown(profile);
    const auto rules = DeviceRules(profile);
    EXPECT_EQ(std::count(markdown.begin(), markdown.end(), '\n'),
              static_cast<int64_t>(rules.size()) + 2);
    for (const DeviceRule& rule : rules)
      EXPECT_THAT(markdown, HasSubstr(std::string(rule.message)));
    EXPECT_THAT(DeviceMapDocument(), HasSubstr(markdown));
  }
  EXPECT_THAT(DeviceMapMarkdown("jax"),
              HasSubstr("| `tpu` | any | `pinned_host` |  | kDLTPUHost 20, id: hardware id |"));
}

TEST(DeviceMapTest, LayersThatDisagreeAreFound) {
  const std::string text = DeviceDisagreementsMarkdown();
  // Measured through the emulated accelerator, jax-device-rules.md.
  for (const char* line :
       {"| `kDLCPU 1 0` | `kDLCPU 1 1` |",
        "| `BufferError: Couldn't get local_hardware_id for __dlpack__` | `kDLTPUHost 20 -1` |",
        "| only the query refuses | platform `cuda` | `BufferError: Unknown GPU platform",
        "| only the capsule refuses | platform `gpu`, version `cuda` | `kDLCUDA 2 0` |",
        "| device type | platform `cpu`, memory `pinned_host` | `kDLCUDAHost 3 0` | `kDLCPU 1 0`",
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one line of the table.
        "platform `privateuseone` | `ValueError: Unknown device type privateuseone for Dlpack` | "
        "`kDLExtDev 12 0` |"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(DeviceMapTest, DocumentIsUpToDate) {
  std::ifstream file(DLPC_SOURCE_DIR "/docs/device-map.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == DeviceMapDocument())
      << "run: dlpack-conformance map --markdown > docs/device-map.md";
}

}  // namespace
}  // namespace dlpc
