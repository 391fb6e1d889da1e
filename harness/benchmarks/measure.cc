// How the loops are run.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <thread>

#include "harness/benchmarks/benchmarks.h"
#include "harness/benchmarks/statistics.h"
#include "harness/session.h"

namespace dlpc {
namespace {

constexpr uint64_t kLarge = uint64_t{16} << 20;  // Arrays of this size are made once, not in turns.
constexpr uint64_t kMostCopied = uint64_t{1} << 20;
constexpr uint32_t kMostCalls = 100'000;
constexpr int kFirstCalls = 3;        // Fresh processes for the cost of the first call.
constexpr int kHeapRounds = 3;        // After one that fills caches; the least of them counts.
constexpr uint32_t kHeapCalls = 256;  // CPython keeps up to 80 freed objects of a type for reuse.
constexpr uint32_t kHeapCallsLarge = 16;

double PerCall(const Timing& timing, uint32_t calls) {
  return static_cast<double>(timing.ns) / calls;
}

// One producer with the process that it lives in.
class Subject {
 public:
  Subject(BenchProducer producer, const BenchOptions& options)
      : producer_(std::move(producer)), options_(options) {
    engine_.timeout_s = options.timeout_s;
  }

  const std::string& name() const { return producer_.name; }

  Status Start() {
    auto session = Session::Start(producer_.host, engine_);
    if (!session) return Error{producer_.name + ": " + session.error().message};
    session_ = std::move(*session);
    claims_ = session_->claims();
    return OkStatus();
  }

  const Claims& claims() const { return claims_; }

  /// The death of the host is the answer; the next question meets a new one.
  Timing Measure(const Measurement& m) {
    if (session_ == nullptr && !Start()) return {"the host does not start again", 0, {}};
    auto timing = session_->Measure(m, options_.timeout_s);
    if (timing) return *timing;
    session_.reset();
    return {timing.error().message, 0, {}};
  }

  /// As many calls as take the time that a repetition is to take.
  uint32_t Calibrate(Measurement m, std::string& absent) {
    for (m.calls = m.threads;; m.calls *= 8) {
      const Timing timing = Measure(m);
      absent = timing.absent;
      if (!absent.empty()) return 0;
      const double ns = std::max(PerCall(timing, m.calls), 1.0);
      if (ns * m.calls < 4e5 && m.calls < kMostCalls) continue;
      const auto calls =
          static_cast<uint32_t>(std::min<double>(options_.target_s * 1e9 / ns, kMostCalls));
      return std::max<uint32_t>(calls / m.threads, 1) * m.threads;
    }
  }

 private:
  const BenchProducer producer_;
  const BenchOptions& options_;
  EngineOptions engine_;
  std::unique_ptr<Session> session_;
  Claims claims_;  // They outlive the host.
};

class Runner {
 public:
  Runner(const std::vector<BenchProducer>& producers, const BenchOptions& options)
      : producers_(producers), options_(options) {
    const int cpus = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    cases_ = BenchCases(options.max_bytes, std::clamp(2 * cpus, 2, 16));
  }

  Expected<BenchRun> Run();

