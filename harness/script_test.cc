#include "harness/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <tuple>

namespace dlpc {
namespace {

using ::testing::HasSubstr;

Script Decode(const std::string& bytes) {
  return DecodeScript({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

// Structured bindings name every field: adding one without a thought for the wire does not compile.
auto Tie(const Request& r) {
  const auto& [version, max_version, copy, copy_value, device, dl_device, stream, stream_value, odd,
               extra] = r;
  return std::make_tuple(version, max_version.major, max_version.minor, copy, copy_value, device,
                         static_cast<int32_t>(dl_device.device_type), int32_t{dl_device.device_id},
                         stream, stream_value, odd, extra);
}

auto Tie(const Step& s) {
  const auto& [op, a, e, spec, name, thread, pending, bad, n, request] = s;
  return std::make_tuple(op, a, e, spec, name, thread, pending, bad, n, Tie(request));
}

void ExpectSame(const Script& a, const Script& b) {
  EXPECT_TRUE(a.specs == b.specs);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (size_t i = 0; i < a.steps.size(); ++i) EXPECT_TRUE(Tie(a.steps[i]) == Tie(b.steps[i])) << i;
}

ArraySpec Spec(const std::vector<int64_t>& shape) {
  ArraySpec spec;
  spec.layout = Contiguous(shape);
  return spec;
}

Request FullRequest() {
  Request r = WithVersion(4'000'000'000, 3);
  r.copy = Arg::kValue;
  r.copy_value = true;
  r.device = Arg::kValue;
  r.dl_device = {static_cast<DLDeviceType>(-7), 12345};
  r.stream = Arg::kValue;
  r.stream_value = INT64_MIN;
  r.odd = Odd::kInt2;
  r.extra = Extra::kPositional;
  return r;
}

Script EveryOp() {
  Request own;
  own.device = Arg::kOwn;
  own.stream = Arg::kOdd;
  ArraySpec other = Spec({4});
  other.dtype = {kDLInt, 16, 1};
  other.memory = Memory::kExtension;
  other.flags = kReadOnly | kSharded;
  other.layout.axes[0] = Axis{9, 8, 4, -2};
  return ScriptBuilder(Spec({2, 3, 1}))
      .Make(3, other)
      .MakeRefusal(1, 77)
      .Probe(3)
      .Device(5, 1)
      .Export(FullRequest(), 3, 2)
      .Export(own)
      .Inspect(1)
      .Read(2)
      .ReadOwn(3)
      .Write(9, 1)
      .Poke(8, 2)
      .Interpose(3)
      .Rename(Name::kForeign, 1)
      .DropCapsule(2, true)
      .CallDeleter(Thread::kForeign, 3)
      .DeleterCalls(1)
      .DropArray(2)
      .Collect()
      .Churn(0xab)
      .RefCount(1)
      .ExportMany(kMaxRepeat, FullRequest(), true, 3)
      .ConsumeMany(7, FullRequest(), Name::kForeign, 2, 1)
      .ConsumeEach(9, FullRequest())
      .ReleaseTogether(5, FullRequest(), Thread::kContended)
      .Derive(Derived::kImported, 2, 3)
      .Table(true, 1)
      .TableExport(2, 1, BadInput::kObject)
      .TableBorrow(9, 1, BadInput::kObject)
      .TableAllocate(other, BadInput::kExtent, Thread::kForeign, 3)
      .TableStream(99, 1)
      .TableImport(3, other, BadInput::kDType, true)
      .ImportCalls()
      .UseStream(StreamUse::kIsOver, 1)
      .End()
      .Build();
}

TEST(ScriptTest, EveryOpRoundTrips) {
  const Script script = EveryOp();
  std::vector<bool> seen(static_cast<size_t>(Op::kCount_));
  for (const Step& step : script.steps) seen[static_cast<size_t>(step.op)] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
  ExpectSame(Decode(EncodeScript(script)), script);
}

TEST(ScriptTest, EveryLayoutRoundTrips) {
  for (const NamedLayout& layout : Layouts()) {
    ArraySpec spec;
    spec.layout = layout.layout;
    const Script script = ScriptBuilder(spec).Export().Build();
    ASSERT_TRUE(script.specs[0].layout == layout.layout) << layout.name;
    ExpectSame(Decode(EncodeScript(script)), script);
  }
}

TEST(ScriptTest, WhatDoesNotFitIsLeftOut) {
  const Script script = EveryOp();
  const std::string whole = EncodeScript(script);
  size_t last = 0;
  for (size_t most = 0; most <= whole.size(); ++most) {
    std::vector<uint8_t> bytes(most);
    const size_t size = EncodeScript(script, bytes);
    ASSERT_LE(size, most);
    if (size == 0) {
      ASSERT_EQ(last, 0u);  // The specs alone are too long.
      continue;
    }
    Script part = script;
    part.steps.resize(DecodeScript({bytes.data(), size}).steps.size());
    EXPECT_EQ(EncodeScript(part), std::string(bytes.begin(), bytes.begin() + std::ptrdiff_t(size)));
    ASSERT_GE(part.steps.size(), last);
    last = part.steps.size();
    if (last == script.steps.size()) continue;
    part.steps.push_back(script.steps[last]);
    ASSERT_GT(EncodeScript(part).size(), most) << "one more step would have fitted";
  }
  EXPECT_EQ(last, script.steps.size());
}

TEST(ScriptTest, TooManyAxesAreCutOff) {  // Such a spec is not normalized.
  Script script = ScriptBuilder(Spec({2})).Build();
  script.specs[0].layout.axes.resize(1000);
  script.specs[0].layout.perm.resize(1000);
  EXPECT_LE(Decode(EncodeScript(script)).specs[0].layout.axes.size(), size_t{kMaxRank});
}

TEST(ScriptTest, EmptyAndSpeclessScripts) {
  EXPECT_TRUE(Decode("").steps.empty());
  const Script script = ScriptBuilder().MakeRefusal(0, 1).Export().Build();
  ExpectSame(Decode(EncodeScript(script)), script);
}

TEST(ScriptTest, AnyBytesAreAValidScript) {
  std::mt19937 random(1);
  size_t steps = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 400, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const Script script = Decode(bytes);
    steps += script.steps.size();
    ASSERT_LE(script.specs.size(), size_t{kMaxSpecs});
    ASSERT_LE(script.steps.size(), size_t{kMaxSteps});
    for (const ArraySpec& spec : script.specs) {
      ArraySpec normal = spec;
      Normalize(normal);
      ASSERT_TRUE(normal == spec);
    }
    for (const Step& s : script.steps) {
      ASSERT_TRUE(s.op < Op::kCount_ && s.name < Name::kCount_ && s.thread < Thread::kCount_);
      ASSERT_TRUE(s.a < kArraySlots && s.e < kExportSlots && s.n <= kMaxRepeat);
      ASSERT_TRUE(s.spec < script.specs.size() || (s.spec == 0 && script.specs.empty()));
    }
    ExpectSame(Decode(EncodeScript(script)), script);
  }
  EXPECT_GT(steps, 5000u);
}

TEST(ScriptTest, BuilderSharesEqualSpecs) {
  const Script script = ScriptBuilder(Spec({2})).Make(1, Spec({3})).Make(2, Spec({2})).Build();
  EXPECT_EQ(script.specs.size(), 2u);
  EXPECT_EQ(script.steps[2].spec, 0);
}

TEST(ScriptTest, TextHasALineForEachStep) {
  const Script script = EveryOp();
  const std::vector<std::string> lines = ScriptText(script);
  ASSERT_EQ(lines.size(), script.steps.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string start = std::to_string(i) + " " + std::string(OpName(script.steps[i].op));
    EXPECT_THAT(lines[i], ::testing::StartsWith(start + " "));
    EXPECT_GT(lines[i].size(), start.size() + 3);
  }
  EXPECT_THAT(lines[0], HasSubstr("a0 = array(float32, shape=(2, 3, 1), strides=(3, 1, 1))"));
  EXPECT_THAT(lines[1],
              HasSubstr("shape=(4,), strides=(-2,), offset=8, memory=extension, read-only"));
  EXPECT_THAT(lines[5], HasSubstr("e3 = a2.__dlpack__("));
  EXPECT_THAT(lines[5], HasSubstr("max_version=(4000000000, 3)"));
}

}  // namespace
}  // namespace dlpc
