#include "harness/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutput = size_t{64} << 10;

// -1 if it could not be started. The child leads a group of its own, so that all it starts can be
// ended.
pid_t Spawn(const std::vector<std::string>& command, int output_fd) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  if (posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ) != 0) pid = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

// Reads until the end of the pipe; false when the time is over first.
bool ReadAll(int fd, Clock::time_point end, std::string& output) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char buffer[4096];
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (output.size() < kMaxOutput) output.append(buffer, static_cast<size_t>(count));
  }
}

// The exit code; the group is killed when the time is over first.
int WaitUntil(pid_t pid, Clock::time_point end) {
  int status = 0;
  bool killed = false;
  for (;;) {
    const pid_t done = waitpid(pid, &status, killed ? 0 : WNOHANG);
    if (done < 0 && errno == EINTR) continue;
    if (done != 0) return done == pid && !killed && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (Clock::now() >= end) {
      kill(-pid, SIGKILL);
      killed = true;
    } else {
      usleep(500);
    }
  }
}

}  // namespace

Captured Capture(const std::vector<std::string>& command, double seconds) {
  Captured result;
  int fds[2];
  if (command.empty() || pipe2(fds, O_CLOEXEC) != 0) return result;
  const auto end = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  const pid_t pid = Spawn(command, fds[1]);
  close(fds[1]);
  if (pid > 0) {
    const bool ended = ReadAll(fds[0], end, result.output);
    result.exit_code = WaitUntil(pid, ended ? end : Clock::now());
  }
  close(fds[0]);
  return result;
}

}  // namespace dlpc
