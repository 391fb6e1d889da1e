#include "harness/host_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "harness/wire.h"

extern char** environ;

namespace dlpc {
namespace {

constexpr size_t kTailSize = 4096;
constexpr int kFirstHostFd = 3;  // Request, reply and progress are 3, 4 and 5 in every host.

/// Everything the child needs between fork and exec, where only async-signal-safe calls are
/// allowed.
struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* envp;
  std::array<int, 3> fds;  // Request, reply, progress.
  int output;
  int error;  // Takes errno if exec fails; closed by exec.
  pid_t parent;
};

void KeepAcrossExec(int fd, int target) {
  if (fd == target) {
    fcntl(fd, F_SETFD, 0);
  } else {
    dup2(fd, target);
  }
}

void CloseOnExecFrom(int first) {
#ifdef SYS_close_range
  constexpr unsigned kCloseRangeCloexec = 4;
  if (syscall(SYS_close_range, first, ~0U, kCloseRangeCloexec) == 0) return;
#endif
  const long limit = std::min(sysconf(_SC_OPEN_MAX), 65536L);
  for (int fd = first; fd < limit; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void FailChild(int error_fd) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(error_fd, &error, sizeof error);
  _exit(127);
}

void ResetSignals() {
  for (const int signal_number : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD}) {
    signal(signal_number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  setpgid(0, 0);  // A group of its own: Ctrl-C goes to the runner, a kill to all of the host.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // The runner died before prctl.
  ResetSignals();
  const rlimit no_core{0, 0};  // Dumping gigabytes would look like a hang.
  setrlimit(RLIMIT_CORE, &no_core);
  if (const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t written = write(score, "500", 3);
    close(score);
  }
  // Out of the way first: a source must not lie where an earlier target is put.
  std::array<int, 5> fds{plan.fds[0], plan.fds[1], plan.fds[2], plan.output, plan.error};
  for (int& fd : fds) {
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    if (fd < 0) FailChild(plan.error);
  }
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  KeepAcrossExec(null, 0);
  KeepAcrossExec(fds[3], 1);
  KeepAcrossExec(fds[3], 2);
  for (int i = 0; i < 3; ++i) KeepAcrossExec(fds[i], kFirstHostFd + i);
  CloseOnExecFrom(kFirstHostFd + 3);
  execve(plan.program, plan.argv, plan.envp);
  FailChild(fds[4]);
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Arguments(const HostCommand& command) {
  std::vector<std::string> args{command.program};
  args.insert(args.end(), command.args.begin(), command.args.end());
  for (int i = 0; i < 3; ++i) args.push_back(std::to_string(kFirstHostFd + i));
  return args;
}

/// Ours, with those of the command put in or over it.
std::vector<std::string> Environment(const HostCommand& command) {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    const bool replaced = std::any_of(command.env.begin(), command.env.end(), [&](const auto& e) {
      return e.size() > name.size() && e[name.size()] == '=' && e.starts_with(name);
    });
    if (!replaced) env.emplace_back(*entry);
  }
  env.insert(env.end(), command.env.begin(), command.env.end());
  return env;
}

struct Channel {
  UniqueFd ours, theirs;
};

Expected<Channel> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  }
  fcntl(fds[0], F_SETFL, O_NONBLOCK);
  return Channel{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// A socket, so that writing to a dead host gives EPIPE and not a signal.
Expected<Channel> MakeRequestChannel() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return Error{fmt::format("cannot make a socket pair: {}", std::strerror(errno))};
  }
  fcntl(fds[0], F_SETFL, O_NONBLOCK);
  return Channel{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

struct ProgressPage {
  UniqueFd fd;
  Progress* page;
};

Expected<ProgressPage> MakeProgress() {
  UniqueFd fd(memfd_create("dlpc-progress", MFD_CLOEXEC));
  void* page = MAP_FAILED;
  if (fd.get() >= 0 && ftruncate(fd.get(), sizeof(Progress)) == 0) {
    page = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  }
  if (page == MAP_FAILED) {
    return Error{fmt::format("cannot share a page with the host: {}", std::strerror(errno))};
  }
  return ProgressPage{std::move(fd), new (page) Progress};
}

/// errno of the child's failed exec, 0 when it succeeded (the pipe was closed by it).
int ExecError(int fd) {
  int error = 0;
  ssize_t count;
  pollfd wait{fd, POLLIN, 0};
  do {
    poll(&wait, 1, -1);
    count = read(fd, &error, sizeof error);
  } while (count < 0 && (errno == EINTR || errno == EAGAIN));
  return count == sizeof error ? error : 0;
}

constexpr struct {
  int number;
  std::string_view name;
} kSignals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},   {SIGPIPE, "SIGPIPE"}, {SIGSYS, "SIGSYS"},   {SIGXCPU, "SIGXCPU"},
    {SIGQUIT, "SIGQUIT"}, {SIGHUP, "SIGHUP"},   {SIGALRM, "SIGALRM"}, {SIGXFSZ, "SIGXFSZ"},
};

std::string SignalName(int number) {
  for (const auto& row : kSignals) {
    if (row.number == number) return std::string(row.name);
  }
  return fmt::format("signal {}", number);
}

/// The child's end without reaping it: its process id stays ours until the destructor.
std::optional<siginfo_t> PeekExit(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return {};
  if (info.si_pid == 0) return {};
  return info;
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

UniqueFd::~UniqueFd() { Close(); }

void UniqueFd::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Expected<std::unique_ptr<HostProcess>> HostProcess::Spawn(const HostCommand& command) {
  auto request = MakeRequestChannel();
  if (!request) return request.error();
  auto reply = MakePipe();
  if (!reply) return reply.error();
  auto output = MakePipe();
  if (!output) return output.error();
  auto error = MakePipe();
  if (!error) return error.error();
  auto progress = MakeProgress();
  if (!progress) return progress.error();

  std::vector<std::string> args = Arguments(command), env = Environment(command);
  const std::vector<char*> argv = Pointers(args), envp = Pointers(env);
  const ChildPlan plan{command.program.c_str(),
                       argv.data(),
                       envp.data(),
                       {request->theirs.get(), reply->theirs.get(), progress->fd.get()},
                       output->theirs.get(),
                       error->theirs.get(),
                       getpid()};
  const pid_t pid = fork();
  if (pid == 0) RunChild(plan);
  std::unique_ptr<HostProcess> host(new HostProcess);
  host->progress_ = progress->page;
  if (pid < 0) return Error{fmt::format("cannot fork: {}", std::strerror(errno))};
  host->pid_ = pid;
  setpgid(pid, pid);  // Also here: whoever kills the group must not come before the child did it.
  host->request_ = std::move(request->ours);
  host->reply_ = std::move(reply->ours);
  host->output_ = std::move(output->ours);
  error->theirs.Close();
  if (const int failed = ExecError(error->ours.get()); failed != 0) {
    return Error{fmt::format("cannot run {}: {}", command.program, std::strerror(failed))};
  }
  host->statm_ = UniqueFd(open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  return host;
}

HostProcess::~HostProcess() {
  if (pid_ > 0) {
    Kill();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (progress_ != nullptr) munmap(progress_, sizeof(Progress));
}

void HostProcess::DrainOutput() {
  std::array<char, 65536> chunk;
  for (int i = 0; i < 16 && output_.get() >= 0; ++i) {
    const ssize_t count = read(output_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return output_.Close();
    const std::string_view text(chunk.data(), static_cast<size_t>(count));
    tail_.append(text.substr(text.size() - std::min(text.size(), kTailSize)));
    if (tail_.size() > kTailSize) tail_.erase(0, tail_.size() - kTailSize);
    if (count < static_cast<ssize_t>(chunk.size())) return;
  }
}

std::string HostProcess::OutputTail() const {
  std::string_view tail = tail_;
  // The cut may have gone through a character: its rest is no ill-formed output of the host.
  if (tail.size() == kTailSize) {
    for (int i = 0; i < 3 && (static_cast<uint8_t>(tail.front()) & 0xC0) == 0x80; ++i) {
      tail.remove_prefix(1);
    }
  }
  return CleanText(tail);
}

void HostProcess::Leave(double seconds) {
  request_.Close();
  HowItEnded(seconds);
  Kill();
}

void HostProcess::Kill() {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // It may have left its group; not reaped yet, the number is still its own.
}

bool HostProcess::Exited() const { return PeekExit(pid_).has_value(); }

std::optional<std::string> HostProcess::HowItEnded(double seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::optional<siginfo_t> info = PeekExit(pid_);
  for (useconds_t pause = 100; !info && std::chrono::steady_clock::now() < end;) {
    usleep(pause);
    pause = std::min<useconds_t>(2 * pause, 5000);
    info = PeekExit(pid_);
  }
  if (!info) return {};
  if (info->si_code == CLD_EXITED) {
    return fmt::format("host exited with code {}", info->si_status);
  }
  return SignalName(info->si_status);
}

uint64_t HostProcess::ResidentKb() const {
  // /proc/PID/statm: pages in all, pages resident, ... One pread per tick.
  std::array<char, 128> text{};
  if (pread(statm_.get(), text.data(), text.size() - 1, 0) <= 0) return 0;
  unsigned long long total = 0, resident = 0;
  if (std::sscanf(text.data(), "%llu %llu", &total, &resident) != 2) return 0;
  return resident * (static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024);
}

uint64_t HostProcess::PeakResidentKb() const {
  const UniqueFd fd(open(fmt::format("/proc/{}/status", pid_).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  if (fd.get() < 0 || read(fd.get(), text.data(), text.size() - 1) <= 0) return 0;
  const char* line = std::strstr(text.data(), "VmHWM:");
  return line == nullptr ? 0 : std::strtoull(line + std::strlen("VmHWM:"), nullptr, 10);
}

}  // namespace dlpc
