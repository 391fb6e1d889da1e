#include "reference/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/dtype.h"
#include "reference/producer.h"

namespace dlpc {
namespace {

using ::testing::MatchesRegex;

TEST(MutantsTest, TableFollowsTheEnum) {
  ASSERT_EQ(Mutants().size(), static_cast<size_t>(Mutant::kCount_) - 1);
  for (size_t i = 0; i < Mutants().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(Mutants()[i].mutant), i + 1) << Mutants()[i].name;
  }
}

TEST(MutantsTest, RowsAreWellFormed) {
  const auto is_name = MatchesRegex("[a-z0-9.]+(-[a-z0-9.]+)*");
  const auto are_ids = MatchesRegex("[A-Z]+-[0-9]{2}(,[A-Z]+-[0-9]{2})*");
  std::set<std::string_view> names;
  for (const MutantRow& row : Mutants()) {
    SCOPED_TRACE(std::string(row.name));
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_THAT(std::string(row.name), is_name);
    EXPECT_THAT(std::string(row.kills), are_ids);
    if (!row.implied.empty()) {
      EXPECT_THAT(std::string(row.implied), are_ids);
    }
    EXPECT_TRUE(row.fault.ends_with('.')) << row.fault;
    EXPECT_EQ(FindMutant(row.name), &row);
  }
  EXPECT_EQ(FindMutant("no-such-mutant"), nullptr);
}

constexpr uint8_t kFlagSets[] = {0, kReadOnly, kStaticStorage, kSharded, kOddStride};

std::vector<Request> Requests() {
  std::vector<Request> requests = {Request{}};
  for (const auto& [major, minor] : {std::pair{0u, 8u}, {1u, 0u}, {1u, 3u}, {1u, 10u}, {2u, 0u}}) {
    requests.push_back(WithVersion(major, minor));
  }
  for (size_t i = 0, n = requests.size(); i < n; ++i) {
    Request request = requests[i];
    request.copy = Arg::kNone;
    requests.push_back(request);
    for (const bool copy : {false, true}) {
      request.copy = Arg::kValue;
      request.copy_value = copy;
      requests.push_back(request);
      request.device = Arg::kValue;
      requests.push_back(request);  // kDLCPU
      request.dl_device = {kDLCUDAHost, 0};
      requests.push_back(request);
      request.dl_device = {kDLCUDA, 1};
      requests.push_back(request);
    }
  }
  return requests;
}

using Seen = std::vector<int64_t>;

// Notes everything that can be seen of one export, but for addresses.
void Observe(const RefCapsule& capsule, uint64_t pointer, bool follow, Seen& seen) {
  const std::string_view name = capsule.name;
  const bool versioned = name.find("versioned") != std::string_view::npos;
  const auto* m = static_cast<const DLManagedTensorVersioned*>(capsule.managed);
  const DLTensor t =
      versioned ? m->dl_tensor : static_cast<const DLManagedTensor*>(capsule.managed)->dl_tensor;
  const auto add = [&seen](auto... values) { (seen.push_back(static_cast<int64_t>(values)), ...); };
  add(std::hash<std::string_view>()(name), capsule.destructor == nullptr);
  if (versioned) add(m->version.major, m->version.minor, m->flags);
  add(t.device.device_type, t.device.device_id, t.ndim, t.byte_offset);
  add(t.dtype.code, t.dtype.bits, t.dtype.lanes);
  add(t.shape == nullptr, t.strides == nullptr, t.data == nullptr);
  const auto data = reinterpret_cast<uint64_t>(t.data);
  add(data % 256, data + t.byte_offset == pointer);
  if (!follow) return;
  if (t.shape != nullptr) seen.insert(seen.end(), t.shape, t.shape + t.ndim);
  if (t.strides != nullptr) seen.insert(seen.end(), t.strides, t.strides + t.ndim);
}

// Twins whose struct has another layout: shape and strides are not where they should be.
bool HasOtherLayout(Mutant m) {
  return m == Mutant::kNdim64 || m == Mutant::kNoFlagsField || m == Mutant::kHeaderReordered ||
         m == Mutant::kNameLies;
}

// Makes, queries, exports and drops one array; notes what was seen of it.
void Visit(RefProducer& producer, ArraySpec spec, const std::vector<Request>& requests, bool follow,
           Seen& seen) {
  Normalize(spec);
  RefArrayPtr array = producer.Make(spec);
  const RefDeviceTuple device = producer.Device(array);
  const auto hash = std::hash<std::string>();
  seen.insert(seen.end(),
              {static_cast<int64_t>(hash(device.refusal.exception)), device.device.device_type,
               device.device.device_id, device.items, device.type_is_text, device.id_is_none});
  for (const Request& request : requests) {
    RefExport result = producer.Export(array, request);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      seen.push_back(static_cast<int64_t>(hash(refusal->exception)));
      continue;
    }
    auto& capsule = *std::get_if<std::shared_ptr<RefCapsule>>(&result);
    Observe(*capsule, producer.Pointer(array), follow, seen);
    RefInterpreter interpreter;
    DropRefCapsule(capsule, &interpreter);
  }
  seen.push_back(producer.RefCount(array));
  producer.Drop(array);
}

