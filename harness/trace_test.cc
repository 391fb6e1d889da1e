#include "harness/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <tuple>

inline bool operator==(const DLDevice& a, const DLDevice& b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

namespace dlpc {

// Structured bindings name every field: adding one without adding it here (and to the wire) does
// not compile.
#define DLPC_TIE(Type, ...)            \
  static auto Tie(const Type& value) { \
    const auto& [__VA_ARGS__] = value; \
    return std::tie(__VA_ARGS__);      \
  }
static std::tuple<> Tie(const Done&) { return {}; }
DLPC_TIE(NotPerformed, a)
DLPC_TIE(Unsupported, a)
DLPC_TIE(AdapterFault, a)
DLPC_TIE(Raised, a, b, c)
DLPC_TIE(Made, a, b, c, d, e, f, g, h)
DLPC_TIE(Probed, a, b, c, d)
DLPC_TIE(DeviceAnswer, a, b, c, d, e, f, g, h, i)
DLPC_TIE(Exported, a, b, c, d, e, f, g, h)
DLPC_TIE(Inspected, a, b, c, d, e, f, g)
DLPC_TIE(Elements, a, b, c, d, e)
DLPC_TIE(Dropped, a, b, c, d, e)
DLPC_TIE(Counted, a, b)
DLPC_TIE(Many, a, b, c, d, e, f, g, h, i, j)
DLPC_TIE(TableSeen, a, b, c, d, e, f, g, h, i, j, k, l)
DLPC_TIE(TableCall, a, b, c, d, e, f, g, h, i, j, k, l)
DLPC_TIE(Ended, a, b)
#undef DLPC_TIE

template <typename T>
requires requires(const T& v) { Tie(v); }
bool operator==(const T& a, const T& b) { return Tie(a) == Tie(b); }

namespace {

using ::testing::HasSubstr;

constexpr DLDevice kCuda1{kDLCUDA, 1};
const Raised kRaised{"BufferError", {"BufferError", "Exception"}, "no \xc3\xa9\nline"};

Inspected SampleStruct() {
  DLManagedTensorVersioned managed{};
  managed.version = {1, 3};
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  managed.manager_ctx = reinterpret_cast<void*>(0x1111);
  managed.dl_tensor.data = reinterpret_cast<void*>(0x4000);
  managed.dl_tensor.device = kCuda1;
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.dtype = {kDLFloat, 32, 1};
  managed.dl_tensor.byte_offset = 16;
  Inspected inspected{true, {}, {2, 3}, {3, 1}, true, false, true};
  std::memcpy(inspected.raw.data(), &managed, sizeof managed);
  return inspected;
}

TableCall SampleCall() {
  TableCall call;
  call.code = -1;
  call.threw = call.out_written = call.same_type = true;
  call.raised = Raised{"ValueError", {}, "x"};
  call.out = 0x5000;
  call.set_errors = 2;
  call.error = "BufferError: y";
  call.tensor = Inspected{};
  call.writable = false;
  call.made = Made{};
  call.heap_growth = -8;
  return call;
}

// One of each alternative, in order, no field at its default; then the corners.
std::vector<Observation> Samples() {
  return {
      NotPerformed{"export was refused"},
      Done{},
      Unsupported{"no bfloat16"},
      AdapterFault{"make() raised"},
      kRaised,
      Made{true, "object", 0x1000, true, kCuda1, Extents{2, -3}, {{0x1000, 64}}, "v"},
      Probed{true, true, true, true},
      DeviceAnswer{true, 2, Item::kEnum, Item::kInt, -1, 7, "(<kDLCPU: 1>, 7)", 3, 2},
      Exported{true, "PyCapsule", "dltensor", 0x2000, 0x3000, true, true, 1},
      SampleStruct(),
      Elements{0x10, 0x8, 0x20, false, std::string("\0\1\2", 3)},
      Dropped{true, true, true, "RuntimeError: x", true},
      Counted{-5, false},
      Many{9, 8, 7, 6, 5, 4, {"a", "b"}, kRaised, 4096, -7},
      TableSeen{TableForm::kTable,
                TableForm::kOtherName,
                TableForm::kMissing,
                true,
                "a capsule",
                0x4000,
                true,
                1,
                3,
                {0, -1},
                false,
                {CodeIn::kFile, CodeIn::kAnonymous, CodeIn::kNoCode, CodeIn::kNull, CodeIn::kFile}},
      SampleCall(),
      Ended{1, "SIGSEGV"},
      Made{},
      Many{},
      TableSeen{},
      TableCall{},
      Elements{0, 0, 0, true, std::string(100'000, 'x')},
  };
}

std::string Encode(const Trace& trace) {
  std::string bytes;
  EncodeTrace(trace, bytes);
  return bytes;
}

Expected<Trace> Decode(std::string_view bytes) {
  // A copy of the exact size lets the address sanitizer see each read past the end.
  const std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  return DecodeTrace(copy);
}

TEST(TraceTest, EveryAlternativeRoundTrips) {
  const Trace trace{Samples(), 123456};
  for (size_t i = 0; i < std::variant_size_v<Observation>; ++i) {
    ASSERT_EQ(trace.steps[i].index(), i) << "add a sample of the new alternative";
  }
  const Expected<Trace> decoded = Decode(Encode(trace));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->duration_us, 123456u);
  ASSERT_EQ(decoded->steps.size(), trace.steps.size());
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    EXPECT_TRUE(decoded->steps[i] == trace.steps[i]) << ObservationText(trace.steps[i]);
  }
}

TEST(TraceTest, EncodeAppends) {
  std::string bytes = "before";
  EncodeTrace(Trace{{Done{}}, 1}, bytes);
  EXPECT_EQ(bytes.substr(0, 6), "before");
  EXPECT_TRUE(Decode(std::string_view(bytes).substr(6)));
}

TEST(TraceTest, EveryPrefixIsAnError) {
  std::vector<Observation> samples = Samples();
  samples.pop_back();  // The large one.
  const std::string bytes = Encode(Trace{samples, 1});
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(Decode({bytes.data(), n})) << n;
  EXPECT_FALSE(Decode(bytes + "x"));
}

TEST(TraceTest, DamagedBytesNeverCrash) {
  std::vector<Observation> samples = Samples();
  samples.pop_back();
  const std::string good = Encode(Trace{samples, 1});
  std::mt19937 random(2);
  int errors = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    const Expected<Trace> decoded = Decode(bytes);
    if (!decoded) ++errors;
    if (decoded) {
      EXPECT_EQ(Encode(*decoded), bytes);
    }  // One form for one trace.
  }
  EXPECT_GT(errors, 1000);
}

TEST(TraceTest, HugeLengthsAreRefused) {
  std::string bytes(4, '\0');
  bytes += std::string(4, '\xff');  // Four thousand million steps.
  EXPECT_FALSE(Decode(bytes + std::string(100, '\1')));
  bytes = std::string(4, '\0') + std::string("\1\0\0\0", 4) + '\0' + std::string(4, '\xff') + "abc";
  EXPECT_FALSE(Decode(bytes));
}

TEST(TraceTest, FieldsOfBothStructs) {
  Inspected in = SampleStruct();
  EXPECT_EQ(TensorOf(in).byte_offset, 16u);
  EXPECT_EQ(VersionOf(in).minor, 3u);
  EXPECT_EQ(FlagsOf(in), 1u);
  EXPECT_EQ(ManagerContextOf(in), 0x1111u);
  EXPECT_EQ(DeleterOf(in), 0u);
  DLManagedTensor legacy{};
  legacy.dl_tensor.ndim = 4;
  legacy.manager_ctx = reinterpret_cast<void*>(0x2222);
  in.versioned = false;
  std::memcpy(in.raw.data(), &legacy, sizeof legacy);
  EXPECT_EQ(TensorOf(in).ndim, 4);
  EXPECT_EQ(ManagerContextOf(in), 0x2222u);
  EXPECT_EQ(VersionOf(in).major, 0u);
  EXPECT_EQ(FlagsOf(in), 0u);
}

TEST(TraceTest, TextIsOneShortLine) {
  for (const Observation& sample : Samples()) {
    const std::string text = ObservationText(sample);
    EXPECT_FALSE(text.empty());
    EXPECT_LT(text.size(), 300u) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  EXPECT_EQ(ObservationText(Raised{"BufferError", {}, "Cannot export readonly array"}),
            "BufferError: Cannot export readonly array");
  EXPECT_THAT(ObservationText(SampleStruct()),
              HasSubstr("version 1.3, flags 0x1, device kDLCUDA (2, 1), float32, ndim 2"));
}

}  // namespace
}  // namespace dlpc
