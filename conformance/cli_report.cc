#include "conformance/cli_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/complain.h"
#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxBytes = uintmax_t{256} << 20;  // The largest run so far has 6 MB.

Expected<std::string> ReadRegularFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Error{"no such file"};
  if (!fs::is_regular_file(status)) return Error{"no regular file"};
  if (fs::file_size(path, error) > kMaxBytes) return Error{"larger than 256 MiB"};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error{"cannot be read"};
  return text;
}

Expected<RunResult> ReadResults(const std::string& input) {
  fs::path path = input;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) path /= "results.json";
  const auto fail = [&](const Error& error) {
    return Error{fmt::format("{}: {}", path.string(), error.message)};
  };
  const auto text = ReadRegularFile(path);
  if (!text) return fail(text.error());
  auto result = RunResultFromJson(*text);
  if (!result) return fail(result.error());
  return result;
}

}  // namespace

void AddReportOptions(CLI::App* report, ReportOptions* options) {
  report->add_option("results", options->inputs, "results.json files, or the folders they are in")
      ->required();
  report->add_option("--out", options->out, "the page to write")->capture_default_str();
}

int ReportVerb(const ReportOptions& options) {
  std::vector<RunResult> results;
  for (const std::string& input : options.inputs) {
    auto result = ReadResults(input);
    if (!result) return Complain(kUsage, result.error().message);
    results.push_back(std::move(*result));
  }
  std::error_code error;
  const fs::path folder = fs::path(options.out).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
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
