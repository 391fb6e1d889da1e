#include "harness/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "harness/blame.h"
#include "harness/session.h"

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Tells the caller how many scripts are settled; one call at a time, numbers never go down.
class ProgressCounter {
 public:
  explicit ProgressCounter(const std::function<void(size_t)>& tell) : tell_(tell) {}
  void Add(size_t count) { done_ += count; }
  void Tell() {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    const size_t done = done_;
    if (done > std::exchange(told_, std::max(told_, done))) tell_(done);
  }

 private:
  const std::function<void(size_t)>& tell_;
  std::atomic<size_t> done_{0};
  std::mutex mutex_;
  size_t told_ = 0;
};

/// Runs one contiguous chunk of the scripts, with one host at a time, on one thread.
class Worker {
 public:
  Worker(const HostCommand& command, const EngineOptions& options,
         std::span<const Script* const> scripts, std::span<Outcome> outcomes, size_t begin,
         size_t end, ProgressCounter& progress, const Engine::Settled& tell)
      : command_(command),
        options_(options),
        scripts_(scripts),
        outcomes_(outcomes),
        begin_(begin),
        end_(end),
        progress_(progress),
        tell_(tell),
        settled_(end - begin),
        blame_(command, options, scripts) {}

  /// The host that runs first, if there is one, and what is left of the last one.
  std::unique_ptr<Session> session;
  int deaths = 0;
  uint64_t peak_rss_kb = 0;

  void Run() {
    // After a death, the scripts before it whose traces were lost in the host's buffer come first
    // and by themselves: together with the next deadly script they would be lost again.
    size_t end = end_;
    for (;;) {
      const std::vector<size_t> todo = Unsettled(end);
      if (todo.empty()) {
        if (end == end_ || deaths >= options_.max_deaths) break;
        end = end_;
        continue;
      }
      if (!EnsureSession()) break;
      const auto death = RunTodo(todo);
      if (death) session.reset();
      if (options_.Stopped()) return GiveUp(kInterrupted);
      if (!death) continue;
      if (++deaths > options_.max_deaths) break;
      if (death->script) end = Charge(todo, *death);
    }
    GiveUp(fmt::format("not run: gave up after {} host deaths", deaths));
    if (session != nullptr) peak_rss_kb = std::max(peak_rss_kb, session->PeakRssKb());
    progress_.Tell();
  }

 private:
  std::vector<size_t> Unsettled(size_t end) const {
    std::vector<size_t> list;
    for (size_t i = begin_; i < end; ++i) {
      if (!settled_[i - begin_]) list.push_back(i);
    }
    return list;
  }

  void Settle(size_t index, Outcome outcome) {
    outcomes_[index] = std::move(outcome);
    if (tell_) tell_(index, outcomes_[index]);
    if (!std::exchange(settled_[index - begin_], true)) progress_.Add(1);
  }

  /// Settles what is left as an error.
  void GiveUp(const std::string& text) {
    for (const size_t index : Unsettled(end_)) {
      Outcome outcome;
      outcome.text = text;
      Settle(index, std::move(outcome));
    }
  }

  /// False: no host can be started (tried twice), and everything is settled as an error.
  bool EnsureSession() {
    for (int attempt = 0; session == nullptr; ++attempt) {
      auto started = Session::Start(command_, options_);
      if (started) {
        session = std::move(*started);
        history_.clear();
      } else if (attempt == 1) {
        GiveUp(options_.Stopped() ? kInterrupted : "not run: " + started.error().message);
        return false;
      }
    }
    return true;
  }

  std::optional<Death> RunTodo(const std::vector<size_t>& todo) {
    std::vector<const Script*> list;
    for (const size_t index : todo) list.push_back(scripts_[index]);
    const SessionSink sink{[&](size_t i, Outcome outcome) { Settle(todo[i], std::move(outcome)); },
                           [&] { progress_.Tell(); }};
    auto death = session->Run(list, sink, kUnlimited);
    const size_t ran = death && death->script ? *death->script + 1 : todo.size();
    history_.insert(history_.end(), todo.begin(), todo.begin() + static_cast<ptrdiff_t>(ran));
    return death;
  }

  /// Settles the script that the host died in, and the one to blame. Returns the former.
  size_t Charge(const std::vector<size_t>& todo, const Death& death) {
    const size_t victim = todo[*death.script];
    Blame::Verdict verdict = blame_.Find(history_, death);
    if (verdict.survivor) Settle(victim, std::move(*verdict.survivor));
    Settle(verdict.culprit, std::move(verdict.outcome));
    return victim;
  }

  const HostCommand& command_;
  const EngineOptions& options_;
  const std::span<const Script* const> scripts_;  // All scripts; [begin_, end_) are this worker's.
  const std::span<Outcome> outcomes_;
  const size_t begin_, end_;
  ProgressCounter& progress_;
  const Engine::Settled& tell_;
  std::vector<char> settled_;
  std::vector<size_t> history_;  // What the present host ran in this run, in order.
  Blame blame_;
};

}  // namespace

// Scripts that end their host come last, each with a host to end.
bool EndsHost(const Script& script) {
  return !script.steps.empty() && script.steps.back().op == Op::kEnd;
}

