#include "harness/threads.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "harness/machine.h"
#include "harness/testing/fake_backend.h"

namespace dlpc {
namespace {

TEST(RunTogether, RunsAllAndMeanwhile) {
  std::atomic<int> ran{0}, meanwhile{0};
  const Work work = [&] {
    while (meanwhile.load() == 0) std::this_thread::yield();
    ++ran;
  };
  RunTogether({work, work, work}, [&] { ++meanwhile; });
  EXPECT_EQ(ran.load(), 3);
  EXPECT_GT(meanwhile.load(), 0);
  RunTogether({}, {});
}

TEST(ForeignCall, TellsAnEndFromAWait) {
  const Work quick = [] {};
  EXPECT_TRUE(ForeignCall(quick).EndsWithoutWaiting());
  std::mutex lock;
  bool entered = false;
  const Work waits = [&] {
    const std::lock_guard<std::mutex> guard(lock);
    entered = true;
  };
  lock.lock();
  {
    const ForeignCall foreign(waits);
    EXPECT_FALSE(foreign.EndsWithoutWaiting());
    EXPECT_FALSE(entered);
    lock.unlock();
  }
  EXPECT_TRUE(entered);
}

class Ledger : public testing::Test {
 protected:
  Trace Run(const Script& script, Fault fault = Fault::kNone) {
    backend_.fault = fault;
    return Machine(&backend_, nullptr).Run(script);
  }
  static ArraySpec Spec() {
    ArraySpec spec;
    spec.layout = Contiguous({2});
    return spec;
  }
  FakeBackend backend_;
};

TEST_F(Ledger, EachConsumedExportIsReleased) {
  const Trace trace = Run(ScriptBuilder(Spec()).ConsumeEach(100, {}).Build());
  const auto* many = std::get_if<Many>(&trace.steps[1]);
  ASSERT_NE(many, nullptr);
  EXPECT_EQ(many->capsules, 100u);
  EXPECT_EQ(many->distinct_managed, 100u);
  EXPECT_EQ(backend_.live(), 0);
  EXPECT_EQ(backend_.double_frees(), 0);
}

TEST_F(Ledger, ExportsOfSeveralThreadsAreReleasedOnce) {
  for (const Thread thread : {Thread::kLocked, Thread::kForeign}) {
    const Trace trace = Run(ScriptBuilder(Spec()).ReleaseTogether(63, {}, thread).Build());
    const auto* many = std::get_if<Many>(&trace.steps[1]);
    ASSERT_NE(many, nullptr);
    EXPECT_EQ(many->tried, 63u);
    EXPECT_EQ(many->capsules, 63u);
    EXPECT_EQ(many->distinct_managed, 63u);
    EXPECT_EQ(many->differing, 0u);
    EXPECT_EQ(backend_.live(), 0);
    EXPECT_EQ(backend_.double_frees(), 0);
  }
}

TEST_F(Ledger, StructsThatAreNotSoundEndTheLoop) {
  const Trace trace = Run(ScriptBuilder(Spec()).ReleaseTogether(8, {}, Thread::kForeign).Build(),
                          Fault::kBadManaged);
  EXPECT_TRUE(std::holds_alternative<NotPerformed>(trace.steps[1]));
}

TEST_F(Ledger, OnlyAHostThatMayEndKeepsStructs) {
  const Script script =
      ScriptBuilder(Spec()).Export().Rename(Name::kUsed).DropCapsule().End().Build();
  const Trace trace = Run(script);
  EXPECT_TRUE(std::holds_alternative<NotPerformed>(trace.steps.back()));
  EXPECT_EQ(backend_.live(), 0);
}

TEST_F(Ledger, NothingIsDerivedOfWhatIsNotThere) {
  const Trace trace = Run(ScriptBuilder(Spec()).Derive(Derived::kWrapper, 1, 2).Build());
  EXPECT_TRUE(std::holds_alternative<NotPerformed>(trace.steps[1]));
}

}  // namespace
}  // namespace dlpc
