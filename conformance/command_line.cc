#include "conformance/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string_view>

#include "conformance/cli_bench.h"
#include "conformance/cli_certificate.h"
#include "conformance/cli_compare.h"
#include "conformance/cli_expect.h"
#include "conformance/cli_fuzz.h"
#include "conformance/cli_map.h"
#include "conformance/cli_promote.h"
#include "conformance/cli_report.h"
#include "conformance/cli_repro.h"
#include "conformance/cli_rules.h"
#include "conformance/cli_run.h"
#include "conformance/cli_smoke.h"
#include "conformance/complain.h"
#include "conformance/option_checks.h"

namespace dlpc {
namespace {

/// What the options were set to, and the verb that was said.
struct CommandLine {
  CLI::App app{"Conformance suite for DLPack producers"};
  std::function<int()> verb;

  RunOptions run, rerun;
  bool list_json = false;
  std::string explain_id;
  ProducerOptions smoke;
  MutantsOptions mutants;
  MapOptions map;
  ReportOptions report;
  ExpectOptions expect;
  CompareOptions compare;
  MergeOptions merge;
  FuzzVerbOptions fuzz;
  PromoteOptions promote;
  BenchVerbOptions bench;
  ReproOptions repro;
  BundleOptions bundle;
  VerifyOptions verify;
  BadgeOptions badge;

