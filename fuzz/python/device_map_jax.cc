#include "fuzz/python/device_map_jax.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/map_facts.h"

namespace dlpc {
namespace {

PyObject* asked = nullptr;
std::span<const DeviceRule> rules;

// What the query of a framework can meet at all: text, an id that is a number of a device, parts
// that can be counted.
bool Possible(const DeviceFacts& facts) {
  for (const std::string* text : {&facts.platform, &facts.platform_version, &facts.memory_kind}) {
    const bool ascii = std::all_of(text->begin(), text->end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii) return false;
  }
  return facts.shards >= 0 && facts.shards <= 8 && facts.device.empty();
}

std::string TextOf(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = object == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(object, &size);
  std::string result = text == nullptr ? "" : std::string(text, static_cast<size_t>(size));
  PyErr_Clear();
  Py_XDECREF(object);
  return result;
}

Refusal TakeRefusal() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Refusal refusal;
  refusal.exception = TextOf(PyObject_GetAttrString(type, "__name__"));
  refusal.message = TextOf(PyObject_Str(value));
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return refusal;
}

DeviceAnswerOrRefusal Ask(const DeviceFacts& facts) {
  PyObject* const id = facts.hardware_id ? PyLong_FromLong(*facts.hardware_id) : Py_None;
  if (id == Py_None) Py_INCREF(id);
  PyObject* const pair = PyObject_CallFunction(
      asked, "s#s#s#Nn", facts.platform.data(), static_cast<Py_ssize_t>(facts.platform.size()),
      facts.platform_version.data(), static_cast<Py_ssize_t>(facts.platform_version.size()),
      facts.memory_kind.data(), static_cast<Py_ssize_t>(facts.memory_kind.size()), id,
      static_cast<Py_ssize_t>(facts.shards));
  if (pair == nullptr) return TakeRefusal();
  int type = 0, number = 0;
  if (!PyArg_ParseTuple(pair, "ii", &type, &number)) {
    Py_DECREF(pair);
    return TakeRefusal();
  }
  Py_DECREF(pair);
  return DLDevice{static_cast<DLDeviceType>(type), number};
}

}  // namespace

bool SetUpMapFuzzer(PyObject* ask, const char* profile) {
  asked = ask;
  rules = DeviceRules(profile);
  return !rules.empty();
}

int TryMap(const uint8_t* data, size_t size) {
  InputReader reader({data, size});
  static DeviceFacts facts;
  TakeFacts(reader, facts);
  if (!Possible(facts)) return -1;  // Not worth keeping.
  const std::string real = MapText(Ask(facts));
  const std::string ours = MapText(MapDevice(rules, facts));
  if (real == ours) return 0;
  std::fprintf(stderr,
               "platform '%s', version '%s', memory '%s', id %d, shards %d:\n  framework: %s\n"
               "  map: %s\n",
               facts.platform.c_str(), facts.platform_version.c_str(), facts.memory_kind.c_str(),
               facts.hardware_id.value_or(-1), static_cast<int>(facts.shards), real.c_str(),
               ours.c_str());
  std::abort();
}

}  // namespace dlpc
