#include "harness/hosts/host_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/engine.h"

namespace dlpc {
namespace {

/// This very program is the host, as the suite's executable is.
constexpr const char* kSelf = "/proc/self/exe";

std::string StartText(const HostCommand& command) {
  Engine engine(command, {});
  const auto claims = engine.Start();
  return claims ? claims->producer + " " + claims->kind : claims.error().message;
}

TEST(HostMain, StartsBothKindsAndSaysWhyNot) {
  EXPECT_EQ(StartText(ReferenceHost(kSelf, "")), "reference reference");
  EXPECT_EQ(StartText(ReferenceHost(kSelf, "cpu-id-ordinal")), "reference reference");
  EXPECT_EQ(StartText(ReferenceHost(kSelf, "no-such")), "there is no mutant no-such");
  EXPECT_EQ(StartText(NativeHost(kSelf, DLPC_EXAMPLE_PLUGIN)), "example native");
  EXPECT_EQ(StartText(NativeHost(kSelf, "x.so")), "cannot open x.so: No such file or directory");
  EXPECT_EQ(StartText({kSelf, {"__host", "x"}, {}}), "there is no host of the kind x");
}

TEST(HostMain, ServesScriptsOfANativeProducer) {
  Engine engine(NativeHost(kSelf, DLPC_EXAMPLE_PLUGIN), {});
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  const Script script = ScriptBuilder(spec).Export(WithVersion(1, 3)).Read().Build();
  const auto outcomes = engine.Run({&script}, nullptr);
  ASSERT_EQ(outcomes[0].kind, Outcome::Kind::kTrace) << outcomes[0].text;
  const auto* elements = std::get_if<Elements>(&outcomes[0].trace.steps[2]);
  ASSERT_NE(elements, nullptr);
  EXPECT_EQ(elements->bytes, PatternValues(spec));
}

}  // namespace
}  // namespace dlpc

int main(int argc, char** argv) {
  if (dlpc::IsHostMain(argc, argv)) return dlpc::RunHostMain(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
