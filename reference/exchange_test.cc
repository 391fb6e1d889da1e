#include "reference/exchange.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlpc {
namespace {

void CountError(void* calls, const char*, const char*) { ++*static_cast<int*>(calls); }

// A producer, the lock of its interpreter, and an array of six elements that starts at the third.
struct Fixture {
  explicit Fixture(Mutant mutant = Mutant::kNone) : producer(mutant) {
    RefThread::SetCurrent(&thread);
    ArraySpec spec;
    spec.layout = {{{8, 2, 6, 1}}, {}};
    object = {&producer, producer.Make(spec)};
    api = producer.TableOf(object.array).api;
  }
  ~Fixture() { RefThread::SetCurrent(nullptr); }

  int Allocate(int64_t extent, DLManagedTensorVersioned** out, int* errors) const {
    DLTensor prototype{};
    prototype.device = {kDLCPU, 0};
    prototype.dtype = {kDLFloat, 32, 1};
    prototype.ndim = 1;
    prototype.shape = &extent;
    prototype.byte_offset = 1 << 20;
    return api->managed_tensor_allocator(&prototype, out, errors, &CountError);
  }
  // How often the deleter of an imported tensor of this type runs.
  int Import(DLDataType dtype, int* code) {
    int64_t shape[] = {2}, strides[] = {1};
    float data[] = {1, 2};
    int calls = 0;
    DLManagedTensorVersioned managed{};
    managed.version = {1, 3};
    managed.manager_ctx = &calls;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++*static_cast<int*>(self->manager_ctx);
    };
    managed.dl_tensor = {data, {kDLCPU, 0}, 1, dtype, shape, strides, 0};
    void* made = nullptr;
    *code = api->managed_tensor_to_py_object_no_sync(&managed, &made);
    delete static_cast<RefObject*>(made);
    return calls;
  }

  RefThread thread;
  RefProducer producer;
  RefObject object;
  const DLPackExchangeAPI* api = nullptr;
};

constexpr DLDataType kFloat32{kDLFloat, 32, 1}, kNoType{250, 7, 1};

TEST(ExchangeTest, OwnedAndBorrowedAreTheArray) {
  Fixture f;
  DLManagedTensorVersioned* owned = nullptr;
  ASSERT_EQ(f.api->managed_tensor_from_py_object_no_sync(&f.object, &owned), 0);
  DLTensor lent;
  ASSERT_EQ(f.api->dltensor_from_py_object_no_sync(&f.object, &lent), 0);
  for (const DLTensor& t : {owned->dl_tensor, lent}) {
    EXPECT_EQ(reinterpret_cast<uint64_t>(t.data) + t.byte_offset,
              f.producer.Pointer(f.object.array));
    EXPECT_EQ(t.shape[0], 6);
    EXPECT_EQ(t.strides[0], 1);
  }
  EXPECT_EQ(f.producer.RefCount(f.object.array), 2);
  owned->deleter(owned);
  EXPECT_EQ(f.producer.RefCount(f.object.array), 1);
}

TEST(ExchangeTest, RefusalsSetAnException) {
  Fixture f;
  RefObject other;
  DLManagedTensorVersioned* owned = nullptr;
  EXPECT_EQ(f.api->managed_tensor_from_py_object_no_sync(&other, &owned), -1);
  EXPECT_EQ(f.thread.raised->exception, "TypeError");
  f.object.array = f.producer.MakeInState(ArrayState::kConjugate);
  EXPECT_EQ(f.api->managed_tensor_from_py_object_no_sync(&f.object, &owned), -1);
  EXPECT_EQ(f.thread.raised->exception, "BufferError");
  EXPECT_EQ(owned, nullptr);
}

