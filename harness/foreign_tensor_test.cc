#include "harness/foreign_tensor.h"

#include <gtest/gtest.h>

#include "harness/memory.h"

namespace dlpc {
namespace {

constexpr int kMany = 20'000;

void Delete(ForeignTensor* tensor) { tensor->managed()->deleter(tensor->managed()); }

// What the heap grows by while `make` makes many; the tensors kept for a while are there before.
template <typename Make>
std::optional<int64_t> GrowthOf(Make make) {
  for (int i = 0; i < kMany; ++i) make();
  const auto before = HeapInUse();
  if (!before) return std::nullopt;
  for (int i = 0; i < kMany; ++i) make();
  return *HeapInUse() - *before;
}

TEST(ForeignTensorTest, CountsEachCallOfItsDeleter) {
  ForeignTensor* const tensor = ForeignTensor::Make({}, BadInput::kNone);
  EXPECT_EQ(tensor->calls(), 0u);
  tensor->managed()->manager_ctx = nullptr;  // As XAPI-18 has it: the tensor is known all the same.
  Delete(tensor);
  Delete(tensor);
  EXPECT_EQ(tensor->calls(), 2u);
}

TEST(ForeignTensorTest, MemoryDoesNotGrowByThoseThatAreOver) {
  ForeignTensor* const held = ForeignTensor::Make({}, BadInput::kNone);
  const auto refused = GrowthOf([] { ForeignTensor::Make({}, BadInput::kDType)->Refused(); });
  const auto released = GrowthOf([] { Delete(ForeignTensor::Make({}, BadInput::kNone)); });
  if (!refused || !released) GTEST_SKIP() << "this C library does not tell";
  // Between two looks for what is over there may be twice as many as are kept.
  constexpr int64_t kMost = 1'500'000;
  EXPECT_LT(*refused, kMost);
  EXPECT_LT(*released, kMost);
  Delete(held);  // Its producer held on to it, so it is still there.
  EXPECT_EQ(held->calls(), 1u);
}

TEST(ForeignTensorTest, LivesAsLongAsItsProducerHoldsOn) {
  std::vector<ForeignTensor*> held;
  for (int i = 0; i < 5'000; ++i) held.push_back(ForeignTensor::Make({}, BadInput::kNone));
  for (ForeignTensor* tensor : {held.front(), held[2'500], held.back()}) {
    Delete(tensor);
    EXPECT_EQ(tensor->calls(), 1u);
  }
  for (ForeignTensor* tensor : held) tensor->Refused();
}

}  // namespace
}  // namespace dlpc
