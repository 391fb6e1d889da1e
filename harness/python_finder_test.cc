#include "harness/python_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/capture.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder of pretend interpreters, and an environment that leads nowhere else.
class FinderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/dlpc_finder_XXXXXX";
    root_ = mkdtemp(name);
    fs::create_directories(root_ / "bin");
    for (const char* variable : {"PATH", "HOME", "PYENV_ROOT", "VIRTUAL_ENV"}) {
      const char* value = getenv(variable);
      saved_.emplace_back(variable, value == nullptr ? "" : value);
      unsetenv(variable);
    }
    setenv("PATH", (root_ / "bin").c_str(), 1);
    setenv("HOME", root_.c_str(), 1);
  }
  void TearDown() override {
    for (const auto& [variable, value] : saved_) {
      value.empty() ? unsetenv(variable) : setenv(variable, value.c_str(), 1);
    }
    fs::remove_all(root_);
  }

  /// A script that answers as an interpreter of that version; has `module` if that is not empty.
  std::string Pretend(const std::string& path, const std::string& version,
                      const std::string& module = "", const std::string& more = "gil") {
    const fs::path file = root_ / path;
    const std::string implementation = more == "pypy" ? "pypy" : "cpython";
    const std::string lock = more == "nogil" ? "nogil" : "gil";
    return Script(path, "if [ \"$1\" = -I ]; then printf '" + implementation + "\\n" + version +
                            "\\n" + lock + "\\n" + file.string() + "\\n" + file.string() +
                            "\\n'; exit 0; fi\n[ \"$3\" = \"" + module + "\" ]\n");
  }
  std::string Script(const std::string& path, const std::string& body) {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << body;
    chmod(file.c_str(), 0755);
    return file;
  }

  fs::path root_;
  std::vector<std::pair<const char*, std::string>> saved_;
};

std::vector<std::string> Versions(const std::vector<Interpreter>& all) {
  std::vector<std::string> versions;
  for (const Interpreter& interpreter : all) versions.push_back(interpreter.version);
  return versions;
}

TEST_F(FinderTest, NewestFirstWhereverItIs) {
  Pretend("bin/python3.11", "3.11.2");
  Pretend("bin/python3", "3.10.9");
  Pretend(".pyenv/versions/3.13.0/bin/python3", "3.13.0");
  Pretend(".pyenv/versions/3.12.1/bin/python3", "3.12.1");
  EXPECT_THAT(Versions(FindInterpreters()), ElementsAre("3.13.0", "3.12.1", "3.11.2", "3.10.9"));
}

TEST_F(FinderTest, OnlyWhatRunsAndCanLoadTheHost) {
  Script("bin/python3.14", "echo 'pyenv: python3.14: command not found' >&2; exit 127\n");
  Pretend("bin/python3.13", "3.13.1", "", "nogil");
  Pretend("bin/python3.12", "3.12.1", "", "pypy");
  Pretend("bin/python3", "3.9.1");
  EXPECT_THAT(FindInterpreters(), ElementsAre());
  EXPECT_THAT(FindInterpreter({}).error().message, HasSubstr("no CPython 3.10 or newer was found"));
  EXPECT_THAT(ProbeInterpreter(root_ / "bin/python3.13").error().message,
              HasSubstr("free-threaded"));
  EXPECT_THAT(ProbeInterpreter(root_ / "bin/python3.12").error().message, HasSubstr("pypy 3.12.1"));
  EXPECT_THAT(ProbeInterpreter(root_ / "bin/python3.14").error().message,
              HasSubstr("does not run as a Python interpreter"));
}

TEST_F(FinderTest, NewestThatHasTheModule) {
  Pretend("bin/python3.13", "3.13.0", "other");
  const std::string older = Pretend("bin/python3.11", "3.11.0", "lib");
  EXPECT_EQ(FindInterpreter({"", "lib", "lib.core", ""})->path, older);
  const auto none = FindInterpreter({"", "nolib", "nolib", ""});
  EXPECT_EQ(none.error().message,
            "none of the 2 Python interpreters found has the module nolib; run scripts/certify "
            "nolib, or give the one that has it by --python PATH");
}

TEST_F(FinderTest, EnvironmentsComeFirstIfTheyHaveTheModule) {
  Pretend("bin/python3.13", "3.13.0", "lib");
  const std::string own = Pretend("src/.venvs/lib/bin/python", "3.12.0", "lib");
  const InterpreterQuery query{"", "lib", "lib", root_ / "src"};
  EXPECT_EQ(FindInterpreter(query)->path, own);
  const std::string active = Pretend("active/bin/python", "3.11.0", "lib");
  setenv("VIRTUAL_ENV", (root_ / "active").c_str(), 1);
  EXPECT_EQ(FindInterpreter(query)->path, active);
  Pretend("active/bin/python", "3.11.0", "other");
  EXPECT_EQ(FindInterpreter(query)->path, own);
}