// Every layout in main memory, some in all other kinds, each with every flag.
Seen Walk(Mutant mutant, const std::vector<Request>& requests) {
  RefProducer producer(mutant);
  Seen seen;
  ArraySpec spec;
  for (const uint8_t flags : kFlagSets) {
    spec.flags = flags;
    for (const NamedLayout& named : Layouts()) {
      const bool often = named.name == "c-2x3" || named.name == "sliced-step2";
      const int kinds = often ? static_cast<int>(Memory::kCount_) : 1;
      for (int memory = 0; memory < kinds; ++memory) {
        const int places = flags == 0 ? static_cast<int>(Place::kCount_) : 1;
        for (int place = 0; place < places; ++place) {
          spec.layout = named.layout;
          spec.memory = static_cast<Memory>(memory);
          spec.place = static_cast<Place>(place);
          Visit(producer, spec, requests, !HasOtherLayout(mutant), seen);
        }
      }
    }
  }
  return seen;
}

std::vector<Mutant> Survivors() {  // Those that a walk must not kill.
  std::vector<Mutant> mutants = {Mutant::kNone};
  for (const MutantRow& row : Mutants()) {
    if (row.mutant != Mutant::kNullDeleterUnguarded) mutants.push_back(row.mutant);
  }
  return mutants;
}

// Faults that a walk cannot see: they need names, deleters, values or repeated calls, and have a
// test of their own below.
const std::set<Mutant> kUnseen = {Mutant::kDestructorFreesConsumed,
                                  Mutant::kForeignNameFrees,
                                  Mutant::kHeapName,
                                  Mutant::kDestructorClearsException,
                                  Mutant::kUsedFreedLate,
                                  Mutant::kCachedCapsule,
                                  Mutant::kDeviceFlips,
                                  Mutant::kMethodsOnInstanceOnly,
                                  Mutant::kNoDeviceMethod,
                                  Mutant::kLegacyTailSwapped,
                                  Mutant::kDeleterNotCode,
                                  Mutant::kDeleterThrows,
                                  Mutant::kShapeDies,
                                  Mutant::kCopiesShared,
                                  Mutant::kCopyIgnoresLayout,
                                  Mutant::kImportCopies,
                                  Mutant::kCapsuleOwnsNothing,
                                  Mutant::kFloat8UnderOneZero};

TEST(MutantsTest, EachDiffersFromTheCorrectProducerAndNoneCrashes) {
  const std::vector<Request> requests = Requests();
  const Seen correct = Walk(Mutant::kNone, requests);
  for (const Mutant mutant : Survivors()) {
    const bool same = Walk(mutant, requests) == correct;
    // Those that follow have questions of their own in mutants_protocol_test.cc.
    if (mutant >= Mutant::kStreamNoneTypeError && mutant <= Mutant::kImportsOnNone) continue;
    // And these in exchange_test.cc.
    if (mutant >= Mutant::kTableAbsent && mutant <= Mutant::kAllocatorNullStrides) continue;
    // Faults of ownership and threads show only where a host holds the exports: in the kill matrix.
    if (mutant >= Mutant::kCopyLeaks && mutant <= Mutant::kDestructorPassesCopy) continue;
    const bool expected = mutant == Mutant::kNone || kUnseen.contains(mutant);
    EXPECT_EQ(same, expected) << (mutant == Mutant::kNone
                                      ? "none"
                                      : Mutants()[static_cast<size_t>(mutant) - 1].name);
  }
}

// ---- Faults that need more than a walk ----

