#include "harness/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace dlpc {
namespace {

constexpr int kTickMs = 20;
constexpr int kStartFactor = 12;         // Start-up may take so many times the limit of a script.
constexpr double kLeaveGraceS = 2;       // For destructors at exit.
constexpr size_t kBatchBytes = 1 << 20;  // A batch is cut here, whatever its number of scripts.
constexpr double kLongestWaitS = 1e8;    // Keeps sums of time points in range.

std::chrono::steady_clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kLongestWaitS)));
}

std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string OneLine(std::string_view text) {
  std::string line = CleanText(text);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// The line that says most. Of a crash in Python: where, faulthandler writes more after it.
std::string TellingLine(std::string text) {
  constexpr std::string_view kFrames = "(most recent call first):\n";
  if (const size_t at = text.find(kFrames); at != std::string::npos) {
    text.erase(0, text.find_first_not_of(' ', at + kFrames.size()));
    return text.substr(0, text.find('\n'));
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Outcome ErrorOutcome(std::string text) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kError;
  outcome.text = std::move(text);
  return outcome;
}

}  // namespace

// ---- Start and end ------------------------------------------------------------------------------

Expected<std::unique_ptr<Session>> Session::Start(const HostCommand& command,
                                                  const EngineOptions& options) {
  std::unique_ptr<Session> session(new Session(options));
  auto host = HostProcess::Spawn(command);
  if (!host) return host.error();
  session->host_ = std::move(*host);
  if (auto error = session->AwaitClaims()) {
    session->dead_ = true;
    return *error;
  }
  session->start_rss_kb_ = session->host_->ResidentKb();
  return session;
}

Session::~Session() {
  if (host_ != nullptr && !dead_) host_->Leave(kLeaveGraceS);
}

Error Session::NotReady(const std::string& why) {
  host_->DrainOutput();
  const std::string line = TellingLine(host_->OutputTail());
  return Error{why + (line.empty() ? "" : ": " + line)};
}

std::optional<Error> Session::AwaitClaims() {
  const size_t frame = BeginFrame(Frame::kHello, out_);
  AppendU32(kWireVersion, out_);
  EndFrame(frame, out_);
  const double limit_s = kStartFactor * options_.timeout_s;
  const auto end = Clock::now() + Seconds(limit_s);
  while (Clock::now() < end) {
    if (options_.Stopped()) return NotReady("interrupted");
    const bool exited = host_->Exited();  // Asked first: what it sent is then in the pipe.
    const auto got = Pump();
    const auto reply = reader_.Next();
    if (!reply) {
      return NotReady(fmt::format("host sent {} before it was ready", reply.error().message));
    }
    if (reply->has_value() && (*reply)->kind == Frame::kFailure) {
      return Error{OneLine(AsText((*reply)->payload))};
    }
    if (reply->has_value()) {
      auto claims = ParseClaims((*reply)->payload);
      if ((*reply)->kind != Frame::kClaims || !claims) {
        return NotReady("host sent something else than its claims");
      }
      claims_ = std::move(*claims);
      return {};
    }
    const bool silent = exited && got == FrameReader::FillResult::kNothing;
    if (got == FrameReader::FillResult::kEnd || silent) {
      const auto how = host_->HowItEnded(kExitGraceS);
      if (!how) return NotReady("host closed its reply pipe before it was ready");
      const char* verb = how->starts_with("host") ? "" : "host died of ";
      return NotReady(fmt::format("{}{} before it was ready", verb, *how));
    }
  }
  return NotReady(fmt::format("host was not ready within {:g} s", limit_s));
}

// ---- Moving bytes -------------------------------------------------------------------------------

FrameReader::FillResult Session::Pump() {
  const bool sending = out_begin_ < out_.size();
  pollfd fds[] = {{host_->reply_fd(), POLLIN, 0},
                  {host_->output_fd(), POLLIN, 0},
                  {sending ? host_->request_fd() : -1, POLLOUT, 0}};
  if (poll(fds, 3, kTickMs) <= 0) return FrameReader::FillResult::kNothing;
  if (fds[2].revents != 0) Send();
  if (fds[1].revents != 0) host_->DrainOutput();
  if (fds[0].revents == 0) return FrameReader::FillResult::kNothing;
  return reader_.Fill(host_->reply_fd());
}

void Session::Send() {
  while (out_begin_ < out_.size()) {
    const ssize_t count =
        send(host_->request_fd(), out_.data() + out_begin_, out_.size() - out_begin_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) break;  // The host closed its end: what follows shows in its replies.
    out_begin_ += static_cast<size_t>(count);
  }
  out_.clear();
  out_begin_ = 0;
}

/// Two batches are under way, so that the host never waits for the runner.
void Session::QueueBatches() {
  const size_t batch = static_cast<size_t>(std::max(options_.batch, 1));
  while (open_batches_ < 2 && sent_ < scripts_.size()) {
    const size_t frame = BeginFrame(Frame::kBatch, out_);
    AppendU32(base_ + static_cast<uint32_t>(sent_) + 1, out_);
    const size_t count_at = out_.size();
    AppendU32(0, out_);
    uint32_t count = 0;
    for (; count < batch && sent_ < scripts_.size() && out_.size() - frame < kBatchBytes; ++count) {
      const std::string bytes = EncodeScript(*scripts_[sent_++]);
      AppendU32(static_cast<uint32_t>(bytes.size()), out_);
      out_ += bytes;
    }
    std::string number;
    AppendU32(count, number);
    out_.replace(count_at, number.size(), number);
    EndFrame(frame, out_);
    ++open_batches_;
  }
  Send();
}

/// Handles every whole frame that is there; a text when the bytes are no replies.
std::optional<std::string> Session::Receive() {
  const size_t before = answered_;
  std::optional<std::string> wrong;
  while (!wrong) {
    const auto frame = reader_.Next();
    if (!frame) wrong = frame.error().message;
    if (!frame || !frame->has_value()) break;
    wrong = Accept(**frame);
  }
  if (answered_ > before && sink_->pulse) sink_->pulse();
  return wrong;
}

std::optional<std::string> Session::Accept(const FrameView& frame) {
  PayloadReader payload(frame.payload);
  const uint32_t number = payload.U32();
  switch (frame.kind) {
    case Frame::kTrace:
    case Frame::kFault:
      if (answered_ >= sent_ || number != base_ + answered_ + 1) return "a trace out of turn";
      Settle(frame.kind, payload.Rest());
      return {};
    case Frame::kBatchEnd:
      if (open_batches_ == 0 || number != base_ + answered_) return "a batch's end out of turn";
      --open_batches_;
      return {};
    case Frame::kFailure:
      return OneLine(AsText(frame.payload));
    default:
      return "a frame that is no reply to scripts";
  }
}

void Session::Settle(Frame kind, std::span<const uint8_t> payload) {
  const size_t index = answered_++;
  if (kind == Frame::kFault) return sink_->settle(index, ErrorOutcome(OneLine(AsText(payload))));
  auto trace = DecodeTrace(payload);
  if (!trace) {
    return sink_->settle(index, ErrorOutcome("host sent an unreadable " + trace.error().message));
  }
  // Judges take observations by the step's index.
  const size_t steps = scripts_[index]->steps.size();
  if (trace->steps.size() != steps) {
    return sink_->settle(index, ErrorOutcome(fmt::format("host sent {} observations for {} steps",
                                                         trace->steps.size(), steps)));
  }
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace = std::move(*trace);
  sink_->settle(index, std::move(outcome));
}

// ---- The loop -----------------------------------------------------------------------------------

std::optional<Death> Session::Run(std::span<const Script* const> scripts, const SessionSink& sink,
                                  double limit_s) {
  scripts_ = scripts;
  sink_ = &sink;
  base_ += static_cast<uint32_t>(answered_);
  sent_ = answered_ = 0;
  seen_script_ = 0;
  seen_answered_ = 0;
  changed_ = ticked_ = Clock::now();
  deadline_ = changed_ + Seconds(limit_s);
  while (answered_ < scripts_.size() || open_batches_ > 0) {
    QueueBatches();
    const auto got = Pump();
    if (auto wrong = Receive()) {
      return Die(Outcome::Kind::kCrash, "host sent " + *wrong, /*salvage=*/false);
    }
    if (got == FrameReader::FillResult::kEnd) return DieOfExit();
    if (Clock::now() - ticked_ >= std::chrono::milliseconds(kTickMs)) {
      if (auto death = CheckLimits()) return death;
    }
  }
  return {};
}

Ended Session::AwaitEnd() {
  const auto end = Clock::now() + Seconds(options_.timeout_s);
  while (!host_->Exited() && Clock::now() < end) {
    pollfd wait{host_->output_fd(), POLLIN, 0};
    poll(&wait, host_->output_fd() < 0 ? 0 : 1, kTickMs);
    host_->DrainOutput();
  }
  Ended ended;
  ended.how =
      host_->HowItEnded(0).value_or(fmt::format("still running after {:g} s", options_.timeout_s));
  ended.stage = host_->progress().stage.load();
  dead_ = true;
  host_->Kill();
  return ended;
}

std::optional<Death> Session::CheckLimits() {
  ticked_ = Clock::now();
  const uint32_t script = host_->progress().script.load(std::memory_order_acquire);
  if (script != seen_script_ || answered_ != seen_answered_) changed_ = ticked_;
  seen_script_ = script;
  seen_answered_ = answered_;
  // A grandchild may hold the pipes open, so their end is not the only sign.
  if (host_->Exited()) return DieOfExit();
  if (host_->ResidentKb() / 1024 > options_.memory_mb) {
    return Die(Outcome::Kind::kCrash,
               fmt::format("used more than {} MB of memory", options_.memory_mb), true);
  }
  if (ticked_ - changed_ > Seconds(options_.timeout_s)) {
    return Die(Outcome::Kind::kTimeout, fmt::format("no answer within {:g} s", options_.timeout_s),
               true);
  }
  if (ticked_ <= deadline_ && !options_.Stopped()) return {};
  Death death = Die(Outcome::Kind::kError, "the sequence took too long", false);
  death.script.reset();
  return death;
}

Death Session::DieOfExit() {
  // Before waiting: a host that merely closed its pipes runs on into later scripts.
  const Place place = CurrentPlace();
  const auto how = host_->HowItEnded(kExitGraceS);
  return Die(Outcome::Kind::kCrash, how.value_or("host closed its reply pipe"), true, place);
}

Session::Place Session::CurrentPlace() const {
  return {host_->progress().script.load(std::memory_order_acquire),
          host_->progress().step.load(std::memory_order_acquire)};
}

/// Ends the host. `salvage`: replies that are still in the pipe count.
Death Session::Die(Outcome::Kind kind, std::string what, bool salvage, std::optional<Place> place) {
  if (!place) place = CurrentPlace();
  Death death;
  death.kind = kind;
  death.what = std::move(what);
  dead_ = true;
  host_->Kill();
  host_->HowItEnded(kExitGraceS);
  while (salvage && reader_.Fill(host_->reply_fd()) == FrameReader::FillResult::kData) {
    if (Receive()) break;
  }
  host_->DrainOutput();
  death.stderr_tail = host_->OutputTail();
  Charge(death, *place, salvage);
  return death;
}

/// Whose death it is, by the progress word. An idle host died of the last script that it ran; when
/// its replies became unreadable, that is the last one that it was sent.
void Session::Charge(Death& death, const Place& place, bool salvaged) const {
  const size_t settled = death.kind == Outcome::Kind::kTimeout ? 0 : answered_;
  const bool running = place.script > base_ + settled && place.script <= base_ + sent_;
  const size_t ran = salvaged ? answered_ : sent_;
  if (!running && ran == 0) return;
  death.script = running ? place.script - base_ - 1 : ran - 1;
  const auto steps = static_cast<uint32_t>(scripts_[*death.script]->steps.size());
  death.step = running ? std::min(place.step, steps) : steps;
}

}  // namespace dlpc
