// The producer over CUDA memory, and the order of streams: on a fake runtime everywhere, and
// (DLPC_REAL_CUDA) on the GPU of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "harness/cuda/pointer_oracle.h"
#include "harness/cuda/producer_core.h"
#ifndef DLPC_REAL_CUDA
#include "harness/cuda/testing/fake_runtime.h"
#endif

namespace dlpc::cuda {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int64_t kElements = 6;
constexpr milliseconds kDelay{300};

std::vector<uint8_t> Bytes(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
const std::vector<uint8_t> kOld = Bytes({0, 1, 2, 3, 4, 5});
const std::vector<uint8_t> kNew = Bytes({9, 8, 7, 6, 5, 4});

struct Machine {
  const char* name;
  std::function<std::unique_ptr<Runtime>()> make;
};

class ProducerTest : public ::testing::TestWithParam<Machine> {
 protected:
  void SetUp() override {
    runtime_ = GetParam().make();
    const auto devices = runtime_->Devices();
    if (!devices) GTEST_SKIP() << devices.error().message;
    producer_ = std::make_unique<Producer>(runtime_.get());
  }

  Array Make(int32_t type, uint32_t flags = 0) {
    const int64_t shape[] = {2, 3}, strides[] = {3, 1};
    dlpc_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = {kDLInt, 32, 1};
    spec.ndim = 2;
    spec.shape = shape;
    spec.strides = strides;
    spec.base = kOld.data();
    spec.base_bytes = kOld.size();
    spec.device_type = type;
    spec.flags = flags;
    auto made = producer_->Make(spec);
    const Refused* refused = std::get_if<Refused>(&made);
    EXPECT_EQ(refused, nullptr) << refused->message;
    return refused == nullptr ? *std::get_if<Array>(&made) : Array{};
  }

  // The text of the refusal, or "".
  std::string Try(const Array& array, const dlpc_request& request) {
    const auto result = producer_->Export(array, request);
    if (const auto* refused = std::get_if<Refused>(&result)) return refused->message;
    Release(*std::get_if<dlpc_exported>(&result));
    return "";
  }

  static void Release(const dlpc_exported& e) {
    if (e.versioned != nullptr) e.versioned->deleter(e.versioned);
    if (e.legacy != nullptr) e.legacy->deleter(e.legacy);
  }

  // What the first bytes are on `stream` now.
  std::vector<uint8_t> ReadOn(Stream stream, const void* data) {
    std::vector<uint8_t> bytes(kOld.size());
    EXPECT_TRUE(runtime_->Copy(bytes.data(), data, bytes.size(), stream));
    EXPECT_TRUE(runtime_->Synchronize(stream));
    return bytes;
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Producer> producer_;
};

dlpc_request Ask() {
  dlpc_request request{};
  request.struct_size = sizeof request;
  request.has_max_version = 1;
  request.max_version = {1, 3};
  request.copy = DLPC_COPY_NONE;
  return request;
}

dlpc_request AskOn(int64_t stream) {
  dlpc_request request = Ask();
  request.has_stream = 1;
  request.stream = stream;
  return request;
}

TEST_P(ProducerTest, TheDriverAgreesWithEveryExport) {
  for (const int32_t type : {kDLCUDA, kDLCUDAHost, kDLCUDAManaged}) {
    const Array array = Make(type);
    EXPECT_EQ(producer_->Device(array).device_type, type);
    const auto result = producer_->Export(array, Ask());
    const auto* exported = std::get_if<dlpc_exported>(&result);
    ASSERT_NE(exported, nullptr) << type;
    const DLTensor& t = exported->versioned->dl_tensor;
    EXPECT_EQ(t.device.device_type, type);
    EXPECT_EQ(Contradiction(*runtime_, t.data, t.device), std::nullopt);
    DLDevice wrong = t.device;
    wrong.device_type = type == kDLCUDA ? kDLCUDAHost : kDLCUDA;
    EXPECT_NE(Contradiction(*runtime_, t.data, wrong), std::nullopt);
    EXPECT_EQ(ReadOn(kLegacyStream, t.data), kOld);
    Release(*exported);
  }
}

TEST_P(ProducerTest, ExportsOutliveTheirArray) {
  dlpc_exported exported{};
  {
    const Array array = Make(kDLCUDA);
    const auto result = producer_->Export(array, Ask());
    exported = *std::get_if<dlpc_exported>(&result);
  }
  EXPECT_EQ(ReadOn(kLegacyStream, exported.versioned->dl_tensor.data), kOld);
  Release(exported);
}

TEST_P(ProducerTest, EveryStreamOfTheConsumerSeesTheDelayedWrite) {
  const auto handle = runtime_->MakeStream();
  ASSERT_TRUE(handle);
  struct {
    dlpc_request request;
    Stream reads_on;
  } const rows[] = {{Ask(), kLegacyStream},
                    {AskOn(1), kLegacyStream},
                    {AskOn(2), kPerThreadStream},
                    {AskOn(static_cast<int64_t>(*handle)), *handle}};
  for (const auto& row : rows) {
    const Array array = Make(kDLCUDA);
    const auto later = producer_->OverwriteLater(array, kDelay, kNew);
    ASSERT_TRUE(std::holds_alternative<std::monostate>(later));
    const auto result = producer_->Export(array, row.request);
    const auto* exported = std::get_if<dlpc_exported>(&result);
    ASSERT_NE(exported, nullptr);
    EXPECT_EQ(ReadOn(row.reads_on, exported->versioned->dl_tensor.data), kNew)
        << "stream " << row.reads_on;
    Release(*exported);
  }
  runtime_->DropStream(*handle);
}

TEST_P(ProducerTest, MinusOneDoesNotWait) {
  const auto other = runtime_->MakeStream();
  ASSERT_TRUE(other);
  const Array array = Make(kDLCUDA);
  const auto later = producer_->OverwriteLater(array, kDelay, kNew);
  ASSERT_TRUE(std::holds_alternative<std::monostate>(later));
  const auto start = std::chrono::steady_clock::now();
  const auto result = producer_->Export(array, AskOn(-1));
  const auto* exported = std::get_if<dlpc_exported>(&result);
  ASSERT_NE(exported, nullptr);
  EXPECT_EQ(ReadOn(*other, exported->versioned->dl_tensor.data), kOld);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kDelay);
  Release(*exported);
  runtime_->DropStream(*other);
}

TEST_P(ProducerTest, ACopyToTheHostIsComplete) {
  const Array array = Make(kDLCUDA);
  const auto later = producer_->OverwriteLater(array, kDelay, kNew);
  ASSERT_TRUE(std::holds_alternative<std::monostate>(later));
  dlpc_request request = Ask();
  request.has_dl_device = 1;
  request.dl_device = {kDLCPU, 0};
  const auto result = producer_->Export(array, request);
  const auto* exported = std::get_if<dlpc_exported>(&result);
  ASSERT_NE(exported, nullptr);
  const DLTensor& t = exported->versioned->dl_tensor;
  EXPECT_EQ(t.device.device_type, kDLCPU);
  EXPECT_EQ(exported->versioned->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
  EXPECT_EQ(std::memcmp(t.data, kNew.data(), kNew.size()), 0);
  EXPECT_EQ(Contradiction(*runtime_, t.data, t.device), std::nullopt);
  Release(*exported);
}

TEST_P(ProducerTest, RefusesWhatIsNoStream) {
  const Array device = Make(kDLCUDA), pinned = Make(kDLCUDAHost);
  EXPECT_THAT(Try(device, AskOn(0)), HasSubstr("0 is no stream"));
  EXPECT_THAT(Try(device, AskOn(-2)), HasSubstr("-2 is no stream"));
  EXPECT_THAT(Try(pinned, AskOn(1)), HasSubstr("stream must be None"));
  dlpc_request to_cpu = AskOn(1);
  to_cpu.has_dl_device = 1;
  to_cpu.dl_device = {kDLCPU, 0};
  EXPECT_THAT(Try(device, to_cpu), HasSubstr("stream must be None"));
}

TEST_P(ProducerTest, CopiesAndRefusals) {
  const Array array = Make(kDLCUDAManaged);
  dlpc_request request = Ask();
  request.copy = DLPC_COPY_TRUE;
  const auto result = producer_->Export(array, request);
  const auto* exported = std::get_if<dlpc_exported>(&result);
  ASSERT_NE(exported, nullptr);
  EXPECT_NE(exported->versioned->dl_tensor.data,
            reinterpret_cast<void*>(producer_->Facts(array).pointer));
  EXPECT_EQ(ReadOn(kLegacyStream, exported->versioned->dl_tensor.data), kOld);
  Release(*exported);
  request = Ask();
  request.has_dl_device = 1;
  request.dl_device = {kDLROCM, 0};
  EXPECT_THAT(Try(array, request), HasSubstr("Cannot export"));
  request.dl_device = {kDLCPU, 0};
  request.copy = DLPC_COPY_FALSE;
  EXPECT_THAT(Try(array, request), HasSubstr("needs a copy"));
  const Array read_only = Make(kDLCUDA, DLPC_SPEC_READ_ONLY);
  request = Ask();
  request.has_max_version = 0;
  EXPECT_THAT(Try(read_only, request), HasSubstr("read-only"));
}

TEST_P(ProducerTest, AccessByItsOwnMeans) {
  const Array array = Make(kDLCUDA);
  std::vector<uint8_t> bytes(kOld.size());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      producer_->Access(array, DLPC_READ_ALL, bytes.data(), bytes.size())));
  EXPECT_EQ(bytes, kOld);
  int32_t first = 77;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      producer_->Access(array, DLPC_WRITE_FIRST, &first, sizeof first)));
  producer_->Access(array, DLPC_READ_ALL, bytes.data(), bytes.size());
  EXPECT_EQ(bytes[0], 77);
}

