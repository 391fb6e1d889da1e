// Twins whose fault shows in one call, in an element type or in the state of the array: each must
// answer one question of the table otherwise than the correct producer, and all other questions
// alike but where its fault reaches further.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/dtype.h"
#include "reference/mutants.h"
#include "reference/producer.h"

namespace dlpc {
namespace {

// What is asked of a producer, and what the answer looks like as text.
struct Question {
  Mutant mutant;  // The twin that must answer otherwise.
  const char* dtype = "float32";
  ArrayState state = ArrayState::kPlain;
  Memory memory = Memory::kCpu;
  uint8_t flags = 0;
  Request request = WithVersion(1, 3);
};

Request OddArgument(Arg Request::*keyword, Odd odd) {
  Request request = WithVersion(1, 3);
  request.*keyword = Arg::kOdd;
  request.odd = odd;
  return request;
}

Request Device(int32_t type, int32_t id) {
  Request request = WithVersion(1, 3);
  request.device = Arg::kValue;
  request.dl_device = {static_cast<DLDeviceType>(type), id};
  return request;
}

Request Stream(int64_t stream, Request request = WithVersion(1, 3)) {
  request.stream = Arg::kValue;
  request.stream_value = stream;
  return request;
}

Request None(bool version, bool copy, bool device, bool stream) {
  Request request;
  if (version) request.version = Arg::kNone;
  if (copy) request.copy = Arg::kNone;
  if (device) request.device = Arg::kNone;
  if (stream) request.stream = Arg::kNone;
  return request;
}

Request Own() {
  Request request = WithVersion(1, 3);
  request.device = Arg::kOwn;
  return request;
}

Request Positional() {
  Request request;
  request.extra = Extra::kPositional;
  return request;
}

std::vector<Question> Questions() {
  using enum Mutant;
  using S = ArrayState;
  const Request plain = WithVersion(1, 3);
  const auto asked = [](Mutant m, Request r, Memory memory = Memory::kCpu) {
    return Question{m, "float32", S::kPlain, memory, 0, r};
  };
  const auto typed = [&](Mutant m, const char* dtype) { return Question{m, dtype, S::kPlain}; };
  const auto in_state = [&](Mutant m, S state) { return Question{m, "float32", state}; };
  return {
      asked(kStreamNoneTypeError, None(false, false, false, true)),
      asked(kPositionalAccepted, Positional()),
      asked(kCpuOrdinalTypeError, Device(kDLCPU, 5)),
      asked(kVersionListAccepted, OddArgument(&Request::version, Odd::kList)),
      asked(kOwnTupleTypeError, Own()),
      asked(kDeviceArgumentTripleAccepted, OddArgument(&Request::device, Odd::kTuple3)),
      asked(kCopyByTruth, OddArgument(&Request::copy, Odd::kString)),
      asked(kWrappedCapsule, None(false, true, false, true)),
      typed(kBoolRefused, "bool"),
      asked(kFourthKeywordRefused, None(true, true, true, true)),
      typed(kUnsignedAsSigned, "uint16"),
      in_state(kLongDoubleExported, S::kLongDouble),
      typed(kBfloatAsHalf, "bfloat16"),
      typed(kComplexAsPair, "complex64"),
      typed(kBoolAsUint8, "bool"),
      in_state(kBitPackedExported, S::kBitPackedBool),
      typed(kFloat8AsUint8, "float8_e5m2"),
      typed(kFloat6EightBits, "float6_e2m3fn"),
      typed(kFloat4EightBits, "float4_e2m1fn"),
      typed(kNibblesSwapped, "int4"),
      typed(kPackedFlaggedPadded, "float6_e3m2fn"),
      typed(kVectorLanesZero, "float32x4"),
      typed(kInventedCode, "complex32"),
      in_state(kByteSwappedExported, S::kByteSwapped),
      in_state(kObjectAsHandle, S::kObject),
      typed(kComplexHalfBits, "complex32"),
      in_state(kObjectTypeError, S::kObject),
      asked(kArgumentBufferError, OddArgument(&Request::copy, Odd::kObject)),
      asked(kUnknownTypeKeyError, Device(99, 0)),
      in_state(kByteOrderUnnamed, S::kByteSwapped),
      {kShardedExportTypeError, "float32", S::kPlain, Memory::kCpu, kSharded, plain},
      in_state(kConjugateExported, S::kConjugate),
      in_state(kDeletedExported, S::kDeleted),
      in_state(kMissingExported, S::kMissing),
      asked(kDeviceUnnamed, Device(kDLHexagon, 0)),
      asked(kCpuStreamIgnored, Stream(1)),
      asked(kNegativeStreamAccepted, Stream(-2), Memory::kCuda),
      asked(kCudaStreamZeroAccepted, Stream(0), Memory::kCuda),
      asked(kRocmStreamsAsCuda, Stream(1), Memory::kRocm),
      asked(kStreamUnnamed, Stream(7)),
      in_state(kPendingExported, S::kPending),
      asked(kStreamCheckedOnSource, Stream(1, Device(kDLCPU, 0)), Memory::kCuda),
  };
}

std::string Bytes(const void* from, size_t count) {
  return {static_cast<const char*>(from), count};
}

std::string Answer(Mutant mutant, const Question& q) {
  RefProducer producer(mutant);
  ArraySpec spec;
  spec.dtype = FindDType(q.dtype)->dtype;
  spec.layout = Contiguous({2, 3});
  spec.memory = q.memory;
  spec.flags = q.flags;
  RefArrayPtr array =
      q.state == ArrayState::kPlain ? producer.Make(spec) : producer.MakeInState(q.state);
  RefExport result = producer.Export(array, q.request);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    return refusal->exception + ": " + refusal->message;
  }
  auto& capsule = *std::get_if<std::shared_ptr<RefCapsule>>(&result);
  std::string text = capsule->wrapped ? "wrapped " : "";
  text += capsule->name;
  const bool versioned = text.find("versioned") != std::string::npos;
  const auto* m = static_cast<const DLManagedTensorVersioned*>(capsule->managed);
  const DLTensor& t =
      versioned ? m->dl_tensor : static_cast<const DLManagedTensor*>(capsule->managed)->dl_tensor;
  if (versioned) text += " " + std::to_string(m->flags);
  text += " " + DTypeName(t.dtype) + " " + std::to_string(t.dtype.code) + " ";
  text += Bytes(static_cast<const char*>(t.data) + t.byte_offset, 3);
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
  return text;
}

TEST(ProtocolMutantsTest, EachAnswersItsQuestionOtherwise) {
  for (const Question& q : Questions()) {
    const std::string_view name = Mutants()[static_cast<size_t>(q.mutant) - 1].name;
    EXPECT_NE(Answer(q.mutant, q), Answer(Mutant::kNone, q)) << name;
  }
}

// The plain export of a plain array is none of their business.
TEST(ProtocolMutantsTest, NoneTouchesThePlainExport) {
  const Question plain{Mutant::kNone};
  const std::string correct = Answer(Mutant::kNone, plain);
  for (const Question& q : Questions()) EXPECT_EQ(Answer(q.mutant, plain), correct);
}

TEST(ProtocolMutantsTest, RefusalDisables) {
  for (const Mutant mutant : {Mutant::kNone, Mutant::kRefusalDisables}) {
    RefProducer producer(mutant);
    ArraySpec spec;
    spec.layout = Contiguous({2});
    RefArrayPtr array = producer.Make(spec);
    EXPECT_TRUE(std::holds_alternative<Refusal>(producer.Export(array, Device(99, 0))));
    RefExport again = producer.Export(array, {});
    EXPECT_EQ(std::holds_alternative<Refusal>(again), mutant == Mutant::kRefusalDisables);
    RefInterpreter interpreter;
    if (auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&again)) {
      DropRefCapsule(*capsule, &interpreter);
    }
  }
}

