#include "conformance/bench_suite.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "conformance/cli_files.h"
#include "harness/capture.h"
#include "harness/engine.h"
#include "harness/json.h"
#include "harness/python_finder.h"
#include "harness/report.h"
#include "harness/script.h"

namespace dlpc {
namespace {

constexpr double kRunLimitS = 600;
constexpr size_t kScripts = 20'000;
constexpr const char* kFuzzSeconds = "1";

BenchSeries Series(const BenchProducer& producer, const char* name, uint32_t calls) {
  BenchSeries series;
  series.producer = producer.name;
  series.topic = "Suite";
  series.name = name;
  series.calls = calls;
  return series;
}

struct Measured {
  BenchSeries run, check, start, script, fuzz;
};

void TakeMemory(const RunResult& result, const std::string& producer, BenchRun& bench) {
  for (const char* key : {"host_rss_kb", "host_start_rss_kb", "runner_rss_kb"}) {
    const auto at = result.environment.find(key);
    if (at == result.environment.end()) continue;
    bench.context[fmt::format("{} of {}", key, producer)] = at->second;
  }
}

// The program itself, as a user starts it.
Captured Self(const char* verb, const std::vector<std::string>& named,
              const std::vector<std::string>& options) {
  std::vector<std::string> command = {ExecutableFolder() + "/dlpack-conformance", verb};
  command.insert(command.end(), named.begin(), named.end());
  command.insert(command.end(), options.begin(), options.end());
  return Capture(command, kRunLimitS);
}

// A whole `run`, as a user starts it: wall time, time of one check, time until the host is ready.
Status TimeRun(const std::vector<std::string>& named, const std::string& folder, Measured& to,
               BenchRun& bench) {
  const Captured captured =
      Self("run", named, {"--out", folder, "--format", "text,json,junit,html,md,traces"});
  if (captured.exit_code < 0 || captured.exit_code > 1) {
    to.run.absent = to.check.absent = to.start.absent =
        fmt::format("run ended with {}", captured.exit_code);
    return OkStatus();
  }
  const auto result = ReadResults(folder);
  if (!result) return result.error();
  to.run.ns.push_back(1e9 * result->wall_s);
  if (result->checks_per_s > 0) to.check.ns.push_back(1e9 / result->checks_per_s);
  const auto start = result->environment.find("host_start_ms");
  if (start != result->environment.end())
    to.start.ns.push_back(1e6 * std::atof(start->second.c_str()));
  TakeMemory(*result, to.run.producer, bench);
  return OkStatus();
}

// Scripts without a step: coding, pipes and bookkeeping on both sides are all that is left.
void TimeScripts(Engine& engine, BenchSeries& series) {
  const Script nothing;
  const std::vector<const Script*> scripts(kScripts, &nothing);
  const double before = engine.stats().run_s;
  for (const Outcome& outcome : engine.Run(scripts, {})) {
    if (outcome.kind != Outcome::Kind::kTrace) series.absent = outcome.text;
  }
  series.ns.push_back(1e9 * (engine.stats().run_s - before) / kScripts);
}

// Random scripts of verb `fuzz`, performed and judged. What it prints may be longer than what is
// captured; then there were findings, and it lies in the folder too.
void TimeFuzzing(const std::vector<std::string>& named, const std::string& folder,
                 BenchSeries& series) {
  const Captured captured = Self("fuzz", named,
                                 {"--time", kFuzzSeconds, "--engine", "own", "--as-found",
                                  "--fresh", "--json", "--out", folder});
  Expected<Json> report = ParseJson(captured.output);
  if (!report) {
    const auto text = ReadRegularFile(folder + "/findings.json");
    if (text) report = ParseJson(*text);
  }
  const bool whole = report && report->is_object() && report->contains("scripts") &&
                     report->contains("seconds") && (*report)["scripts"].is_number() &&
                     (*report)["seconds"].is_number();
  const double scripts = whole ? (*report)["scripts"].get<double>() : 0;
  if (scripts <= 0) {
    series.absent = fmt::format("fuzz ended with {}", captured.exit_code);
    return;
  }
  series.ns.push_back(1e9 * (*report)["seconds"].get<double>() / scripts);
}

}  // namespace

Status MeasureSuite(const BenchProducer& producer, const std::vector<std::string>& named,
                    int repetitions, const std::string& folder, BenchRun& bench) {
  Measured measured{Series(producer, "run", 1), Series(producer, "check", 1),
                    Series(producer, "host start", 1), Series(producer, "empty script", kScripts),
                    Series(producer, "fuzz script", 1)};
  Engine engine(producer.host, {});
  if (const auto started = engine.Start(); !started) return started.error();
  for (int i = 0; i < repetitions && measured.run.absent.empty(); ++i) {
    if (Status status = TimeRun(named, folder, measured, bench); !status) return status;
    TimeScripts(engine, measured.script);
    TimeFuzzing(named, folder + "/fuzz", measured.fuzz);
  }
  for (BenchSeries* series :
       {&measured.run, &measured.check, &measured.start, &measured.script, &measured.fuzz}) {
    if (!series->absent.empty()) series->ns.clear();
    bench.series.push_back(std::move(*series));
  }
  return OkStatus();
}

}  // namespace dlpc
