// The command line: parses, calls, prints, and turns every failure into one line and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

#include "conformance/cli_compare.h"
#include "conformance/cli_expect.h"
#include "conformance/cli_map.h"
#include "conformance/cli_report.h"
#include "conformance/cli_run.h"
#include "conformance/cli_smoke.h"
#include "conformance/complain.h"
#include "conformance/explain.h"
#include "conformance/kill_matrix.h"
#include "conformance/producers.h"
#include "harness/hosts/host_main.h"

namespace dlpc {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int MutantsVerb(bool json, bool markdown, int jobs, const std::vector<std::string>& globs) {
  const auto cases = Select({globs, Level::kInfo});
  if (!cases) return Complain(kUsage, cases.error().message);
  const KillMatrix matrix = ComputeKillMatrix(MutantHost, *cases, jobs);
  Print(json       ? KillMatrixJson(matrix)
        : markdown ? KillMatrixMarkdown(matrix)
                   : KillMatrixText(matrix));
  return matrix.complete() ? kAsExpected : kUnexpected;
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

// Every verb with what its options were set to.
struct Verbs {
  CLI::App app{"Conformance suite for DLPack producers"};
  CLI::App *run, *list, *explain, *doctor, *smoke, *mutants, *map, *report, *expect, *compare,
      *merge;

  RunOptions run_options;
  bool list_json = false;
  std::string explain_id;
  ProducerOptions smoke_options;
  bool mutants_json = false, mutants_markdown = false;
  int mutants_jobs = 2;
  std::vector<std::string> mutants_globs;
  MapOptions map_options;
  ReportOptions report_options;
  ExpectOptions expect_options;
  CompareOptions compare_options;
  MergeOptions merge_options;

  Verbs();
};

Verbs::Verbs() {
  app.set_version_flag("--version", SuiteVersion());
  app.require_subcommand(1);
  run = app.add_subcommand("run", "judge a producer and write a report");
  run_options.engine.jobs = 0;  // Not said.
  AddRunOptions(run, &run_options);
  list = app.add_subcommand("list", "every requirement with its number of cases");
  list->add_flag("--json", list_json, "as JSON, with citations and mutants");
  explain = app.add_subcommand("explain", "one requirement: source, check, mutants, remedy");
  explain->add_option("id", explain_id, "e.g. SHAPE-06")->required();
  doctor = app.add_subcommand("doctor", "what is ready on this machine");
  smoke = app.add_subcommand("smoke", "one plain array, told step by step");
  AddProducerOptions(smoke, &smoke_options);
  mutants = app.add_subcommand("mutants", "the kill matrix of the faulty reference twins");
  mutants->add_flag("--json", mutants_json);
  mutants->add_flag("--markdown", mutants_markdown);
  mutants->add_option("--jobs", mutants_jobs)->check(CLI::Range(1, 256));
  mutants->add_option("--requirements", mutants_globs)->delimiter(',');
  map = app.add_subcommand("map", "which DLDevice the reference map answers");
  AddMapOptions(map, &map_options);
  report = app.add_subcommand("report", "stored results as one page: producers x requirements");
  AddReportOptions(report, &report_options);
  expect = app.add_subcommand("expect", "files of known failures");
  AddExpectOptions(expect, &expect_options);
  compare = app.add_subcommand("compare", "two stored runs: regressions first");
  AddCompareOptions(compare, &compare_options);
  merge = app.add_subcommand("merge", "the shards of one run as one report");
  AddMergeOptions(merge, &merge_options);
}

int Dispatch(Verbs& v) {
  if (*v.run) return RunVerb(v.run_options);
  if (*v.list) return Print(v.list_json ? ListJson() : ListText()), kAsExpected;
  if (*v.explain) {
    const auto text = Explain(v.explain_id);
    if (!text) return Complain(kUsage, text.error().message);
    return Print(*text), kAsExpected;
  }
  if (*v.doctor) return Print(DoctorText()), kAsExpected;
  if (*v.smoke) return SmokeVerb(v.smoke_options);
  if (*v.mutants) {
    return MutantsVerb(v.mutants_json, v.mutants_markdown, v.mutants_jobs, v.mutants_globs);
  }
  if (*v.report) return ReportVerb(v.report_options);
  if (*v.expect) return ExpectVerb(*v.expect, v.expect_options);
  if (*v.compare) return CompareVerb(v.compare_options);
  if (*v.merge) return MergeVerb(v.merge_options);
  return MapVerb(*v.map, v.map_options);
}

int Main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__host") return RunHostMain(argc, argv);

  Verbs verbs;
  verbs.run_options.gtest_args = SplitGtestArgs(&argc, argv);
  try {
    verbs.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return verbs.app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Complain(kUsage, UsageError(verbs.app, argc, argv, error));
  }
  if (!verbs.run_options.gtest_args.empty() && !*verbs.run) {
    return Complain(kUsage, "'--' belongs to run only");
  }
  return Dispatch(verbs);
}

}  // namespace
}  // namespace dlpc

// The process edge: whatever escapes ends as one line and "engine error".
int main(int argc, char** argv) {
  // A descriptor that the caller closed would be given to a host's pipe, and then be printed to.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
  try {
    const int code = dlpc::Main(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return dlpc::Complain(dlpc::kEngine, "cannot write to standard output");
  } catch (const std::exception& error) {
    return dlpc::Complain(dlpc::kEngine, error.what());
  } catch (...) {
    return dlpc::Complain(dlpc::kEngine, "unknown internal error");
  }
}
