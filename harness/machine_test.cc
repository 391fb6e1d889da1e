#include "harness/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/testing/fake_backend.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::HasSubstr;

ArraySpec Spec(const std::vector<int64_t>& shape, DLDataType dtype = {kDLFloat, 32, 1}) {
  ArraySpec spec;
  spec.dtype = dtype;
  spec.layout = Contiguous(shape);
  return spec;
}

Script Full(const ArraySpec& spec, const Request& request = WithVersion(1, 3)) {
  return ScriptBuilder(spec)
      .Export(request)
      .Inspect()
      .Read()
      .Write(5)
      .Interpose()
      .Rename(Name::kUsed)
      .CallDeleter()
      .DeleterCalls()
      .DropCapsule()
      .Build();
}

class MachineTest : public ::testing::Test {
 protected:
  Trace Run(const Script& script, Fault fault = Fault::kNone) {
    backend_.fault = fault;
    Trace trace = machine_.Run(script);
    EXPECT_EQ(trace.steps.size(), script.steps.size());
    EXPECT_EQ(backend_.double_frees(), 0) << "released twice";
    return trace;
  }
  template <typename T>
  const T& Get(const Trace& trace, size_t step) {
    const T* found = std::get_if<T>(&trace.steps[step]);
    EXPECT_NE(found, nullptr) << ObservationText(trace.steps[step]);
    static const T none{};
    return found != nullptr ? *found : none;
  }
  std::string Reason(const Trace& trace, size_t step) {
    return Get<NotPerformed>(trace, step).reason;
  }

  FakeBackend backend_;
  Progress progress_;
  Machine machine_{&backend_, &progress_};
};

TEST_F(MachineTest, HealthyExport) {
  for (const Request& request : {Request{}, WithVersion(1, 0)}) {
    const ArraySpec spec = Spec({2, 3});
    const Trace trace = Run(Full(spec, request));
    const auto& in = Get<Inspected>(trace, 2);
    EXPECT_EQ(in.versioned, request.version == Arg::kValue);
    EXPECT_THAT(in.shape, ::testing::ElementsAre(2, 3));
    EXPECT_THAT(in.strides, ::testing::ElementsAre(3, 1));
    EXPECT_TRUE(in.shape_readable && in.strides_readable && in.deleter_executable);
    const auto& elements = Get<Elements>(trace, 3);
    EXPECT_EQ(elements.bytes, PatternValues(spec));
    EXPECT_EQ(elements.high - elements.low, 24u);
    Get<Done>(trace, 4);
    EXPECT_FALSE(Get<Dropped>(trace, 7).threw);
    EXPECT_EQ(Get<Counted>(trace, 8).value, 1);
    EXPECT_TRUE(Get<Counted>(trace, 8).same_pointer);
    Get<Dropped>(trace, 9);
    EXPECT_EQ(backend_.live(), 0);
    EXPECT_EQ(progress_.step, 9u);
  }
}

TEST_F(MachineTest, ReadsEveryLayoutAndType) {
  for (const NamedLayout& layout : Layouts()) {
    for (const char* dtype : {"uint8", "float32", "complex128"}) {
      ArraySpec spec;
      spec.dtype = FindDType(dtype)->dtype;
      spec.layout = layout.layout;
      const Trace trace = Run(Full(spec));
      EXPECT_EQ(Get<Elements>(trace, 3).bytes, PatternValues(spec)) << layout.name << dtype;
      const uint64_t offset = static_cast<uint64_t>(Resolve(spec.layout).offset);
      const auto& elements = Get<Elements>(trace, 3);
      EXPECT_EQ(elements.first, Get<Made>(trace, 0).pointer.value() + offset * spec.dtype.bits / 8);
    }
  }
  EXPECT_EQ(backend_.live(), 0);
}

TEST_F(MachineTest, PackedElements) {
  const ArraySpec spec = Spec({5}, {kDLFloat4_e2m1fn, 4, 1});
  EXPECT_EQ(Get<Elements>(Run(Full(spec)), 3).bytes, PatternBase(spec));
  EXPECT_EQ(PatternBase(spec).size(), 3u);
}

