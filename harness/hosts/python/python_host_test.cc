// The Python host with producers that misbehave on purpose (testing/odd_adapter.py) and with a
// correct one (docs/examples/my_adapter.py). Needs an interpreter, but no package.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "harness/hosts/python/testing/host_fixture.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kOdd = "harness/hosts/python/testing/odd_adapter.py";
constexpr const char* kExample = "docs/examples/my_adapter.py";

HostCommand Command(const std::string& adapter, const Interpreter& interpreter = AnyInterpreter()) {
  return PythonHostCommand(interpreter, HostFiles(), SourceFile(adapter));
}

class OddTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    host_ = new TestHost(Command(kOdd));
    for (uint32_t n = 0;; ++n) {
      const auto steps = host_->Run(ScriptBuilder().MakeRefusal(0, n).Build());
      const auto* made = std::get_if<Made>(&steps[0]);
      if (made != nullptr) names_[made->description] = n;
      if (std::holds_alternative<Unsupported>(steps[0])) break;
      ASSERT_LT(n, 100u);
    }
  }
  static void TearDownTestSuite() {
    delete host_;
    host_ = nullptr;
  }

  /// Starts a script with the object of that name.
  static ScriptBuilder With(const std::string& name) {
    EXPECT_TRUE(names_.count(name)) << name;
    return ScriptBuilder().MakeRefusal(0, names_[name]);
  }
  static DeviceAnswer DeviceOf(const std::string& name, uint32_t n = 1) {
    return As<DeviceAnswer>(host_->Run(With(name).Device(n).Build()).at(1));
  }
  static Observation ExportOf(const std::string& name, Request request = {}) {
    return host_->Run(With(name).Export(request).Build()).at(1);
  }
  static Dropped DropOf(const std::string& name, bool pending) {
    return As<Dropped>(host_->Run(With(name).Export().DropCapsule(0, pending).Build()).at(2));
  }
  static Observation MakeOf(int64_t elements) {
    const ArraySpec spec{{kDLFloat, 32, 1}, Contiguous({elements})};
    return host_->Run(ScriptBuilder(spec).Build()).at(0);
  }

  static TestHost* host_;
  static std::map<std::string, uint32_t> names_;
};
TestHost* OddTest::host_ = nullptr;
std::map<std::string, uint32_t> OddTest::names_;

void ExpectItems(const DeviceAnswer& answer, Item type, int64_t type_value, Item id,
                 int64_t id_value) {
  EXPECT_TRUE(answer.is_tuple);
  EXPECT_EQ(answer.type_kind, type);
  EXPECT_EQ(answer.type, type_value);
  EXPECT_EQ(answer.id_kind, id);
  EXPECT_EQ(answer.id, id_value);
}

TEST_F(OddTest, DeviceItemsKeepTheirKind) {
  ExpectItems(DeviceOf("tuple"), Item::kInt, 1, Item::kInt, 0);
  ExpectItems(DeviceOf("int enum"), Item::kEnum, 1, Item::kInt, 0);
  ExpectItems(DeviceOf("plain enum"), Item::kEnum, 1, Item::kInt, 0);
  ExpectItems(DeviceOf("text enum"), Item::kOther, 0, Item::kInt, 0);
  ExpectItems(DeviceOf("indexable"), Item::kIndexable, 1, Item::kIndexable, 1);
  ExpectItems(DeviceOf("none id"), Item::kInt, 1, Item::kNone, 0);
  ExpectItems(DeviceOf("text type"), Item::kOther, 0, Item::kInt, 0);
  ExpectItems(DeviceOf("huge"), Item::kOther, 0, Item::kInt, -1);
}