// What an export of CUDA memory says of streams; nullopt: refused.
struct Told {
  int64_t waits, waiting;
  bool ends;
};
std::optional<Told> TellsStreams(Mutant mutant, const Request& request) {
  RefProducer producer(mutant);
  ArraySpec spec;
  spec.layout = Contiguous({2});
  spec.memory = Memory::kCuda;
  RefArrayPtr array = producer.Make(spec);
  RefExport result = producer.Export(array, request);
  auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&result);
  if (capsule == nullptr) return std::nullopt;
  const Told told = {(*capsule)->waits, (*capsule)->waiting, (*capsule)->ends_stream};
  RefInterpreter interpreter;
  DropRefCapsule(*capsule, &interpreter);
  return told;
}

// How often the stream waits; -2: refused.
int64_t WaitsFor(Mutant mutant, int64_t stream) {
  const auto told = TellsStreams(mutant, Stream(stream));
  return told ? told->waits : -2;
}

int64_t WaitingFor(Mutant mutant, const Request& request) {
  return TellsStreams(mutant, request)->waiting;
}

TEST(ProtocolMutantsTest, WhichStreamWaits) {
  EXPECT_EQ(WaitsFor(Mutant::kNone, 2), 1);
  EXPECT_EQ(WaitsFor(Mutant::kNone, -1), 0);
  EXPECT_EQ(WaitsFor(Mutant::kMinusOneWaits, -1), 1);
  EXPECT_EQ(WaitsFor(Mutant::kStreamNotWaited, 2), 0);
  EXPECT_EQ(WaitsFor(Mutant::kNone, 0), -2);
  const Request none;
  EXPECT_EQ(WaitingFor(Mutant::kNone, none), 1);
  EXPECT_EQ(WaitingFor(Mutant::kNoneNotWaited, none), -1);
  EXPECT_EQ(WaitingFor(Mutant::kNone, Stream(2)), 2);
  EXPECT_EQ(WaitingFor(Mutant::kStreamTwoAsOne, Stream(2)), 1);
  EXPECT_EQ(WaitingFor(Mutant::kNone, Stream(777)), 777);
  EXPECT_FALSE(TellsStreams(Mutant::kNone, Stream(777))->ends);
  EXPECT_TRUE(TellsStreams(Mutant::kStreamDestroyed, Stream(777))->ends);
}

