#include "conformance/cli_promote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/fuzz_report.h"
#include "conformance/promote.h"
#include "harness/report.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

// Targets are the folders of seeds.
bool IsTarget(const fs::path& root, const std::string& target) {
  std::error_code ignored;
  return !target.empty() && target[0] != '.' && target.find('/') == std::string::npos &&
         fs::is_directory(root / "fuzz" / "corpus" / target, ignored);
}

// What run.py calls its artifacts: "script-crash-0a1b...".
std::string TargetOf(const fs::path& root, const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  const std::string target = name.substr(0, name.find('-'));
  return IsTarget(root, target) ? target : "";
}

bool IsName(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                     }) &&
         name[0] != '.' && name[0] != '-';
}

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

struct Kept {
  std::string folder;  // Below fuzz/.
  std::string bytes;
  std::optional<Script> script;
  std::string requirement;
};

Expected<Kept> Read(const PromoteOptions& options) {
  Kept kept;
  if (fs::path(options.file).extension() == ".json") {
    auto finding = ReadFinding(options.file);
    if (!finding) return finding.error();
    kept.folder = "corpus/script";
    kept.script = finding->second;
    kept.bytes = EncodeScript(finding->second);
    const std::string stem = fs::path(options.file).stem().string();  // "SHAPE-06-1"
    kept.requirement = stem.substr(0, stem.rfind('-'));
    if (FindRequirement(kept.requirement) == nullptr) kept.requirement.clear();
    return kept;
  }
  const std::string target =
      options.target.empty() ? TargetOf(options.root, options.file) : options.target;
  if (!IsTarget(options.root, target)) {
    return Error{target.empty() ? "say whose crash it is: --target"
                                : "there is no target '" + target + "'"};
  }
  const auto bytes = ReadRegularFile(options.file);
  if (!bytes) return bytes.error();
  kept.folder = "crashes/" + target;
  kept.bytes = *bytes;
  if (target == "script") kept.script = DecodeScript(Bytes(*bytes));
  return kept;
}

}  // namespace

int PromoteVerb(const PromoteOptions& options) {
  if (!IsName(options.name)) return Complain(kUsage, "a name has letters, digits, '-', '_', '.'");
  const auto kept = Read(options);
  if (!kept) return Complain(kUsage, kept.error().message);
  const fs::path path = fs::path(options.root) / "fuzz" / kept->folder / options.name;
  std::error_code error;
  if (!fs::is_directory(path.parent_path(), error)) {
    return Complain(kUsage, "no source tree at '" + options.root + "': say where with --root");
  }
  if (fs::exists(path, error)) return Complain(kUsage, path.string() + " exists");
  if (Status written = WriteFileAtomically(path.string(), kept->bytes); !written) {
    return Complain(kEngine, written.error().message);
  }
  fmt::print("{}: {} bytes, replayed by the tests from now on\n", path.string(),
             kept->bytes.size());
  if (kept->script) {
    fmt::print("\n{}\n", CaseStub(options.name, kept->requirement, *kept->script));
  }
  if (kept->folder == "corpus/script") {
    fmt::print(
        "The fault of a released producer belongs in docs/BUGS.md, once a program that shares "
        "nothing with the suite confirms it.\n");
  }
  return kAsExpected;
}

}  // namespace dlpc
