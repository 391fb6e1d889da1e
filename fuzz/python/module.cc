// dlpc_fuzz: libFuzzer inside the vendor's own interpreter. Inputs are variants of the catalogue's
// scripts, performed on the adapter's arrays and judged on the spot. What breaks a rule is written
// down and the campaign goes on; the runner tries it again in a host of its own and judges there.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "conformance/fuzz_fold.h"
#include "conformance/variants.h"
#include "fuzz/python/device_map_jax.h"
#include "fuzz/sample.h"
#include "harness/hosts/python/py.h"
#include "harness/hosts/python/python_backend.h"
#include "harness/machine.h"
#include "harness/memory.h"
#include "harness/wire.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const uint8_t* data, size_t size));

namespace dlpc {
namespace {

// libFuzzer's callback takes no argument of ours.
struct Campaign {
  std::unique_ptr<PythonBackend> backend;
  std::unique_ptr<Machine> machine;
  Claims claims;
  Choices choices;
  Variant variant;  // Used again, like the outcome.
  Outcome outcome;  // Of the last input; its memory is used again.
  KnownValues known;
  std::unordered_set<std::string> seen;
  int findings = -1;  // Length and bytes of each input that showed something new.
};
Campaign* campaign = nullptr;

void WriteDown(std::span<const uint8_t> bytes) {
  std::string record;
  AppendU32(static_cast<uint32_t>(bytes.size()), record);
  record.append(bytes.begin(), bytes.end());
  if (write(campaign->findings, record.data(), record.size()) < 0) _exit(3);
}

// Making an array takes longer than all that is done to it, and asking for its device a hundred
// times takes as long: now and then is enough.
Reuse Lighten(std::span<const uint8_t> bytes, Script& script) {
  if (Sampled(bytes, 256)) return Reuse::kNever;
  bool stays = true;
  for (Step& step : script.steps) {
    if (step.op == Op::kDevice) step.n = std::min(step.n, 10u);
    stays &= step.op != Op::kDropArray && step.op != Op::kTableImport && step.op != Op::kUseStream;
  }
  if (LeavesArrays(script)) return Reuse::kUnchanged;
  return stays ? Reuse::kRestored : Reuse::kNever;
}

int TryOne(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  Variant& variant = campaign->variant;
  DecodeVariant(bytes, campaign->choices, Arrays::kKnown, variant);
  // Guided by coverage the engine would dwell on loops and threads: they are the other engine's.
  if (!IsQuick(*variant.origin)) return -1;
  campaign->backend->ReuseArrays(Lighten(bytes, variant.script.script));
  Outcome& outcome = campaign->outcome;
  outcome.kind = Outcome::Kind::kTrace;
  campaign->machine->Run(variant.script.script, outcome.trace);
  uint64_t judged = 0;
  bool fresh = false;
  for (const Judged& each :
       BrokenChecks(variant, outcome, &campaign->claims, judged, &campaign->known)) {
    std::string key(each.requirement->id);
    key += '\n';
    key += FoldedText(each.verdict.observed);
    fresh |= campaign->seen.insert(std::move(key)).second;
  }
  if (fresh) WriteDown(bytes);
  return 0;
}

/// libFuzzer's options, and how they are handed over.
class Words {
 public:
  /// False with a Python exception set.
  bool Take(PyObject* list) {
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), &size);
      if (text == nullptr) return false;
      texts_.emplace_back(text, static_cast<size_t>(size));
    }
    return true;
  }
  int Drive(int (*callback)(const uint8_t*, size_t)) {
    std::vector<char*> argv;
    for (std::string& text : texts_) argv.push_back(text.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(texts_.size());
    char** first = argv.data();
    return LLVMFuzzerRunDriver(&argc, &first, callback);
  }

 private:
  std::vector<std::string> texts_ = {"dlpc_fuzz"};
};

PyObject* Run(PyObject*, PyObject* args) {
  PyObject *adapter = nullptr, *info = nullptr, *words = nullptr;
  const char* findings = nullptr;
  if (!PyArg_ParseTuple(args, "OO!sO!:run", &adapter, &PyDict_Type, &info, &findings, &PyList_Type,
                        &words)) {
    return nullptr;
  }
  Words options;
  if (!options.Take(words)) return nullptr;
  try {
    static Campaign state;
    campaign = &state;
    state.backend = PythonBackend::Create(adapter, info);
    if (!state.backend) return nullptr;
    state.machine = std::make_unique<Machine>(state.backend.get(), nullptr);
    state.claims = state.backend->GetClaims();
    state.choices = ChoicesOf(state.claims);
    RememberPages();  // A wrong guess is a crash, which is tried again in a host.
    state.findings = open(findings, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (state.findings < 0) return PyErr_SetFromErrnoWithFilename(PyExc_OSError, findings);
    return PyLong_FromLong(options.Drive(TryOne));
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_RuntimeError, "dlpc_fuzz: %s", e.what());
    return nullptr;
  }
}

PyObject* RunMap(PyObject*, PyObject* args) {
  PyObject *ask = nullptr, *words = nullptr;
  const char* profile = nullptr;
  if (!PyArg_ParseTuple(args, "OsO!:run_map", &ask, &profile, &PyList_Type, &words)) return nullptr;
  Words options;
  if (!options.Take(words)) return nullptr;
  if (!SetUpMapFuzzer(ask, profile)) {
    return PyErr_Format(PyExc_ValueError, "no device map is called %s", profile);
  }
  return PyLong_FromLong(options.Drive(TryMap));
}

PyObject* Version(PyObject*, PyObject*) { return PyUnicode_FromString(VariantsVersion().c_str()); }

PyMethodDef kMethods[] = {
    {"version", Version, METH_NOARGS,
     "version()\n\nOnly a runner that says the same understands the findings."},
    {"run", Run, METH_VARARGS,
     "run(adapter, info, findings, words)\n\nFuzzes the adapter's arrays; words are libFuzzer's "
     "options. Inputs that show something are appended to the file `findings`. Ends the process."},
    {"run_map", RunMap, METH_VARARGS,
     "run_map(ask, profile, words)\n\nThe device map against ask(platform, version, memory_kind, "
     "hardware_id, shards), which returns (type, id) or raises. Ends the process."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "dlpc_fuzz",
                       "Fuzzer of the DLPack conformance suite.",
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace dlpc

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_dlpc_fuzz() {
  return PyModule_Create(&dlpc::kModule);
}
