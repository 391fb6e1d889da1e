#include "conformance/fuzz_libfuzzer.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "conformance/variants.h"
#include "harness/host_process.h"
#include "harness/python_finder.h"
#include "harness/wire.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kModule = "dlpc_fuzz.abi3.so";
constexpr const char* kHostScript = "host.py";
constexpr double kStartUp = 60;  // Imports of a large framework, and the end of a campaign.
constexpr double kPause = 0.05;  // Between looks at a process.

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder that is gone in the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "dlpc-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr std::string_view kExitedWell = "host exited with code 0";

// One process after the other, until the time is over.
class Worker {
 public:
  Worker(HostCommand host, std::string module, const EngineOptions& options, fs::path folder)
      : host_(std::move(host)),
        module_(std::move(module)),
        options_(options),
        folder_(std::move(folder)) {}

  /// Why there is nothing to show, if that is so.
  std::optional<std::string> Run(double seconds, uint64_t seed) {
    if (!WriteSeeds()) return "cannot write to " + folder_.string();
    const Clock::time_point start = Clock::now();
    for (uint64_t round = 0; Since(start) < seconds; ++round) {
      const double left = std::max(1.0, seconds - Since(start));
      auto process = HostProcess::Spawn(Command(left, seed + round));
      if (!process) return process.error().message;
      const Clock::time_point born = Clock::now();
      const std::string how = Await(**process, left + kStartUp);
      const std::string tail = (*process)->OutputTail();
      // Without its statistics it did not end by itself, whatever its exit code says.
      if (CountScripts(tail) && how == kExitedWell) break;
      if (options_.Stopped()) break;
      ++deaths;
      // Dead before it could try anything: it will be so the next time.
      if (round == 0 && Since(born) < kStartUp && Records().empty() && Artifacts().empty()) {
        const char* const why =
            how == kExitedWell ? "the producer ended the interpreter (--engine own tells where): "
                               : "";
        return fmt::format("{}{}: {}", why, how, tail);
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> Inputs() const {
    std::vector<std::string> inputs = Records();
    for (std::string& artifact : Artifacts()) inputs.push_back(std::move(artifact));
    return inputs;
  }

  uint64_t scripts = 0;
  int deaths = 0;

 private:
  HostCommand Command(double seconds, uint64_t seed) const {
    HostCommand command = host_;
    const fs::path script = fs::path(module_).parent_path().parent_path() / "share" / "dlpc";
    command.env.push_back("DLPC_HOST_PY=" + command.args[0]);
    command.args[0] = (script / "fuzz_host.py").string();
    command.args[2] = module_;  // Behind --module.
    const std::vector<std::string> words = {
        "--findings",
        (folder_ / "findings").string(),
        "--version",
        VariantsVersion(),
        fmt::format("-max_total_time={}", static_cast<int>(seconds)),
        fmt::format("-seed={}", static_cast<uint32_t>(seed)),
        fmt::format("-timeout={}", std::max(1, static_cast<int>(options_.timeout_s))),
        fmt::format("-rss_limit_mb={}", options_.memory_mb),
        "-max_len=64",
        "-entropic=0",
        "-len_control=0",
        "-print_final_stats=1",
        "-verbosity=0",
        "-detect_leaks=0",
        "-seed_inputs=@" + (folder_ / "list").string(),
        "-artifact_prefix=" + folder_.string() + "/"};
    command.args.insert(command.args.end(), words.begin(), words.end());
    return command;
  }

  // The nth script of a share, with bytes behind that nothing reads and that lead to the share.
  static std::vector<uint8_t> SeedOf(size_t nth, Share share) {
    std::vector<uint8_t> bytes(32, 0);
    bytes[0] = static_cast<uint8_t>(nth);
    bytes[1] = static_cast<uint8_t>(nth >> 8);
    bytes[2] = static_cast<uint8_t>(nth % 2);
    bytes[3] = 3;
    while (ShareOf(bytes) != share && ++bytes.back() != 0) {
    }
    return bytes;
  }

  // Every script as it is, or with an array of its own: libFuzzer is slow to leave its first ideas.
  // What it finds to its liking it keeps in memory.
  bool WriteSeeds() const {
    const fs::path folder = folder_ / "seeds";
    std::error_code error;
    fs::create_directories(folder, error);
    std::ofstream list(folder_ / "list");
    int written = 0;
    for (const Share share : {Share::kBrief, Share::kQuick, Share::kDear}) {
      for (size_t i = 0; i < AllChoices().Of(share).size(); ++i) {
        const fs::path path = folder / std::to_string(written);
        std::ofstream seed(path, std::ios::binary);
        const std::vector<uint8_t> bytes = SeedOf(i, share);
        seed.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        list << (written++ == 0 ? "" : ",") << path.string();
        if (!seed || !list) return false;
      }
    }
    return true;
  }

  std::string Await(HostProcess& process, double seconds) const {
    const Clock::time_point start = Clock::now();
    while (Since(start) < seconds && !options_.Stopped()) {
      process.DrainOutput();
      if (auto how = process.HowItEnded(kPause)) {
        process.DrainOutput();
        return *how;
      }
    }
    process.Kill();
    return fmt::format("still running after {:.0f} s", seconds);
  }

  /// False: the tail has no statistics.
  bool CountScripts(const std::string& tail) {
    constexpr std::string_view kMark = "stat::number_of_executed_units:";
    const size_t at = tail.find(kMark);
    if (at == std::string::npos) return false;
    scripts += std::strtoull(tail.c_str() + at + kMark.size(), nullptr, 10);
    return true;
  }

  // Length and bytes each; what a dying process left unfinished is no input.
  std::vector<std::string> Records() const {
    const std::string bytes = ReadFile(folder_ / "findings");
    PayloadReader reader({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    std::vector<std::string> records;
    while (!reader.Rest().empty()) {
      const auto input = reader.Sized();
      if (!reader.ok()) break;
      records.emplace_back(input.begin(), input.end());
    }
    return records;
  }

  std::vector<std::string> Artifacts() const {
    std::vector<std::string> inputs;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      const std::string name = entry.path().filename().string();
      for (const char* kind : {"crash-", "timeout-", "oom-"}) {
        if (name.starts_with(kind)) inputs.push_back(ReadFile(entry.path()));
      }
    }
    return inputs;
  }

  const HostCommand host_;
  const std::string module_;
  const EngineOptions options_;
  const fs::path folder_;
};

}  // namespace

std::string FindFuzzModule() {
  const fs::path build = fs::path(ExecutableFolder()).parent_path();
  for (const fs::path& path :
       {build / "lib" / kModule, build.parent_path() / "fuzz-fast" / "lib" / kModule}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return "";
}

bool IsPythonHost(const HostCommand& host) {
  return host.args.size() > 2 && fs::path(host.args[0]).filename() == kHostScript &&
         host.args[1] == "--module";
}

Expected<LibFuzzerResult> RunLibFuzzer(const HostCommand& host, const std::string& module,
                                       const EngineOptions& engine, double seconds, uint64_t seed) {
  const Scratch scratch;
  if (scratch.path().empty()) return Error{"no temporary folder can be made"};
  std::vector<std::unique_ptr<Worker>> workers;
  for (int job = 0; job < std::max(1, engine.jobs); ++job) {
    workers.push_back(
        std::make_unique<Worker>(host, module, engine, scratch.path() / std::to_string(job)));
  }
  std::mutex mutex;
  std::optional<std::string> problem;
  std::vector<std::thread> threads;
  for (size_t job = 0; job < workers.size(); ++job) {
    threads.emplace_back([&, job] {
      auto why = workers[job]->Run(seconds, seed + 1000 * job);
      const std::lock_guard lock(mutex);
      if (why) problem = std::move(why);
    });
  }
  for (std::thread& thread : threads) thread.join();
  LibFuzzerResult result;
  for (const auto& worker : workers) {
    for (std::string& input : worker->Inputs()) result.inputs.push_back(std::move(input));
    result.scripts += worker->scripts;
    result.deaths += worker->deaths;
  }
  if (problem && result.inputs.empty()) return Error{"libFuzzer: " + *problem};
  return result;
}

}  // namespace dlpc
