#include <cstdlib>
#include <cstring>

#include "harness/hosts/python/call_cache.h"

// In the stable ABI since 3.12, and older headers do not declare it: NULL where it is missing.
extern "C" __attribute__((weak)) PyObject* PyObject_VectorcallMethod(PyObject* name,
                                                                     PyObject* const* args,
                                                                     size_t nargsf,
                                                                     PyObject* kwnames);

namespace dlpc {
namespace {

// In the order in which RequestText prints them.
enum Keyword { kStream, kMaxVersion, kDevice, kCopy, kUnknown, kKeywords };
constexpr const char* kNames[kKeywords] = {"stream", "max_version", "dl_device", "copy", "unknown"};

bool HasVectorcall() {
  if (PyObject_VectorcallMethod == nullptr) return false;
  const char* const minor = std::strchr(Py_GetVersion(), '.');  // "3.13.0 (main, ...)"
  return minor != nullptr && std::atoi(minor + 1) >= 12;
}

const bool vectorcall = HasVectorcall();

// Without vector calls: through an object for the bound method, a tuple and a dict.
Ref CallBound(PyObject* name, const CallArguments& call) {
  Ref method = Ref::Steal(PyObject_GetAttr(call.stack[0], name));
  const auto positional = static_cast<Py_ssize_t>(call.positional - 1);
  Ref args = Ref::Steal(positional == 0 ? PyTuple_New(0) : PyTuple_Pack(1, call.stack[1]));
  Ref kwargs = Ref::Steal(call.names == nullptr ? nullptr : PyDict_New());
  if (!method || !args || (call.names != nullptr && !kwargs)) return {};
  for (size_t i = call.positional; i < call.count; ++i) {
    const auto at = static_cast<Py_ssize_t>(i - call.positional);
    if (PyDict_SetItem(kwargs.get(), PyTuple_GetItem(call.names, at), call.stack[i]) != 0) {
      return {};
    }
  }
  return Ref::Steal(PyObject_Call(method.get(), args.get(), kwargs.get()));
}

PyObject* OddValue(Odd odd) {
  switch (odd) {
    case Odd::kInt1:
      return PyLong_FromLong(1);
    case Odd::kInt2:
      return PyLong_FromLong(2);
    case Odd::kString:
      return PyUnicode_FromString("x");
    case Odd::kList:
      return Py_BuildValue("[ii]", 1, 0);
    case Odd::kTuple1:
      return Py_BuildValue("(i)", 1);
    case Odd::kTuple3:
      return Py_BuildValue("(iii)", 1, 0, 0);
    case Odd::kStrings:
      return Py_BuildValue("(ss)", "1", "0");
    case Odd::kNoneInPair:
      return Py_BuildValue("(Oi)", Py_None, 0);
    case Odd::kObject:
    case Odd::kCount_:
      break;
  }
  return PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyBaseObject_Type), nullptr);
}

}  // namespace

Ref CallMethod(PyObject* name, const CallArguments& call) {
  if (!vectorcall) return CallBound(name, call);
  return Ref::Steal(
      PyObject_VectorcallMethod(name, call.stack.data(), call.positional, call.names));
}

Ref CallMethod(PyObject* name, PyObject* object) {
  if (vectorcall) return Ref::Steal(PyObject_VectorcallMethod(name, &object, 1, nullptr));
  CallArguments call;
  call.stack[0] = object;
  return CallBound(name, call);
}

PyObject* RequestCache::Pair(Pairs& pairs, int64_t first, int64_t second, Ref& made) {
  const uint64_t key = static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
  PairSlot& slot = pairs[(key ^ (key >> 32) * 67) % pairs.size()];
  if (slot.pair && slot.key == key) return slot.pair.get();
  made = Ref::Steal(
      Py_BuildValue("(LL)", static_cast<long long>(first), static_cast<long long>(second)));
  if (slot.pair || !made) return made.get();
  slot = {key, std::move(made)};
  return slot.pair.get();
}

// The value of Arg::kValue, borrowed; nullptr with an exception set on failure.
PyObject* RequestCache::Value(int which, const Request& r, Ref& made) {
  switch (which) {
    case kMaxVersion:
      return Pair(versions_, r.max_version.major, r.max_version.minor, made);
    case kDevice:
      return Pair(devices_, r.dl_device.device_type, r.dl_device.device_id, made);
    case kCopy:
      return r.copy_value ? Py_True : Py_False;
    default:
      made = Ref::Steal(PyLong_FromLongLong(r.stream_value));
      return made.get();
  }
}

PyObject* RequestCache::Argument(int which, Arg arg, const Request& r, Ref& made) {
  if (arg == Arg::kNone) return Py_None;
  if (arg == Arg::kValue) return Value(which, r, made);
  Ref& odd = odd_[static_cast<size_t>(r.odd) % odd_.size()];
  if (!odd) odd = Ref::Steal(OddValue(r.odd));
  return odd.get();
}

// The names of the keywords whose bits are set.
PyObject* RequestCache::Names(uint32_t given) {
  Ref& names = names_[given];
  if (names) return names.get();
  Ref list = Ref::Steal(PyList_New(0));
  for (int which = 0; list && which < kKeywords; ++which) {
    if ((given >> which & 1) == 0) continue;
    const Ref name = Ref::Steal(PyUnicode_InternFromString(kNames[which]));
    if (!name || PyList_Append(list.get(), name.get()) != 0) list.Reset();
  }
  if (list) names = Ref::Steal(PySequence_Tuple(list.get()));
  return names.get();
}

bool RequestCache::Get(const Request& r, PyObject* own_device, CallArguments& call) {
  call.count = 1;
  if (r.extra == Extra::kPositional) call.stack[call.count++] = Py_None;
  call.positional = call.count;
  const Arg args[kKeywords] = {r.stream, r.version, r.device, r.copy,
                               r.extra == Extra::kUnknownKeyword ? Arg::kNone : Arg::kAbsent};
  uint32_t given = 0;
  for (int which = 0; which < kKeywords; ++which) {
    // The own device means nothing elsewhere.
    if (args[which] == Arg::kAbsent || (args[which] == Arg::kOwn && which != kDevice)) continue;
    given |= 1u << which;
    PyObject* const value =
        args[which] == Arg::kOwn ? own_device : Argument(which, args[which], r, call.made[which]);
    if (value == nullptr) return false;
    call.stack[call.count++] = value;
  }
  if (given == 0) return true;
  call.names = Names(given);
  return call.names != nullptr;
}

}  // namespace dlpc