struct Fixture {
  explicit Fixture(Mutant mutant) : producer(mutant) {
    spec.layout = {{{10, 3, 4, 1}}, {}};
    array = producer.Make(spec);
  }
  std::shared_ptr<RefCapsule> Export(bool copy = false) {
    Request request = WithVersion(1, 3);
    request.copy = copy ? Arg::kValue : Arg::kAbsent;
    request.copy_value = copy;
    RefExport result = producer.Export(array, request);
    return *std::get_if<std::shared_ptr<RefCapsule>>(&result);
  }
  static DLManagedTensorVersioned* Struct(const std::shared_ptr<RefCapsule>& capsule) {
    return static_cast<DLManagedTensorVersioned*>(capsule->managed);
  }
  void Drop(std::shared_ptr<RefCapsule>& capsule) { DropRefCapsule(capsule, &interpreter); }

  ArraySpec spec;
  RefProducer producer;
  RefArrayPtr array;
  RefInterpreter interpreter;
};

int deleter_calls = 0;
void CountingDeleter(DLManagedTensorVersioned*) { ++deleter_calls; }

// Deleter calls when a capsule of that name is dropped.
int CallsUnderName(Mutant mutant, const char* name) {
  Fixture f(mutant);
  auto capsule = f.Export();
  DLManagedTensorVersioned* const managed = Fixture::Struct(capsule);
  auto* const own = std::exchange(managed->deleter, &CountingDeleter);
  capsule->name = name;
  deleter_calls = 0;
  f.Drop(capsule);
  own(managed);  // The other one only counts.
  return deleter_calls;
}

TEST(MutantsTest, DestructorsByName) {
  const struct {
    Mutant mutant;
    int original, used, foreign;
  } kRows[] = {{Mutant::kNone, 1, 0, 0},
               {Mutant::kDestructorFreesConsumed, 1, 1, 1},
               {Mutant::kForeignNameFrees, 1, 0, 1},
               {Mutant::kNoDestructor, 0, 0, 0}};
  for (const auto& row : kRows) {
    EXPECT_EQ(CallsUnderName(row.mutant, "dltensor_versioned"), row.original);
    EXPECT_EQ(CallsUnderName(row.mutant, "used_dltensor_versioned"), row.used);
    EXPECT_EQ(CallsUnderName(row.mutant, "foreign"), row.foreign);
  }
}

TEST(MutantsTest, UsedFreedLateFreesOnlyWhatWasFreed) {
  for (const Mutant mutant : {Mutant::kNone, Mutant::kUsedFreedLate}) {
    Fixture f(mutant);
    auto capsule = f.Export();
    capsule->name = "used_dltensor_versioned";
    Fixture::Struct(capsule)->deleter(Fixture::Struct(capsule));
    EXPECT_EQ(f.producer.RefCount(f.array), 1);
    const bool touches = mutant == Mutant::kUsedFreedLate;  // What the sound one has freed.
    if (touches) Fixture::Struct(capsule)->deleter = &CountingDeleter;
    deleter_calls = 0;
    f.Drop(capsule);
    EXPECT_EQ(deleter_calls, touches ? 1 : 0);
    EXPECT_EQ(CallsUnderName(mutant, "used_dltensor_versioned"), 0);
  }
}

TEST(MutantsTest, CapsulesAndNames) {
  Fixture heap(Mutant::kHeapName);
  auto a = heap.Export(), b = heap.Export();
  EXPECT_NE(static_cast<const void*>(a->name), static_cast<const void*>(b->name));
  EXPECT_STREQ(a->name, b->name);
  heap.Drop(a);
  heap.Drop(b);
  EXPECT_EQ(heap.producer.RefCount(heap.array), 1);
  Fixture cached(Mutant::kCachedCapsule);
  a = cached.Export(), b = cached.Export();
  EXPECT_EQ(a, b);
  cached.Drop(a);
  EXPECT_EQ(cached.producer.RefCount(cached.array), 2);
  cached.Drop(b);
  EXPECT_EQ(cached.producer.RefCount(cached.array), 1);
  Fixture clears(Mutant::kDestructorClearsException);
  clears.interpreter.pending = "ValueError";
  a = clears.Export();
  clears.Drop(a);
  EXPECT_EQ(clears.interpreter.pending, "");
}

