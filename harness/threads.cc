#include "harness/threads.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/backend.h"

namespace dlpc {
namespace {

// Without the mutex and condition variable of the library: a thread that waits for its start must
// not look like one that waits for the interpreter lock.
void Yield() { std::this_thread::yield(); }

// Whether the thread sleeps, by /proc/self/task/ID/stat: "ID (name) S ...". A name may hold
// anything, so the last parenthesis counts.
bool Sleeps(int id) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", id);
  const int fd = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 256> text{};
  const ssize_t count = read(fd, text.data(), text.size());
  close(fd);
  if (count <= 0) return false;
  const std::string_view line(text.data(), static_cast<size_t>(count));
  const size_t end = line.rfind(')');
  return end != std::string_view::npos && end + 2 < line.size() && line[end + 2] == 'S';
}

}  // namespace

void RunTogether(const std::vector<Work>& work, const Work& meanwhile) {
  std::atomic<bool> go{false};
  std::atomic<size_t> done{0};
  std::vector<std::thread> threads;
  std::vector<const Work*> left;
  threads.reserve(work.size());
  for (const Work& each : work) {
    try {
      threads.emplace_back([&each, &go, &done] {
        while (!go.load()) Yield();
        each();
        ++done;
      });
    } catch (const std::system_error&) {
      left.push_back(&each);
    }
  }
  go.store(true);
  for (const Work* each : left) (*each)();
  while (meanwhile && done.load() < threads.size()) meanwhile();
  for (std::thread& thread : threads) thread.join();
}

void Backend::RunOnThreads(const std::vector<Work>& work) { RunTogether(work, {}); }

ForeignCall::ForeignCall(const Work& call) {
  const auto body = [this, &call] {
    id_.store(static_cast<int>(syscall(SYS_gettid)));
    call();
    done_.store(true);
  };
  try {
    thread_ = std::thread(body);
  } catch (const std::system_error&) {
    body();  // No thread to be had: the call must be made all the same.
  }
}

void ForeignCall::Join() {
  if (thread_.joinable()) thread_.join();
}

bool ForeignCall::EndsWithoutWaiting() const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(1);
  int asleep = 0;  // A short sleep, e.g. until a page is there, is not the lock.
  while (!done_.load() && asleep < 3 && Clock::now() < end) {
    const int id = id_.load();
    asleep = id != 0 && Sleeps(id) ? asleep + 1 : 0;
    if (asleep > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    } else {
      Yield();
    }
  }
  return done_.load();
}

}  // namespace dlpc