#ifdef DLPC_REAL_CUDA
INSTANTIATE_TEST_SUITE_P(Gpu, ProducerTest, ::testing::Values(Machine{"gpu", RealRuntime}),
                         [](const auto& machine) { return std::string(machine.param.name); });
#else
std::unique_ptr<Runtime> Fake() { return std::make_unique<FakeRuntime>(); }
INSTANTIATE_TEST_SUITE_P(Fake, ProducerTest, ::testing::Values(Machine{"fake", Fake}),
                         [](const auto& machine) { return std::string(machine.param.name); });

TEST(ProducerOnFakeTest, WithoutADeviceNothingIsMade) {
  FakeRuntime runtime;
  runtime.devices = 0;
  Producer producer(&runtime);
  dlpc_spec spec{};
  spec.dtype = {kDLInt, 32, 1};
  spec.device_type = kDLCUDA;
  const auto made = producer.Make(spec);
  const auto* refused = std::get_if<Refused>(&made);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->status, DLPC_UNSUPPORTED);
  EXPECT_THAT(refused->message, HasSubstr("no CUDA device"));
}

TEST(ProducerOnFakeTest, FailuresOfTheRuntimeAreErrorsAndLeakNothing) {
  for (const char* call : {"Allocate", "Copy", "Synchronize", "LetWait"}) {
    FakeRuntime runtime;
    {
      Producer producer(&runtime);
      const int64_t shape[] = {kElements}, strides[] = {1};
      dlpc_spec spec{};
      spec.dtype = {kDLInt, 32, 1};
      spec.ndim = 1;
      spec.shape = shape;
      spec.strides = strides;
      spec.base = kOld.data();
      spec.base_bytes = kOld.size();
      spec.device_type = kDLCUDA;
      auto made = producer.Make(spec);
      ASSERT_TRUE(std::holds_alternative<Array>(made));
      runtime.failing = call;
      const auto second = producer.Make(spec);
      const auto exported = producer.Export(*std::get_if<Array>(&made), AskOn(2));
      const bool failed =
          std::holds_alternative<Refused>(second) || std::holds_alternative<Refused>(exported);
      EXPECT_TRUE(failed) << call;
      if (const auto* e = std::get_if<dlpc_exported>(&exported))
        e->versioned->deleter(e->versioned);
      runtime.failing.clear();
    }
    EXPECT_EQ(runtime.alive(), 0u) << call;
  }
}

TEST(ProducerOnFakeTest, TheVeryStreamWaits) {
  FakeRuntime runtime;
  Producer producer(&runtime);
  dlpc_spec spec{};
  spec.dtype = {kDLInt, 32, 1};
  spec.base = kOld.data();
  spec.base_bytes = 4;
  spec.device_type = kDLCUDA;
  auto made = producer.Make(spec);
  const auto exported = producer.Export(*std::get_if<Array>(&made), AskOn(12345));
  EXPECT_THAT(runtime.calls, Contains("wait 12345 for 100"));
  const auto* e = std::get_if<dlpc_exported>(&exported);
  ASSERT_NE(e, nullptr);
  e->versioned->deleter(e->versioned);
}
#endif

}  // namespace
}  // namespace dlpc::cuda
