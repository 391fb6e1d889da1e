// The host's side of the wire. Runs next to vendor code: prints nothing, trusts nothing about the
// state of the process, and leaves quietly when the runner is gone.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "harness/engine.h"
#include "harness/interpose.h"
#include "harness/machine.h"
#include "harness/wire.h"

namespace dlpc {
namespace {

constexpr size_t kFlushAt = size_t{64} << 10;
constexpr uint64_t kFlushAfterUs = 50'000;  // Slow producers: the runner shows progress.

constexpr int kExitQuiet = 0;
constexpr int kExitBadRequest = 2;
constexpr int kExitNoBackend = 3;

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// The page shared with the runner, or a private stand-in when there is none.
class ProgressMapping {
 public:
  explicit ProgressMapping(int fd) {
    if (fd < 0) return;
    page_ = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  ProgressMapping(const ProgressMapping&) = delete;
  ProgressMapping& operator=(const ProgressMapping&) = delete;
  Progress* get() { return page_ == MAP_FAILED ? &own_ : static_cast<Progress*>(page_); }

 private:
  void* page_ = MAP_FAILED;
  Progress own_;
};

// What is left to do when the interpreter is gone. Never destroyed.
struct Afterlife {
  Progress* progress = nullptr;
  std::vector<ManagedRef> kept;
};
Afterlife& TheAfterlife() {
  static auto* const afterlife = new Afterlife;
  return *afterlife;
}

// Handlers run in reverse order, so this one comes before those of the producer's libraries.
void AfterInterpreter() {
  const Afterlife& afterlife = TheAfterlife();
  afterlife.progress->stage.store(1);
  for (const ManagedRef& ref : afterlife.kept) {
    DeleterCall{ref, const_cast<void*>(ReadDeleter(ref).deleter)}.Run();
  }
  afterlife.progress->stage.store(2);
}

void KeepUntilExit(Progress* progress, const std::vector<ManagedRef>& kept) {
  TheAfterlife() = {progress, kept};
  std::atexit(AfterInterpreter);
}

class Server {
 public:
  Server(Backend* backend, int reply_fd, Progress* progress)
      : backend_(backend), progress_(progress), machine_(backend, progress), reply_fd_(reply_fd) {
    machine_.AllowEnd();
  }

  /// The exit code when the host must leave after this request.
  std::optional<int> Answer(const FrameView& request) {
    switch (request.kind) {
      case Frame::kHello:
        return Hello(request.payload);
      case Frame::kBatch:
        if (const auto leave = Batch(request.payload)) return leave;
        if (machine_.Kept().empty()) return {};
        KeepUntilExit(progress_, machine_.Kept());
        backend_->EndInterpreter();
        return kHostEnds;
      case Frame::kMeasure:
        return Measure(request.payload);
      case Frame::kQuit:
        return kExitQuiet;
      default:
        return Refuse("the host got a request that is none");
    }
  }

  int Refuse(std::string_view why) {
    AppendFrame(Frame::kFailure, why, out_);
    Flush();
    return kExitBadRequest;
  }

 private:
  std::optional<int> Flush() {
    const bool written = WriteAll(reply_fd_, out_);
    out_.clear();
    unflushed_us_ = 0;
    if (!written) return kExitQuiet;  // The runner is gone.
    return {};
  }

  std::optional<int> Hello(std::span<const uint8_t> payload) {
    const uint32_t version = PayloadReader(payload).U32();
    if (version != kWireVersion) {
      return Refuse(
          fmt::format("the host speaks wire version {}, the runner {}: mixed installations?",
                      kWireVersion, version));
    }
    try {
      AppendClaims(backend_->GetClaims(), out_);
    } catch (const std::exception& e) {
      return Refuse(fmt::format("the producer's claims could not be read: {}", e.what()));
    }
    return Flush();
  }