TEST_F(OddTest, DeviceShapesAreReported) {
  EXPECT_EQ(DeviceOf("triple").size, 3);
  EXPECT_EQ(DeviceOf("tuple").repr, "(1, 0)");
  EXPECT_FALSE(DeviceOf("list").is_tuple);
  EXPECT_EQ(DeviceOf("list").size, 2);
  EXPECT_EQ(DeviceOf("list").type_kind, Item::kMissing);
  EXPECT_EQ(DeviceOf("number").repr, "1");
  EXPECT_THAT(DeviceOf("long text").repr, SizeIs(200));
  EXPECT_EQ(DeviceOf("flips", 5).differing, 2u);
  EXPECT_EQ(DeviceOf("flips", 5).calls, 5u);
  EXPECT_EQ(DeviceOf("tuple", 5).differing, 0u);
}

TEST_F(OddTest, FailingDeviceIsRaised) {
  const auto raised = As<Raised>(host_->Run(With("raises").Device().Build()).at(1));
  EXPECT_EQ(raised.type, "RuntimeError");
  EXPECT_THAT(raised.bases, ElementsAre("RuntimeError", "Exception", "BaseException", "object"));
  EXPECT_EQ(raised.message, "no device today");
}

TEST_F(OddTest, ProbeTellsTypeFromInstance) {
  const auto none = As<Probed>(host_->Run(With("nothing").Probe().Build()).at(1));
  EXPECT_FALSE(none.type_has_dlpack || none.instance_has_dlpack || none.type_has_device);
  const auto instance = As<Probed>(host_->Run(With("instance only").Probe().Build()).at(1));
  EXPECT_FALSE(instance.type_has_dlpack);
  EXPECT_TRUE(instance.instance_has_dlpack);
  const auto device = As<Probed>(host_->Run(With("tuple").Probe().Build()).at(1));
  EXPECT_TRUE(device.type_has_device && device.instance_has_device);
}

// The text that reports print is the call that is made: the producer answers with its arguments.
TEST_F(OddTest, RequestsArriveAsReportsPrintThem) {
  std::vector<Request> requests(1);
  for (int odd = 0; odd < static_cast<int>(Odd::kCount_); ++odd) {
    if (static_cast<Odd>(odd) == Odd::kObject) continue;  // Has no text that can be compared.
    Request request;
    request.odd = static_cast<Odd>(odd);
    request.stream = request.version = request.device = request.copy = Arg::kOdd;
    requests.push_back(request);
  }
  for (const Arg arg : {Arg::kNone, Arg::kValue}) {
    Request request{arg, {1, 3}, arg, true, arg, {kDLCUDA, 5}, arg, -1};
    for (const Extra extra : {Extra::kNone, Extra::kUnknownKeyword, Extra::kPositional}) {
      request.extra = extra;
      requests.push_back(request);
      request.copy_value = !request.copy_value;
      requests.push_back(request);
    }
  }
  for (const Request& request : requests) {
    const auto raised = As<Raised>(ExportOf("arguments", request));
    EXPECT_EQ(raised.type, "ValueError");
    EXPECT_EQ(raised.message, RequestText(request));
  }
}

TEST_F(OddTest, OwnDeviceIsAskedFor) {
  Request request;
  request.device = Arg::kOwn;
  EXPECT_EQ(As<Raised>(ExportOf("arguments", request)).message, "dl_device=(1, 7)");
}

TEST_F(OddTest, ProducerCannotSpoilTheArguments) {
  const Script script = With("keeps arguments").Export(WithVersion(1, 0)).Build();
  for (int i = 0; i < 2; ++i) host_->Run(script);
  EXPECT_EQ(As<Raised>(ExportOf("arguments", WithVersion(1, 0))).message, "max_version=(1, 0)");
}

TEST_F(OddTest, ExceptionsKeepClassAndText) {
  const auto own = As<Raised>(ExportOf("own error"));
  EXPECT_THAT(own.type, AllOf(HasSubstr("odd_adapter"), HasSubstr(".OwnError")));
  EXPECT_EQ(own.bases.at(1), "BufferError");
  EXPECT_THAT(own.message, SizeIs(2048));
  EXPECT_EQ(As<Raised>(ExportOf("bad text")).message, "\\udcff \xC3\xA9");
  EXPECT_EQ(As<Raised>(ExportOf("exits")).type, "SystemExit");
  EXPECT_EQ(As<Raised>(ExportOf("nothing")).type, "AttributeError");
}

