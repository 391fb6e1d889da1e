// The target `script` sees the faults of twins in scripts that are made quick.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "fuzz/properties.h"
#include "harness/memory.h"
#include "harness/script.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

ArraySpec SpecOf(const std::vector<int64_t>& shape) {
  ArraySpec spec;
  spec.layout = Contiguous(shape);
  return spec;
}

// Exports that are looked at, consumed, deleted, dropped with an exception pending.
std::vector<Script> Scripts() {
  std::vector<Script> scripts;
  for (const auto& shape : {std::vector<int64_t>{}, {2, 3}, {0, 3}}) {
    scripts.push_back(ScriptBuilder(SpecOf(shape)).Export(WithVersion(1, 3)).Inspect().Build());
    scripts.push_back(ScriptBuilder(SpecOf(shape))
                          .Export(WithVersion(1, 3))
                          .Interpose()
                          .DropCapsule(0, true)
                          .DeleterCalls()
                          .Build());
    scripts.push_back(ScriptBuilder(SpecOf(shape))
                          .Export(WithVersion(1, 3))
                          .Interpose()
                          .Rename(Name::kUsed)
                          .DropCapsule()
                          .DeleterCalls()
                          .CallDeleter(Thread::kFree, 0, true)
                          .Build());
  }
  return scripts;
}

Broken FirstBroken(Mutant mutant) {
  for (const Script& script : Scripts()) {
    const std::string bytes = EncodeScript(script);
    Broken broken =
        PropertyScriptOf(mutant, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    if (broken) return broken;
  }
  return std::nullopt;
}

TEST(FuzzScriptTest, TheCorrectProducerKeepsTheProperty) {
  EXPECT_EQ(FirstBroken(Mutant::kNone), std::nullopt);
}

TEST(FuzzScriptTest, FaultyTwinsBreakIt) {
  for (const Mutant mutant :
       {Mutant::kVersionZero, Mutant::kFlagsUndefinedBit, Mutant::kNullStrides,
        Mutant::kEmptyDataNotNull, Mutant::kScalarNullData, Mutant::kDestructorDoesNothing,
        Mutant::kDestructorFreesConsumed, Mutant::kDestructorClearsException,
        Mutant::kDeleterClearsException, Mutant::kDeleterThrows}) {
    EXPECT_TRUE(FirstBroken(mutant)) << static_cast<int>(mutant);
  }
}

// A campaign may last for days.
TEST(FuzzScriptTest, MemoryDoesNotGrow) {
  constexpr int kInputs = 16'384;  // Several times what is kept of producers and tensors.
  std::mt19937 random(1);
  const auto run = [&random] {
    for (int i = 0; i < kInputs; ++i) {
      uint8_t bytes[64];
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
      ASSERT_EQ(PropertyScript(bytes), std::nullopt);
    }
  };
  run();
  const auto before = HeapInUse();
  if (!before) GTEST_SKIP() << "this C library does not tell";
  run();
  EXPECT_LT(*HeapInUse() - *before, 1'000'000);
}

}  // namespace
}  // namespace dlpc
