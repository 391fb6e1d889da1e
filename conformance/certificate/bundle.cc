#include "conformance/certificate/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "conformance/catalogue.h"
#include "conformance/certificate/badge.h"
#include "conformance/certificate/digest.h"
#include "conformance/certificate/rejudge.h"
#include "harness/report.h"

namespace dlpc {
namespace {

constexpr const char* kFromReport[] = {"results.json", "traces.jsonl", "junit.xml", "report.html"};
constexpr const char* kMade[] = {"PRODUCER.yaml", "STATEMENT.md", "README.md"};

std::string Yaml(const RunResult& result) {
  std::string text = fmt::format(
      "producer: {}\nversion: {}\nkind: {}\ninterpreter: {}\nverdict: {}\ndlpack: {}\n"
      "array_api: {}\nsuite: {}\ncatalogue_sha256: {}\n",
      QuotedText(result.producer.producer), QuotedText(result.producer.version),
      QuotedText(result.producer.kind), QuotedText(result.producer.interpreter),
      QuotedText(result.verdict), QuotedText(result.dlpack), QuotedText(result.array_api),
      QuotedText(result.suite_version), QuotedText(result.catalogue_sha256));
  text += "environment:\n";
  for (const auto& [name, value] : result.environment) {
    text += fmt::format("  {}: {}\n", QuotedText(name), QuotedText(value));
  }
  text += "profiles:\n";
  for (const ProfileResult& profile : Profiles(result)) {
    text += fmt::format("  {}: {{state: {}, passed: {}, untested: {}, failed: [{}]}}\n",
                        profile.name, QuotedText(std::string(StateName(profile.state))),
                        profile.passed, profile.untested, fmt::join(profile.failed, ", "));
  }
  return text + fmt::format("claims: {}\n", result.producer.json);
}

std::string Statement(const RunResult& result) {
  std::string text = fmt::format(
      "# Statement\n\nThe files of this folder are the unchanged outcome of one whole run of "
      "dlpack-conformance {}\n(catalogue `{}`) against DLPack {} and array API {}.\n\n"
      "| profile | is about | state | passed | untested | failed |\n|---|---|---|---:|---:|---|\n",
      result.suite_version, result.catalogue_sha256, result.dlpack, result.array_api);
  for (const ProfileResult& p : Profiles(result)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", p.name, p.what, StateName(p.state),
                        p.passed, p.untested, fmt::join(p.failed, " "));
  }
  return text +
         "\n`untested` counts requirements of which no case could be executed: the machine or the "
         "producer\nlacks what they ask about. Whoever hands this folder on answers for the "
         "producer's name and version.\n";
}

std::string Readme(const RunResult& result, const std::string& command) {
  std::string environment;
  for (const auto& [name, value] : result.environment) {
    environment += fmt::format("- {}: {}\n", name, value);
  }
  return fmt::format(
      "# DLPack conformance\n\nCheck this folder, without the producer and without a network:\n\n"
      "    sha256sum -c {0}\n    dlpack-conformance verify .\n\n"
      "The second judges the stored traces again and compares every verdict.\n\n"
      "## Reproduce\n\nWith dlpack-conformance {1}:\n\n    {2}\n\n## Environment of the run\n\n{3}",
      kHashList, result.suite_version, command, environment);
}

// No file may be read or written by what a list of names says.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name.size() < 100 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
         });
}

Expected<std::map<std::string, std::string>> ReadHashes(const std::string& list) {
  std::map<std::string, std::string> hashes;
  std::istringstream lines(list);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto wrong = [&](const char* what) {
      return Error{fmt::format("{}:{}: {}", kHashList, number, what)};
    };
    if (line.size() < 67 || line.substr(64, 2) != "  ") return wrong("no hash and name");
    const std::string name = line.substr(66);
    if (!IsPlainName(name)) return wrong("a name that is no plain file name");
    if (!hashes.emplace(name, line.substr(0, 64)).second)
      return wrong("a name that is there twice");
  }
  return hashes;
}