TEST_F(MachineTest, WritesReachTheArray) {
  const ArraySpec spec = Spec({2});
  std::string element(4, '\0');
  PatternElement(spec.dtype, 9, reinterpret_cast<uint8_t*>(element.data()));
  const Trace trace = Run(ScriptBuilder(spec).Export().Write(9).ReadOwn().Build());
  EXPECT_EQ(Get<Elements>(trace, 3).bytes.substr(0, 4), element);
}

TEST_F(MachineTest, ReadOnlyIsNeverWritten) {
  ArraySpec spec = Spec({2});
  spec.flags = kReadOnly;
  const Script script = ScriptBuilder(spec)
                            .Export()
                            .Write(9)
                            .Export(WithVersion(1, 0))
                            .Write(9)
                            .Poke(9)
                            .ReadOwn()
                            .Build();
  const Trace trace = Run(script);
  EXPECT_EQ(Reason(trace, 2), "array is read-only");
  EXPECT_EQ(Reason(trace, 4), "export is flagged read-only");
  EXPECT_EQ(Reason(trace, 5), "array is read-only");
  EXPECT_EQ(Get<Elements>(trace, 6).bytes, PatternValues(spec));
  backend_.knows_read_only = false;
  const Trace unknown = Run(ScriptBuilder(Spec({2})).Export().Write(1).Build());
  EXPECT_THAT(Reason(unknown, 2), HasSubstr("not known"));
}

TEST_F(MachineTest, MissingInputsAreExplained) {
  Request bad = WithVersion(9, 9);
  const Trace trace = Run(ScriptBuilder(Spec({2}))
                              .Export(bad)
                              .Inspect()
                              .Read(1)
                              .Probe(2)
                              .DeleterCalls()
                              .Export()
                              .DropCapsule()
                              .Read()
                              .DropCapsule()
                              .DropArray()
                              .Export()
                              .Build());
  Get<Raised>(trace, 1);
  EXPECT_EQ(Reason(trace, 2), "export was refused");
  EXPECT_EQ(Reason(trace, 3), "nothing was exported");
  EXPECT_EQ(Reason(trace, 4), "no array was made");
  EXPECT_EQ(Reason(trace, 5), "no deleter was interposed");
  EXPECT_EQ(Reason(trace, 8), "capsule was dropped");
  EXPECT_EQ(Reason(trace, 9), "capsule was dropped");
  EXPECT_EQ(Reason(trace, 11), "array was dropped");
}

TEST_F(MachineTest, StructsAreGoneAfterTheirDeleter) {
  for (Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    const Trace trace = Run(ScriptBuilder(Spec({2}))
                                .Export()
                                .CallDeleter(thread)
                                .Inspect()
                                .Read()
                                .CallDeleter()
                                .Build());
    Get<Dropped>(trace, 2);
    for (size_t step : {3, 4, 5}) EXPECT_EQ(Reason(trace, step), "deleter ran");
    EXPECT_EQ(backend_.live(), 0);
  }
}

TEST_F(MachineTest, WhateverIsLeftIsReleasedOnce) {
  const auto start = [] { return ScriptBuilder(Spec({2})).Export(); };
  const Script scripts[] = {
      start().Build(),
      start().Export().Build(),
      start().Rename(Name::kUsed).Build(),
      start().Rename(Name::kForeign).Build(),
      start().Rename(Name::kForeign).DropCapsule().Build(),
      start().Rename(Name::kUsed).DropCapsule().DropArray().Build(),
      start().Rename(Name::kUsed).Export().Build(),
      start().Rename(Name::kForeign).Rename(Name::kUsed).Build(),
      start().Interpose().Build(),
      start().Interpose().Rename(Name::kUsed).Build(),
      start().Interpose().DropCapsule().Build(),
      start().Interpose().CallDeleter().Build(),
      start().DropArray().Build(),
  };
  for (Fault fault : {Fault::kNone, Fault::kDestructorFreesUsed, Fault::kSameCapsule}) {
    for (const Script& script : scripts) {
      Run(script, fault);
      EXPECT_EQ(backend_.live(), 0) << ScriptText(script).back() << static_cast<int>(fault);
    }
  }
}

