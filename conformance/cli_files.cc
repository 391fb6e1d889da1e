#include "conformance/cli_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxBytes = uintmax_t{256} << 20;  // The largest run so far has 6 MB.

Expected<std::string> Contents(const fs::path& path) {
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

}  // namespace

Expected<std::string> ReadRegularFile(const std::string& path) {
  auto text = Contents(path);
  if (!text) return Error{fmt::format("{}: {}", path, text.error().message)};
  return text;
}

Expected<RunResult> ReadResults(const std::string& input) {
  fs::path path = input;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) path /= "results.json";
  const auto text = ReadRegularFile(path.string());
  if (!text) return text.error();
  auto result = RunResultFromJson(*text);
  if (!result) return Error{fmt::format("{}: {}", path.string(), result.error().message)};
  return result;
}

Expected<std::vector<Expectation>> ReadExpectations(const std::vector<std::string>& files) {
  std::vector<Expectation> all;
  for (const std::string& file : files) {
    const auto text = ReadRegularFile(file);
    if (!text) return text.error();
    const auto entries = ParseExpectations(*text, file);
    if (!entries) return entries.error();
    all.insert(all.end(), entries->begin(), entries->end());
  }
  return all;
}

Status WriteReports(const std::string& out, const std::vector<std::string>& formats,
                    const RunResult& result, const std::function<std::string()>& traces) {
  const std::set<std::string> wanted(formats.begin(), formats.end());
  struct File {
    const char* format;
    const char* name;
    std::function<std::string()> write;
  };
  const File files[] = {
      {"json", "results.json", [&] { return ResultsJson(result); }},
      {"junit", "junit.xml", [&] { return JUnitXml(result); }},
      {"html", "report.html", [&] { return HtmlReport(result); }},
      {"md", "summary.md", [&] { return MarkdownSummary(result); }},
      {"traces", "traces.jsonl", traces},
  };
  Status written = OkStatus();
  for (const File& file : files) {
    if (wanted.count(file.format) == 0 || !written) continue;
    written = WriteFileAtomically(out + "/" + file.name, file.write());
  }
  if (wanted.count("text") > 0) {
    fmt::print("{}", TextReport(result, isatty(STDOUT_FILENO) != 0));
    if (written) fmt::print("Report: {}/report.html\n", out);
  }
  return written;
}

Status WriteRepros(const std::string& out, const std::vector<ReproFile>& files, bool keep) {
  const fs::path folder = fs::path(out) / "repro";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {  // Of an earlier run.
    if (!keep && entry.path().extension() == ".py") fs::remove(entry.path(), error);
  }
  if (files.empty()) return OkStatus();
  fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot create {}: {}", folder.string(), error.message())};
  for (const ReproFile& file : files) {
    Status written = WriteFileAtomically(out + "/" + file.path, file.text);
    if (!written) return written;
  }
  return OkStatus();
}

}  // namespace dlpc
