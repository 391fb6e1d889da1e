#include "conformance/map_verb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dlpc {
namespace {

using ::testing::HasSubstr;

std::string Text(const std::string& line, const std::string& profile = "jax") {
  const auto answer = AnswerMapQuestion(line, profile);
  if (!answer) return "error: " + answer.error().message;
  return nlohmann::json::parse(*answer).at("text");
}

TEST(MapVerbTest, AnswersAndRefusals) {
  const auto answer = AnswerMapQuestion(
      R"({"platform": "tpu", "memory_kind": "pinned_host", "hardware_id": 4})", "jax");
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, R"({"device_id":4,"device_type":20,"text":"kDLTPUHost 20 4"})");
  const auto refusal = AnswerMapQuestion(R"({"platform": "xpu"})", "jax");
  ASSERT_TRUE(refusal);
  const auto json = nlohmann::json::parse(*refusal);
  EXPECT_EQ(json.at("exception"), "BufferError");
  EXPECT_THAT(std::string(json.at("message")), HasSubstr("got platform: xpu"));
}

TEST(MapVerbTest, WhatIsLeftOut) {
  EXPECT_EQ(Text("{}"), "kDLCPU 1 0");
  EXPECT_THAT(Text(R"({"platform": "gpu", "platform_version": "cuda", "hardware_id": null})"),
              HasSubstr("local_hardware_id"));
  EXPECT_EQ(Text(R"({"platform": "gpu", "platform_version": "cuda", "hardware_id": 1})"),
            "kDLCUDA 2 1");
  EXPECT_THAT(Text(R"({"shards": 3})", "jaxlib"), HasSubstr("over 3 devices"));
  EXPECT_EQ(Text(R"({"shards": 3, "devices": 1, "hardware_id": 0})", "jaxlib"), "kDLCPU 1 0");
  EXPECT_THAT(Text(R"({"profile": "jaxlib", "platform": "xpu", "device": "XPU_0"})"),
              HasSubstr("Device XPU_0 cannot"));
  EXPECT_THAT(Text(R"({"profile": "jax@0.9", "platform": "tpu"})"), HasSubstr("CPU and GPU, got"));
}

TEST(MapVerbTest, WrongQuestions) {
  for (const char* line :
       {"", "tpu", "[]", "1", R"({"platfrm": "tpu"})", R"({"platform": 1})",
        R"({"hardware_id": 4294967296})", R"({"hardware_id": true})", R"({"hardware_id": "0"})",
        R"({"shards": -1})", R"({"shards": 1.5})", R"({"profile": "none"})",
        R"({"profile": "jax@0.1"})", "{\"platform\": \"\xff\"}"}) {
    EXPECT_THAT(Text(line), HasSubstr("error: ")) << line;
  }
  EXPECT_THAT(Text("{}", "none"), HasSubstr("no profile 'none' (there are: generic, jax,"));
  EXPECT_EQ(NoSuchDeviceProfile("jax@0.10.2"), "");
  EXPECT_THAT(MapErrorJson("a \xff \"b\""), HasSubstr("{\"error\":\"a "));
}

}  // namespace
}  // namespace dlpc