TEST(ProtocolMutantsTest, ObjectsThatAreNoQueues) {
  ArraySpec spec;
  spec.layout = Contiguous({2});
  spec.memory = Memory::kOneApi;
  Request request;
  request.stream = Arg::kOdd;
  request.odd = Odd::kObject;
  for (const Mutant mutant : {Mutant::kNone, Mutant::kQueueUnchecked}) {
    RefProducer producer(mutant);
    RefExport result = producer.Export(producer.Make(spec), request);
    auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&result);
    EXPECT_EQ(capsule != nullptr, mutant == Mutant::kQueueUnchecked);
    RefInterpreter interpreter;
    if (capsule != nullptr) DropRefCapsule(*capsule, &interpreter);
  }
}

TEST(ProtocolMutantsTest, ImportsNameTheDefaultStream) {
  ArraySpec spec;
  spec.layout = Contiguous({2});
  const auto asked = [&spec](Mutant mutant, Memory memory) {
    RefProducer producer(mutant);
    spec.memory = memory;
    const Request request = producer.ImportRequest(producer.Make(spec));
    return request.stream == Arg::kValue ? std::optional(request.stream_value) : std::nullopt;
  };
  EXPECT_EQ(asked(Mutant::kNone, Memory::kCuda), 1);
  EXPECT_EQ(asked(Mutant::kNone, Memory::kRocm), 0);
  EXPECT_EQ(asked(Mutant::kNone, Memory::kCpu), std::nullopt);
  EXPECT_EQ(asked(Mutant::kImportsOnNone, Memory::kCuda), std::nullopt);
}

TEST(ProtocolMutantsTest, ImportsShareTheMemory) {
  ArraySpec spec;
  spec.layout = Contiguous({2});
  const auto shares = [&spec](Mutant mutant, Memory memory) {
    RefProducer producer(mutant);
    spec.memory = memory;
    RefArrayPtr array = producer.Make(spec);
    RefArrayPtr imported = producer.Import(array);
    EXPECT_EQ(producer.Read(imported), producer.Read(array));
    const bool same = producer.Pointer(imported) == producer.Pointer(array);
    producer.Drop(imported);
    producer.Drop(array);
    return same;
  };
  EXPECT_TRUE(shares(Mutant::kNone, Memory::kCudaPinned));
  EXPECT_TRUE(shares(Mutant::kImportCopies, Memory::kCpu));
  EXPECT_FALSE(shares(Mutant::kImportCopies, Memory::kRocmPinned));
}

