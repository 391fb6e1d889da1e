#include "harness/report/testing_sample.h"

#include <fmt/format.h>

#include <array>

namespace dlpc {
namespace {

using namespace std::string_literals;  // NUL inside.

RequirementResult Requirement(std::string id, Level level, std::string title) {
  RequirementResult r;
  r.id = std::move(id);
  r.level = level;
  r.title = std::move(title);
  r.citation = "dlpack.h 1.3, DLTensor.strides";
  r.since = "v1.2";
  r.remedy = "Fill in compact strides when the array is contiguous.";
  return r;
}

CaseResult Case(const std::string& requirement, Level level, CaseStatus status, std::string rest,
                std::string expected, std::string observed) {
  CaseResult c;
  c.id = requirement + "/" + std::move(rest);
  c.requirement = requirement;
  c.level = level;
  c.status = status;
  c.expected = std::move(expected);
  c.observed = std::move(observed);
  c.script = "inspect float32 2x3";
  c.duration_us = 120;
  return c;
}

void AddHead(RunResult& result) {
  result.suite_version = "0.1.0";
  result.catalogue_sha256 = std::string(64, 'a');
  result.producer = {"vendor",         "1.2.3",     "python",
                     "CPython 3.12.1", "vendor.py", R"({"dtypes": ["float32"], "layouts": []})"};
  result.environment = {{"date", "2026-09-01"}, {"os", "Linux"}};
  result.wall_s = 1.5;
  result.checks_per_s = 3000;
  result.apart_cases = 4;
  result.apart_s = 0.25;
}

}  // namespace

std::string HostileText() {
  return "<script>document.title='owned'</script><img src=x onerror=alert(1)> </script> ]]> <!-- "
         "\" ' ` | & \\ \0 \x1b[31m \r\n\t \xff\xc3( \xed\xa0\x80 \xF0\x9F\x98\x80 \xE2\x80\xAE"s;
}

RunResult SampleResult() {
  RunResult result;
  AddHead(result);
  result.environment["hostile"] = HostileText();
  result.notes = {"gave up after 40 deaths"};
  result.stale_expectations = {"VER-01/* fail"};
  result.script_text["inspect float32 2x3"] = "0 make a0\n1 export e0 = a0.__dlpack__()";
  const auto add = [&](Level level, CaseStatus status, const char* id, const char* title) {
    result.requirements.push_back(Requirement(id, level, title));
    result.cases.push_back(Case(id, level, status, "float32/plain", "the rule", "what was seen"));
    return &result.cases.back();
  };
  add(Level::kMust, CaseStatus::kPass, "DEV-01", "The device is a pair.");
  add(Level::kMust, CaseStatus::kFail, "SHAPE-03", "Strides are given.");
  for (int i = 0; i < 4; ++i) {
    result.cases.push_back(Case("SHAPE-03", Level::kMust, CaseStatus::kFail,
                                fmt::format("int8/plain/{}", i), "strides (3, 1)",
                                "strides is NULL"));
  }
  result.cases.push_back(
      Case("SHAPE-03", Level::kMust, CaseStatus::kPass, "int8/1d", "strides (1,)", "strides (1,)"));
  CaseResult* crash = add(Level::kMust, CaseStatus::kCrash, "MEM-01", "Deleters do not crash.");
  crash->observed = "SIGSEGV in step 2 (export)";
  crash->stderr_tail = HostileText();
  crash->repro = "repro/MEM-01.py";
  crash->remedy = "copy=True";
  add(Level::kMust, CaseStatus::kTimeout, "MEM-02", "Deleters end.");
  add(Level::kMust, CaseStatus::kError, "DT-01", "Types are exported.")->observed = "make() raised";
  add(Level::kMust, CaseStatus::kXFail, "COPY-01", "Copies are flagged.");
  add(Level::kMust, CaseStatus::kXPass, "COPY-02", "Nothing is copied.");
  add(Level::kMust, CaseStatus::kNotApplicable, "VER-01", "Minor versions.");
  add(Level::kMust, CaseStatus::kNotSupported, "VER-02", "Major versions.");
  add(Level::kMust, CaseStatus::kSkipped, "STREAM-01", "Streams.")->observed = "no CUDA device";
  add(Level::kShould, CaseStatus::kFail, "ABI-02", "Undefined flags are zero.");
  CaseResult* hostile = add(Level::kInfo, CaseStatus::kFail, "ERR-01", "Texts of errors.");
  hostile->observed = HostileText();
  hostile->expected = HostileText();
  hostile->id += HostileText();
  hostile->emulated = HostileText();
  add(Level::kShould, CaseStatus::kFail, "ERR-02", "Long texts.")->observed =
      std::string(10'000, 'x');
  result.requirements.push_back(Requirement("XAPI-01", Level::kMust, "Not selected."));
  result.requirements.push_back(Requirement("HOST-01", Level::kMust, HostileText()));
  result.cases.push_back(Case("HOST-01", Level::kMust, CaseStatus::kFail, "x", "a", HostileText()));
  Summarize(result);
  return result;
}

RunResult LargeResult(size_t cases) {
  constexpr std::array<const char*, 12> kAreas{"DEV", "PROTO", "CAP",    "ABI", "DT",  "SHAPE",
                                               "MEM", "COPY",  "STREAM", "VER", "ERR", "XAPI"};
  constexpr std::array<const char*, 5> kTypes{"float32", "int64", "bool", "complex64", "uint8"};
  constexpr size_t kPerRequirement = 60;
  RunResult result;
  AddHead(result);
  result.script_text["inspect float32 2x3"] =
      "0 make a0: float32, shape (2, 3)\n1 export e0 = a0.__dlpack__(max_version=(1, 3))\n"
      "2 inspect e0";
  for (size_t i = 0; i < cases; ++i) {
    const size_t n = i / kPerRequirement;
    const std::string id =
        fmt::format("{}-{:02}", kAreas[n % kAreas.size()], n / kAreas.size() + 1);
    const Level level = n % 7 == 3 ? Level::kShould : n % 11 == 5 ? Level::kInfo : Level::kMust;
    if (i % kPerRequirement == 0) {
      result.requirements.push_back(Requirement(
          id, level, "The struct's device equals the tuple that the array reports for itself."));
    }
    CaseStatus status = i % 17 == 0 ? CaseStatus::kNotSupported : CaseStatus::kPass;
    if (n % 9 == 4 && i % 3 == 0) status = CaseStatus::kFail;
    if (n % 20 == 19) status = CaseStatus::kSkipped;
    result.cases.push_back(Case(id, level, status,
                                fmt::format("{}/layout-{}/versioned/cpu", kTypes[i % 5], i),
                                "kDLCPU (1, 0) in the struct and in the tuple",
                                fmt::format("kDLCUDA (2, {}) in the struct", i % 4)));
  }
  Summarize(result);
  return result;
}

}  // namespace dlpc