  CLI::App* Add(CLI::App* parent, const char* name, const char* what, std::function<int()> does) {
    CLI::App* const added = parent->add_subcommand(name, what);
    added->callback([this, does = std::move(does)] { verb = does; });
    return added;
  }
  CLI::App* Add(const char* name, const char* what, std::function<int()> does) {
    return Add(&app, name, what, std::move(does));
  }
};

void AddFormats(CLI::App* verb, std::vector<std::string>* formats) {
  verb->add_option("--format", *formats, "which files to write, and text for the terminal")
      ->delimiter(',')
      ->check(CLI::IsMember({"text", "json", "junit", "html", "md", "traces", "repro"}));
}

void AddProducerOptions(CLI::App* verb, ProducerOptions* options) {
  verb->add_option("producer", options->producer,
                   "numpy, jax, ..., reference, or path/to/libvendor.so");
  verb->add_option("--object", options->object, "any object: 'module:expression'");
  verb->add_option("--adapter", options->adapter, "adapter file of your own");
  verb->add_option("--python", options->python, "interpreter to run the producer in");
  verb->add_option("--mutant", options->mutant, "faulty twin of the reference producer");
}

void AddRunOptions(CLI::App* run, RunOptions* options) {
  AddProducerOptions(run, &options->producer);
  run->add_option("--requirements", options->selection.globs, "globs of requirement or case ids")
      ->delimiter(',');
  run->add_option("--level", options->level, "run requirements of at least this level")
      ->check(CLI::IsMember({"must", "should", "may", "info"}));
  run->add_option("--dlpack", options->editions.dlpack, "judge against this release of dlpack.h")
      ->capture_default_str();
  run->add_option("--array-api", options->editions.array_api, "and this array API standard")
      ->capture_default_str();
  run->add_option("--out", options->out, "report folder")->capture_default_str();
  AddFormats(run, &options->formats);
  run->add_option("--jobs", options->engine.jobs, "host processes at a time")
      ->check(CLI::Range(1, 256));
  run->add_option("--emulate", options->emulate,
                  "jax only: instead of the CPU, one process on each of these emulated "
                  "accelerators: all, or names such as tpu-pinned,cuda-device (docs/emulation.md); "
                  "two at a time unless --jobs says otherwise")
      ->delimiter(',');
  run->add_option("--device", options->device,
                  "only cases whose arrays are in main memory (cpu), or in memory of a real GPU "
                  "(cuda: device, pinned and managed)")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->excludes("--emulate");
  run->add_option("--timeout", options->engine.timeout_s, "seconds for one script")
      ->check(Between(0.05, 86400.0));
  run->add_option("--memory", options->engine.memory_mb, "resident MiB at which a host is stopped")
      ->check(CLI::Range(16, 1 << 30));
  run->add_option("--shard", options->shard, "I/N: only every Nth case, from the Ith (0-based)");
  run->add_option("--profile", options->profile, "only what this profile is judged by (bundle)");
  run->add_option("--expect", options->expect,
                  "files with known failures: only what they do not say is unexpected "
                  "(docs/expectations.md)");
}

void AddRepeat(CLI::App* verb, RunOptions* options) {
  verb->add_option("--repeat", options->repeat, "perform each case so often, in fresh processes")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--verify", options->verify,
                 "a case that changes its verdict from one repetition to the next is unexpected")
      ->needs("--repeat");
}

void AddRerun(CommandLine* line) {
  RunOptions* const options = &line->rerun;
  options->engine.jobs = 0, options->out.clear();
  CLI::App* const rerun = line->Add("rerun", "go on with an interrupted run, or try failures again",
                                    [line] { return RerunVerb(line->rerun); });
  rerun->add_option("report", options->report, "report folder of the earlier run")->required();
  AddProducerOptions(rerun, &options->producer);
  rerun->add_flag("--failed", options->failed, "only what failed there");
  rerun->add_option("--out", options->out, "report folder; the same if not said");
  rerun->add_option("--expect", options->expect, "files with known failures");
  AddFormats(rerun, &options->formats);
}

void AddRun(CommandLine* line) {
  line->run.engine.jobs = 0;  // Not said.
  AddRunOptions(line->Add("run", "judge a producer and write a report",
                          [line] { return RunVerb(line->run); }),
                &line->run);
  AddRepeat(line->app.get_subcommand("run"), &line->run);
  AddRerun(line);
  AddProducerOptions(line->Add("smoke", "one plain array, told step by step",
                               [line] { return SmokeVerb(line->smoke); }),
                     &line->smoke);
}

void AddRules(CommandLine* line) {
  line->Add("list", "every requirement with its number of cases",
            [line] { return ListVerb(line->list_json); })
      ->add_flag("--json", line->list_json, "as JSON, with citations and mutants");
  line->Add("explain", "one requirement: source, check, mutants, remedy",
            [line] { return ExplainVerb(line->explain_id); })
      ->add_option("id", line->explain_id, "e.g. SHAPE-06")
      ->required();
  line->Add("doctor", "what is ready on this machine", DoctorVerb);
  CLI::App* const mutants = line->Add("mutants", "the kill matrix of the faulty reference twins",
                                      [line] { return MutantsVerb(line->mutants); });
  mutants->add_flag("--json", line->mutants.json);
  mutants->add_flag("--markdown", line->mutants.markdown);
  mutants->add_option("--jobs", line->mutants.jobs)->check(CLI::Range(1, 256));
  mutants->add_option("--requirements", line->mutants.globs)->delimiter(',');
}

void AddMap(CommandLine* line) {
  MapOptions& options = line->map;
  CLI::App* const map = line->Add("map", "which DLDevice the reference map answers",
                                  [line] { return MapVerb(line->map); });
  options.facts.hardware_id.reset();
  map->add_option(
         "--profile", options.profile,
         "a layer of a framework: " + fmt::format("{}", fmt::join(DeviceProfiles(), ", ")) +
             "; jax and jaxlib take any release behind '@'")
      ->capture_default_str();
  map->add_option("--platform", options.facts.platform)->capture_default_str();
  map->add_option("--platform-version", options.facts.platform_version);
  map->add_option("--memory-kind", options.facts.memory_kind)->capture_default_str();
  map->add_option("--hardware-id", options.facts.hardware_id,
                  "local hardware id; left out means none");
  map->add_option("--shards", options.facts.shards, "parts of the array in this process")
      ->check(CLI::Range(0, 1 << 20));
  map->add_option("--devices", options.devices,
                  "devices that the array is on; left out: as many as shards")
      ->check(CLI::Range(1, 1 << 20));
  map->add_option("--device", options.facts.device, "the framework's text for the device");
  map->add_flag("--batch", options.batch, "questions as lines of JSON on stdin, answers likewise");
  map->add_flag("--markdown", options.markdown,
                "the table of the profile; of all if none is given");
}

void AddStored(CommandLine* line) {
  CLI::App* const report =
      line->Add("report", "stored results as one page: producers x requirements",
                [line] { return ReportVerb(line->report); });
  report
      ->add_option("results", line->report.inputs, "results.json files, or the folders they are in")
      ->required();
  report->add_option("--out", line->report.out, "the page to write")->capture_default_str();

  CLI::App* const compare = line->Add("compare", "two stored runs: regressions first",
                                      [line] { return CompareVerb(line->compare); });
  compare->add_option("before", line->compare.before, "results.json, or the folder it is in")
      ->required();
  compare->add_option("after", line->compare.after)->required();
  compare->add_flag("--json", line->compare.json);
  compare->add_flag("--markdown", line->compare.markdown, "for a comment on a pull request")
      ->excludes("--json");

  CLI::App* const merge = line->Add("merge", "the shards of one run as one report",
                                    [line] { return MergeVerb(line->merge); });
  merge->add_option("shards", line->merge.shards, "report folders of run --shard I/N")->required();
  merge->add_option("--out", line->merge.out, "report folder")->capture_default_str();
  AddFormats(merge, &line->merge.formats);
}

void AddRepro(CommandLine* line) {
  CLI::App* const repro = line->Add("repro", "a program that shows one failure by itself",
                                    [line] { return ReproVerb(line->repro); });
  repro->add_option("case", line->repro.id, "a case, or a requirement: its first failure")
      ->required();
  repro->add_option("report", line->repro.results, "report folder")->capture_default_str();
  repro->add_flag("--any", line->repro.any, "also of a case that did not fail");
}

void AddCertificate(CommandLine* line) {
  CLI::App* const bundle =
      line->Add("bundle", "a run as a certificate: a folder that proves itself",
                [line] { return BundleVerb(line->bundle); });
  bundle->add_option("report", line->bundle.report, "report folder of a whole run")->required();
  bundle->add_option("--out", line->bundle.out, "folder to make")->capture_default_str();
  bundle->add_option("--sign", line->bundle.sign, "private Ed25519 key (PEM) to sign the hashes");

  CLI::App* const verify = line->Add("verify", "is a certificate what it says? Needs no producer",
                                     [line] { return VerifyVerb(line->verify); });
  verify->add_option("bundle", line->verify.bundle, "the folder")->required();
  verify->add_option("--key", line->verify.key, "public Ed25519 key (PEM) that must have signed");
  verify->add_option("--profile", line->verify.profile, "must be met: core, full, ...");

  CLI::App* const badge = line->Add("badge", "a verdict as JSON for shields.io and as SVG",
                                    [line] { return BadgeVerb(line->badge); });
  badge->add_option("results", line->badge.results, "results.json, or its folder")->required();
  badge->add_option("--profile", line->badge.profile)->capture_default_str();
  badge->add_option("--out", line->badge.out, "path of both files, without .json and .svg")
      ->capture_default_str();
}

void AddExpect(CommandLine* line) {
  CLI::App* const expect = line->app.add_subcommand("expect", "files of known failures");
  expect->require_subcommand(1);
  line->Add(expect, "check", "look through files without a run",
            [line] { return ExpectCheckVerb(line->expect); })
      ->add_option("files", line->expect.check)
      ->required();
  CLI::App* const update = line->Add(expect, "update", "write the file of a run",
                                     [line] { return ExpectUpdateVerb(line->expect); });
  update->add_option("results", line->expect.results, "results.json, or the folder it is in")
      ->required();
  update->add_option("--file", line->expect.file, "file to write")->required();
}

void AddFuzzOptions(CLI::App* fuzz, FuzzVerbOptions* options) {
  AddProducerOptions(fuzz, &options->producer);
  fuzz->add_option("--time", options->fuzz.seconds, "seconds to go on")
      ->capture_default_str()
      ->check(Between(0.001, 1e7));
  fuzz->add_option("--runs", options->fuzz.most_scripts, "at most so many scripts; 0: no limit")
      ->check(Between(0, 9e18));
  fuzz->add_option("--jobs", options->engine.jobs, "host processes at a time (1)")
      ->check(CLI::Range(1, 256));
  fuzz->add_option("--seed", options->fuzz.seed, "another seed tries other scripts")
      ->capture_default_str()
      ->check(Between(0, 9e18));
  fuzz->add_option("--requirements", options->fuzz.globs, "globs: findings about these only")
      ->delimiter(',');
  fuzz->add_option("--level", options->level, "findings of at least this level")
      ->check(CLI::IsMember({"must", "should", "may", "info"}));
  fuzz->add_option("--until", options->until, "stop when one of these requirements is broken")
      ->delimiter(',');
  fuzz->add_option("--timeout", options->engine.timeout_s, "seconds for one script")
      ->check(Between(0.05, 86400.0));
  fuzz->add_option("--memory", options->engine.memory_mb, "resident MiB at which a host is stopped")
      ->check(CLI::Range(16, 1 << 30));
  fuzz->add_option("--replay", options->replay, "try stored findings again, nothing else")
      ->check(CLI::ExistingFile);
  fuzz->add_option("--engine", options->engine_name,
                   "libfuzzer: guided by coverage, inside the producer's interpreter (needs the "
                   "module of preset fuzz-fast); own: blind, in hosts as run has them, with loops, "
                   "threads and tables; auto: own")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "own", "libfuzzer"}));
  fuzz->add_option("--cross", options->cross,
                   "instead: the same arrays in these producers too; who differs from whom")
      ->delimiter(',');
  fuzz->add_option("--out", options->out, "folder for findings")->capture_default_str();
  fuzz->add_flag("!--as-found", options->fuzz.shrink, "do not look for simpler scripts");
  fuzz->add_flag("--json", options->json, "the report as JSON");
  fuzz->add_flag("--fresh", options->fresh,
                 "do not run the catalogue first: no finding counts as known");
}