TEST_F(OddTest, ExportsThatAreNoGoodCapsules) {
  const auto number = As<Exported>(ExportOf("no capsule"));
  EXPECT_FALSE(number.is_capsule);
  EXPECT_EQ(number.type_name, "int");
  const auto steps = host_->Run(With("unknown name").Export().Inspect().DropCapsule().Build());
  EXPECT_EQ(As<Exported>(steps.at(1)).name, "tensor");
  EXPECT_FALSE(As<Exported>(steps.at(1)).has_destructor);
  EXPECT_TRUE(std::holds_alternative<NotPerformed>(steps.at(2)));
  EXPECT_FALSE(As<Dropped>(steps.at(3)).left_exception);
}

TEST_F(OddTest, DestructorsThatTouchExceptionsAreSeen) {
  EXPECT_TRUE(DropOf("clears", true).lost_exception);
  EXPECT_FALSE(DropOf("clears", true).left_exception);
  EXPECT_TRUE(DropOf("sets", true).lost_exception);
  EXPECT_TRUE(DropOf("sets", false).left_exception);
  EXPECT_FALSE(DropOf("sets", false).lost_exception);
  for (const bool pending : {false, true}) {
    const Dropped harmless = DropOf("harmless", pending);
    EXPECT_FALSE(harmless.left_exception || harmless.lost_exception || harmless.threw);
    EXPECT_EQ(harmless.unraisable, "");
  }
  EXPECT_THAT(DropOf("unraisable", false).unraisable, HasSubstr("RuntimeError: from a destructor"));
}

TEST_F(OddTest, ExportManyCounts) {
  const auto steps = host_->Run(With("own names").ExportMany(50, {}, false).Build());
  const auto many = As<Many>(steps.at(1));
  EXPECT_EQ(many.tried, 50u);
  EXPECT_EQ(many.capsules, 50u);
  EXPECT_EQ(many.distinct_capsules, 50u);
  EXPECT_EQ(many.distinct_managed, 1u);
  EXPECT_EQ(many.distinct_name_pointers, 50u);
  EXPECT_THAT(many.names, ElementsAre("dltensor"));
  const auto failing = As<Many>(host_->Run(With("raises").ExportMany(3, {}, true).Build()).at(1));
  EXPECT_EQ(failing.capsules, 0u);
  ASSERT_TRUE(failing.first_error);
  EXPECT_EQ(failing.first_error->type, "AttributeError");
}

TEST_F(OddTest, ReferencesAreCounted) {
  const auto steps =
      host_->Run(With("hoarder").RefCount().ExportMany(7, {}, true).RefCount().Build());
  EXPECT_EQ(As<Counted>(steps.at(1)).value, 0);
  EXPECT_EQ(As<Counted>(steps.at(3)).value, 7);
  if (AnyInterpreter().minor < 12) return;  // Nothing is immortal before.
  EXPECT_TRUE(
      std::holds_alternative<Unsupported>(host_->Run(With("immortal").RefCount().Build()).at(1)));
}

TEST_F(OddTest, FaultsOfTheAdapterAreItsOwn) {
  EXPECT_THAT(
      As<AdapterFault>(MakeOf(1)).text,
      AllOf(StartsWith("make() raised TypeError: make is broken"), HasSubstr("odd_adapter.py:")));
  EXPECT_EQ(As<AdapterFault>(MakeOf(2)).text, "make() returned None, not an array");
  EXPECT_EQ(As<Unsupported>(MakeOf(3)).reason, "the adapter makes no such array");
  EXPECT_THAT(As<AdapterFault>(MakeOf(4)).text, StartsWith("pointer() raised KeyError"));
  EXPECT_THAT(As<AdapterFault>(MakeOf(5)).text, StartsWith("label() returned 'cpu', not a pair"));
  EXPECT_FALSE(As<Made>(MakeOf(6)).pointer);
  EXPECT_FALSE(As<Made>(MakeOf(6)).given);
  EXPECT_FALSE(names_.count("broken factory"));
}

