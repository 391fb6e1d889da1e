#include "conformance/cli_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "harness/report.h"
#include "harness/report/file_set.h"

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

namespace {

Status AddRepros(const std::string& out, const ReportText& text, FileSet& files) {
  const fs::path folder = fs::path(out) / "repro";
  std::error_code error, missing;
  // A report may come from anybody: its link must not choose where programs come and go.
  if (fs::is_symlink(fs::symlink_status(folder, missing))) {
    return Error{fmt::format("{} is a symbolic link", folder.string())};
  }
  if (!text.repros.empty()) fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot create {}: {}", folder.string(), error.message())};
  for (const ReproFile& file : text.repros) {
    Status written = files.Add(out + "/" + file.path, file.text);
    if (!written) return written;
  }
  return OkStatus();
}

// "COPY-01.copy.cpu.py"; other files of the folder are somebody else's.
bool IsRepro(const fs::path& path) {
  const std::string name = path.filename().string(), kind = path.extension().string();
  const size_t area = name.find('-'), end = name.find('.');
  if (area == 0 || area >= end || (kind != ".py" && kind != ".cc")) return false;
  const auto upper = [](unsigned char c) { return std::isupper(c) != 0; };
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto at = [&](size_t n) { return name.begin() + static_cast<ptrdiff_t>(n); };
  return std::all_of(name.begin(), at(area), upper) && std::all_of(at(area + 1), at(end), digit);
}

void RemoveRepros(const std::string& out) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(out) / "repro", error)) {
    if (IsRepro(entry.path())) fs::remove(entry.path(), error);
  }
}

// The first lines, `share` of them.
std::string FirstLines(const std::string& text, double share) {
  const auto end = static_cast<size_t>(static_cast<double>(text.size()) * share);
  const size_t line = text.rfind('\n', end);
  return line == std::string::npos ? "" : text.substr(0, line + 1);
}

std::set<std::string> ScriptsIn(const std::string& traces) {
  std::set<std::string> names;
  std::istringstream lines(traces);
  for (std::string line; std::getline(lines, line);) {
    if (const auto stored = StoredOutcomeFromJson(line)) names.insert(stored->name);
  }
  return names;
}

}  // namespace

Status WriteReports(const std::string& out, const RunResult& result, const ReportText& text) {
  const std::set<std::string> wanted(text.formats.begin(), text.formats.end());
  struct File {
    const char* format;
    const char* name;
    std::function<std::string()> write;
  };
  const File all[] = {
      {"json", "results.json", [&] { return ResultsJson(result); }},
      {"junit", "junit.xml", [&] { return JUnitXml(result); }},
      {"html", "report.html", [&] { return HtmlReport(result); }},
      {"md", "summary.md", [&] { return MarkdownSummary(result); }},
      {"traces", "traces.jsonl", [&] { return text.traces; }},
  };
  FileSet files;
  Status written = AddRepros(out, text, files);
  for (const File& file : all) {
    if (wanted.count(file.format) == 0 || !written) continue;
    written = files.Add(out + "/" + file.name, file.write());
  }
  if (written && wanted.count("repro") > 0 && !text.keep_repros) RemoveRepros(out);
  if (written) written = files.Commit();
  if (wanted.count("text") > 0) {
    fmt::print("{}", TextReport(result, isatty(STDOUT_FILENO) != 0));
    if (written) fmt::print("Report: {}/report.html\n", out);
  }
  return written;
}

size_t WriteWhatFits(const std::string& out, const std::string& traces, RunResult result) {
  std::error_code error;
  if (fs::exists(out + "/results.json", error)) return 0;
  result.partial = true;
  result.script_text.clear();
  result.notes.emplace_back(
      "the report is cut: not all of it could be written (rerun continues it)");
  for (double share = 0.5; share > 0.01; share /= 2) {
    const std::string kept = FirstLines(traces, share);
    const std::set<std::string> scripts = ScriptsIn(kept);
    std::erase_if(result.cases, [&](const CaseResult& c) { return scripts.count(c.script) == 0; });
    for (CaseResult& c : result.cases) c.repro.clear();
    Summarize(result);
    FileSet files;
    const bool fits = files.Add(out + "/results.json", ResultsJson(result)) &&
                      files.Add(out + "/traces.jsonl", kept);
    if (fits && !result.cases.empty() && files.Commit()) return result.cases.size();
  }
  return 0;
}

}  // namespace dlpc
