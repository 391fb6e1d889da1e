#include "conformance/producers.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/hosts/host_main.h"
#include "harness/python_finder.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

namespace fs = std::filesystem;

// Our own executable is also the host of reference and native producers.
std::string Self() { return ExecutableFolder() + "/dlpack-conformance"; }

// The folder that holds .venvs: some folder above the executable that scripts/setup prepared.
std::string SourceRoot() {
  std::error_code ignored;
  fs::path folder = ExecutableFolder();
  for (int up = 0; up < 4; ++up) {
    if (fs::is_directory(folder / ".venvs", ignored)) return folder.string();
    folder = folder.parent_path();
  }
  return "";
}

bool LooksLikeLibrary(const std::string& producer) {
  return producer.find('/') != std::string::npos || fs::path(producer).extension() == ".so";
}

Expected<HostCommand> PythonHost(const ProducerOptions& options) {
  const auto files = FindPythonHost(ExecutableFolder());
  if (!files) return files.error();

  InterpreterQuery query;
  query.python = options.python;
  query.producer = options.producer;
  query.source_root = SourceRoot();
  std::string adapter;
  if (options.object.empty()) {
    const auto found =
        FindAdapter(*files, options.adapter.empty() ? options.producer : options.adapter);
    if (!found) return found.error();
    adapter = *found;
    query.module = AdapterModule(*files, adapter);
  } else {
    query.module = options.object.substr(0, options.object.find_first_of(":."));
    if (query.producer.empty()) query.producer = query.module;
  }
  const auto interpreter = FindInterpreter(query);
  if (!interpreter) return interpreter.error();
  return adapter.empty() ? PythonObjectCommand(*interpreter, *files, options.object)
                         : PythonHostCommand(*interpreter, *files, adapter);
}

Status CheckCombination(const ProducerOptions& o) {
  const bool reference = o.producer == "reference";
  if (o.producer.empty() && o.object.empty() && o.adapter.empty()) {
    return Error{"say which producer: a name, path/to/lib.so, --adapter or --object"};
  }
  if (!o.mutant.empty() && !reference) return Error{"--mutant belongs to the reference producer"};
  if (!o.mutant.empty() && FindMutant(o.mutant) == nullptr) {
    return Error{"no mutant '" + o.mutant + "' (see: mutants)"};
  }
  if (!o.object.empty() && !o.adapter.empty()) {
    return Error{"--object needs no adapter: give one of --object and --adapter"};
  }
  if (reference && !(o.object.empty() && o.adapter.empty() && o.python.empty())) {
    return Error{"the reference producer takes no --object, --adapter or --python"};
  }
  return OkStatus();
}

}  // namespace

HostCommand MutantHost(std::string_view mutant) {
  return ReferenceHost(Self(), std::string(mutant));
}

Expected<HostCommand> ResolveHost(const ProducerOptions& options) {
  if (Status status = CheckCombination(options); !status) return status.error();
  if (options.producer == "reference") return MutantHost(options.mutant);
  const bool python = !options.object.empty() || !options.adapter.empty();
  if (!python && LooksLikeLibrary(options.producer)) {
    std::error_code error;
    const fs::path path = fs::absolute(options.producer, error);
    if (!fs::exists(path, error)) return Error{options.producer + ": no such file"};
    return NativeHost(Self(), path.string());
  }
  return PythonHost(options);
}

Expected<HostCommand> EmulatedHost(HostCommand host, std::string_view profile) {
  const auto files = FindPythonHost(ExecutableFolder());
  if (!files) return files.error();
  const fs::path library = fs::path(files->module).parent_path() / "dlpc_pjrt_emulation.so";
  std::error_code error;
  if (!fs::exists(library, error)) {
    return Error{"the emulated accelerator was not built: there is no " + library.string()};
  }
  host.env.push_back("DLPC_EMULATE=" + std::string(profile));
  host.env.push_back("DLPC_EMULATION_LIBRARY=" + library.string());
  host.env.push_back("DLPC_EMULATION_DIR=" +
                     (fs::path(files->host).parent_path() / "emulation").string());
  return host;
}

std::string DoctorText() {
  std::string text =
      fmt::format("reference  ready ({} mutants)\nnative     ready\n", Mutants().size());
  const auto files = FindPythonHost(ExecutableFolder());
  if (!files) return text + "python     " + files.error().message + "\n";
  text += "python     ready: " + files->module + "\n";
  const std::vector<Interpreter> interpreters = FindInterpreters();
  for (const Interpreter& interpreter : interpreters) {
    text += fmt::format("  CPython {:8} {}\n", interpreter.version, interpreter.path);
  }
  if (interpreters.empty()) text += "  no CPython 3.10 or newer was found\n";
  text += "producers\n";
  for (const std::string& name : AdapterNames(*files)) {
    ProducerOptions options;
    options.producer = name;
    const auto host = ResolveHost(options);
    text += fmt::format("  {:16} {}\n", name, host ? host->program : host.error().message);
  }
  return text;
}

}  // namespace dlpc
