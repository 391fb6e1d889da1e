#include "harness/hosts/native_backend.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/machine.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A host's producer and machine on one plug-in.
class Native : public ::testing::Test {
 protected:
  void Open(const char* path) {
    auto opened = NativeBackend::Open(path);
    ASSERT_TRUE(opened) << opened.error().message;
    backend_ = std::move(*opened);
    machine_ = std::make_unique<Machine>(backend_.get(), nullptr);
  }
  void SetUp() override { Open(DLPC_EXAMPLE_PLUGIN); }
  Trace Run(const Script& script) { return machine_->Run(script); }

  std::unique_ptr<NativeBackend> backend_;
  std::unique_ptr<Machine> machine_;
};

template <typename T>
const T& As(const Trace& trace, size_t step) {
  static const T kNone{};
  const T* observation = std::get_if<T>(&trace.steps.at(step));
  EXPECT_NE(observation, nullptr) << "step " << step << ": " << ObservationText(trace.steps[step]);
  return observation == nullptr ? kNone : *observation;
}

ArraySpec Spec(std::string_view dtype, Layout layout, uint8_t flags = 0) {
  return {FindDType(dtype)->dtype, std::move(layout), Memory::kCpu, flags};
}

Request Copy(bool value, Request request = WithVersion(1, 3)) {
  request.copy = Arg::kValue;
  request.copy_value = value;
  return request;
}

TEST_F(Native, ClaimsComeFromThePlugin) {
  const Claims claims = backend_->GetClaims();
  EXPECT_EQ(claims.producer, "example");
  EXPECT_EQ(claims.kind, "native");
  EXPECT_EQ(claims.adapter, DLPC_EXAMPLE_PLUGIN);
  EXPECT_THAT(claims.json, HasSubstr("memory_kinds"));
}

TEST_F(Native, EveryLayoutIsReadAsMade) {
  for (const NamedLayout& layout : Layouts()) {
    for (const Request& request : {Request{}, WithVersion(1, 3), Copy(true), Copy(true, {})}) {
      const ArraySpec spec = Spec("float32", layout.layout);
      const Trace trace =
          Run(ScriptBuilder(spec).Export(request).Inspect().Read().ReadOwn().Build());
      SCOPED_TRACE(fmt::format("{} {}", layout.name, RequestText(request)));
      EXPECT_EQ(As<Elements>(trace, 3).bytes, PatternValues(spec));
      EXPECT_EQ(As<Elements>(trace, 4).bytes, PatternValues(spec));
      EXPECT_EQ(As<Inspected>(trace, 2).shape, Resolve(spec.layout).shape);
      EXPECT_EQ(As<Inspected>(trace, 2).versioned, request.version == Arg::kValue);
    }
  }
}

TEST_F(Native, EveryDTypeOfWholeBytes) {
  for (const DTypeRow& row : DTypes()) {
    const ArraySpec spec = Spec(row.name, Layouts()[4].layout);
    const Trace trace = Run(ScriptBuilder(spec).Export(WithVersion(1, 3)).Inspect().Read().Build());
    SCOPED_TRACE(row.name);
    if (!row.byte_sized) {
      EXPECT_TRUE(std::holds_alternative<Unsupported>(trace.steps[0]));
      continue;
    }
    EXPECT_TRUE(TensorOf(As<Inspected>(trace, 2)).dtype == row.dtype);
    EXPECT_EQ(As<Elements>(trace, 3).bytes, PatternValues(spec));
  }
}

