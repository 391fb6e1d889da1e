// The part of python_finder.h that deals with files and command lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "harness/python_finder.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kObjectAdapter =
    "object_adapter";  // Serves --object; no name of a producer.

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string WithUnderscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A module in the adapter's own folder, which the host puts on the path.
bool LiesBeside(const fs::path& adapter, const std::string& module) {
  const fs::path top = adapter.parent_path() / module.substr(0, module.find('.'));
  std::error_code error;
  return (IsFile(top.string() + ".py") && top.filename() != adapter.stem()) ||
         IsFile(top / "__init__.py");
}

HostCommand Command(const Interpreter& interpreter, const PythonHostFiles& files,
                    const std::string& option, const std::string& value) {
  HostCommand command;
  command.program = interpreter.path;
  command.args = {files.host, "--module", files.module, option, value};
  // Nothing is written beside the vendor's files, and what a dying process printed is not lost.
  command.env = {"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1",
                 "PYTHONIOENCODING=utf-8:replace"};
  return command;
}

// The module in a line `MODULE = ... "name"  # comment`; empty: the line is none.
std::string ModuleInLine(std::string_view line) {
  if (!line.starts_with("MODULE") || line.find('=') == line.npos) return "";
  line = line.substr(0, line.find('#'));
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const char quote = line.empty() ? '\0' : line.back();
  if (quote != '"' && quote != '\'') return "";
  line.remove_suffix(1);
  const size_t begin = line.rfind(quote);
  if (begin == line.npos) return "";
  const std::string_view name = line.substr(begin + 1);
  const bool word = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  return word ? std::string(name) : "";
}

}  // namespace

std::string ExecutableFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

Expected<PythonHostFiles> FindPythonHost(const std::string& executable_folder) {
  const fs::path prefix = fs::path(executable_folder).parent_path();
  const fs::path share = prefix / "share" / "dlpc";
  PythonHostFiles files{"", share / "host.py", share / "adapters"};
  std::vector<fs::path> libraries = {prefix / "lib", prefix / "lib64"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prefix / "lib", error)) {
    if (entry.path().filename().string().find("-linux-") != std::string::npos) {
      libraries.push_back(entry.path());  // Debian's multiarch folder.
    }
  }
  for (const fs::path& library : libraries) {
    if (files.module.empty() && IsFile(library / "dlpc_host.abi3.so")) {
      files.module = library / "dlpc_host.abi3.so";
    }
  }
  if (files.module.empty()) {
    return Error{fmt::format(
        "the host for Python producers, dlpc_host.abi3.so, is not in {}: build it with Python's "
        "headers (Debian: libpython3-dev)",
        (prefix / "lib").string())};
  }
  if (!IsFile(files.host)) return Error{fmt::format("there is no {}", files.host)};
  return files;
}

std::vector<std::string> AdapterNames(const PythonHostFiles& files) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(files.adapters, error)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".py" || path.stem() == kObjectAdapter) continue;
    std::string name = path.stem();
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Expected<std::string> FindAdapter(const PythonHostFiles& files, const std::string& name_or_file) {
  if (name_or_file.ends_with(".py") || name_or_file.find('/') != std::string::npos) {
    std::error_code error;
    const fs::path path = fs::absolute(name_or_file, error);
    if (!IsFile(path)) return Error{fmt::format("there is no adapter file {}", name_or_file)};
    return path.string();
  }
  const fs::path path = fs::path(files.adapters) / (WithUnderscores(name_or_file) + ".py");
  if (!name_or_file.empty() && path.stem() != kObjectAdapter && IsFile(path)) return path.string();
  return Error{
      fmt::format("no adapter is built in for '{}' (there are: {}); write one for --adapter "
                  "FILE.py, or use --object 'module:expression'",
                  name_or_file, fmt::join(AdapterNames(files), ", "))};
}

std::string AdapterModule(const PythonHostFiles& files, const std::string& adapter_path) {
  const fs::path path(adapter_path);
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const std::string module = ModuleInLine(text);
    if (module.empty()) continue;
    return LiesBeside(path, module) ? std::string() : module;
  }
  return path.parent_path() == fs::path(files.adapters) ? path.stem().string() : std::string();
}

HostCommand PythonHostCommand(const Interpreter& interpreter, const PythonHostFiles& files,
                              const std::string& adapter_path) {
  return Command(interpreter, files, "--adapter", adapter_path);
}

HostCommand PythonObjectCommand(const Interpreter& interpreter, const PythonHostFiles& files,
                                const std::string& object) {
  return Command(interpreter, files, "--object", object);
}

}  // namespace dlpc