class ExampleTest : public ::testing::TestWithParam<Interpreter> {};

// The whole path of a capsule, in every interpreter at hand.
TEST_P(ExampleTest, CapsuleFromMakeToDeleter) {
  TestHost host(Command(kExample, GetParam()));
  const auto claims = host.Start();
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_EQ(claims->interpreter, "CPython " + GetParam().version);
  const ArraySpec spec{{kDLFloat, 32, 1}, Contiguous({2, 3})};
  for (const Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    const auto steps = host.Run(ScriptBuilder(spec)
                                    .Device()
                                    .Export(WithVersion(1, 3))
                                    .Inspect()
                                    .Read()
                                    .Interpose()
                                    .Rename(Name::kUsed)
                                    .DropCapsule()
                                    .RefCount()
                                    .CallDeleter(thread)
                                    .DeleterCalls()
                                    .RefCount()
                                    .Build());
    const auto made = As<Made>(steps.at(0));
    const auto exported = As<Exported>(steps.at(2));
    EXPECT_EQ(exported.name, "dltensor_versioned");
    EXPECT_EQ(VersionOf(As<Inspected>(steps.at(3))).major, 1u);
    EXPECT_EQ(As<Elements>(steps.at(4)).bytes, PatternValues(spec));
    EXPECT_EQ(As<Elements>(steps.at(4)).first, made.pointer);
    EXPECT_EQ(As<Counted>(steps.at(8)).value, 1);
    EXPECT_FALSE(As<Dropped>(steps.at(9)).left_exception);
    EXPECT_EQ(As<Counted>(steps.at(10)).value, 1);
    EXPECT_EQ(As<Counted>(steps.at(11)).value, 0);
  }
}

TEST_P(ExampleTest, AdapterReadsAndWrites) {
  TestHost host(Command(kExample, GetParam()));
  const ArraySpec spec{{kDLFloat, 32, 1}, Contiguous({2, 3})};
  const auto steps =
      host.Run(ScriptBuilder(spec).Export().ReadOwn().Poke(9).ReadOwn().Read().Build());
  EXPECT_EQ(As<Elements>(steps.at(2)).bytes, PatternValues(spec));
  As<Done>(steps.at(3));
  std::string changed = PatternValues(spec);
  PatternElement(spec.dtype, 9, reinterpret_cast<uint8_t*>(changed.data()));
  EXPECT_EQ(As<Elements>(steps.at(4)).bytes, changed);
  EXPECT_EQ(As<Elements>(steps.at(5)).bytes, changed);
}

INSTANTIATE_TEST_SUITE_P(Interpreters, ExampleTest, ::testing::ValuesIn(FindInterpreters()),
                         [](const auto& test) {
                           std::string name = test.param.version + "_" + std::to_string(test.index);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// Nothing that the host keeps grows: neither objects nor memory.
TEST(PythonHostTest, TenThousandScriptsLeakNothing) {
  TestHost host(Command(kExample));
  std::vector<Script> scripts;
  for (int64_t n = 1; n <= 50; ++n) {
    const ArraySpec spec{{kDLFloat, 32, 1}, Contiguous({n, 7})};
    scripts.push_back(ScriptBuilder(spec)
                          .Device()
                          .Export(WithVersion(1, 0))
                          .Read()
                          .Rename(Name::kUsed)
                          .DropCapsule()
                          .CallDeleter()
                          .Export({}, 1)
                          .ReadOwn()
                          .Build());
  }
  std::vector<const Script*> round;
  for (int i = 0; i < 5000; ++i) round.push_back(&scripts[static_cast<size_t>(i) % 50]);
  host.engine().Run(round, {});
  const uint64_t before = host.engine().stats().host_rss_kb;
  const auto outcomes = host.engine().Run(round, {});
  for (const Outcome& outcome : outcomes) ASSERT_EQ(outcome.kind, Outcome::Kind::kTrace);
  EXPECT_LT(host.engine().stats().host_rss_kb, before + 1024);
}

}  // namespace
}  // namespace dlpc
