// The target `negotiate` finds every faulty twin of its area, and nothing in the correct producer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "fuzz/properties.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

constexpr int kMostInputs = 200'000;

// The number of random inputs until the property breaks; kMostInputs: it never does.
int InputsUntilBroken(Mutant mutant, std::string* why = nullptr) {
  std::mt19937_64 random(1);
  std::array<uint64_t, 4> words{};
  for (int i = 0; i < kMostInputs; ++i) {
    for (uint64_t& word : words) word = random();
    const auto broken =
        PropertyNegotiateOf(mutant, {reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
    if (!broken) continue;
    if (why != nullptr) *why = *broken;
    return i;
  }
  return kMostInputs;
}

TEST(FuzzNegotiateTest, TheCorrectProducerIsAllowedEverything) {
  std::string why;
  EXPECT_EQ(InputsUntilBroken(Mutant::kNone, &why), kMostInputs) << why;
}

class FuzzNegotiateMutant : public ::testing::TestWithParam<std::string> {};

TEST_P(FuzzNegotiateMutant, IsFound) {
  const MutantRow* row = FindMutant(GetParam());
  ASSERT_NE(row, nullptr);
  EXPECT_LT(InputsUntilBroken(row->mutant), kMostInputs);
}

INSTANTIATE_TEST_SUITE_P(
    All, FuzzNegotiateMutant,
    ::testing::Values("dl-device-ignored", "cpu-id-ordinal", "pinned-as-cpu",
                      "struct-device-differs", "legacy-only", "copies-by-default",
                      "copy-none-copies", "copy-true-ignored", "copy-false-copies",
                      "copy-false-other-device-copies", "legacy-copy-ignored",
                      "copy-of-read-only-skipped", "read-only-legacy-silent", "cpu-request-refused",
                      "cpu-request-copy-false-value-error", "other-device-type-error",
                      "none-refused", "none-versioned", "older-minor-legacy",
                      "old-major-value-error", "newer-major-refused", "versions-compared-as-text",
                      "copy-forces-legacy", "old-major-versioned", "stream-none-type-error",
                      "positional-accepted", "cpu-ordinal-type-error", "version-list-accepted",
                      "own-tuple-type-error", "device-argument-triple-accepted", "copy-by-truth",
                      "fourth-keyword-refused", "argument-buffer-error", "unknown-type-key-error",
                      "cpu-stream-ignored", "negative-stream-accepted", "cuda-stream-zero-accepted",
                      "rocm-streams-as-cuda", "stream-checked-on-source"),
    [](const auto& test) {
      std::string name = test.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace dlpc
