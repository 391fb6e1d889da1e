#include "harness/hosts/reference_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::ElementsAre;

ArraySpec Plain() {
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  return spec;
}

template <typename T>
T Get(const Observation& observation) {
  const T* value = std::get_if<T>(&observation);
  EXPECT_NE(value, nullptr) << "observation " << observation.index();
  return value != nullptr ? *value : T{};
}

int64_t RefCount(Backend& backend) { return Get<Counted>(backend.RefCount(0)).value; }

void CallDeleter(const ManagedRef& ref) {
  if (ref.versioned) {
    auto* self = static_cast<DLManagedTensorVersioned*>(ref.managed);
    self->deleter(self);
  } else {
    auto* self = static_cast<DLManagedTensor*>(ref.managed);
    self->deleter(self);
  }
}

TEST(ReferenceBackendTest, ClaimsAreJson) {
  ReferenceBackend backend(Mutant::kCpuIdOrdinal);
  const Claims claims = backend.GetClaims();
  EXPECT_EQ(claims.kind, "reference");
  EXPECT_EQ(claims.adapter, "cpu-id-ordinal");
  const auto json = nlohmann::json::parse(claims.json, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["dtypes"].size(), DTypes().size());
  EXPECT_EQ(json["layouts"].size(), Layouts().size());
}

TEST(ReferenceBackendTest, SaysWhatTheArrayIs) {
  ReferenceBackend backend(Mutant::kNone);
  const Made made = Get<Made>(backend.Make(0, Plain()));
  EXPECT_THAT(*made.shape, ElementsAre(2, 3));
  EXPECT_EQ(*made.pointer, made.allocation->first);
  EXPECT_EQ(made.allocation->second, 24u);
  EXPECT_FALSE(*made.read_only);
  EXPECT_EQ(made.device->device_type, kDLCPU);
  EXPECT_EQ(Get<Elements>(backend.ReadOwn(0)).bytes, PatternValues(Plain()));
  EXPECT_TRUE(backend.HasArray(0));
  backend.DropArray(0);
  EXPECT_FALSE(backend.HasArray(0));
}

TEST(ReferenceBackendTest, DroppedCapsuleReleases) {
  ReferenceBackend backend(Mutant::kNone);
  backend.Make(0, Plain());
  for (const Request& request : {Request{}, WithVersion(1, 3)}) {
    const Exported exported = Get<Exported>(backend.Export(1, 0, request));
    EXPECT_TRUE(exported.is_capsule);
    EXPECT_TRUE(exported.has_destructor);
    EXPECT_EQ(backend.Managed(1).versioned, exported.name == "dltensor_versioned");
    EXPECT_EQ(reinterpret_cast<uint64_t>(backend.Managed(1).managed), exported.managed);
    EXPECT_EQ(RefCount(backend), 2);
    const Dropped dropped = Get<Dropped>(backend.DropCapsule(1, true));
    EXPECT_FALSE(dropped.lost_exception || dropped.left_exception || dropped.threw);
    EXPECT_EQ(RefCount(backend), 1);
    EXPECT_EQ(backend.Managed(1).managed, nullptr);
    EXPECT_FALSE(backend.HasCapsule(1));
  }
}

TEST(ReferenceBackendTest, ConsumedStructOutlivesItsCapsule) {
  ReferenceBackend backend(Mutant::kNone);
  backend.Make(0, Plain());
  for (const Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    backend.Export(0, 0, WithVersion(1, 3));
    EXPECT_TRUE(std::holds_alternative<Done>(backend.Rename(0, Name::kUsed)));
    backend.DropCapsule(0, false);
    EXPECT_EQ(RefCount(backend), 2);
    const ManagedRef ref = backend.Managed(0);
    ASSERT_NE(ref.managed, nullptr);
    backend.RunDeleter(thread, false, [&] { CallDeleter(ref); });
    EXPECT_EQ(RefCount(backend), 1);
    backend.Forget(0);
    EXPECT_EQ(backend.Managed(0).managed, nullptr);
  }
}

TEST(ReferenceBackendTest, ForeignNameIsUnraisable) {
  ReferenceBackend backend(Mutant::kNone);
  backend.Make(0, Plain());
  backend.Export(0, 0, {});
  backend.Rename(0, Name::kForeign);
  EXPECT_NE(Get<Dropped>(backend.DropCapsule(0, false)).unraisable, "");
  EXPECT_EQ(RefCount(backend), 2);
}

