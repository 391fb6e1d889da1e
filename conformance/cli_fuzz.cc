#include "conformance/cli_fuzz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "conformance/complain.h"
#include "conformance/fuzz_cross.h"
#include "conformance/fuzz_libfuzzer.h"
#include "conformance/fuzz_report.h"
#include "conformance/run.h"

namespace dlpc {
namespace {

// Requirements that the enumerated cases break: what is found beside them is news.
Expected<std::set<std::string>> KnownFailures(const HostCommand& host,
                                              const EngineOptions& engine) {
  const auto cases = Select({});
  if (!cases) return cases.error();
  const auto result = RunDirectly(host, engine, *cases);
  if (!result) return result.error();
  std::set<std::string> known;
  for (const CaseResult& c : result->cases) {
    if (IsBad(c.status)) known.insert(c.requirement);
  }
  return known;
}

void ShowProgress(uint64_t scripts, size_t findings) {
  fmt::print(stderr, "\r{} scripts, {} findings \x1b[K", scripts, findings);
}

// The module that libFuzzer comes in; empty: our own driver, which tries every kind of script and
// needs nothing. An Error where libFuzzer was asked for and is not there.
Expected<std::string> ChooseEngine(const HostCommand& host, const FuzzVerbOptions& options) {
  if (!options.replay.empty()) return std::string();
  const bool asked = options.engine_name == "libfuzzer";
  std::string module = asked && IsPythonHost(host) ? FindFuzzModule() : "";
  if (module.empty() && asked) {
    return Error{IsPythonHost(host) ? "there is no dlpc_fuzz.abi3.so: build the preset fuzz-fast"
                                    : "libFuzzer runs inside Python producers only"};
  }
  fmt::print(stderr, "engine: {}\n",
             module.empty() ? "own driver, in hosts" : "libFuzzer in the interpreter");
  return module;
}

Expected<FuzzReport> Campaign(const HostCommand& host, const FuzzVerbOptions& options) {
  if (!options.replay.empty()) {
    std::vector<std::pair<std::string, Script>> stored;
    for (const std::string& file : options.replay) {
      auto finding = ReadFinding(file);
      if (!finding) return finding.error();
      stored.push_back(std::move(*finding));
    }
    return Replay(host, options.engine, stored);
  }
  std::set<std::string> known;
  if (!options.fresh) {
    auto failures = KnownFailures(host, options.engine);
    if (!failures) return failures.error();
    known = std::move(*failures);
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  auto report = Fuzz(host, options.engine, options.fuzz, known,
                     terminal ? ShowProgress : std::function<void(uint64_t, size_t)>());
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  return report;
}

// Each in its own interpreter, the reference last: what the rules say.
int CrossVerb(const FuzzVerbOptions& options) {
  std::vector<std::string> names = {options.producer.producer};
  names.insert(names.end(), options.cross.begin(), options.cross.end());
  if (std::count(names.begin(), names.end(), "reference") == 0) names.emplace_back("reference");
  std::vector<CrossProducer> producers;
  for (const std::string& name : names) {
    ProducerOptions one;
    one.producer = name;
    auto host = ResolveHost(one);
    if (!host) return Complain(kUsage, host.error().message);
    producers.push_back({name, std::move(*host)});
  }
  const auto report = CrossFuzz(producers, options.engine, options.fuzz.seconds, options.fuzz.seed,
                                options.fuzz.most_scripts);
  if (!report) return Complain(kEngine, report.error().message);
  const std::string text = CrossText(*report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kAsExpected;
}

}  // namespace

int FuzzVerb(FuzzVerbOptions& options) {
  if (!options.cross.empty()) return CrossVerb(options);
  options.fuzz.lowest = options.level == "must"     ? Level::kMust
                        : options.level == "should" ? Level::kShould
                                                    : Level::kInfo;
  options.fuzz.until.insert(options.until.begin(), options.until.end());
  const auto host = ResolveHost(options.producer);
  if (!host) return Complain(kUsage, host.error().message);
  auto module = ChooseEngine(*host, options);
  if (!module) return Complain(kUsage, module.error().message);
  options.fuzz.module = std::move(*module);
  const auto report = Campaign(*host, options);
  if (!report) return Complain(kEngine, report.error().message);
  const bool write = options.replay.empty() && !report->findings.empty();
  if (write) {
    if (Status s = WriteFindings(options.out, *report); !s) {
      return Complain(kEngine, s.error().message);
    }
  }
  const std::string rerun = write ? fmt::format("dlpack-conformance fuzz {} --replay {}/",
                                                options.producer.producer, options.out)
                                  : "";
  const std::string text = options.json ? FuzzJson(*report) : FuzzText(*report, rerun);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return FuzzExitCode(*report);
}

}  // namespace dlpc