TEST(ProtocolMutantsTest, ResolvedCopiesHaveTheValues) {
  const auto right = [](Mutant mutant, ArrayState state) {
    RefProducer producer(mutant);
    RefArrayPtr array = producer.MakeInState(state);
    RefArrayPtr resolved = producer.WriteOut(array);
    const bool same = resolved != nullptr && producer.Read(resolved) == producer.Read(array);
    producer.Drop(resolved);
    producer.Drop(array);
    return same;
  };
  for (const ArrayState state :
       {ArrayState::kConjugate, ArrayState::kByteSwapped, ArrayState::kMissing}) {
    EXPECT_TRUE(right(Mutant::kNone, state));
  }
  EXPECT_FALSE(right(Mutant::kResolvedRaw, ArrayState::kConjugate));
  EXPECT_FALSE(right(Mutant::kNone, ArrayState::kDeleted));
}

// The refusal of an array of a TPU, and whether it can be copied to the CPU afterwards.
std::pair<std::string, bool> RefusedThenCopied(Mutant mutant) {
  RefProducer producer(mutant);
  ArraySpec spec;
  spec.layout = Contiguous({2});
  spec.memory = Memory::kTpu;
  RefArrayPtr array = producer.Make(spec);
  const RefExport refused = producer.Export(array, WithVersion(1, 3));
  const auto* refusal = std::get_if<Refusal>(&refused);
  RefExport copy = producer.Export(array, Device(kDLCPU, 0));
  auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&copy);
  RefInterpreter interpreter;
  if (capsule != nullptr) DropRefCapsule(*capsule, &interpreter);
  return {refusal == nullptr ? "" : refusal->message, capsule != nullptr};
}

TEST(ProtocolMutantsTest, WhatARefusalSaysAndLeaves) {
  const auto [text, copied] = RefusedThenCopied(Mutant::kNone);
  EXPECT_EQ(text, "Cannot describe device memory on platform tpu as a DLPack device");
  EXPECT_TRUE(copied);
  EXPECT_NE(RefusedThenCopied(Mutant::kPlaceTextOther).first, text);
  EXPECT_NE(RefusedThenCopied(Mutant::kAddressInText).first.find("0x"), std::string::npos);
  EXPECT_FALSE(RefusedThenCopied(Mutant::kRemedyRefused).second);
}

TEST(ProtocolMutantsTest, WhatAReleaseTouches) {
  for (const Mutant mutant :
       {Mutant::kNone, Mutant::kReleaseHitsSiblings, Mutant::kReleaseClearsSource}) {
    RefProducer producer(mutant);
    ArraySpec spec;
    spec.layout = Contiguous({2});
    RefArrayPtr array = producer.Make(spec);
    const std::string before = producer.Read(array);
    RefExport a = producer.Export(array, {}), b = producer.Export(array, {});
    auto& first = *std::get_if<std::shared_ptr<RefCapsule>>(&a);
    auto& second = *std::get_if<std::shared_ptr<RefCapsule>>(&b);
    const DLTensor& t = static_cast<const DLManagedTensor*>(second->managed)->dl_tensor;
    RefInterpreter interpreter;
    DropRefCapsule(first, &interpreter);
    EXPECT_EQ(t.shape[0] == 2, mutant != Mutant::kReleaseHitsSiblings);
    EXPECT_EQ(producer.Read(array) == before, mutant != Mutant::kReleaseClearsSource);
    DropRefCapsule(second, &interpreter);
  }
}

TEST(ProtocolMutantsTest, StatesReadByThemselves) {
  RefProducer producer;
  const auto read = [&](ArrayState state) { return producer.Read(producer.MakeInState(state)); };
  ArraySpec spec;
  spec.layout = Contiguous({4});
  EXPECT_EQ(read(ArrayState::kByteSwapped), PatternValues(spec));  // The values, not the storage.
  EXPECT_EQ(read(ArrayState::kPending), PatternValues(spec));
  spec.dtype = {kDLComplex, 64, 1};
  EXPECT_NE(read(ArrayState::kConjugate), PatternValues(spec));
}

}  // namespace
}  // namespace dlpc