TEST(ReferenceBackendTest, PendingExceptionIsWatched) {
  ReferenceBackend backend(Mutant::kDestructorClearsException);
  backend.Make(0, Plain());
  backend.Export(0, 0, {});
  EXPECT_TRUE(Get<Dropped>(backend.DropCapsule(0, true)).lost_exception);
}

TEST(ReferenceBackendTest, SlotsReleaseWhatTheyHeld) {
  ReferenceBackend backend(Mutant::kNone);
  backend.Make(0, Plain());
  backend.Export(0, 0, {});
  backend.Export(0, 0, {});
  EXPECT_EQ(RefCount(backend), 2);
  backend.Make(0, Plain());
  EXPECT_EQ(RefCount(backend), 1);
  backend.Reset();
  EXPECT_FALSE(backend.HasArray(0));
  EXPECT_FALSE(backend.HasCapsule(0));
}

TEST(ReferenceBackendTest, RefusesByClass) {
  ReferenceBackend backend(Mutant::kNone);
  for (uint32_t n = 0; n < 9; ++n) {
    EXPECT_NE(Get<Made>(backend.MakeRefusal(2, n)).description, "");
    EXPECT_THAT(Get<Raised>(backend.Export(0, 2, WithVersion(1, 3))).bases,
                ElementsAre("BufferError", "Exception", "BaseException", "object"));
  }
  EXPECT_EQ(Get<Made>(backend.MakeRefusal(2, 9)).description, "pending computation");
  EXPECT_TRUE(Get<Exported>(backend.Export(0, 2, WithVersion(1, 3))).is_capsule);
  EXPECT_TRUE(std::holds_alternative<Unsupported>(backend.MakeRefusal(2, 10)));
  EXPECT_FALSE(backend.HasArray(2));
}

TEST(ReferenceBackendTest, DeviceQueries) {
  ReferenceBackend correct(Mutant::kNone);
  correct.Make(0, Plain());
  DeviceAnswer answer = Get<DeviceAnswer>(correct.Device(0, 100));
  EXPECT_EQ(answer.repr, "(1, 0)");
  EXPECT_EQ(answer.calls, 100u);
  EXPECT_EQ(answer.differing, 0u);
  ReferenceBackend flips(Mutant::kDeviceFlips);
  flips.Make(0, Plain());
  EXPECT_EQ(Get<DeviceAnswer>(flips.Device(0, 100)).differing, 2u);
  ReferenceBackend none(Mutant::kDeviceIdNone);
  none.Make(0, Plain());
  EXPECT_EQ(Get<DeviceAnswer>(none.Device(0, 1)).id_kind, Item::kNone);
}

TEST(ReferenceBackendTest, CountsManyExports) {
  ReferenceBackend correct(Mutant::kNone);
  correct.Make(0, Plain());
  const Many many = Get<Many>(correct.ExportMany(0, 50, WithVersion(1, 0), false));
  EXPECT_EQ(many.capsules, 50u);
  EXPECT_EQ(many.distinct_capsules, 50u);
  EXPECT_EQ(many.distinct_managed, 50u);
  EXPECT_EQ(many.distinct_name_pointers, 1u);
  EXPECT_THAT(many.names, ElementsAre("dltensor_versioned"));
  EXPECT_EQ(RefCount(correct), 1);
  ReferenceBackend cached(Mutant::kCachedCapsule);
  cached.Make(0, Plain());
  EXPECT_EQ(Get<Many>(cached.ExportMany(0, 50, {}, false)).distinct_capsules, 1u);
  ReferenceBackend leaks(Mutant::kLeakOnError);
  leaks.Make(0, Plain());
  Request bad;
  bad.extra = Extra::kPositional;
  EXPECT_EQ(Get<Many>(leaks.ExportMany(0, 50, bad, true)).first_error->type, "TypeError");
  EXPECT_EQ(RefCount(leaks), 51);
}

TEST(ReferenceBackendTest, MissingMethodsShow) {
  ReferenceBackend backend(Mutant::kNoDeviceMethod);
  backend.Make(0, Plain());
  const Probed probed = Get<Probed>(backend.Probe(0));
  EXPECT_TRUE(probed.type_has_dlpack);
  EXPECT_FALSE(probed.type_has_device);
}

}  // namespace
}  // namespace dlpc