void AddPromoteOptions(CLI::App* promote, PromoteOptions* options) {
  promote->add_option("file", options->file, "a finding of fuzz (.json), or a target's crash file")
      ->required();
  promote->add_option("--name", options->name, "what it is called from now on")->required();
  promote->add_option("--target", options->target, "whose crash file it is");
  promote->add_option("--root", options->root, "the source tree")->capture_default_str();
}

void AddFuzz(CommandLine* line) {
  AddFuzzOptions(line->Add("fuzz", "random variants of the catalogue's scripts",
                           [line] { return FuzzVerb(line->fuzz); }),
                 &line->fuzz);
  AddPromoteOptions(line->Add("promote", "keep a finding of the fuzzers: seed and case",
                              [line] { return PromoteVerb(line->promote); }),
                    &line->promote);
}

void AddBench(CommandLine* line) {
  BenchVerbOptions& options = line->bench;
  CLI::App* const bench =
      line->app.add_subcommand("bench", "what the exchange costs (docs/benchmarks.md)");
  bench->add_option("producers", options.producers, "numpy, torch, reference, ...");
  bench->add_option("--object", options.one.object, "any object: 'module:expression'");
  bench->add_option("--adapter", options.one.adapter, "adapter file of your own");
  bench->add_option("--python", options.one.python, "interpreter to run the producer in");
  bench->add_option("--mutant", options.one.mutant, "faulty twin of the reference producer");
  bench->add_option("--out", options.out, "folder for the report")->capture_default_str();
  bench->add_option("--baseline", options.baseline, "compare with this bench.json afterwards");
  bench->add_option("--history", options.history, "earlier bench.json files, for the page");
  bench->add_option("--repetitions", options.repetitions)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  bench->add_option("--target-ms", options.target_ms, "time for one repetition of one loop")
      ->check(CLI::Range(0.1, 10000.0))
      ->capture_default_str();
  bench->add_option("--max-bytes", options.max_bytes, "largest array")->capture_default_str();
  bench->add_flag("--suite", options.suite, "time whole runs of the suite, too");
  bench->add_flag("--any-machine", options.any_machine, "compare with runs of other machines");
  CLI::App* const compare = line->Add(bench, "compare", "two bench.json files: regressions first",
                                      [line] { return BenchCompareVerb(line->bench); });
  compare->add_option("before", options.before, "bench.json, or the folder it is in")->required();
  compare->add_option("after", options.after)->required();
  compare->add_flag("--any-machine", options.any_machine);
  bench->callback([line, bench] {
    if (bench->get_subcommands().empty()) line->verb = [line] { return BenchVerb(line->bench); };
  });
}