TEST_F(Native, SharesUnlessAskedToCopy) {
  const ArraySpec spec = Spec("int32", Contiguous({2, 3}));
  const Trace trace = Run(ScriptBuilder(spec)
                              .Export(WithVersion(1, 0), 0)
                              .Export(Copy(true), 1)
                              .Poke(5)
                              .Read(0)
                              .Read(1)
                              .Inspect(0)
                              .Inspect(1)
                              .Write(3, 0)
                              .ReadOwn()
                              .Build());
  const Made& made = As<Made>(trace, 0);
  std::string poked = PatternValues(spec);
  const std::string original = poked;
  PatternElement(spec.dtype, 5, reinterpret_cast<uint8_t*>(poked.data()));
  EXPECT_EQ(As<Elements>(trace, 4).bytes, poked);
  EXPECT_EQ(As<Elements>(trace, 4).first, made.pointer);
  EXPECT_EQ(As<Elements>(trace, 5).bytes, original);
  EXPECT_EQ(FlagsOf(As<Inspected>(trace, 6)), 0U);
  EXPECT_EQ(FlagsOf(As<Inspected>(trace, 7)), DLPACK_FLAG_BITMASK_IS_COPIED);
  PatternElement(spec.dtype, 3, reinterpret_cast<uint8_t*>(poked.data()));
  EXPECT_EQ(As<Elements>(trace, 9).bytes, poked);
}

