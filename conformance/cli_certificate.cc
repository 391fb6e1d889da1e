#include "conformance/cli_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "conformance/certificate/badge.h"
#include "conformance/certificate/bundle.h"
#include "conformance/certificate/digest.h"
#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 50;

// The files of a flat folder. Links are none of ours: they may lead anywhere.
Expected<BundleFiles> ReadFolder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return Error{folder + ": no such folder"};
  BundleFiles files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const fs::file_status status = entry.symlink_status(error);
    if (fs::is_symlink(status)) return Error{fmt::format("{}/{}: a symbolic link", folder, name)};
    if (!fs::is_regular_file(status)) return Error{fmt::format("{}/{}: no file", folder, name)};
    if (files.size() == kMaxFiles) return Error{fmt::format("{}: too many files", folder)};
    auto text = ReadRegularFile(entry.path().string());
    if (!text) return text.error();
    files[name] = std::move(*text);
  }
  if (error) return Error{fmt::format("{}: {}", folder, error.message())};
  return files;
}

// Those of a report folder that go into a bundle.
Expected<BundleFiles> ReadReport(const std::string& folder) {
  BundleFiles files;
  for (const char* name : {"results.json", "traces.jsonl", "junit.xml", "report.html"}) {
    auto text = ReadRegularFile((fs::path(folder) / name).string());
    if (!text) return text.error();
    files[name] = std::move(*text);
  }
  return files;
}

std::string CommandFor(const BundleFiles& report) {
  const auto result = RunResultFromJson(report.at("results.json"));
  if (!result) return "";
  const Claims& producer = result->producer;
  const bool known = producer.kind == "python" && !producer.adapter.empty();
  const std::string name = producer.kind == "native"
                               ? fs::path(producer.adapter).filename().string()
                               : producer.producer;
  return fmt::format("dlpack-conformance run {}{} --dlpack {} --array-api {}",
                     known || producer.kind != "python" ? "" : "--object ", name, result->dlpack,
                     result->array_api);
}

void PrintProfiles(const std::vector<ProfileResult>& profiles) {
  for (const ProfileResult& p : profiles) {
    std::string counts;
    if (p.state != ProfileResult::State::kNotClaimed) {
      counts =
          fmt::format("{} passed, {} untested, {} failed", p.passed, p.untested, p.failed.size());
    }
    fmt::print("{:<16} {:<12} {}\n", p.name, StateName(p.state), counts);
  }
}

const ProfileResult* Find(const std::vector<ProfileResult>& profiles, const std::string& name) {
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const ProfileResult& p) { return p.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

std::string NoProfile(const std::string& name) {
  return fmt::format("no profile '{}' (there are: {})", name, ProfileNames());
}

Status CheckSignature(const BundleFiles& files, const std::string& key) {
  const auto signature = files.find(kSignature);
  if (signature == files.end()) return Error{fmt::format("{} is missing", kSignature)};
  const auto pem = ReadRegularFile(key);
  if (!pem) return pem.error();
  return CheckEd25519(*pem, files.at(kHashList), signature->second);
}

}  // namespace

int BundleVerb(const BundleOptions& options) {
  std::error_code error;
  if (fs::exists(options.out, error) && !fs::is_empty(options.out, error)) {
    return Complain(kUsage, options.out + " is there already");
  }
  const auto report = ReadReport(options.report);
  if (!report) return Complain(kUsage, report.error().message);
  auto files = MakeBundle(*report, CommandFor(*report));
  if (!files) return Complain(kUsage, fmt::format("{}: {}", options.report, files.error().message));
  (*files)[kHashList] = HashList(*files);
  if (!options.sign.empty()) {
    const auto pem = ReadRegularFile(options.sign);
    if (!pem) return Complain(kUsage, pem.error().message);
    const auto signature = SignEd25519(*pem, files->at(kHashList));
    if (!signature) {
      return Complain(kUsage, fmt::format("{}: {}", options.sign, signature.error().message));
    }
    (*files)[kSignature] = *signature;
  }
  if (Status dir = PrepareReportDir(options.out); !dir) {
    return Complain(kEngine, dir.error().message);
  }
  for (const auto& [name, text] : *files) {
    const Status written = WriteFileAtomically(options.out + "/" + name, text);
    if (!written) return Complain(kEngine, written.error().message);
  }
  fmt::print("{} files: {}\n", files->size(), options.out);
  return kAsExpected;
}

int VerifyVerb(const VerifyOptions& options) {
  const auto files = ReadFolder(options.bundle);
  if (!files) return Complain(kUsage, files.error().message);
  const auto verified = VerifyBundle(*files);
  if (!verified) {
    return Complain(kUnexpected, fmt::format("{}: {}", options.bundle, verified.error().message));
  }
  if (!options.key.empty()) {
    if (Status signature = CheckSignature(*files, options.key); !signature) {
      return Complain(kUnexpected,
                      fmt::format("{}: {}", options.bundle, signature.error().message));
    }
  }
  const RunResult& result = verified->result;
  fmt::print("{} {}: {}; all hashes, cases and {} verdicts hold{}\n", result.producer.producer,
             result.producer.version, result.verdict, result.cases.size(),
             options.key.empty() ? "" : ", and the signature fits");
  PrintProfiles(verified->profiles);
  if (options.profile.empty()) return kAsExpected;
  const ProfileResult* profile = Find(verified->profiles, options.profile);
  if (profile == nullptr) return Complain(kUsage, NoProfile(options.profile));
  return profile->state == ProfileResult::State::kMet
             ? kAsExpected
             : Complain(kUnexpected,
                        fmt::format("profile {} is {}", profile->name, StateName(profile->state)));
}

int BadgeVerb(const BadgeOptions& options) {
  const auto result = ReadResults(options.results);
  if (!result) return Complain(kUsage, result.error().message);
  const std::vector<ProfileResult> profiles = Profiles(*result);
  const ProfileResult* profile = Find(profiles, options.profile);
  if (profile == nullptr) return Complain(kUsage, NoProfile(options.profile));
  const Badge badge = BadgeOf(*profile);
  for (const auto& [end, text] :
       {std::pair{".json", BadgeJson(badge)}, std::pair{".svg", BadgeSvg(badge)}}) {
    const Status written = WriteFileAtomically(options.out + end, text);
    if (!written) return Complain(kEngine, written.error().message);
  }
  fmt::print("{}: {} ({}.json, {}.svg)\n", badge.label, badge.message, options.out, options.out);
  return kAsExpected;
}

}  // namespace dlpc
