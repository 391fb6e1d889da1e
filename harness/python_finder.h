// Finds the interpreter that a Python producer lives in, and the files of the Python host.
#ifndef DLPC_HARNESS_PYTHON_FINDER_H_
#define DLPC_HARNESS_PYTHON_FINDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/engine.h"
#include "reference/expected.h"

namespace dlpc {

/// A CPython that really runs and can load the host module: 3.10 or newer, not free-threaded.
struct Interpreter {
  std::string path;  // As found: the link of a virtual environment, not what it points to.
  int major = 0;
  int minor = 0;
  std::string version;  // "3.13.0"
};

/// Starts `path` and asks what it is. The Error is one line.
Expected<Interpreter> ProbeInterpreter(const std::string& path);

/// All interpreters of this machine, newest first: python3.N on PATH, those of pyenv, python3.
std::vector<Interpreter> FindInterpreters();

/// Whose interpreter is looked for.
struct InterpreterQuery {
  std::string python;       // Path or name that the user gave; empty: choose.
  std::string producer;     // "tvm-ffi": names the project's virtual environment.
  std::string module;       // What must be importable, e.g. "tvm_ffi"; empty: nothing.
  std::string source_root;  // Folder whose .venvs/<producer> is preferred; empty: none.
};

/// The user's choice; else an active virtual environment or .venvs/<producer>, if they have the
/// module; else the newest interpreter that has it. Never imports the module. The Error says what
/// to do.
Expected<Interpreter> FindInterpreter(const InterpreterQuery& query);

/// Files that the host needs.
struct PythonHostFiles {
  std::string module;    // dlpc_host.abi3.so
  std::string host;      // host.py
  std::string adapters;  // Folder of the built-in adapters.
};

/// Beside the folder of the executable: ../lib and ../share/dlpc.
Expected<PythonHostFiles> FindPythonHost(const std::string& executable_folder);

/// Folder of the running executable.
std::string ExecutableFolder();

/// Names of the built-in adapters, sorted: "jax", "numpy", ...
std::vector<std::string> AdapterNames(const PythonHostFiles& files);

/// Full path of an adapter given by name ("tvm-ffi") or as a file. The Error lists the known names.
Expected<std::string> FindAdapter(const PythonHostFiles& files, const std::string& name_or_file);

/// The module that must be installed for an adapter: what its line MODULE = "..." says unless that
/// lies beside it, else its name if it is built in, else nothing.
std::string AdapterModule(const PythonHostFiles& files, const std::string& adapter_path);

/// How to start the host: by an adapter's path, or by the text of --object.
HostCommand PythonHostCommand(const Interpreter& interpreter, const PythonHostFiles& files,
                              const std::string& adapter_path);
HostCommand PythonObjectCommand(const Interpreter& interpreter, const PythonHostFiles& files,
                                const std::string& object);

}  // namespace dlpc

#endif  // DLPC_HARNESS_PYTHON_FINDER_H_
