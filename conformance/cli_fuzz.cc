#include "conformance/cli_fuzz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "conformance/complain.h"
#include "conformance/fuzz_cross.h"
#include "conformance/fuzz_libfuzzer.h"
#include "conformance/fuzz_report.h"
#include "conformance/interrupt.h"
#include "conformance/run.h"
#include "harness/report.h"

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

using Stored = std::vector<std::pair<std::string, Script>>;

Expected<Stored> ReadAll(const std::vector<std::string>& files) {
  Stored stored;
  for (const std::string& file : files) {
    if (std::filesystem::path(file).filename() == "findings.json") continue;  // "*.json"
    auto finding = ReadFinding(file);
    if (!finding) return finding.error();
    stored.push_back(std::move(*finding));
  }
  if (stored.empty() && !files.empty()) return Error{files[0] + ": a list of findings, not one"};
  return stored;
}

Expected<FuzzReport> Campaign(const HostCommand& host, const FuzzVerbOptions& options,
                              const Stored& stored) {
  if (!stored.empty()) return Replay(host, options.engine, stored);
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

// Options that say nothing, or nothing together, are refused: silence would look like a result.
Status CheckOptions(const FuzzVerbOptions& options) {
  for (const std::string& glob : options.fuzz.globs) {
    if (!MatchesRegister(glob)) return Error{"no requirement matches '" + glob + "' (see: list)"};
  }
  for (const std::string& id : options.until) {
    if (FindRequirement(id) == nullptr) return Error{"there is no requirement '" + id + "'"};
  }
  const ProducerOptions& p = options.producer;
  const bool other = !p.object.empty() || !p.adapter.empty() || !p.python.empty() ||
                     !p.mutant.empty() || !options.replay.empty() || options.json;
  if (!options.cross.empty() && other) {
    return Error{"--cross takes names of producers, --time, --runs, --seed, --timeout, no others"};
  }
  const bool counted = options.fuzz.most_scripts > 0 || !options.until.empty();
  if (options.engine_name == "libfuzzer" && counted) {
    return Error{"--runs and --until are of the own engine; libfuzzer has --time"};
  }
  return OkStatus();
}

// As a shell takes it for one word.
std::string Word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// The command up to its options that tells which producer it was.
std::string AgainWords(const ProducerOptions& p) {
  std::string words = "dlpack-conformance fuzz";
  if (!p.producer.empty()) words += " " + Word(p.producer);
  const std::pair<const char*, const std::string&> kGiven[] = {{"--object", p.object},
                                                               {"--adapter", p.adapter},
                                                               {"--python", p.python},
                                                               {"--mutant", p.mutant}};
  for (const auto& [option, value] : kGiven) {
    if (!value.empty()) words += fmt::format(" {} {}", option, Word(value));
  }
  return words;
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
  if (Status fit = CheckOptions(options); !fit) return Complain(kUsage, fit.error().message);
  if (!options.cross.empty()) return CrossVerb(options);
  options.engine.stop = StopOnSignals();
  options.fuzz.lowest = LowestLevel(options.level);
  options.fuzz.until.insert(options.until.begin(), options.until.end());
  const auto stored = ReadAll(options.replay);
  if (!stored) return Complain(kUsage, stored.error().message);
  const auto host = ResolveHost(options.producer);
  if (!host) return Complain(kUsage, host.error().message);
  auto module = ChooseEngine(*host, options);
  if (!module) return Complain(kUsage, module.error().message);
  options.fuzz.module = std::move(*module);
  const bool writes = options.replay.empty();
  if (writes) {  // Now, not after an hour.
    if (Status ready = PrepareReportDir(options.out); !ready) {
      return Complain(kEngine, ready.error().message);
    }
  }
  const auto report = Campaign(*host, options, *stored);
  if (!report) return Complain(kEngine, report.error().message);
  const std::string rerun =
      writes ? fmt::format("{} --replay {}/", AgainWords(options.producer), Word(options.out)) : "";
  const std::string text = options.json ? FuzzJson(*report) : FuzzText(*report, rerun);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (writes) {
    if (Status s = WriteFindings(options.out, *report); !s) {
      return Complain(kEngine, s.error().message);
    }
  }
  if (report->interrupted) return Complain(kEngine, "the campaign was interrupted");
  return FuzzExitCode(*report);
}

}  // namespace dlpc