TEST_F(MachineTest, DoubleFreeOfTheDestructorIsCounted) {
  const Script used = ScriptBuilder(Spec({2}))
                          .Export()
                          .Interpose()
                          .CallDeleter()
                          .DropCapsule()
                          .DeleterCalls()
                          .Build();
  EXPECT_EQ(Get<Counted>(Run(used, Fault::kDestructorFreesUsed), 5).value, 2);
  EXPECT_EQ(Get<Counted>(Run(used), 5).value, 1);
  const Script plain =
      ScriptBuilder(Spec({2})).Export().Interpose().DropCapsule().DeleterCalls().Build();
  EXPECT_EQ(Get<Counted>(Run(plain, Fault::kDestructorFreesTwice), 4).value, 2);
  EXPECT_EQ(Get<Counted>(Run(plain), 4).value, 1);
  const Trace wrong = Run(plain, Fault::kDestructorPassesOther);
  EXPECT_FALSE(Get<Counted>(wrong, 4).same_pointer);
}

TEST_F(MachineTest, OneStructInTwoSlots) {
  const auto start = [] { return ScriptBuilder(Spec({2})).Export().Export({}, 1); };
  const Script scripts[] = {
      start().Build(),
      start().Rename(Name::kUsed).Build(),
      start().Rename(Name::kForeign).Rename(Name::kUsed, 1).Build(),
      start().CallDeleter().CallDeleter(Thread::kLocked, 1).DropCapsule(1).Build(),
      start().DropCapsule().DropCapsule(1).Build(),
      start().Rename(Name::kUsed, 1).DropCapsule(0).Build(),
  };
  for (Fault fault : {Fault::kNone, Fault::kSameCapsule, Fault::kSameStruct}) {
    for (const Script& script : scripts) {
      Run(script, fault);
      EXPECT_EQ(backend_.live(), 0) << ScriptText(script).back() << static_cast<int>(fault);
    }
  }
}

TEST_F(MachineTest, ExceptionsOfDeletersAreObserved) {
  const Trace trace =
      Run(ScriptBuilder(Spec({2})).Export().CallDeleter().Build(), Fault::kDeleterThrows);
  EXPECT_TRUE(Get<Dropped>(trace, 2).threw);
  const Trace counted = Run(Full(Spec({2})), Fault::kDeleterThrows);
  EXPECT_TRUE(Get<Dropped>(counted, 7).threw);
  const Trace foreign = Run(ScriptBuilder(Spec({2})).Export().CallDeleter(Thread::kForeign).Build(),
                            Fault::kDeleterThrows);
  EXPECT_TRUE(Get<Dropped>(foreign, 2).threw);
}

TEST_F(MachineTest, RefCountsAreRelative) {
  const Trace trace =
      Run(ScriptBuilder(Spec({2})).RefCount().Export().RefCount().DropCapsule().RefCount().Build());
  EXPECT_EQ(Get<Counted>(trace, 1).value, 0);
  EXPECT_EQ(Get<Counted>(trace, 3).value, 1);
  EXPECT_EQ(Get<Counted>(trace, 5).value, 0);
}

TEST_F(MachineTest, InspectShowsTheProducersDeleter) {
  const Trace trace =
      Run(ScriptBuilder(Spec({2})).Export().Inspect().Interpose().Inspect().Build());
  EXPECT_EQ(DeleterOf(Get<Inspected>(trace, 2)), DeleterOf(Get<Inspected>(trace, 4)));
}

struct FaultCase {
  Fault fault;
  size_t step;
  const char* reason;  // Of NotPerformed at `step` of Full().
};

