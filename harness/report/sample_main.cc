// Writes sample reports and says how long each writer took: report_sample DIR [CASES].
// Without CASES: the hostile sample of the tests.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>

#include "harness/report.h"
#include "harness/report/testing_sample.h"

namespace {

int Write(const std::string& path, const std::function<std::string()>& make) {
  const auto start = std::chrono::steady_clock::now();
  const std::string contents = make();
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} bytes in {:.1f} ms\n", path, contents.size(), ms.count());
  const dlpc::Status status = dlpc::WriteFileAtomically(path, contents);
  if (status) return 0;
  fmt::print(stderr, "{}\n", status.error().message);
  return 1;
}

// Scripts of ten steps whose traces hold what real ones hold.
std::string Traces(size_t count) {
  const dlpc::Script script = dlpc::ScriptBuilder(dlpc::ArraySpec{})
                                  .Device()
                                  .Export(dlpc::WithVersion(1, 3))
                                  .Interpose()
                                  .Inspect()
                                  .Read()
                                  .ReadOwn()
                                  .CallDeleter()
                                  .DeleterCalls()
                                  .DropArray()
                                  .Build();
  dlpc::Inspected inspected;
  inspected.shape = inspected.strides = {2, 3, 4};
  dlpc::Elements elements;
  elements.bytes = std::string(96, '\x7f');
  dlpc::Outcome outcome;
  outcome.kind = dlpc::Outcome::Kind::kTrace;
  outcome.trace.steps = {
      dlpc::Made{}, dlpc::DeviceAnswer{}, dlpc::Exported{}, dlpc::Done{}, inspected, elements,
      elements,     dlpc::Dropped{},      dlpc::Counted{1}, dlpc::Done{}};
  return dlpc::TracesJsonl(std::vector<dlpc::ScriptRecord>(count, {"sample", &script, &outcome}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: report_sample DIR [CASES]\n");
    return 2;
  }
  const std::string dir = argv[1];
  const dlpc::Status ready = dlpc::PrepareReportDir(dir);
  if (!ready) {
    fmt::print(stderr, "{}\n", ready.error().message);
    return 3;
  }
  const size_t cases = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  const dlpc::RunResult result = cases == 0 ? dlpc::SampleResult() : dlpc::LargeResult(cases);
  dlpc::RunResult hostile = dlpc::SampleResult();
  hostile.producer.producer = dlpc::HostileText();
  dlpc::RunResult later = result;  // The day after: the page has a trend.
  later.environment["date"] = "2026-09-02T03:04:05Z";
  dlpc::RunResult empty;
  dlpc::Summarize(empty);
  return Write(dir + "/results.json", [&] { return dlpc::ResultsJson(result); }) |
         Write(dir + "/empty.json", [&] { return dlpc::ResultsJson(empty); }) |
         Write(dir + "/junit.xml", [&] { return dlpc::JUnitXml(result); }) |
         Write(dir + "/report.html", [&] { return dlpc::HtmlReport(result); }) |
         Write(dir + "/matrix.html",
               [&] {
                 return dlpc::MatrixHtml({result, hostile, later, empty});
               }) |
         Write(dir + "/summary.md", [&] { return dlpc::MarkdownSummary(result); }) |
         Write(dir + "/report.txt", [&] { return dlpc::TextReport(result, false); }) |
         Write(dir + "/traces.jsonl", [&] { return Traces(1000); });
}