Status CheckHashes(const BundleFiles& files) {
  const auto list = files.find(kHashList);
  if (list == files.end()) return Error{fmt::format("{} is missing", kHashList)};
  const auto hashes = ReadHashes(list->second);
  if (!hashes) return hashes.error();
  for (const char* name : kFromReport) {
    if (hashes->count(name) == 0) return Error{fmt::format("{} does not list {}", kHashList, name)};
  }
  for (const char* name : kMade) {
    if (hashes->count(name) == 0) return Error{fmt::format("{} does not list {}", kHashList, name)};
  }
  for (const auto& [name, hash] : *hashes) {
    const auto file = files.find(name);
    if (file == files.end()) return Error{name + " is missing"};
    if (Sha256Hex(file->second) != hash) return Error{name + " is not what its hash says"};
  }
  for (const auto& [name, contents] : files) {
    if (name != kHashList && name != kSignature && hashes->count(name) == 0) {
      return Error{fmt::format("{} is not in {}", name, kHashList)};
    }
  }
  if (list->second != HashList(files)) {
    return Error{fmt::format("{} is not as bundle writes it", kHashList)};
  }
  return OkStatus();
}

Expected<RunResult> CheckedResult(const BundleFiles& files) {
  for (const char* name : {"results.json", "traces.jsonl"}) {
    if (files.count(name) == 0) return Error{std::string(name) + " is missing"};
  }
  auto result = RunResultFromJson(files.at("results.json"));
  if (!result) return Error{"results.json: " + result.error().message};
  if (Status fits = CheckAgainstTraces(*result, files.at("traces.jsonl")); !fits) {
    return fits.error();
  }
  return result;
}

// What people read must say what the results say.
Status CheckPages(const BundleFiles& files, RunResult result) {
  const std::vector<Case>& catalogue = Catalogue();
  for (size_t i = 0; i < catalogue.size(); ++i) {  // The page shows the steps of what failed.
    const CaseStatus status = result.cases[i].status;
    if (!IsBad(status) && status != CaseStatus::kError) continue;
    const NamedScript& script = *catalogue[i].script;
    result.script_text[script.name] = fmt::format("{}", fmt::join(ScriptText(script.script), "\n"));
  }
  const std::pair<const char*, std::string> pages[] = {{"PRODUCER.yaml", Yaml(result)},
                                                       {"STATEMENT.md", Statement(result)},
                                                       {"junit.xml", JUnitXml(result)},
                                                       {"report.html", HtmlReport(result)}};
  for (const auto& [name, text] : pages) {
    if (files.at(name) != text) return Error{fmt::format("{} is not what results.json says", name)};
  }
  return OkStatus();
}

}  // namespace

Expected<BundleFiles> MakeBundle(const BundleFiles& report, const std::string& command) {
  BundleFiles files;
  for (const char* name : kFromReport) {
    const auto file = report.find(name);
    if (file == report.end()) return Error{std::string(name) + " is missing"};
    files[name] = file->second;
  }
  const auto result = CheckedResult(files);
  if (!result) return result.error();
  files["PRODUCER.yaml"] = Yaml(*result);
  files["STATEMENT.md"] = Statement(*result);
  files["README.md"] = Readme(*result, command);
  return files;
}

std::string HashList(const BundleFiles& files) {
  std::string text;
  for (const auto& [name, contents] : files) {
    if (name != kHashList && name != kSignature) {
      text += fmt::format("{}  {}\n", Sha256Hex(contents), name);
    }
  }
  return text;
}

Expected<Verified> VerifyBundle(const BundleFiles& files) {
  if (Status hashes = CheckHashes(files); !hashes) return hashes.error();
  auto result = CheckedResult(files);
  if (!result) return result.error();
  if (Status same = CheckPages(files, *result); !same) return same.error();
  std::vector<ProfileResult> profiles = Profiles(*result);
  return Verified{std::move(*result), std::move(profiles)};
}

}  // namespace dlpc