TEST(MutantsTest, Deleters) {
  Fixture throws(Mutant::kDeleterThrows);
  auto capsule = throws.Export();
  capsule->name = "used_dltensor_versioned";
  EXPECT_ANY_THROW(Fixture::Struct(capsule)->deleter(Fixture::Struct(capsule)));
  EXPECT_EQ(throws.producer.RefCount(throws.array), 1);
  throws.Drop(capsule);
  Fixture data(Mutant::kDeleterNotCode), correct(Mutant::kNone);
  capsule = data.Export();
  auto right = correct.Export();
  EXPECT_NE(Fixture::Struct(capsule)->deleter, Fixture::Struct(right)->deleter);
  data.Drop(capsule);
  correct.Drop(right);
  EXPECT_EQ(data.producer.RefCount(data.array), 1);
  Fixture swapped(Mutant::kLegacyTailSwapped);
  RefExport result = swapped.producer.Export(swapped.array, {});
  capsule = std::move(*std::get_if<std::shared_ptr<RefCapsule>>(&result));
  auto* legacy = static_cast<DLManagedTensor*>(capsule->managed);
  EXPECT_EQ(reinterpret_cast<void*>(legacy->deleter), capsule->managed);  // The context.
  swapped.Drop(capsule);
  EXPECT_EQ(swapped.producer.RefCount(swapped.array), 1);
}

TEST(MutantsTest, WhatDiesWithTheArray) {
  for (const Mutant mutant : {Mutant::kNone, Mutant::kShapeDies, Mutant::kCapsuleOwnsNothing}) {
    Fixture f(mutant);
    auto capsule = f.Export();
    const DLTensor& t = Fixture::Struct(capsule)->dl_tensor;
    const auto* data = static_cast<const float*>(t.data) + 3;
    EXPECT_EQ(t.shape[0], 4);
    EXPECT_EQ(*data, 4.0f);
    f.producer.Drop(f.array);
    EXPECT_EQ(t.shape[0] == 4, mutant != Mutant::kShapeDies);
    EXPECT_EQ(*data == 4.0f, mutant != Mutant::kCapsuleOwnsNothing);
    f.Drop(capsule);
  }
}

TEST(MutantsTest, Copies) {
  for (const Mutant mutant : {Mutant::kNone, Mutant::kCopiesShared, Mutant::kCopyIgnoresLayout}) {
    Fixture f(mutant);
    auto a = f.Export(true), b = f.Export(true);
    const DLTensor &ta = Fixture::Struct(a)->dl_tensor, &tb = Fixture::Struct(b)->dl_tensor;
    EXPECT_EQ(ta.data == tb.data, mutant == Mutant::kCopiesShared);
    EXPECT_EQ(*static_cast<float*>(ta.data), mutant == Mutant::kCopyIgnoresLayout ? 1.0f : 4.0f);
    f.Drop(a);
    f.Drop(b);
  }
}

TEST(MutantsTest, MethodsFlipsAndVersions) {
  EXPECT_TRUE(RefProducer().MethodsOf().type_device);
  EXPECT_FALSE(RefProducer(Mutant::kNoDeviceMethod).MethodsOf().type_device);
  EXPECT_TRUE(RefProducer(Mutant::kNoDeviceMethod).MethodsOf().type_dlpack);
  EXPECT_FALSE(RefProducer(Mutant::kMethodsOnInstanceOnly).MethodsOf().type_dlpack);
  Fixture flips(Mutant::kDeviceFlips);
  int others = 0;
  for (int i = 0; i < 100; ++i) {
    others += flips.producer.Device(flips.array).device.device_id != 0;
  }
  EXPECT_EQ(others, 2);
  for (const DTypeRow& row : DTypes()) {
    Fixture f(Mutant::kFloat8UnderOneZero);
    f.spec.dtype = row.dtype;
    f.array = f.producer.Make(f.spec);
    auto capsule = f.Export();
    const bool float8 = row.name.starts_with("float8");
    EXPECT_EQ(Fixture::Struct(capsule)->version.minor, float8 ? 0u : 3u) << row.name;
    f.Drop(capsule);
  }
}

TEST(MutantsDeathTest, UnguardedNullDeleterDies) {
  EXPECT_DEATH(
      {
        Fixture f(Mutant::kNullDeleterUnguarded);
        f.spec.flags = kStaticStorage;
        f.array = f.producer.Make(f.spec);
        auto capsule = f.Export();
        f.Drop(capsule);
      },
      "");
}

}  // namespace
}  // namespace dlpc
