#include "harness/python_finder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "harness/capture.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

constexpr int kNewestMinor = 16;  // python3.16 ... python3.10 are tried by name.
constexpr int kOldestMinor = 10;
constexpr double kProbeSeconds = 20;

// Prints: implementation, version, "gil" or "nogil"; then the executable (behind a shim: the true
// one) and what it links to.
constexpr const char* kProbe =
    "import sys, os; print(sys.implementation.name, '%d.%d.%d' % sys.version_info[:3], "
    "'nogil' if 't' in getattr(sys, 'abiflags', '') else 'gil', sys.executable, "
    "os.path.realpath(sys.executable), sep='\\n')";

// Exit code 0: the module could be imported. Looks for it as an import would, without importing it.
constexpr const char* kHasModule =
    "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)";

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsExecutable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// Every folder's file of that name, in the order of PATH. Absolute: argv[0] must be.
std::vector<std::string> OnPath(const std::string& name) {
  std::vector<std::string> found;
  std::istringstream path(Environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    std::error_code error;
    const fs::path file = fs::absolute(fs::path(folder.empty() ? "." : folder) / name, error);
    if (!error && IsExecutable(file)) found.push_back(file);
  }
  return found;
}

std::string PyenvRoot() {
  const std::string root = Environment("PYENV_ROOT");
  return root.empty() ? Environment("HOME") + "/.pyenv" : root;
}

std::vector<std::string> PyenvInterpreters() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(PyenvRoot() + "/versions", error)) {
    const fs::path python = entry.path() / "bin" / "python3";
    if (IsExecutable(python)) found.push_back(python);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

std::vector<std::string> Candidates() {
  std::vector<std::string> all;
  for (int minor = kNewestMinor; minor >= kOldestMinor; --minor) {
    for (auto& path : OnPath(fmt::format("python3.{}", minor))) all.push_back(std::move(path));
  }
  for (auto& path : PyenvInterpreters()) all.push_back(std::move(path));
  for (const char* name : {"python3", "python"}) {
    for (auto& path : OnPath(name)) all.push_back(std::move(path));
  }
  // Shims are slow, and most of them lead nowhere; what they lead to is in the list.
  std::erase_if(all, [shims = PyenvRoot() + "/shims/"](const std::string& path) {
    return path.starts_with(shims);
  });
  return all;
}

struct ProbedPython {
  Interpreter interpreter;
  std::string real_path;
};

Expected<ProbedPython> Probe(const std::string& path) {
  const Captured run = Capture({path, "-I", "-S", "-c", kProbe}, kProbeSeconds);
  std::istringstream lines(run.output);
  std::string implementation, version, lock, executable, real;
  for (std::string* line : {&implementation, &version, &lock, &executable, &real}) {
    std::getline(lines, *line);
  }
  if (run.exit_code != 0 || real.empty()) {
    return Error{fmt::format("{} does not run as a Python interpreter", path)};
  }
  ProbedPython probed{{executable, 0, 0, version}, real};
  Interpreter& found = probed.interpreter;
  std::sscanf(version.c_str(), "%d.%d", &found.major, &found.minor);
  if (implementation != "cpython" || found.major != 3 || found.minor < kOldestMinor) {
    return Error{
        fmt::format("{} is {} {}: CPython 3.10 or newer is needed", path, implementation, version)};
  }
  if (lock == "nogil") {
    return Error{fmt::format(
        "{} is a free-threaded build, which has no stable ABI: use a standard build", path)};
  }
  return probed;
}

bool HasModule(const Interpreter& interpreter, const std::string& module) {
  if (module.empty()) return true;
  const std::string top = module.substr(0, module.find('.'));
  return Capture({interpreter.path, "-c", kHasModule, top}, kProbeSeconds).exit_code == 0;
}

// An interpreter of a virtual environment that has the module.
std::optional<Interpreter> InEnvironment(const fs::path& environment, const std::string& module) {
  const fs::path python = environment / "bin" / "python";
  std::error_code error;
  if (!IsExecutable(python)) return std::nullopt;
  const Expected<Interpreter> found = ProbeInterpreter(fs::absolute(python, error));
  if (!found || !HasModule(*found, module)) return std::nullopt;
  return *found;
}

Expected<Interpreter> Given(const std::string& python) {
  if (python.find('/') != std::string::npos) {
    std::error_code error;
    const fs::path path = fs::absolute(python, error);
    if (fs::is_directory(path, error)) {
      return Error{fmt::format("{} is a folder, not an interpreter", python)};
    }
    if (!IsExecutable(path)) return Error{fmt::format("there is no interpreter {}", python)};
    return ProbeInterpreter(path);
  }
  const std::vector<std::string> found = OnPath(python);
  if (found.empty()) return Error{fmt::format("there is no interpreter {} on PATH", python)};
  return ProbeInterpreter(found.front());
}

Error NoInterpreter(const InterpreterQuery& query, size_t tried) {
  if (tried == 0) return {"no CPython 3.10 or newer was found; give one by --python PATH"};
  const std::string remedy =
      query.producer.empty()
          ? "give the one that has it by --python PATH"
          : fmt::format("run scripts/certify {}, or give the one that has it by --python PATH",
                        query.producer);
  return {fmt::format("none of the {} Python interpreters found has the module {}; {}", tried,
                      query.module, remedy)};
}

}  // namespace

Expected<Interpreter> ProbeInterpreter(const std::string& path) {
  const Expected<ProbedPython> probed = Probe(path);
  if (!probed) return probed.error();
  return probed->interpreter;
}

std::vector<Interpreter> FindInterpreters() {
  std::vector<Interpreter> found;
  std::set<std::string> seen, real;
  for (const std::string& path : Candidates()) {
    if (!seen.insert(path).second) continue;
    const Expected<ProbedPython> probed = Probe(path);
    if (probed && real.insert(probed->real_path).second) found.push_back(probed->interpreter);
  }
  std::stable_sort(found.begin(), found.end(), [](const Interpreter& a, const Interpreter& b) {
    return a.major != b.major ? a.major > b.major : a.minor > b.minor;
  });
  return found;
}

Expected<Interpreter> FindInterpreter(const InterpreterQuery& query) {
  if (!query.python.empty()) return Given(query.python);
  const std::string active = Environment("VIRTUAL_ENV");
  if (!active.empty()) {
    if (auto found = InEnvironment(active, query.module)) return *found;
  }
  if (!query.source_root.empty() && !query.producer.empty()) {
    const fs::path own = fs::path(query.source_root) / ".venvs" / query.producer;
    if (auto found = InEnvironment(own, query.module)) return *found;
  }
  const std::vector<Interpreter> all = FindInterpreters();
  for (const Interpreter& interpreter : all) {
    if (HasModule(interpreter, query.module)) return interpreter;
  }
  return NoInterpreter(query, all.size());
}

}  // namespace dlpc