TEST_F(FinderTest, TheUsersChoiceIsNotSecondGuessed) {
  const std::string older = Pretend("bin/python3.11", "3.11.0");
  Pretend("bin/python3.13", "3.13.0", "lib");
  EXPECT_EQ(FindInterpreter({older, "lib", "lib", ""})->path, older);
  EXPECT_EQ(FindInterpreter({"python3.11", "lib", "lib", ""})->path, older);
  EXPECT_THAT(FindInterpreter({"python9", "", "", ""}).error().message,
              HasSubstr("no interpreter python9 on PATH"));
  EXPECT_THAT(FindInterpreter({root_, "", "", ""}).error().message, HasSubstr("is a folder"));
  EXPECT_THAT(FindInterpreter({root_ / "none", "", "", ""}).error().message,
              HasSubstr("there is no interpreter"));
}

TEST_F(FinderTest, CaptureEndsWhatHangs) {
  setenv("PATH", "/usr/bin:/bin", 1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Capture({Script("bin/hangs", "sleep 60 & sleep 60\n")}, 0.2).exit_code, -1);
  EXPECT_EQ(Capture({Script("bin/closes", "exec >&-; sleep 60\n")}, 0.2).exit_code, -1);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(Capture({Script("bin/fails", "echo out; echo err >&2; exit 7\n")}, 5).exit_code, 7);
  EXPECT_EQ(Capture({root_ / "bin/fails"}, 5).output, "out\n");
  EXPECT_EQ(Capture({root_ / "bin/nothing"}, 5).exit_code, -1);
  EXPECT_EQ(Capture({}, 5).exit_code, -1);
}

TEST_F(FinderTest, AdaptersByNameAndFile) {
  const PythonHostFiles files{"m", "h", root_ / "adapters"};
  fs::create_directories(files.adapters);
  for (const char* name : {"numpy.py", "tvm_ffi.py", "object_adapter.py"}) {
    std::ofstream(fs::path(files.adapters) / name) << "'''MODULE = \"no\"'''\n";
  }
  std::ofstream(root_ / "mine.py")
      << "import x\nMODULE = PIP = \"my.core\"  # Ours, not \"theirs\".\n";
  EXPECT_THAT(AdapterNames(files), ElementsAre("numpy", "tvm-ffi"));
  EXPECT_THAT(*FindAdapter(files, "tvm-ffi"), EndsWith("adapters/tvm_ffi.py"));
  EXPECT_EQ(*FindAdapter(files, root_ / "mine.py"), root_ / "mine.py");
  EXPECT_THAT(FindAdapter(files, "object_adapter").error().message,
              AllOf(HasSubstr("numpy, tvm-ffi"), HasSubstr("--object")));
  EXPECT_FALSE(FindAdapter(files, "none.py"));
  EXPECT_FALSE(FindAdapter(files, ""));
  EXPECT_EQ(AdapterModule(files, root_ / "mine.py"), "my.core");
  EXPECT_EQ(AdapterModule(files, *FindAdapter(files, "tvm-ffi")), "tvm_ffi");
  std::ofstream(root_ / "my.py") << "";
  EXPECT_EQ(AdapterModule(files, root_ / "mine.py"), "");  // Beside it: need not be installed.
  std::ofstream(root_ / "silent.py") << "import x\n";
  EXPECT_EQ(AdapterModule(files, root_ / "silent.py"), "");
}

TEST_F(FinderTest, HostFilesLieBesideTheExecutable) {
  const std::string folder = root_ / "bin";
  EXPECT_THAT(FindPythonHost(folder).error().message, HasSubstr("dlpc_host.abi3.so"));
  Script("lib64/dlpc_host.abi3.so", "");
  EXPECT_THAT(FindPythonHost(folder).error().message, HasSubstr("host.py"));
  Script("share/dlpc/host.py", "");
  const auto files = FindPythonHost(folder);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->module, root_ / "lib64/dlpc_host.abi3.so");
}

TEST_F(FinderTest, CommandLineOfTheHost) {
  const PythonHostFiles files{"/m.so", "/host.py", "/adapters"};
  const HostCommand command = PythonHostCommand({"/py", 3, 13, "3.13.0"}, files, "/a.py");
  EXPECT_EQ(command.program, "/py");
  EXPECT_THAT(command.args, ElementsAre("/host.py", "--module", "/m.so", "--adapter", "/a.py"));
  EXPECT_THAT(command.env, Contains("PYTHONDONTWRITEBYTECODE=1"));
  EXPECT_THAT(PythonObjectCommand({"/py", 3, 13, ""}, files, "a:b").args,
              ElementsAre("/host.py", "--module", "/m.so", "--object", "a:b"));
}

}  // namespace
}  // namespace dlpc
