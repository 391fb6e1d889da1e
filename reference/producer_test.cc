#include "reference/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <tuple>

#include "reference/contract.h"
#include "reference/dtype.h"
#include "reference/elements.h"

namespace dlpc {
namespace {

using ::testing::IsEmpty;

using Capsule = std::shared_ptr<RefCapsule>;

Capsule MustExport(RefProducer& producer, const RefArrayPtr& array, const Request& request) {
  RefExport result = producer.Export(array, request);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << RequestText(request) << ": " << refusal->exception << ": " << refusal->message;
    return nullptr;
  }
  return *std::get_if<Capsule>(&result);
}

std::string RefusalClass(RefProducer& producer, const ArraySpec& spec, const Request& request) {
  RefArrayPtr array = producer.Make(spec);
  RefExport result = producer.Export(array, request);
  const auto* refusal = std::get_if<Refusal>(&result);
  if (refusal == nullptr) {
    DropRefCapsule(*std::get_if<Capsule>(&result), std::make_unique<RefInterpreter>().get());
    return "";
  }
  EXPECT_FALSE(refusal->message.empty());
  return refusal->exception;
}

DLManagedTensorVersioned* Versioned(const Capsule& capsule) {
  EXPECT_STREQ(capsule->name, "dltensor_versioned");
  return static_cast<DLManagedTensorVersioned*>(capsule->managed);
}

DLManagedTensor* Legacy(const Capsule& capsule) {
  EXPECT_STREQ(capsule->name, "dltensor");
  return static_cast<DLManagedTensor*>(capsule->managed);
}

StructFacts FactsOf(const Capsule& capsule) {
  StructFacts facts;
  facts.versioned = std::string_view(capsule->name) == "dltensor_versioned";
  if (facts.versioned) {
    const auto* managed = Versioned(capsule);
    facts.version = managed->version;
    facts.flags = managed->flags;
    facts.tensor = managed->dl_tensor;
  } else {
    facts.tensor = Legacy(capsule)->dl_tensor;
  }
  const auto rank = static_cast<size_t>(facts.tensor.ndim);
  if (facts.tensor.shape != nullptr) facts.shape = {facts.tensor.shape, rank};
  if (facts.tensor.strides != nullptr) facts.strides = {facts.tensor.strides, rank};
  return facts;
}

// What a consumer reads, from nothing but the struct.
std::string ReadTensor(const StructFacts& facts) {
  const DLTensor& t = facts.tensor;
  std::string bytes;
  const auto* base = static_cast<const uint8_t*>(t.data) + t.byte_offset;
  ForEachOffset(facts.shape, facts.strides, 0, [&](int64_t offset) {
    std::string element(ElementBytes(t.dtype), '\0');
    // Packed elements may lie before the first one: floor to the byte.
    const int64_t bit = offset * ElementBits(t.dtype);
    const int64_t byte = bit >> 3;
    LoadElement(base + byte, bit - byte * 8, t.dtype, reinterpret_cast<uint8_t*>(element.data()));
    bytes += element;
  });
  return bytes;
}

Request WithCopy(Request request, bool copy) {
  request.copy = Arg::kValue;
  request.copy_value = copy;
  return request;
}

Request WithDevice(Request request, int32_t type, int32_t id) {
  request.device = Arg::kValue;
  request.dl_device = {static_cast<DLDeviceType>(type), id};
  return request;
}

ArraySpec Spec(Layout layout, Memory memory = Memory::kCpu, uint8_t flags = 0) {
  ArraySpec spec;
  spec.layout = std::move(layout);
  spec.memory = memory;
  spec.flags = flags;
  return spec;
}

constexpr int kMemories = static_cast<int>(Memory::kTpu);  // Those before it have a type in 1.3.

// Every dtype x layout of one memory kind, through both structs, shared and copied.
class EveryArray : public ::testing::TestWithParam<int> {
 protected:
  // One export looked at from all sides. NOLINTNEXTLINE(readability-function-size)
  void CheckExport(const ArraySpec& spec, const Request& request, bool copied) {
    RefArrayPtr array = producer_.Make(spec);
    Capsule capsule = MustExport(producer_, array, request);
    ASSERT_NE(capsule, nullptr);
    const StructFacts facts = FactsOf(capsule);
    EXPECT_EQ(ReadTensor(facts), PatternValues(spec));
    EXPECT_THAT(CheckStruct(facts), IsEmpty());
    EXPECT_TRUE(facts.tensor.dtype == spec.dtype);
    EXPECT_EQ(Extents(facts.shape.begin(), facts.shape.end()), producer_.ViewOf(array).shape);
    const auto address = reinterpret_cast<uint64_t>(facts.tensor.data) + facts.tensor.byte_offset;
    EXPECT_EQ(reinterpret_cast<uint64_t>(facts.tensor.data) % 256, 0u);
    if (!facts.shape.empty() || facts.tensor.data != nullptr) {
      EXPECT_EQ(address == producer_.Pointer(array), !copied || address == 0);
    }
    if (facts.versioned) {
      EXPECT_EQ(facts.version.minor, 3u);
      EXPECT_EQ(facts.flags, copied ? DLPACK_FLAG_BITMASK_IS_COPIED : 0u);
    }
    EXPECT_EQ(producer_.RefCount(array), copied ? 1 : 2);
    RefInterpreter interpreter;
    DropRefCapsule(capsule, &interpreter);
    EXPECT_EQ(producer_.RefCount(array), 1);
    EXPECT_EQ(interpreter.unraisable, "");
  }