// Everything behind "--" belongs to GoogleTest.
std::vector<std::string> SplitGtestArgs(int* argc, char** argv) {
  std::vector<std::string> rest;
  for (int i = 1; i < *argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    rest.assign(argv + i + 1, argv + *argc);
    *argc = i;
    break;
  }
  return rest;
}

// One line; CLI11 would say of a mistyped verb that a subcommand is missing.
std::string UsageError(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::string all = fmt::format("{}", fmt::join(verbs, ", "));
  if (argc < 2) return fmt::format("say what to do: {} (see: --help)", all);
  if (argv[1][0] != '-' && std::count(verbs.begin(), verbs.end(), argv[1]) == 0) {
    return fmt::format("no verb '{}' (there are: {})", argv[1], all);
  }
  return fmt::format("{} (see: --help)", error.what());
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  CommandLine line;
  line.app.set_version_flag("--version", SuiteVersion());
  line.app.require_subcommand(1);
  for (const auto add : {AddRun, AddRules, AddMap, AddStored, AddRepro, AddCertificate, AddExpect,
                         AddFuzz, AddBench}) {
    add(&line);
  }

  line.run.gtest_args = SplitGtestArgs(&argc, argv);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return line.app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Complain(kUsage, UsageError(line.app, argc, argv, error));
  }
  if (!line.run.gtest_args.empty() && !line.app.got_subcommand("run")) {
    return Complain(kUsage, "'--' belongs to run only");
  }
  return line.verb();
}

}  // namespace dlpc
