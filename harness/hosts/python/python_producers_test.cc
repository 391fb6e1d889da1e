// Real producers: what their adapters make is what the spec says, read through DLPack and by the
// library's own means. Skips where no interpreter has the package.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/hosts/python/testing/host_fixture.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::Contains;

std::string Identifier(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

ArraySpec Plain() { return {{kDLFloat, 32, 1}, Contiguous({2, 3})}; }

// What is known of each adapter beforehand, so that a silent loss is seen.
struct Producer {
  const char* name;
  size_t least_made;      // Of all layouts with float32: how many must be makeable.
  size_t least_refusals;  // Objects that DLPack cannot describe.
  size_t many;  // Scripts of the leak test, by speed; 0: the producer leaks (docs/BUGS.md).
  bool odd_strides = false;
  bool keeps_data = true;  // A consumed export outlives the array.
};

void PrintTo(const Producer& producer, std::ostream* out) { *out << producer.name; }

constexpr Producer kProducers[] = {
    {"numpy", 27, 12, 5000, true},
    {"jax", 28, 8, 500},
    {"torch", 20, 15, 2000},
    {"tensorflow", 20, 3, 200},
    {"paddle", 20, 5, 500},
    {"mlx", 25, 4, 1000},
    {"warp", 10, 1, 500},
    {"tvm-ffi", 25, 0, 2000},
    {"pyarrow", 15, 14, 2000, true},
    {"array-api-strict", 25, 0, 1000},
    {"onnxruntime", 20, 1, 1000, false, false},
    {"quadrants", 8, 3, 50},
    {"nanobind", 27, 0, 2000},
    {"ndonnx", 1, 2, 0},
    {"cupy", 0, 1, 500},
};

// Importing a framework takes seconds: one host for all tests of a producer.
struct Started {
  std::unique_ptr<TestHost> host;
  dlpc::Claims claims;
  std::string why_not;
};

Started Start(const char* name) {
  Started started;
  const std::string adapter = *FindAdapter(HostFiles(), name);
  const std::string module = AdapterModule(HostFiles(), adapter);
  const auto found = FindInterpreter({"", name, module, DLPC_SOURCE_ROOT});
  if (!found) {
    started.why_not = found.error().message;
    return started;
  }
  started.host = std::make_unique<TestHost>(PythonHostCommand(*found, HostFiles(), adapter));
  const auto claims = started.host->Start();
  if (claims) {
    started.claims = *claims;
    return started;
  }
  started.why_not = claims.error().message;
  started.host.reset();
  EXPECT_NE(started.why_not.find("finds no GPU"), std::string::npos) << started.why_not;
  return started;
}

class ProducerTest : public ::testing::TestWithParam<Producer> {
 protected:
  void SetUp() override {
    static std::map<std::string, Started> all;
    const std::string name = GetParam().name;
    if (all.count(name) == 0) all[name] = Start(GetParam().name);
    const Started& started = all[name];
    if (!started.host) GTEST_SKIP() << started.why_not;
    ASSERT_FALSE(started.claims.json.empty());
    host_ = started.host.get();
    claims_ = started.claims;
    // Elements of device memory cannot be compared here; the suite itself is the test then.
    if (!Claimed("memory_kinds").empty() && !Claims("memory_kinds", "cpu")) {
      GTEST_SKIP() << "no arrays in host memory";
    }
  }

  bool Claims(const char* key, const char* word) const {
    const std::vector<std::string> claimed = Claimed(key);
    return std::find(claimed.begin(), claimed.end(), word) != claimed.end();
  }
  std::vector<std::string> Claimed(const char* key) const {
    return nlohmann::json::parse(claims_.json).at(key).get<std::vector<std::string>>();
  }

  /// What the library itself reads, if it can.
  void ExpectValues(const Observation& own, const ArraySpec& spec) {
    if (std::holds_alternative<Unsupported>(own)) return;
    EXPECT_EQ(As<Elements>(own).bytes, PatternValues(spec));
  }

  /// The versioned struct, or the only one of an older library.
  Request Newest() {
    const auto steps = host_->Run(ScriptBuilder(Plain()).Export(WithVersion(1, 3)).Build());
    return std::holds_alternative<Raised>(steps.at(1)) ? Request{} : WithVersion(1, 3);
  }

  /// Makes, exports, and reads both ways. False if the adapter makes no such array.
  bool CheckValues(const ArraySpec& spec) {
    const auto steps =
        host_->Run(ScriptBuilder(spec).ReadOwn().Export(Newest()).Inspect().Read().Build());
    if (std::holds_alternative<Unsupported>(steps.at(0))) return false;
    const auto made = As<Made>(steps.at(0));
    const View view = Resolve(spec.layout);
    if (made.shape) {
      EXPECT_EQ(*made.shape, view.shape);
    }
    ExpectValues(steps.at(1), spec);
    if (std::holds_alternative<Raised>(steps.at(2))) return true;  // The judges' business.
    EXPECT_EQ(As<Inspected>(steps.at(3)).shape, view.shape);
    const auto read = As<Elements>(steps.at(4));
    if (spec.dtype.bits >= 8) {  // Else packed or not.
      EXPECT_EQ(read.bytes, PatternValues(spec));
    }
    if (view.elements == 0 || !made.pointer) return true;
    EXPECT_EQ(read.first, made.pointer);
    if (!made.allocation) return true;
    EXPECT_GE(read.low, made.allocation->first);
    EXPECT_LE(read.high, made.allocation->first + made.allocation->second);
    return true;
  }

  TestHost* host_ = nullptr;
  dlpc::Claims claims_;
};

TEST_P(ProducerTest, EveryLayoutHasTheValuesOfItsSpec) {
  size_t made = 0;
  for (const NamedLayout& layout : Layouts()) {
    SCOPED_TRACE(layout.name);
    made += CheckValues({{kDLFloat, 32, 1}, layout.layout});
  }
  EXPECT_GE(made, GetParam().least_made);
}

TEST_P(ProducerTest, EveryClaimedDTypeHasTheValuesOfItsSpec) {
  const std::vector<std::string> claimed = Claimed("dtypes");
  if (claimed.empty()) GTEST_SKIP() << "claims nothing";
  EXPECT_THAT(claimed, Contains("float32"));
  for (const std::string& name : claimed) {
    SCOPED_TRACE(name);
    const DTypeRow* row = FindDType(name);
    ASSERT_NE(row, nullptr);
    ArraySpec spec{row->dtype, Contiguous({2, 3})};
    EXPECT_TRUE(CheckValues(spec));
  }
}

TEST_P(ProducerTest, UnclaimedDTypesAreMadeRightOrNotAtAll) {
  for (const DTypeRow& row : DTypes()) {
    SCOPED_TRACE(row.name);
    const auto steps = host_->Run(ScriptBuilder({row.dtype, Contiguous({5})}).ReadOwn().Build());
    if (std::holds_alternative<Unsupported>(steps.at(0))) continue;
    ExpectValues(steps.at(1), {row.dtype, Contiguous({5})});
  }
}

TEST_P(ProducerTest, ReadOnlyAndWritingAreTold) {
  ArraySpec spec{{kDLInt, 32, 1}, Contiguous({4})};
  const auto steps = host_->Run(ScriptBuilder(spec).Poke(7).ReadOwn().Build());
  const auto* made = std::get_if<Made>(&steps.at(0));
  if (made != nullptr && made->read_only && Claims("features", "immutable")) {
    EXPECT_TRUE(*made->read_only);
  }
  if (made != nullptr && made->read_only == true) As<NotPerformed>(steps.at(1));
  if (std::holds_alternative<Done>(steps.at(1))) {
    std::string changed = PatternValues(spec);
    PatternElement(spec.dtype, 7, reinterpret_cast<uint8_t*>(changed.data()));
    EXPECT_EQ(As<Elements>(steps.at(2)).bytes, changed);
  }
  if (!Claims("layouts", "read-only")) return;
  spec.flags = kReadOnly;
  const auto refused = host_->Run(ScriptBuilder(spec).Poke(7).Build());
  EXPECT_EQ(As<Made>(refused.at(0)).read_only, true);
  As<NotPerformed>(refused.at(1));
}

// What exporting them does is the suite's question; it may kill the host (docs/BUGS.md).
TEST_P(ProducerTest, RefusalsAreNamedObjects) {
  uint32_t n = 0;
  for (; n < 100; ++n) {
    const auto steps = host_->Run(ScriptBuilder().MakeRefusal(0, n).Build());
    if (std::holds_alternative<Unsupported>(steps.at(0))) break;
    EXPECT_NE(As<Made>(steps.at(0)).description, "");
  }
  EXPECT_GE(n, GetParam().least_refusals);
}

TEST_P(ProducerTest, OddStrides) {
  const ArraySpec spec{{kDLFloat, 32, 1}, Contiguous({4}), Memory::kCpu, kOddStride};
  const auto steps = host_->Run(ScriptBuilder(spec).ReadOwn().Build());
  if (!GetParam().odd_strides) return void(As<Unsupported>(steps.at(0)));
  EXPECT_EQ(As<Elements>(steps.at(1)).bytes, PatternValues(spec));
  if (As<Made>(steps.at(0)).allocation) {
    EXPECT_EQ(As<Made>(steps.at(0)).allocation->second, 20u);
  }
}

TEST_P(ProducerTest, DeletersRunOnAnyThread) {
  const ArraySpec spec = Plain();
  if (!GetParam().keeps_data) GTEST_SKIP() << "known: docs/BUGS.md, CAP-10";
  const Request request = Newest();
  for (const Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    const auto steps = host_->Run(ScriptBuilder(spec)
                                      .Export(request)
                                      .Interpose()
                                      .Rename(Name::kUsed)
                                      .DropCapsule()
                                      .DropArray()
                                      .Read()
                                      .CallDeleter(thread)
                                      .DeleterCalls()
                                      .Build());
    if (!std::holds_alternative<Exported>(steps.at(1))) GTEST_SKIP() << "exports nothing";
    EXPECT_EQ(As<Elements>(steps.at(6)).bytes, PatternValues(spec));
    EXPECT_FALSE(As<Dropped>(steps.at(7)).left_exception);
    EXPECT_EQ(As<Counted>(steps.at(8)).value, 1);
  }
}

TEST_P(ProducerTest, ManyScriptsLeakNothing) {
  if (GetParam().many == 0) GTEST_SKIP() << "nothing to count";
  const ArraySpec spec = Plain();
  const Script script = ScriptBuilder(spec)
                            .Device()
                            .Export(Newest())
                            .Inspect()
                            .Read()
                            .Rename(Name::kUsed)
                            .DropCapsule()
                            .Build();
  const std::vector<const Script*> round(GetParam().many, &script);
  host_->engine().Run(round, {});
  const uint64_t before = host_->engine().stats().host_rss_kb;
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = host_->engine().Run(round, {});
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  for (const Outcome& outcome : outcomes) ASSERT_EQ(outcome.kind, Outcome::Kind::kTrace);
  EXPECT_LT(host_->engine().stats().host_rss_kb, before + 2048);
  printf("%s %s: %.1f us a script of 7 steps\n", claims_.producer.c_str(), claims_.version.c_str(),
         took.count() / static_cast<double>(round.size()));
}

INSTANTIATE_TEST_SUITE_P(Python, ProducerTest, ::testing::ValuesIn(kProducers),
                         [](const auto& test) { return Identifier(test.param.name); });

}  // namespace
}  // namespace dlpc