 private:
  Status MeasureFirstCalls();
  void Interleaved(const std::vector<size_t>& cases, const std::vector<size_t>& subjects);
  void CountHeap(size_t subject);
  void Tell(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  BenchSeries& At(size_t c, size_t subject) {
    return run_.series[first_ + subject * cases_.size() + c];
  }

  const std::vector<BenchProducer>& producers_;
  const BenchOptions& options_;
  std::vector<BenchCase> cases_;
  std::vector<Subject> subjects_;
  BenchRun run_;
  size_t first_ = 0;  // Where the series of cases_ begin.
};

// Each in a fresh process: what lazy set-up costs. The last process stays.
Status Runner::MeasureFirstCalls() {
  Measurement m;
  m.what = Timed::kExportRelease;
  m.bytes = 4096;
  for (Subject& subject : subjects_) {
    BenchSeries series;
    series.producer = subject.name();
    series.topic = "First";
    series.name = "release versioned";
    series.bytes = m.bytes;
    series.calls = 1;
    for (int i = 0; i < kFirstCalls; ++i) {
      Tell("starting " + subject.name());
      if (Status started = subject.Start(); !started) return started;
      const Timing timing = subject.Measure(m);
      series.absent = timing.absent;
      if (timing.absent.empty()) series.ns.push_back(PerCall(timing, 1));
    }
    run_.producers.push_back(subject.name());
    run_.versions[subject.name()] = subject.claims().version;
    if (!subject.claims().interpreter.empty()) {
      run_.context["interpreter of " + subject.name()] = subject.claims().interpreter;
    }
    run_.series.push_back(std::move(series));
  }
  return OkStatus();
}

void Runner::Interleaved(const std::vector<size_t>& cases, const std::vector<size_t>& subjects) {
  for (const size_t c : cases) {
    for (const size_t s : subjects) {
      BenchSeries& series = At(c, s);
      series.calls = subjects_[s].Calibrate(cases_[c].measurement, series.absent);
    }
  }
  for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
    for (const size_t c : cases) {
      for (const size_t s : subjects) {
        BenchSeries& series = At(c, s);
        if (!series.absent.empty()) continue;
        Measurement m = cases_[c].measurement;
        m.calls = series.calls;
        const Timing timing = subjects_[s].Measure(m);
        series.absent = timing.absent;
        if (timing.absent.empty()) series.ns.push_back(PerCall(timing, m.calls));
      }
    }
  }
}

void KeepLeast(const HeapUse& use, uint32_t calls, std::optional<HeapPerCall>& least) {
  const HeapPerCall now{static_cast<double>(use.blocks) / calls,
                        static_cast<double>(use.bytes) / calls,
                        static_cast<double>(use.kept_blocks) / calls};
  if (!least) {
    least = now;
    return;
  }
  least->blocks = std::min(least->blocks, now.blocks);
  least->bytes = std::min(least->bytes, now.bytes);
  least->kept_blocks = std::min(least->kept_blocks, now.kept_blocks);
}

// In a process of its own: the counter slows every allocation down.
void Runner::CountHeap(size_t s) {
  BenchProducer counted = producers_[s];
  counted.host.env.push_back("LD_PRELOAD=" + options_.allocations);
  counted.host.env.emplace_back("PYTHONMALLOC=malloc");
  Subject subject(counted, options_);
  for (size_t c = 0; c < cases_.size(); ++c) {
    BenchSeries& series = At(c, s);
    Measurement m = cases_[c].measurement;
    if (!series.absent.empty() || cases_[c].topic == "Threads" || m.what == Timed::kMemcpy)
      continue;
    m.calls = m.bytes > kMostCopied ? kHeapCallsLarge : kHeapCalls;
    subject.Measure(m);  // Caches.
    for (int round = 0; round < kHeapRounds; ++round) {
      const Timing timing = subject.Measure(m);
      if (timing.absent.empty() && timing.heap) KeepLeast(*timing.heap, m.calls, series.heap);
    }
  }
}

Expected<BenchRun> Runner::Run() {
  run_.context = MachineContext();
  for (const BenchProducer& producer : producers_) subjects_.emplace_back(producer, options_);
  if (Status started = MeasureFirstCalls(); !started) return started.error();
  first_ = run_.series.size();
  std::vector<size_t> small, everybody;
  std::map<uint64_t, std::vector<size_t>> large;
  for (size_t s = 0; s < subjects_.size(); ++s) {
    everybody.push_back(s);
    for (size_t c = 0; c < cases_.size(); ++c) {
      const Measurement& m = cases_[c].measurement;
      run_.series.push_back({subjects_[s].name(),
                             cases_[c].topic,
                             cases_[c].name,
                             m.bytes,
                             m.ndim,
                             m.threads,
                             0,
                             {},
                             {},
                             ""});
      if (s > 0) continue;
      if (m.bytes < kLarge) small.push_back(c);
      if (m.bytes >= kLarge) large[m.bytes].push_back(c);
    }
  }
  Tell(fmt::format("{} loops, {} repetitions", small.size(), options_.repetitions));
  Interleaved(small, everybody);
  for (const size_t s : everybody) {
    for (const auto& [bytes, cases] : large) {
      Tell(fmt::format("{}: {} MiB", subjects_[s].name(), bytes >> 20));
      Interleaved(cases, {s});
    }
    Measurement drop;  // The large array goes before the next producer's comes.
    drop.what = Timed::kDevice;
    drop.bytes = 4;
    subjects_[s].Measure(drop);
  }
  subjects_.clear();
  for (const size_t s : everybody) {
    if (options_.allocations.empty()) break;
    Tell(producers_[s].name + ": allocations");
    CountHeap(s);
  }
  return std::move(run_);
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

std::map<std::string, std::string> MachineContext() {
  utsname name{};
  uname(&name);
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return {{"date", date},
          {"cpu", CpuModel()},
          {"num_cpus", std::to_string(std::thread::hardware_concurrency())},
          {"machine", name.machine},
          {"kernel", name.release},
          {"repetitions_are", "interleaved"}};
}

Expected<BenchRun> RunBenchmarks(const std::vector<BenchProducer>& producers,
                                 const BenchOptions& options) {
  return Runner(producers, options).Run();
}

double BenchSeries::median() const { return Median(ns); }

const BenchSeries* BenchRun::Find(std::string_view producer, std::string_view topic,
                                  std::string_view name, uint64_t bytes) const {
  for (const BenchSeries& s : series) {
    if (s.producer == producer && s.topic == topic && s.name == name && s.bytes == bytes) {
      return s.ns.empty() ? nullptr : &s;
    }
  }
  return nullptr;
}

}  // namespace dlpc
