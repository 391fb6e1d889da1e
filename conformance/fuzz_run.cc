#include "conformance/fuzz_run.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

#include "conformance/fuzz_fold.h"
#include "conformance/fuzz_libfuzzer.h"
#include "conformance/stop_clock.h"

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBatch = 2048;            // Scripts between looks at the clock.
constexpr size_t kJobsBatch = 8 * kBatch;  // All hosts but the first start anew for each batch.
constexpr size_t kInputBytes = 64;         // More than a variant uses.
constexpr size_t kMostMessages = 8;        // Of one requirement; the rest is counted with the last.
constexpr int kMostShrinkRounds = 40;
constexpr double kGrace = 1;         // Seconds that a batch may go on after the time is over.
constexpr double kLeastShrink = 10;  // Seconds for simpler scripts; more in long campaigns.

// What of the catalogue's script a fuzzer never changes. Judges rely on it.
bool IsVariant(const Template& origin, const Script& script) {
  const Script& original = origin.script->script;
  if (original.specs.size() != script.specs.size()) return false;
  if (origin.negotiation) {  // One call of any kind, and perhaps its control.
    return script.steps.size() >= 2 && script.steps.size() <= 3 &&
           script.steps[0].op == Op::kMake && script.steps[1].op == Op::kExport &&
           script.steps.back().op == Op::kExport;
  }
  return std::equal(original.steps.begin(), original.steps.end(), script.steps.begin(),
                    script.steps.end(), [](const Step& a, const Step& b) {
                      return a.op == b.op && a.a == b.a && a.e == b.e && a.spec == b.spec;
                    });
}

// One campaign against one producer.
class Campaign {
 public:
  Campaign(const HostCommand& host, const EngineOptions& engine, const FuzzOptions& options)
      : clock_(engine.stop),
        engine_(host, Patient(engine, clock_)),
        jobs_(engine.jobs),
        options_(options),
        random_(options.seed) {}

  Expected<Claims> Start() {
    auto claims = engine_.Start();
    if (claims) {
      report_.claims = *claims;
      choices_ = ChoicesOf(*claims);
    }
    return claims;
  }

  void Run(const std::function<void(uint64_t, size_t)>& progress) {
    start_ = Clock::now();
    clock_.Set(options_.seconds + kGrace);
    while (!report_.stopped && !clock_.Signalled() && Elapsed() < options_.seconds) {
      size_t count = jobs_ > 1 ? kJobsBatch : kBatch;
      if (options_.most_scripts > 0) {
        if (report_.scripts >= options_.most_scripts) break;
        count = std::min<uint64_t>(count, options_.most_scripts - report_.scripts);
      }
      // The first few come in small helpings, so that times of early findings are true.
      if (report_.scripts < kBatch) count = std::min<size_t>(count, 128);
      Try(RandomVariants(count));
      if (progress) progress(report_.scripts, findings_.size());
    }
    report_.seconds = Elapsed();
  }

  /// What libFuzzer finds in processes of its own, tried again and judged here.
  Status RunLibFuzzer(const HostCommand& host, const EngineOptions& engine) {
    start_ = Clock::now();
    const auto found =
        dlpc::RunLibFuzzer(host, options_.module, engine, options_.seconds, options_.seed);
    if (!found) return found.error();
    std::vector<Variant> variants;
    for (const std::string& input : found->inputs) {
      variants.push_back(
          DecodeVariant({reinterpret_cast<const uint8_t*>(input.data()), input.size()}, choices_,
                        Arrays::kKnown));
    }
    if (clock_.Signalled()) clock_.Set(kLeastShrink, true);  // What it found is not lost.
    Try(std::move(variants));
    report_.scripts += found->scripts;
    report_.deaths += found->deaths;
    report_.seconds = Elapsed();
    return OkStatus();
  }

  void Try(std::vector<Variant> variants) {
    std::vector<const Script*> scripts;
    for (const Variant& variant : variants) scripts.push_back(&variant.script.script);
    std::mutex mutex;
    const uint64_t before = report_.scripts;
    uint64_t tried = 0;
    engine_.Run(scripts, {}, [&](size_t i, const Outcome& outcome) {
      if (outcome.text == kInterrupted) return;
      uint64_t judged = 0;
      auto broken = BrokenChecks(variants[i], outcome, &report_.claims, judged);
      const std::lock_guard lock(mutex);
      ++tried;
      report_.checks += judged;
      report_.scripts = std::max(report_.scripts, before + i + 1);
      for (Judged& each : broken) Note(variants[i], outcome, std::move(each));
    });
    report_.scripts = before + std::min<uint64_t>(tried, variants.size());
  }