  std::optional<int> Batch(std::span<const uint8_t> payload) {
    PayloadReader reader(payload);
    const uint32_t first = reader.U32();
    const uint32_t count = reader.U32();
    for (uint32_t i = 0; i < count; ++i) {
      const auto script = reader.Sized();
      if (!reader.ok()) return Refuse("the host got a batch that ends too early");
      RunScript(first + i, script);
      if (out_.size() < kFlushAt && unflushed_us_ < kFlushAfterUs) continue;
      if (const auto leave = Flush()) return leave;
    }
    const size_t frame = BeginFrame(Frame::kBatchEnd, out_);
    AppendU32(first + count - 1, out_);
    EndFrame(frame, out_);
    if (const auto leave = Flush()) return leave;
    // Only now: until its trace is on its way, a script is to blame for the host's death.
    progress_->script.store(0, std::memory_order_release);
    return {};
  }

  std::optional<int> Measure(std::span<const uint8_t> payload) {
    const Measurement measurement = DecodeMeasurement(payload);
    Timing timing;
    try {
      const PinnedToOneCpu pinned(measurement.threads <= 1);
      const auto floor = TimeFloor(measurement);
      timing = floor ? *floor : backend_->Time(measurement);
    } catch (const std::exception& e) {
      timing = {fmt::format("C++ exception in the host: {}", e.what()), 0, {}};
    }
    AppendFrame(Frame::kTiming, EncodeTiming(timing), out_);
    return Flush();
  }

  void RunScript(uint32_t number, std::span<const uint8_t> bytes) {
    progress_->step.store(0, std::memory_order_relaxed);
    progress_->script.store(number, std::memory_order_release);
    const size_t frame = out_.size();
    try {
      const Trace trace = machine_.Run(DecodeScript(bytes));
      BeginFrame(Frame::kTrace, out_);
      AppendU32(number, out_);
      EncodeTrace(trace, out_);
      EndFrame(frame, out_);
      unflushed_us_ += trace.duration_us;
      if (out_.size() - frame <= kMaxFrame) return;
      Fault(frame, number, "the trace is too long for the wire");
    } catch (const std::exception& e) {
      Fault(frame, number, fmt::format("C++ exception in the host: {}", e.what()));
    } catch (...) {
      Fault(frame, number, "C++ exception in the host, of a class unknown to us");
    }
  }

  void Fault(size_t frame, uint32_t number, std::string_view text) {
    out_.resize(frame);
    BeginFrame(Frame::kFault, out_);
    AppendU32(number, out_);
    out_.append(text);
    EndFrame(frame, out_);
    try {
      backend_->Reset();
    } catch (...) {  // Already reported once; the next script will tell if it matters.
    }
  }

  Backend* backend_;
  Progress* progress_;
  Machine machine_;
  int reply_fd_;
  std::string out_;
  uint64_t unflushed_us_ = 0;
};

void PrepareProcess(std::initializer_list<int> fds) {
  signal(SIGPIPE, SIG_IGN);
  // A program that vendor code starts must not keep the pipes open after the host's death.
  for (const int fd : fds) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

}  // namespace

int ServeHost(Backend* backend, int request_fd, int reply_fd, int progress_fd) {
  PrepareProcess({request_fd, reply_fd, progress_fd});
  // Not unmapped: it is written until the very end. Static, so that it is no leak.
  static ProgressMapping* progress = nullptr;
  progress = new ProgressMapping(progress_fd);
  Server server(backend, reply_fd, progress->get());
  FrameReader reader;
  for (;;) {
    const auto request = reader.Next();
    if (!request) return server.Refuse("the host got " + request.error().message);
    if (request->has_value()) {
      if (const auto leave = server.Answer(**request)) return *leave;
    } else if (reader.Fill(request_fd) == FrameReader::FillResult::kEnd) {
      return kExitQuiet;
    }
  }
}

int ServeFailure(const std::string& message, int reply_fd) {
  PrepareProcess({reply_fd});
  std::string out;
  AppendFrame(Frame::kFailure, message, out);
  WriteAll(reply_fd, out);
  return kExitNoBackend;
}

}  // namespace dlpc
