#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / ("dlpc_files_" + std::to_string(::getpid()));
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string Path(const std::string& name) { return (dir_ / name).string(); }
  static std::string Read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t Entries() {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  fs::path dir_;
};

TEST_F(Files, WritesAndReplaces) {
  const std::string contents("a\0b\xff", 4);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "old and longer"));
  ASSERT_TRUE(WriteFileAtomically(Path("f"), contents));
  EXPECT_EQ(Read(Path("f")), contents);
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(Files, AreReadableAsTheUmaskSays) {
  const mode_t old = ::umask(022);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "x"));
  ::umask(old);
  EXPECT_EQ(fs::status(Path("f")).permissions(), fs::perms(0644));
}

TEST_F(Files, UnwritablePathIsAnErrorOfOneLine) {
  const Status status = WriteFileAtomically(Path("none/f"), "x");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("none/f: No such file or directory"));
  EXPECT_THAT(status.error().message, testing::Not(HasSubstr("\n")));
}

// A file size limit stops write() as a full disk does.
TEST_F(Files, FullDiskLeavesTheEarlierFileUntouched) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "earlier"));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{4096, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = WriteFileAtomically(Path("f"), std::string(100'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("File too large"));
  EXPECT_EQ(Read(Path("f")), "earlier");
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(Files, RenameOverAFolderFailsCleanly) {
  fs::create_directories(Path("f/inside"));
  EXPECT_FALSE(WriteFileAtomically(Path("f"), "x"));
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(Files, PrepareMakesTheFolderAndLeavesNothingInIt) {
  ASSERT_TRUE(PrepareReportDir(Path("a/b/")));
  ASSERT_TRUE(PrepareReportDir(Path("a/b")));
  EXPECT_TRUE(fs::is_empty(Path("a/b")));
}

TEST_F(Files, PrepareUnderAFileFails) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "x"));
  EXPECT_FALSE(PrepareReportDir(Path("f")));
  const Status status = PrepareReportDir(Path("f/sub"));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("cannot create"));
}

TEST_F(Files, PrepareInAReadOnlyFolderFails) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directories(Path("r"));
  fs::permissions(Path("r"), fs::perms(0555));
  EXPECT_FALSE(PrepareReportDir(Path("r")));
}

}  // namespace
}  // namespace dlpc