TEST(ExchangeTest, AllocatorNeedsNoLock) {
  Fixture f;
  std::thread([&f] {
    DLManagedTensorVersioned* made = nullptr;
    int errors = 0;
    ASSERT_EQ(f.Allocate(4, &made, &errors), 0);
    EXPECT_EQ(errors, 0);
    EXPECT_EQ(made->dl_tensor.shape[0], 4);
    EXPECT_EQ(made->dl_tensor.byte_offset, 0u);
    made->deleter(made);
    EXPECT_EQ(f.Allocate(-1, &made, &errors), -1);
    EXPECT_EQ(errors, 1);
  }).join();
}

TEST(ExchangeTest, AnImportedTensorIsDeletedOnce) {
  Fixture f;
  int code = -1;
  EXPECT_EQ(f.Import(kFloat32, &code), 1);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(f.Import(kNoType, &code), 0);
  EXPECT_EQ(code, -1);
}

TEST(ExchangeTest, StreamsOfDevices) {
  Fixture f;
  f.thread.streams[kDLCUDA] = 0x77;
  void* stream = &f;
  ASSERT_EQ(f.api->current_work_stream(kDLCPU, 0, &stream), 0);
  EXPECT_EQ(stream, nullptr);
  ASSERT_EQ(f.api->current_work_stream(kDLCUDA, 0, &stream), 0);
  EXPECT_EQ(stream, reinterpret_cast<void*>(0x77));
  EXPECT_EQ(f.api->current_work_stream(static_cast<DLDeviceType>(99), 0, &stream), -1);
}

TEST(ExchangeTest, TwinsOfTheTableItself) {
  EXPECT_EQ(Fixture(Mutant::kTableAbsent).api, nullptr);
  const Fixture instance(Mutant::kTableOnInstanceOnly);
  RefProducer named(Mutant::kTableCapsuleName), each(Mutant::kTablePerInstance);
  const RefArrayPtr a = named.Make({}), b = each.Make({}), c = each.Make({});
  EXPECT_STRNE(named.TableOf(a).name, Fixture().producer.TableOf(a).name);
  EXPECT_NE(each.TableOf(b).api, each.TableOf(c).api);
  EXPECT_EQ(each.TableOf(b).api, each.TableOf(b).api);
  EXPECT_EQ(Fixture(Mutant::kTableVersionOld).api->header.version.minor, 1u);
  EXPECT_NE(Fixture(Mutant::kTablePrevSelf).api->header.prev_api, nullptr);
  EXPECT_EQ(Fixture(Mutant::kTableStreamNull).api->current_work_stream, nullptr);
  EXPECT_EQ(Fixture(Mutant::kTableNoBorrow).api->dltensor_from_py_object_no_sync, nullptr);
}

TEST(ExchangeTest, TwinsOfItsFunctions) {
  int errors = 0, code = 0;
  DLManagedTensorVersioned* made = nullptr;
  EXPECT_EQ(Fixture(Mutant::kAllocatorSilent).Allocate(-1, &made, &errors), -1);
  EXPECT_EQ(errors, 0);
  ASSERT_EQ(Fixture(Mutant::kAllocatorKeepsOffset).Allocate(1, &made, &errors), 0);
  EXPECT_NE(made->dl_tensor.byte_offset, 0u);
  made->deleter(made);
  EXPECT_EQ(Fixture(Mutant::kImportNeverReleased).Import(kFloat32, &code), 0);
  EXPECT_EQ(Fixture(Mutant::kImportFreesTwice).Import(kNoType, &code), 2);
  Fixture old(Mutant::kTableStructOld), lost(Mutant::kBorrowOffsetLost);
  ASSERT_EQ(old.api->managed_tensor_from_py_object_no_sync(&old.object, &made), 0);
  EXPECT_EQ(made->version.minor, 0u);
  made->deleter(made);
  DLTensor lent;
  ASSERT_EQ(lost.api->dltensor_from_py_object_no_sync(&lost.object, &lent), 0);
  EXPECT_EQ(lent.byte_offset, 0u);
}

}  // namespace
}  // namespace dlpc
