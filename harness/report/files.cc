#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "harness/report.h"
#include "harness/report/file_set.h"

namespace dlpc {
namespace {

// A name beside `path` that nobody else uses: rename is atomic only within one file system.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.tmp-{}-{}", path, ::getpid(), counter++);
}

// strerror is not safe among threads; the standard's category is.
std::string ErrnoText(int error) { return std::generic_category().message(error); }

int WriteAll(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// 0, or errno. A full disk may show at any of the three calls.
int WriteNewFile(const std::string& path, std::string_view data) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int error = WriteAll(fd, data);
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

Status CannotWrite(const std::string& path, int error) {
  return Error{fmt::format("cannot write {}: {}", path, ErrnoText(error))};
}

}  // namespace

FileSet::~FileSet() {
  for (const auto& [temporary, path] : staged_) ::unlink(temporary.c_str());
}

Status FileSet::Add(const std::string& path, const std::string& contents) {
  const std::string temporary = TemporaryName(path);
  const int error = WriteNewFile(temporary, contents);
  if (error != EEXIST) staged_.emplace_back(temporary, path);
  return error == 0 ? OkStatus() : CannotWrite(path, error);
}

Status FileSet::Commit() {
  while (!staged_.empty()) {
    const auto& [temporary, path] = staged_.back();
    if (::rename(temporary.c_str(), path.c_str()) != 0) return CannotWrite(path, errno);
    staged_.pop_back();
  }
  return OkStatus();
}

Status WriteFileAtomically(const std::string& path, const std::string& contents) {
  FileSet file;
  Status written = file.Add(path, contents);
  return written ? file.Commit() : written;
}

Status PrepareReportDir(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return Error{fmt::format("cannot create {}: {}", dir, error.message())};
  const std::string probe = TemporaryName((std::filesystem::path(dir) / "probe").string());
  const int failed = WriteNewFile(probe, "probe\n");
  ::unlink(probe.c_str());
  if (failed == 0) return OkStatus();
  return Error{fmt::format("cannot write to {}: {}", dir, ErrnoText(failed))};
}

}  // namespace dlpc