  FuzzReport Finish(const std::set<std::string>& known) {
    report_.deaths += engine_.stats().deaths;
    report_.interrupted = clock_.Signalled();
    clock_.Set(std::max(kLeastShrink, options_.seconds / 2));
    for (auto& [key, finding] : findings_) {
      if (options_.shrink) Shrink(finding);
      finding.known = known.count(finding.requirement) != 0;
      report_.findings.push_back(std::move(finding));
    }
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) {
                       return std::pair(a.known, a.level) < std::pair(b.known, b.level);
                     });
    return std::move(report_);
  }

 private:
  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  std::vector<Variant> RandomVariants(size_t count) {
    std::vector<Variant> variants;
    variants.reserve(count);
    std::array<uint64_t, kInputBytes / 8> words{};
    for (size_t i = 0; i < count; ++i) {
      for (uint64_t& word : words) word = random_();
      variants.push_back(
          DecodeVariant({reinterpret_cast<const uint8_t*>(words.data()), kInputBytes}, choices_));
    }
    return variants;
  }

  bool Wanted(const RequirementRow& row) const {
    if (row.level > options_.lowest) return false;
    const std::string id(row.id);
    return options_.globs.empty() ||
           std::any_of(options_.globs.begin(), options_.globs.end(), [&](const std::string& glob) {
             return fnmatch(glob.c_str(), id.c_str(), 0) == 0;
           });
  }

  void Note(const Variant& variant, const Outcome& outcome, Judged judged) {
    if (!Wanted(*judged.requirement)) return;
    const std::string id(judged.requirement->id);
    Finding finding;
    finding.text = FoldedText(judged.verdict.observed);
    const std::string key = id + '\n' + std::string(StatusName(judged.verdict.status)) + '\n';
    auto it = findings_.find(key + finding.text);
    if (it == findings_.end() && ++messages_[id] > kMostMessages) {
      it = findings_.lower_bound(key);
      if (it != findings_.end() && !it->first.starts_with(key)) it = findings_.end();
    }
    if (it != findings_.end()) {
      ++it->second.count;
      return;
    }
    finding.requirement = id;
    finding.level = judged.requirement->level;
    finding.status = judged.verdict.status;
    finding.expected = std::move(judged.verdict.expected).text();
    finding.observed = std::move(judged.verdict.observed).text();
    finding.origin = variant.origin->script->name;
    finding.script = variant.script.script;
    finding.outcome = outcome;
    finding.found_s = Elapsed();
    finding.found_scripts = report_.scripts;
    findings_.emplace(key + finding.text, std::move(finding));
    if (options_.until.count(id) != 0) report_.stopped = true;
  }

  /// Replaces the script by the simplest one that breaks the same requirement in the same manner.
  void Shrink(Finding& finding) {
    const Template* origin = FindTemplate(finding.origin);
    if (origin == nullptr) return;
    for (int round = 0; round < kMostShrinkRounds && !clock_.over()->load(); ++round) {
      std::vector<Variant> candidates;
      std::vector<const Script*> scripts;
      for (Script& script : SimplerScripts(*origin, finding.script)) {
        candidates.push_back(VariantOf(*origin, std::move(script)));
      }
      for (const Variant& candidate : candidates) scripts.push_back(&candidate.script.script);
      const std::vector<Outcome> outcomes = engine_.Run(scripts, {});
      bool simpler = false;
      for (size_t i = 0; i < candidates.size() && !simpler; ++i) {
        simpler = Shows(candidates[i], outcomes[i], finding);
      }
      if (!simpler) return;
    }
  }

  bool Shows(const Variant& candidate, const Outcome& outcome, Finding& finding) {
    uint64_t judged = 0;
    for (Judged& each : BrokenChecks(candidate, outcome, &report_.claims, judged)) {
      if (each.requirement->id != finding.requirement || each.verdict.status != finding.status ||
          FoldedText(each.verdict.observed) != finding.text) {
        continue;
      }
      finding.expected = std::move(each.verdict.expected).text();
      finding.observed = std::move(each.verdict.observed).text();
      finding.script = candidate.script.script;
      finding.outcome = outcome;
      return true;
    }
    return false;
  }

  // Every death is a finding, not a reason to stop.
  static EngineOptions Patient(EngineOptions options, const StopClock& clock) {
    options.max_deaths = 1'000'000;
    options.stop = clock.over();
    return options;
  }

  StopClock clock_;
  Engine engine_;
  const int jobs_;
  const FuzzOptions options_;
  std::mt19937_64 random_;
  Clock::time_point start_ = Clock::now();
  FuzzReport report_;
  Choices choices_;
  std::map<std::string, Finding> findings_;
  std::map<std::string, size_t> messages_;  // Of each requirement.
};

}  // namespace

Expected<FuzzReport> Fuzz(const HostCommand& host, const EngineOptions& engine,
                          const FuzzOptions& options, const std::set<std::string>& known,
                          const std::function<void(uint64_t, size_t)>& progress) {
  Campaign campaign(host, engine, options);
  if (auto claims = campaign.Start(); !claims) return claims.error();
  if (options.module.empty()) {
    campaign.Run(progress);
  } else if (Status ran = campaign.RunLibFuzzer(host, engine); !ran) {
    return ran.error();
  }
  return campaign.Finish(known);
}

Expected<FuzzReport> Replay(const HostCommand& host, const EngineOptions& engine,
                            const std::vector<std::pair<std::string, Script>>& stored) {
  FuzzOptions options;
  options.shrink = false;
  Campaign campaign(host, engine, options);
  if (auto claims = campaign.Start(); !claims) return claims.error();
  std::vector<Variant> variants;
  for (const auto& [name, script] : stored) {
    const Template* origin = FindTemplate(name);
    if (origin == nullptr) return Error{"the catalogue has no script '" + name + "'"};
    if (!IsVariant(*origin, script)) {
      return Error{"the finding's script is no variant of the catalogue's '" + name + "'"};
    }
    variants.push_back(VariantOf(*origin, script));
  }
  campaign.Try(std::move(variants));
  auto report = campaign.Finish({});
  report.replayed = true;
  return report;
}

}  // namespace dlpc