  RefProducer producer_;
};

TEST_P(EveryArray, ElementsAreWhereTheStructSays) {
  for (const DTypeRow& row : DTypes()) {
    for (const NamedLayout& named : Layouts()) {
      SCOPED_TRACE(std::string(row.name) + " " + std::string(named.name));
      ArraySpec spec = Spec(named.layout, static_cast<Memory>(GetParam()));
      spec.dtype = row.dtype;
      for (const Request& request : {Request{}, WithVersion(1, 0)}) {
        CheckExport(spec, request, false);
        CheckExport(spec, WithCopy(request, true), true);
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, EveryArray, ::testing::Range(0, kMemories));

TEST(ProducerTest, OwnReaderAgreesWithPattern) {
  RefProducer producer;
  for (const DTypeRow& row : DTypes()) {
    for (const NamedLayout& named : Layouts()) {
      ArraySpec spec = Spec(named.layout);
      spec.dtype = row.dtype;
      RefArrayPtr array = producer.Make(spec);
      EXPECT_EQ(producer.Read(array), PatternValues(spec)) << row.name << " " << named.name;
      const auto [address, bytes] = producer.Allocation(array);
      if (producer.Pointer(array) == 0) continue;
      EXPECT_GE(producer.Pointer(array), address);
      EXPECT_LT(producer.Pointer(array), address + bytes);
    }
  }
}

TEST(ProducerTest, StridesOfUnitAxesAreNormalised) {
  RefProducer producer;
  const ArraySpec spec = Spec({{{1, 0, 1, -1}, {10, 0, 10, 1}, {20, 0, 20, 1}}, {}});
  RefArrayPtr array = producer.Make(spec);
  ASSERT_EQ(producer.ViewOf(array).strides[0], -200);
  Capsule capsule = MustExport(producer, array, WithVersion(1, 3));
  EXPECT_EQ(Versioned(capsule)->dl_tensor.strides[0], 200);
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, ByteOffsetLeadsFromTheAllocationToTheFirstElement) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(Spec({{{10, 3, 7, 1}}, {}}));
  Capsule capsule = MustExport(producer, array, WithVersion(1, 3));
  const DLTensor& tensor = Versioned(capsule)->dl_tensor;
  EXPECT_EQ(reinterpret_cast<uint64_t>(tensor.data), producer.Allocation(array).first);
  EXPECT_EQ(tensor.byte_offset, 12u);
  EXPECT_EQ(producer.Allocation(array).second, 40u);
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, ConsumedCapsuleLeavesReleaseToTheDeleter) {
  RefProducer producer;
  for (const bool versioned : {false, true}) {
    RefArrayPtr array = producer.Make(Spec(Contiguous({2, 3})));
    Capsule capsule = MustExport(producer, array, versioned ? WithVersion(1, 0) : Request{});
    void* managed = capsule->managed;
    capsule->name = versioned ? "used_dltensor_versioned" : "used_dltensor";
    RefInterpreter interpreter{"ValueError", ""};
    DropRefCapsule(capsule, &interpreter);
    EXPECT_EQ(producer.RefCount(array), 2);
    if (versioned) {
      auto* self = static_cast<DLManagedTensorVersioned*>(managed);
      self->deleter(self);
    } else {
      auto* self = static_cast<DLManagedTensor*>(managed);
      self->deleter(self);
    }
    EXPECT_EQ(producer.RefCount(array), 1);
    EXPECT_EQ(interpreter.pending, "ValueError");
    EXPECT_EQ(interpreter.unraisable, "");
  }
}

TEST(ProducerTest, ForeignNameIsReportedAndFreesNothing) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(Spec(Contiguous({3})));
  Capsule capsule = MustExport(producer, array, {});
  capsule->name = "foo";
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
  EXPECT_EQ(producer.RefCount(array), 2);
  EXPECT_NE(interpreter.unraisable.find("foo"), std::string::npos);
}

TEST(ProducerTest, ExportOutlivesTheArray) {
  RefProducer producer;
  const ArraySpec spec = Spec(Contiguous({2, 3}));
  RefArrayPtr array = producer.Make(spec);
  Capsule capsule = MustExport(producer, array, WithVersion(1, 0));
  producer.Drop(array);
  for (int i = 0; i < 100; ++i) producer.Make(Spec(Contiguous({6})));
  EXPECT_EQ(ReadTensor(FactsOf(capsule)), PatternValues(spec));
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, WritesAreSharedOrNot) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(Spec(Contiguous({4})));
  Capsule shared = MustExport(producer, array, WithVersion(1, 0));
  Capsule copy = MustExport(producer, array, WithCopy(WithVersion(1, 0), true));
  const std::string before = ReadTensor(FactsOf(copy));
  float value = 77;
  ASSERT_TRUE(producer.Poke(array, std::string(reinterpret_cast<char*>(&value), sizeof value)));
  EXPECT_EQ(ReadTensor(FactsOf(shared)), producer.Read(array));
  EXPECT_EQ(ReadTensor(FactsOf(copy)), before);
  EXPECT_NE(before, producer.Read(array));
  RefInterpreter interpreter;
  DropRefCapsule(shared, &interpreter);
  DropRefCapsule(copy, &interpreter);
}

TEST(ProducerTest, ReadOnlyArrays) {
  RefProducer producer;
  const ArraySpec spec = Spec(Contiguous({4}), Memory::kCpu, kReadOnly);
  EXPECT_EQ(RefusalClass(producer, spec, {}), "BufferError");
  EXPECT_EQ(RefusalClass(producer, spec, WithCopy({}, true)), "");
  RefArrayPtr array = producer.Make(spec);
  EXPECT_TRUE(producer.ReadOnly(array));
  RefInterpreter interpreter;
  Capsule capsule = MustExport(producer, array, WithVersion(1, 0));
  EXPECT_EQ(Versioned(capsule)->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  DropRefCapsule(capsule, &interpreter);
  capsule = MustExport(producer, array, WithCopy(WithVersion(1, 0), true));
  EXPECT_EQ(Versioned(capsule)->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, StaticStorageHasNoOwner) {
  RefProducer producer;
  const ArraySpec spec = Spec(Contiguous({4}), Memory::kCpu, kStaticStorage);
  RefArrayPtr array = producer.Make(spec);
  Capsule capsule = MustExport(producer, array, WithVersion(1, 0));
  EXPECT_EQ(Versioned(capsule)->manager_ctx, nullptr);
  EXPECT_EQ(Versioned(capsule)->deleter, nullptr);
  producer.Drop(array);
  for (int i = 0; i < 100; ++i) producer.Make(Spec(Contiguous({7})));
  EXPECT_EQ(ReadTensor(FactsOf(capsule)), PatternValues(spec));
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, RefusesWhatItCannotDescribe) {
  RefProducer producer;
  const ArraySpec sharded = Spec(Contiguous({4}), Memory::kCpu, kSharded);
  EXPECT_EQ(RefusalClass(producer, sharded, WithVersion(1, 0)), "BufferError");
  EXPECT_TRUE(producer.Device(producer.Make(sharded)).refused);
  const ArraySpec odd = Spec(Contiguous({4}), Memory::kCpu, kOddStride);
  EXPECT_EQ(RefusalClass(producer, odd, WithVersion(1, 0)), "BufferError");
  EXPECT_EQ(producer.Read(producer.Make(odd)), PatternValues(odd));
}

TEST(ProducerTest, DevicesThatCanBeServed) {
  RefProducer producer;
  const Layout layout = Contiguous({4});
  const struct {
    Memory memory;
    int32_t type, id;
    const char* refusal;
  } kRows[] = {
      {Memory::kCpu, kDLCPU, 0, ""},
      {Memory::kCpu, kDLCPU, 1, "BufferError"},
      {Memory::kCpu, kDLCUDA, 0, "BufferError"},
      {Memory::kCuda, kDLCPU, 0, ""},
      {Memory::kCuda, kDLCUDA, 1, ""},
      {Memory::kCuda, kDLCUDA, 2, "BufferError"},
      {Memory::kCuda, kDLCUDAHost, 0, "BufferError"},
      {Memory::kCuda, kDLCUDAManaged, 0, "BufferError"},
      {Memory::kCudaPinned, kDLCUDAHost, 0, ""},
      {Memory::kCudaPinned, kDLCUDAHost, 1, "BufferError"},
      {Memory::kRocmPinned, kDLROCM, 0, "BufferError"},
      {Memory::kOneApi, kDLOneAPI, 1, ""},
      {Memory::kExtension, 99, 0, "BufferError"},
  };
  for (const auto& row : kRows) {
    const Request request = WithDevice(WithVersion(1, 0), row.type, row.id);
    EXPECT_EQ(RefusalClass(producer, Spec(layout, row.memory), request), row.refusal)
        << RequestText(request);
  }
  const Request no_copy = WithCopy(WithDevice({}, kDLCPU, 0), false);
  EXPECT_EQ(RefusalClass(producer, Spec(layout, Memory::kCuda), no_copy), "BufferError");
  EXPECT_EQ(RefusalClass(producer, Spec(layout), no_copy), "");
}

TEST(ProducerTest, CopyToMainMemoryIsLabelledSo) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(Spec(Contiguous({4}), Memory::kCuda));
  Capsule capsule = MustExport(producer, array, WithDevice(WithVersion(1, 0), kDLCPU, 0));
  EXPECT_EQ(Versioned(capsule)->dl_tensor.device.device_type, kDLCPU);
  EXPECT_EQ(Versioned(capsule)->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
  RefInterpreter interpreter;
  DropRefCapsule(capsule, &interpreter);
}

TEST(ProducerTest, StreamsFitTheTargetDevice) {
  RefProducer producer;
  const struct {
    Memory memory;
    int64_t stream;
    const char* refusal;
  } kRows[] = {
      {Memory::kCpu, 0, "ValueError"},  {Memory::kCpu, -1, "ValueError"},
      {Memory::kCuda, 0, "ValueError"}, {Memory::kCuda, -2, "ValueError"},
      {Memory::kCuda, -1, ""},          {Memory::kCuda, 1, ""},
      {Memory::kCuda, 2, ""},           {Memory::kCuda, 4096, ""},
      {Memory::kRocm, 0, ""},           {Memory::kRocm, 1, "ValueError"},
      {Memory::kRocm, 2, "ValueError"}, {Memory::kOneApi, 1, "ValueError"},
  };
  for (const auto& row : kRows) {
    Request request;
    request.stream = Arg::kValue;
    request.stream_value = row.stream;
    const ArraySpec spec = Spec(Contiguous({4}), row.memory);
    EXPECT_EQ(RefusalClass(producer, spec, request), row.refusal) << RequestText(request);
    // STREAM-12: for kDLCPU it must be None, whatever the array's own device.
    EXPECT_EQ(RefusalClass(producer, spec, WithDevice(request, kDLCPU, 0)), "ValueError");
  }
}

TEST(ProducerTest, DeletersMayRunOnAnyThread) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(Spec(Contiguous({4})));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&producer, array] {
      RefInterpreter interpreter;
      for (int i = 0; i < 20'000; ++i) {
        producer.Lock();
        Capsule capsule = MustExport(producer, array, WithVersion(i % 2, 0));
        producer.Unlock();
        DropRefCapsule(capsule, &interpreter);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(producer.RefCount(array), 1);
}

}  // namespace
}  // namespace dlpc
