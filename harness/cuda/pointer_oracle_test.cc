#include "harness/cuda/pointer_oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cuda/testing/fake_runtime.h"

namespace dlpc::cuda {
namespace {

using ::testing::HasSubstr;

struct Row {
  PointerFacts facts;
  DLDevice claimed;
  bool fits;
};

TEST(PointerOracleTest, EveryKindAgainstEveryType) {
  const Row rows[] = {
      {{Kind::kDevice, 0}, {kDLCUDA, 0}, true},
      {{Kind::kDevice, 3}, {kDLCUDA, 3}, true},
      {{Kind::kDevice, 3}, {kDLCUDA, 0}, false},
      {{Kind::kDevice, 0}, {kDLCUDAManaged, 0}, false},
      {{Kind::kDevice, 0}, {kDLCPU, 0}, false},
      {{Kind::kHost, 0}, {kDLCUDAHost, 0}, true},
      {{Kind::kHost, 1}, {kDLCUDAHost, 0}, true},  // Contested: any id (DEV-07).
      {{Kind::kHost, 0}, {kDLCUDAHost, -1}, false},
      {{Kind::kHost, 0}, {kDLCPU, 0}, false},
      {{Kind::kHost, 0}, {kDLCUDA, 0}, false},
      {{Kind::kManaged, 0}, {kDLCUDAManaged, 1}, true},
      {{Kind::kManaged, 0}, {kDLCUDA, 0}, false},
      {{Kind::kUnregistered, 0}, {kDLCPU, 0}, true},
      {{Kind::kUnregistered, 0}, {kDLCPU, 1}, false},
      {{Kind::kUnregistered, 0}, {kDLCUDAHost, 0}, false},
  };
  for (const Row& row : rows) {
    const auto found = Contradiction(row.facts, row.claimed);
    EXPECT_EQ(!found, row.fits) << found.value_or("nothing") << " type "
                                << int{row.claimed.device_type};
  }
}

TEST(PointerOracleTest, SaysWhatTheDriverKnows) {
  EXPECT_EQ(Contradiction({Kind::kHost, 0}, {kDLCPU, 0}),
            "the driver knows pinned host memory of device 0, the export says kDLCPU (1, 0)");
}

TEST(PointerOracleTest, ADriverThatDoesNotAnswerIsNoAgreement) {
  FakeRuntime runtime;
  runtime.failing = "Facts";
  const auto found = Contradiction(runtime, &runtime, {kDLCPU, 0});
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, HasSubstr("out of luck"));
}

}  // namespace
}  // namespace dlpc::cuda
