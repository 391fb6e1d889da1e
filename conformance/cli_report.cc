#include "conformance/cli_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "harness/report.h"

namespace dlpc {

int ReportVerb(const ReportOptions& options) {
  std::vector<RunResult> results;
  for (const std::string& input : options.inputs) {
    auto result = ReadResults(input);
    if (!result) return Complain(kUsage, result.error().message);
    results.push_back(std::move(*result));
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(options.out).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return Complain(kEngine, fmt::format("cannot create {}: {}", folder.string(), error.message()));
  }
  if (Status written = WriteFileAtomically(options.out, MatrixHtml(results)); !written) {
    return Complain(kEngine, written.error().message);
  }
  fmt::print("{} producers: {}\n", results.size(), options.out);
  return kAsExpected;
}

}  // namespace dlpc
