// The steps that use the C exchange table, performed on the reference producer and its twins.
#include <gtest/gtest.h>

#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"

namespace dlpc {
namespace {

ArraySpec Plain() {
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  return spec;
}

Trace Perform(const ScriptBuilder& builder, Mutant mutant = Mutant::kNone) {
  ReferenceBackend backend(mutant);
  Machine machine(&backend, nullptr);
  return machine.Run(builder.Build());
}

template <typename T>
const T& Get(const Trace& trace, size_t step) {
  static const T kNone{};
  const T* value = std::get_if<T>(&trace.steps.at(step));
  EXPECT_NE(value, nullptr) << step << ": " << ObservationText(trace.steps[step]);
  return value != nullptr ? *value : kNone;
}

TEST(ExchangeStepsTest, TheTableIsRead) {
  const Trace trace = Perform(ScriptBuilder(Plain()).Table(true));
  const auto& seen = Get<TableSeen>(trace, 1);
  EXPECT_EQ(seen.on_type, TableForm::kTable);
  EXPECT_EQ(seen.on_subclass, TableForm::kTable);
  EXPECT_TRUE(seen.readable && seen.chain_ends && seen.chain.empty());
  for (const CodeIn place : seen.functions) EXPECT_EQ(place, CodeIn::kFile);
  const Trace detour = Perform(ScriptBuilder(Plain()).Table(), Mutant::kTableAnonymous);
  EXPECT_EQ(Get<TableSeen>(detour, 1).functions[0], CodeIn::kAnonymous);
  const Trace call = Perform(ScriptBuilder(Plain()).TableExport(), Mutant::kTableAnonymous);
  EXPECT_EQ(Get<TableCall>(call, 1).code, 0);
  const Trace round = Perform(ScriptBuilder(Plain()).Table(), Mutant::kTablePrevSelf);
  EXPECT_FALSE(Get<TableSeen>(round, 1).chain_ends);
}

TEST(ExchangeStepsTest, WithoutATableNothingIsCalled) {
  const Trace trace = Perform(ScriptBuilder(Plain()).TableExport().Inspect(), Mutant::kTableAbsent);
  EXPECT_EQ(Get<NotPerformed>(trace, 1).reason, "the type has no exchange table");
  Get<NotPerformed>(trace, 2);
  const Trace null = Perform(ScriptBuilder(Plain()).TableStream(kDLCPU), Mutant::kTableStreamNull);
  EXPECT_EQ(Get<NotPerformed>(null, 1).reason, "the exchange table has no such function");
}

TEST(ExchangeStepsTest, AnOwnedStructIsOursToDelete) {
  const Trace trace = Perform(ScriptBuilder(Plain())
                                  .TableExport()
                                  .Interpose()
                                  .Read()
                                  .DropCapsule()
                                  .RefCount()
                                  .CallDeleter()
                                  .DeleterCalls()
                                  .RefCount());
  EXPECT_EQ(Get<TableCall>(trace, 1).code, 0);
  EXPECT_EQ(Get<Elements>(trace, 3).bytes, PatternValues(Plain()));
  Get<NotPerformed>(trace, 4);  // There is no capsule.
  EXPECT_EQ(Get<Counted>(trace, 5).value, 1);
  EXPECT_EQ(Get<Counted>(trace, 7).value, 1);
  EXPECT_EQ(Get<Counted>(trace, 8).value, 0);
}

TEST(ExchangeStepsTest, WhatIsLeftBehindIsReleased) {
  ReferenceBackend backend(Mutant::kNone);
  Machine machine(&backend, nullptr);
  const Script script = ScriptBuilder(Plain()).RefCount().TableExport().RefCount().Build();
  for (int i = 0; i < 3; ++i) {
    const Trace trace = machine.Run(script);
    EXPECT_EQ(Get<Counted>(trace, 1).value, 0);
    EXPECT_EQ(Get<Counted>(trace, 3).value, 1);
  }
}

TEST(ExchangeStepsTest, FailuresAreObserved) {
  const auto wrong = ScriptBuilder(Plain()).TableExport(0, 0, BadInput::kObject);
  const Trace refused = Perform(wrong);
  EXPECT_EQ(Get<TableCall>(refused, 1).code, -1);
  EXPECT_EQ(Get<TableCall>(refused, 1).raised->type, "TypeError");
  EXPECT_FALSE(Get<TableCall>(refused, 1).out_written);
  const auto sharded = ScriptBuilder().MakeRefusal(0, 0).TableExport().TableBorrow();
  EXPECT_TRUE(Get<TableCall>(Perform(sharded, Mutant::kTableThrows), 1).threw);
  EXPECT_FALSE(Get<TableCall>(Perform(sharded, Mutant::kTableErrorUnset), 2).raised);
}

TEST(ExchangeStepsTest, TheAllocatorIsWatched) {
  for (const Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    const Trace good =
        Perform(ScriptBuilder(Plain()).TableAllocate(Plain(), BadInput::kNone, thread).Inspect());
    EXPECT_EQ(Get<TableCall>(good, 1).set_errors, 0u);
    EXPECT_TRUE(Get<TableCall>(good, 1).writable.value_or(false));
    const Trace bad =
        Perform(ScriptBuilder(Plain()).TableAllocate(Plain(), BadInput::kExtent, thread).Inspect());
    EXPECT_EQ(Get<TableCall>(bad, 1).set_errors, 1u);
    EXPECT_NE(Get<TableCall>(bad, 1).code, 0);
    Get<NotPerformed>(bad, 2);
  }
}

TEST(ExchangeStepsTest, AnImportBecomesAnArray) {
  for (const bool no_context : {false, true}) {
    const Trace trace = Perform(ScriptBuilder(Plain())
                                    .TableImport(1, Plain(), BadInput::kNone, no_context)
                                    .ReadOwn(1)
                                    .ImportCalls()
                                    .DropArray(1)
                                    .ImportCalls());
    EXPECT_TRUE(Get<TableCall>(trace, 1).same_type);
    EXPECT_EQ(Get<Elements>(trace, 2).bytes, PatternValues(Plain()));
    EXPECT_EQ(Get<Counted>(trace, 3).value, 0);
    EXPECT_EQ(Get<Counted>(trace, 5).value, 1);
  }
}

// Work runs on a stream; one that is made for a consumer waits after an export for it.
TEST(ExchangeStepsTest, AConsumersStreamWaits) {
  ArraySpec cuda = Plain();
  cuda.memory = Memory::kCuda;
  Request request;
  request.stream = Arg::kValue;
  request.stream_value = kConsumersStream;
  const auto script = ScriptBuilder(cuda)
                          .UseStream(StreamUse::kWork)
                          .UseStream(StreamUse::kConsumer)
                          .UseStream(StreamUse::kConsumerIdle)
                          .Export(request)
                          .UseStream(StreamUse::kConsumerIdle)
                          .UseStream(StreamUse::kLegacyIdle)
                          .UseStream(StreamUse::kEndConsumer)
                          .UseStream(StreamUse::kEndConsumer);
  const Trace trace = Perform(script);
  EXPECT_GT(Get<Counted>(trace, 2).value, 2);
  EXPECT_EQ(Get<Counted>(trace, 3).value, 1);
  EXPECT_EQ(Get<Exported>(trace, 4).waits, 1);
  EXPECT_EQ(Get<Counted>(trace, 5).value, 0);
  EXPECT_EQ(Get<Counted>(trace, 6).value, 1);
  EXPECT_EQ(Get<Counted>(trace, 7).value, 1);
  EXPECT_EQ(Get<Counted>(trace, 8).value, 0);
  EXPECT_EQ(Get<Counted>(Perform(script, Mutant::kStreamDestroyed), 7).value, 0);
  Get<NotPerformed>(Perform(ScriptBuilder(cuda).Export(request)), 1);  // No such stream.
}

TEST(ExchangeStepsTest, StreamsOfDevices) {
  ArraySpec cuda = Plain();
  cuda.memory = Memory::kCuda;
  const Trace trace =
      Perform(ScriptBuilder(cuda).UseStream().TableStream(kDLCUDA).TableStream(kDLCPU));
  EXPECT_EQ(Get<TableCall>(trace, 2).out, static_cast<uint64_t>(Get<Counted>(trace, 1).value));
  EXPECT_EQ(Get<TableCall>(trace, 3).out, 0u);
  EXPECT_TRUE(Get<TableCall>(trace, 3).out_written);
}

}  // namespace
}  // namespace dlpc
