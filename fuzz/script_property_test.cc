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
  constexpr int kInputs = 65'536;  // Many times what is kept of producers and tensors.
  const ArraySpec spec = SpecOf({2, 3});
  std::vector<std::string> inputs;
  for (const Script& script : Scripts()) inputs.push_back(EncodeScript(script));
  for (const BadInput bad : {BadInput::kNone, BadInput::kDType, BadInput::kExtent}) {
    inputs.push_back(EncodeScript(ScriptBuilder(spec)
                                      .TableImport(3, spec, bad)
                                      .TableAllocate(spec, bad, Thread::kLocked, 2)
                                      .TableExport()
                                      .TableBorrow()
                                      .Build()));
  }
  std::mt19937 random(1);
  const auto run = [&] {
    for (size_t i = 0; i < kInputs; ++i) {
      std::string bytes = inputs[i % inputs.size()];
      if (i % 2 == 1) {
        for (char& byte : bytes) byte = static_cast<char>(random());
      }
      ASSERT_EQ(PropertyScript({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}),
                std::nullopt);
    }
  };
  run();
  const auto before = HeapInUse();
  if (!before) GTEST_SKIP() << "this C library does not tell";
  run();
  EXPECT_LT(*HeapInUse() - *before, 1'500'000);
}

}  // namespace
}  // namespace dlpc
