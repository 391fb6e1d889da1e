// What a user does wrong is told in one line that says what to do, never by a stack trace.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/hosts/python/testing/host_fixture.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGood =
    "def claims(): return {'producer': 'p', 'version': '1'}\n"
    "def make(spec): return NotImplemented\n"
    "def pointer(x): return None\n"
    "def label(x): return None\n";

class ErrorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/dlpc_errors_XXXXXX";
    root_ = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Write(const std::string& text, const std::string& name = "lib.py") {
    std::ofstream(root_ / name) << text;
    return root_ / name;
  }
  /// Why a host with this adapter does not start; "" if it does.
  std::string WhyNot(const std::string& text) {
    return Start(PythonHostCommand(AnyInterpreter(), HostFiles(), Write(text)));
  }
  std::string WhyNoObject(const std::string& text) {
    return Start(PythonObjectCommand(AnyInterpreter(), HostFiles(), text));
  }
  std::string Start(HostCommand command) {
    const auto claims = TestHost(std::move(command)).Start();
    std::string message = claims ? "" : claims.error().message;
    EXPECT_THAT(message, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("Traceback"))));
    return message;
  }

  fs::path root_;
};

TEST_F(ErrorsTest, GoodAdapterStarts) { EXPECT_EQ(WhyNot(kGood), ""); }

TEST_F(ErrorsTest, AdapterThatCannotBeImported) {
  EXPECT_THAT(WhyNot("def make(:\n"), AllOf(HasSubstr("SyntaxError"), HasSubstr("(lib.py:1)")));
  EXPECT_THAT(
      WhyNot("x = 1\n\nraise ValueError('two\\nlines')\n"),
      AllOf(HasSubstr("lib.py cannot be imported"), HasSubstr("ValueError: two lines (lib.py:3)")));
  EXPECT_THAT(WhyNot("import sys; sys.exit('bye')\n"), HasSubstr("SystemExit: bye (lib.py:1)"));
  EXPECT_THAT(WhyNot("import json.nothing\n"), HasSubstr("is not installed in"));
}

TEST_F(ErrorsTest, PackagesThatAreNotInstalled) {
  EXPECT_EQ(WhyNot("MODULE = 'dlpcnone.core'\nPIP = 'dlpc-none'\nimport dlpcnone.core\n"),
            "dlpcnone is not installed in " + AnyInterpreter().path + ": pip install dlpc-none");
  EXPECT_EQ(WhyNot("MODULE = 'dlpcmain'\nimport dlpchelper\n"),
            "dlpchelper, which adapter lib needs, is not installed in " + AnyInterpreter().path +
                ": pip install dlpchelper");
}

// A package that imports torch if it is there must not get our adapter torch.py.
TEST_F(ErrorsTest, OnlyOtherFoldersThanThatOfTheBuiltInAdaptersHaveModules) {
  const std::string importing = "import dlpchelper\n" + std::string(kGood);
  Write("", "dlpchelper.py");
  EXPECT_EQ(WhyNot(importing), "");
  Write("", "object_adapter.py");  // Now it is such a folder.
  EXPECT_THAT(WhyNot(importing), StartsWith("dlpchelper, which adapter lib needs"));
}

TEST_F(ErrorsTest, AdapterThatIsIncomplete) {
  const std::string good = kGood;
  for (const char* function : {"claims", "make", "pointer", "label"}) {
    EXPECT_THAT(WhyNot(good + "del " + function + "\n"),
                EndsWith(std::string("has no function ") + function + "()"));
  }
  EXPECT_THAT(WhyNot(good + "def claims(): return 1\n"), HasSubstr("no dict but a int"));
  EXPECT_THAT(WhyNot(good + "def claims(): return {}\n"), HasSubstr("no text 'producer'"));
  EXPECT_THAT(WhyNot(good + "def claims(): return 1 / 0\n"), HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(WhyNot(good + "good = claims\ndef claims(): return {**good(), 'dtypes': 'f4'}\n"),
              HasSubstr("claims()['dtypes'] is not a list"));
  EXPECT_THAT(WhyNot(good + "good = claims\ndef claims(): return {**good(), 'x': object()}\n"),
              HasSubstr("cannot be written as JSON"));
}

TEST_F(ErrorsTest, ExpressionsThatGiveNoProducer) {
  EXPECT_THAT(WhyNoObject("json"), HasSubstr("expected MODULE:EXPRESSION"));
  EXPECT_THAT(WhyNoObject(":x"), HasSubstr("expected MODULE:EXPRESSION"));
  EXPECT_THAT(WhyNoObject("dlpcnone:x"), HasSubstr("no module dlpcnone in"));
  EXPECT_THAT(WhyNoObject("json:1 +"), HasSubstr("SyntaxError"));
  EXPECT_THAT(WhyNoObject("json:nothing"), HasSubstr("NameError"));
  EXPECT_THAT(WhyNoObject("json:dumps(1)"),
              HasSubstr("a str has neither __dlpack__ nor __dlpack_device__"));
}

TEST_F(ErrorsTest, ObjectsNeedNoAdapter) {
  fs::copy(SourceFile("docs/examples/tinyarray.py"), root_ / "tinyarray.py");
  const fs::path before = fs::current_path();
  fs::current_path(root_);  // Modules of the current folder are found.
  for (const char* text :
       {"tinyarray:Array([1, 2, 3], (3,))", "tinyarray:lambda: Array([1, 2, 3], (3,))"}) {
    TestHost host(PythonObjectCommand(AnyInterpreter(), HostFiles(), text));
    const auto claims = host.Start();
    ASSERT_TRUE(claims) << claims.error().message;
    EXPECT_EQ(claims->producer, text);
    EXPECT_EQ(claims->version, "0.1");
    const ArraySpec other{{kDLFloat, 64, 1}, Contiguous({2, 3})};
    const ArraySpec given{{kDLFloat, 32, 1}, Contiguous({2, 3})};
    const auto steps =
        host.Run(ScriptBuilder(given).Export().Read().ReadOwn().Make(1, other).Build());
    EXPECT_TRUE(As<Made>(steps.at(0)).given);
    EXPECT_EQ(As<Made>(steps.at(0)).shape, Extents{3});
    EXPECT_EQ(As<Elements>(steps.at(2)).bytes, As<Elements>(steps.at(3)).bytes);
    As<Unsupported>(steps.at(4));
  }
  fs::current_path(before);
}

TEST_F(ErrorsTest, InterpreterThatCannotLoadTheModule) {
  PythonHostFiles files = HostFiles();
  files.module = Write("no library", "dlpc_host.abi3.so");
  EXPECT_THAT(Start(PythonHostCommand(AnyInterpreter(), files, Write(kGood))),
              HasSubstr("cannot load the host module"));
}

// Whatever vendor code prints is not mistaken for an answer.
TEST_F(ErrorsTest, OutputOfTheProducerDoesNotDisturb) {
  EXPECT_EQ(
      WhyNot(std::string("import os\nprint('hello', flush=True)\nos.write(1, b'x' * 100000)\n") +
             kGood),
      "");
}

}  // namespace
}  // namespace dlpc