// One such script, in `session`, which is gone afterwards.
Outcome RunLast(std::unique_ptr<Session> session, const Script& script) {
  Outcome outcome;
  const SessionSink sink{[&](size_t, Outcome settled) { outcome = std::move(settled); }, {}};
  const Script* const list[] = {&script};
  const auto death = session->Run(list, sink, kUnlimited);
  auto* const ended = outcome.kind == Outcome::Kind::kTrace
                          ? std::get_if<Ended>(&outcome.trace.steps.back())
                          : nullptr;
  if (ended == nullptr) return death ? DeathOutcome(*death, script) : outcome;
  const auto start = Clock::now();
  *ended = session->AwaitEnd();
  outcome.trace.duration_us += static_cast<uint32_t>(SecondsSince(start) * 1e6);
  return outcome;
}

struct Engine::Impl {
  HostCommand command;
  EngineOptions options;
  std::unique_ptr<Session> session;  // Of the calling thread; kept from run to run.

  Outcome EndWith(const Script& script);
};

Engine::Engine(HostCommand command, EngineOptions options)
    : impl_(new Impl{std::move(command), std::move(options), nullptr}) {}

Engine::~Engine() { delete impl_; }

Expected<Claims> Engine::Start() {
  if (impl_->session == nullptr) {
    const auto start = Clock::now();
    auto session = Session::Start(impl_->command, impl_->options);
    if (!session) return session.error();
    impl_->session = std::move(*session);
    stats_.start_s = SecondsSince(start);
    stats_.host_start_rss_kb = impl_->session->start_rss_kb();
  }
  return impl_->session->claims();
}

// A host that many scripts ran in may end badly because of one of them: then a fresh one decides.
Outcome Engine::Impl::EndWith(const Script& script) {
  const bool used = session != nullptr;
  if (!used) {
    auto fresh = Session::Start(command, options);
    if (!fresh) {
      Outcome outcome;
      outcome.text = "not run: " + fresh.error().message;
      return outcome;
    }
    session = std::move(*fresh);
  }
  Outcome outcome = RunLast(std::move(session), script);
  if (!used || !options.confirm) return outcome;
  const Ended* ended = outcome.kind == Outcome::Kind::kTrace
                           ? std::get_if<Ended>(&outcome.trace.steps.back())
                           : nullptr;
  const bool well = ended == nullptr ? outcome.kind == Outcome::Kind::kTrace : ended->stage == 2;
  return well ? outcome : EndWith(script);
}

std::vector<Outcome> Engine::Run(const std::vector<const Script*>& scripts,
                                 const std::function<void(size_t done)>& progress,
                                 const Settled& settled) {
  std::vector<const Script*> staying;
  std::vector<size_t> places, ending;
  for (size_t i = 0; i < scripts.size(); ++i) {
    (EndsHost(*scripts[i]) ? ending : places).push_back(i);
  }
  if (ending.empty()) return RunStaying(scripts, progress, settled);
  for (const size_t place : places) staying.push_back(scripts[place]);
  const Settled tell = [&](size_t i, const Outcome& outcome) {
    if (settled) settled(places[i], outcome);
  };
  std::vector<Outcome> some = RunStaying(staying, progress, tell);
  std::vector<Outcome> outcomes(scripts.size());
  for (size_t i = 0; i < some.size(); ++i) outcomes[places[i]] = std::move(some[i]);
  for (size_t i = 0; i < ending.size(); ++i) {
    Outcome& outcome = outcomes[ending[i]];
    outcome.text = kInterrupted;
    if (!impl_->options.Stopped()) outcome = impl_->EndWith(*scripts[ending[i]]);
    if (settled) settled(ending[i], outcome);
    if (progress) progress(some.size() + i + 1);
  }
  return outcomes;
}

std::vector<Outcome> Engine::RunStaying(const std::vector<const Script*>& scripts,
                                        const std::function<void(size_t done)>& progress,
                                        const Settled& settled) {
  std::vector<Outcome> outcomes(scripts.size());
  if (scripts.empty()) return outcomes;
  if (auto claims = Start(); !claims) {
    for (size_t i = 0; i < outcomes.size(); ++i) {
      outcomes[i].text = "not run: " + claims.error().message;
      if (settled) settled(i, outcomes[i]);
    }
    return outcomes;
  }
  const auto start = Clock::now();
  ProgressCounter counter(progress);
  const size_t jobs =
      std::clamp<size_t>(static_cast<size_t>(std::max(impl_->options.jobs, 1)), 1, scripts.size());
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < jobs; ++i) {
    const size_t begin = scripts.size() * i / jobs, end = scripts.size() * (i + 1) / jobs;
    workers.push_back(std::make_unique<Worker>(impl_->command, impl_->options, scripts, outcomes,
                                               begin, end, counter, settled));
  }
  std::vector<std::thread> threads;
  for (size_t i = 1; i < jobs; ++i) {
    // A host dies with the thread that started it (PR_SET_PDEATHSIG), so it is ended there.
    threads.emplace_back([worker = workers[i].get()] {
      worker->Run();
      worker->session.reset();
    });
  }
  workers[0]->session = std::move(impl_->session);
  workers[0]->Run();
  impl_->session = std::move(workers[0]->session);
  for (std::thread& thread : threads) thread.join();
  for (const auto& worker : workers) {
    stats_.deaths += worker->deaths;
    stats_.host_rss_kb = std::max(stats_.host_rss_kb, worker->peak_rss_kb);
  }
  stats_.run_s = SecondsSince(start);
  return outcomes;
}

}  // namespace dlpc