TEST_F(MachineTest, EveryFaultEndsInAnObservation) {
  const FaultCase cases[] = {
      {Fault::kNullShape, 3, "shape cannot be read"},
      {Fault::kBadShape, 3, "shape cannot be read"},
      {Fault::kNegativeNdim, 3, "ndim"},
      {Fault::kHugeNdim, 3, "ndim"},
      {Fault::kHugeExtents, 3, "extents overflow"},
      {Fault::kManyElements, 3, "more than 65536 elements"},
      {Fault::kOverflowingStrides, 3, "strides overflow"},
      {Fault::kBadOffset, 3, "byte_offset"},
      {Fault::kDeviceMemory, 3, "device memory"},
      {Fault::kBadManaged, 2, "managed tensor cannot be read"},
      {Fault::kBadManaged, 7, "managed tensor cannot be read"},
      {Fault::kDeleterIsData, 5, "deleter is not a function"},
      {Fault::kDeleterIsData, 7, "deleter is not a function"},
      {Fault::kNullDeleter, 5, "deleter is NULL"},
      {Fault::kNullDeleter, 7, "deleter is NULL"},
      {Fault::kUnknownName, 2, "capsule has an unknown name"},
      {Fault::kNotACapsule, 2, "export is not a capsule"},
      {Fault::kNotACapsule, 9, "export is not a capsule"},
  };
  for (const FaultCase& c : cases) {
    const Trace trace = Run(Full(Spec({2, 3})), c.fault);
    EXPECT_THAT(Reason(trace, c.step), HasSubstr(c.reason)) << static_cast<int>(c.fault);
    Run(ScriptBuilder(Spec({2, 3})).Export().DropCapsule().Build(), c.fault);
    Run(ScriptBuilder(Spec({2, 3})).Export().Build(), c.fault);
  }
}

TEST_F(MachineTest, UnreadableElementsAreObserved) {
  for (Fault fault : {Fault::kBadData, Fault::kHugeStrides}) {
    const Trace trace = Run(Full(Spec({2, 3})), fault);
    EXPECT_FALSE(Get<Elements>(trace, 3).readable);
    EXPECT_TRUE(Get<Elements>(trace, 3).bytes.empty());
  }
  EXPECT_EQ(Get<Elements>(Run(Full(Spec({2, 3})), Fault::kNullStrides), 3).bytes,
            PatternValues(Spec({2, 3})));
}

TEST_F(MachineTest, ScalarPointersAreTried) {
  EXPECT_TRUE(Get<Inspected>(Run(Full(Spec({}))), 2).shape_readable);
  EXPECT_FALSE(Get<Inspected>(Run(Full(Spec({})), Fault::kNullShape), 2).shape_readable);
  const Trace dangling = Run(Full(Spec({})), Fault::kBadShape);
  EXPECT_FALSE(Get<Inspected>(dangling, 2).shape_readable);
  EXPECT_EQ(Get<Elements>(dangling, 3).bytes, PatternValues(Spec({})));
}

TEST_F(MachineTest, ThrowingBackendsAreFaultsOfTheHost) {
  const Trace trace =
      Run(ScriptBuilder(Spec({2})).Export().Inspect().Build(), Fault::kBackendThrows);
  EXPECT_THAT(Get<AdapterFault>(trace, 1).text, HasSubstr("no export today"));
  EXPECT_EQ(Reason(trace, 2), "export was refused");
}

// Any bytes; mostly after a start that makes an array, so that something happens.
Script RandomScript(std::mt19937& random) {
  std::string bytes;
  if (random() % 4 != 0) {
    bytes = EncodeScript(ScriptBuilder(Spec({2, 3})).Export().Build());
    bytes[1] = kMaxSteps;
  }
  const size_t size = bytes.size() + random() % 300;
  while (bytes.size() < size) bytes += static_cast<char>(random());
  Script script = DecodeScript({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  for (Step& step : script.steps) {
    if (step.op == Op::kConsumeMany || step.op == Op::kReleaseTogether)
      step.n %= 50;  // More would only be slower.
  }
  return script;
}

TEST_F(MachineTest, RandomScriptsReleaseExactlyOnce) {
  std::mt19937 random(3);
  size_t exports = 0, deleters = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Script script = RandomScript(random);
    const auto fault = static_cast<Fault>(random() % static_cast<int>(Fault::kCount_));
    const bool healthy = i % 2 == 0;
    const Trace trace = Run(script, healthy ? Fault::kNone : fault);
    for (size_t k = 0; k < trace.steps.size(); ++k) {
      exports += std::holds_alternative<Exported>(trace.steps[k]);
      deleters +=
          script.steps[k].op == Op::kCallDeleter && std::holds_alternative<Dropped>(trace.steps[k]);
    }
    ASSERT_TRUE(!healthy || backend_.live() == 0) << i;
    ASSERT_FALSE(HasFailure()) << "script " << i << ", fault " << static_cast<int>(fault);
    backend_.ForgetLeaks();
  }
  EXPECT_GT(exports, 5000u);
  EXPECT_GT(deleters, 500u);
}

}  // namespace
}  // namespace dlpc
