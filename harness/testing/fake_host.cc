// A host whose producer misbehaves on demand, for the tests of the engine: fake_host MODE [fds].
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/engine.h"
#include "harness/testing/fake_behaviour.h"

namespace dlpc {
namespace {

int g_reply_fd = -1;

void WriteRaw(int fd, const void* bytes, size_t size) {
  [[maybe_unused]] const ssize_t written = write(fd, bytes, size);
}

void Segfault() {
  volatile uintptr_t nowhere = 8;  // Volatile: the compiler must not see that this is no object.
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

[[noreturn]] void Hang() {
  for (;;) pause();
}

void EatMemory() {
  std::vector<std::string> eaten;
  for (int i = 0; i < 512; ++i) {  // 4 GiB at most, if nobody steps in.
    eaten.emplace_back(size_t{8} << 20, 'x');
    usleep(2000);
  }
}

void CloseDescriptors() {
  for (int fd = 0; fd < 256; ++fd) close(fd);
}

void DieOnce() {
  const char* path = std::getenv("DLPC_FAKE_ONCE");
  const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd < 0) return;
  close(fd);
  std::abort();
}

void LeaveGrandchild() {
  if (fork() == 0) Hang();
  std::abort();
}

/// Every array is described by the number that MakeRefusal was given: enough to tell traces apart.
class FakeBackend : public Backend {
 public:
  Claims GetClaims() override { return {"fake", "1.0", "native", "", "", "{}"}; }

  Observation Make(int, const ArraySpec& spec) override {
    if (bomb_ > 0 && --bomb_ == 0) std::abort();
    Behave(Resolve(spec.layout).elements);
    return Made{};
  }
  Observation MakeRefusal(int, uint32_t n) override {
    Made made;
    made.description = std::to_string(n);
    return made;
  }
  Observation Probe(int) override { return Done{}; }
  Observation Device(int, uint32_t) override { return Done{}; }
  Observation Export(int, int, const Request&) override { return Done{}; }
  Observation ExportMany(int, uint32_t, const Request&, bool) override { return Done{}; }
  Observation ReadOwn(int) override { return Done{}; }
  Observation Poke(int, const std::string&) override { return Done{}; }
  Observation Rename(int, Name) override { return Done{}; }
  Observation DropCapsule(int, bool) override { return Dropped{}; }
  Observation DropArray(int) override { return Done{}; }
  Observation Collect() override { return Done{}; }
  Observation RefCount(int) override { return Counted{}; }
  ManagedRef Managed(int) override { return {}; }
  bool HasArray(int) override { return true; }
  bool HasCapsule(int) override { return false; }
  void Forget(int) override {}
  Dropped RunDeleter(Thread, bool, const std::function<void()>& call) override {
    call();
    return {};
  }
  void Reset() override {}

 private:
  void Behave(int64_t behaviour) {
    switch (behaviour) {
      case kFakeSegfault:
        Segfault();
        break;
      case kFakeAbort:
        std::abort();
      case kFakeExit3:
        std::exit(3);
      case kFakeExit0:
        _exit(0);
      case kFakeHang:
        Hang();
      case kFakePrintGarbage:
        for (int i = 0; i < 64; ++i) WriteRaw(1, std::string(65536, '\xC3').data(), 65536);
        break;
      case kFakePrintThenAbort:
        for (int i = 0; i < 1000; ++i) WriteRaw(2, "\xE2\x82\xAC\xFF\x01z", 6);
        std::abort();
      case kFakeCloseDescriptors:
        CloseDescriptors();
        break;
      case kFakeEatMemory:
        EatMemory();
        break;
      case kFakeThrow:
        throw std::runtime_error("thrown by the producer");
      case kFakeGarbageReply:
        WriteRaw(g_reply_fd, "printed into descriptor 4\n", 26);
        break;
      case kFakeLongFrame:
        WriteRaw(g_reply_fd, "DLPC\x06\0\0\0\0\0\0\x40", 12);
        break;
      case kFakePoison:
        poisoned_ = true;
        break;
      case kFakeTriggered:
        if (poisoned_) std::abort();
        break;
      case kFakeTimeBomb:
        bomb_ = 5;
        break;
      case kFakeDieOnce:
        DieOnce();
        break;
      case kFakeDetachedChild:
        LeaveGrandchild();
        break;
      default:
        break;
    }
  }

  bool poisoned_ = false;
  int bomb_ = 0;
};

int Main(int argc, char** argv) {
  // A sanitizer's handlers would turn signals into exit codes.
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS}) signal(number, SIG_DFL);
  if (argc < 5) return 9;
  const std::string_view mode = argv[1];
  const int request_fd = std::atoi(argv[argc - 3]);
  g_reply_fd = std::atoi(argv[argc - 2]);
  const int progress_fd = std::atoi(argv[argc - 1]);
  if (mode == "failure") return ServeFailure("adapter.py, line 3: no such module: x\n", g_reply_fd);
  if (mode == "hang") Hang();
  if (mode == "abort") std::abort();
  if (mode == "garbage") {
    WriteRaw(g_reply_fd, "Welcome!\n", 9);
    Hang();
  }
  if (mode == "exit") {
    WriteRaw(2, "Traceback\nImportError: no x\n", 28);
    return 4;
  }
  if (mode == "descriptors") {  // Nothing of the runner's leaks in.
    for (int fd = 6; fd < 1024; ++fd) {
      if (fcntl(fd, F_GETFD) != -1) {
        return ServeFailure("descriptor " + std::to_string(fd) + " leaked", g_reply_fd);
      }
    }
  }
  FakeBackend backend;
  return ServeHost(&backend, request_fd, g_reply_fd, progress_fd);
}

}  // namespace
}  // namespace dlpc

int main(int argc, char** argv) { return dlpc::Main(argc, argv); }