TEST_F(Native, ReadOnlyIsFlaggedOrRefused) {
  const Trace trace = Run(ScriptBuilder(Spec("int8", Contiguous({4}), kReadOnly))
                              .Export(WithVersion(1, 0))
                              .Inspect()
                              .Export({}, 1)
                              .Build());
  EXPECT_EQ(As<Made>(trace, 0).read_only, true);
  EXPECT_EQ(FlagsOf(As<Inspected>(trace, 2)), DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT_EQ(As<Raised>(trace, 3).type, "BufferError");
}

TEST_F(Native, DeviceAndRefusedDevice) {
  Request own = WithVersion(1, 0), other = own, stream = own;
  own.device = Arg::kOwn;
  other.device = Arg::kValue;
  other.dl_device = {kDLCUDA, 0};
  stream.stream = Arg::kValue;
  stream.stream_value = 1;
  const Trace trace = Run(ScriptBuilder(Spec("int8", Contiguous({4})))
                              .Device(3)
                              .Export(own)
                              .Export(other)
                              .Export(stream)
                              .Build());
  EXPECT_EQ(As<DeviceAnswer>(trace, 1).type, kDLCPU);
  EXPECT_EQ(As<DeviceAnswer>(trace, 1).differing, 0U);
  EXPECT_TRUE(As<Exported>(trace, 2).emulated_capsule);
  EXPECT_EQ(As<Raised>(trace, 3).type, "BufferError");
  EXPECT_EQ(As<Raised>(trace, 4).type, "ValueError");
}

TEST_F(Native, ArgumentsThatCCannotPass) {
  Request odd, extra;
  odd.copy = Arg::kOdd;
  extra.extra = Extra::kPositional;
  const Trace trace =
      Run(ScriptBuilder(Spec("int8", Contiguous({4}))).Export(odd).Export(extra).Build());
  As<Unsupported>(trace, 1);
  As<Unsupported>(trace, 2);
}

TEST_F(Native, DeleterRunsOnceOnAnyThreadAndFromTheDroppedCapsule) {
  for (const Thread thread : {Thread::kLocked, Thread::kFree, Thread::kForeign}) {
    const Trace trace = Run(ScriptBuilder(Spec("int64", Contiguous({64})))
                                .Export(WithVersion(1, 0))
                                .Interpose()
                                .DropArray()
                                .Read()
                                .Rename(Name::kUsed)
                                .DropCapsule()
                                .DeleterCalls()
                                .CallDeleter(thread)
                                .DeleterCalls()
                                .Build());
    EXPECT_EQ(As<Elements>(trace, 4).bytes, PatternValues(Spec("int64", Contiguous({64}))));
    EXPECT_EQ(As<Counted>(trace, 7).value, 0);
    EXPECT_EQ(As<Counted>(trace, 9).value, 1);
  }
  const Trace dropped = Run(ScriptBuilder(Spec("int8", Contiguous({4})))
                                .Export({})
                                .Interpose()
                                .DropCapsule()
                                .DeleterCalls()
                                .Build());
  EXPECT_EQ(As<Counted>(dropped, 4).value, 1);
}

TEST_F(Native, ManyExports) {
  const Trace trace = Run(ScriptBuilder(Spec("int8", Contiguous({4})))
                              .ExportMany(100, WithVersion(1, 3), false)
                              .ExportMany(100, {}, true)
                              .Build());
  EXPECT_EQ(As<Many>(trace, 1).capsules, 100U);
  EXPECT_EQ(As<Many>(trace, 1).distinct_managed, 100U);
  EXPECT_THAT(As<Many>(trace, 1).names, ::testing::ElementsAre("dltensor_versioned"));
  EXPECT_THAT(As<Many>(trace, 2).names, ::testing::ElementsAre("dltensor"));
}

// ---- What a plug-in can do wrong ----------------------------------------------------------------

TEST_F(Native, RudePluginIsReportedAndSurvived) {
  Open(DLPC_RUDE_PLUGIN);
  const auto make = [&](int64_t n) {
    return Run(ScriptBuilder(Spec("int8", Contiguous({n}))).Export().Device().ReadOwn().Build());
  };
  EXPECT_THAT(As<AdapterFault>(make(1), 0).text, HasSubstr("make threw"));
  EXPECT_THAT(As<AdapterFault>(make(2), 0).text, HasSubstr("unknown status 99"));
  EXPECT_THAT(As<AdapterFault>(make(3), 0).text, HasSubstr("no array"));
  EXPECT_THAT(As<AdapterFault>(make(4), 0).text, AllOf(HasSubstr("ValueError"), EndsWith("xxx")));
  EXPECT_EQ(As<Raised>(make(5), 1).type, "C++ exception");
  EXPECT_EQ(As<Raised>(make(5), 1).message, "export threw");
  EXPECT_EQ(As<Raised>(make(6), 1).type, "C++ exception");
  EXPECT_THAT(As<AdapterFault>(make(7), 1).text, HasSubstr("not exactly one struct"));
  As<Unsupported>(make(7), 2);  // No dlpc_device.
  As<Unsupported>(make(7), 3);  // No dlpc_access.
}

std::string OpenError(const std::string& path) {
  const auto opened = NativeBackend::Open(path);
  return opened ? "it opened" : opened.error().message;
}

class TempFile {
 public:
  explicit TempFile(const std::string& contents)
      : path(::testing::TempDir() + fmt::format("dlpc_plugin_{}.so", getpid())) {
    std::ofstream(path) << contents;
  }
  ~TempFile() { unlink(path.c_str()); }
  const std::string path;
};

TEST(NativeOpen, ErrorsAreOneClearLine) {
  EXPECT_EQ(OpenError("no/such/lib.so"), "cannot open no/such/lib.so: No such file or directory");
  EXPECT_EQ(OpenError("/"), "/ is a directory");
  for (const char* contents :
       {"", "#!/bin/sh\necho this is no library, whatever its name says\n"}) {
    const TempFile file(contents);
    EXPECT_THAT(OpenError(file.path), StartsWith(file.path + " is not a shared library ("));
  }
  const std::string hint = ": is it a plug-in (dlpc/producer.h)?";
  const auto named = [](const char* path, const std::string& text) { return path + text; };
  EXPECT_EQ(OpenError(DLPC_BAD_PLUGIN_1),
            named(DLPC_BAD_PLUGIN_1, " has no function dlpc_abi_version" + hint));
  EXPECT_EQ(OpenError(DLPC_BAD_PLUGIN_2),
            named(DLPC_BAD_PLUGIN_2, " speaks plug-in ABI version 7 where this suite speaks 1"));
  EXPECT_EQ(OpenError(DLPC_BAD_PLUGIN_3),
            named(DLPC_BAD_PLUGIN_3, " has no function dlpc_make" + hint));
  EXPECT_EQ(OpenError(DLPC_BAD_PLUGIN_4),
            fmt::format("the claims of {} are no JSON object", DLPC_BAD_PLUGIN_4));
}

}  // namespace
}  // namespace dlpc
