#include "harness/hosts/python/call_cache.h"

namespace dlpc {
namespace {

constexpr size_t kMaxRequests = 4096;  // Random scripts have no end of requests.

std::array<uint64_t, 4> KeyOf(const Request& r) {
  uint64_t bits = 0;
  for (const Arg arg : {r.version, r.copy, r.device, r.stream}) {
    bits = bits << 8 | static_cast<uint8_t>(arg);
  }
  bits = bits << 8 | static_cast<uint8_t>(r.odd);
  bits = bits << 8 | static_cast<uint8_t>(r.extra);
  bits = bits << 1 | (r.copy_value ? 1 : 0);
  return {bits, uint64_t{r.max_version.major} << 32 | r.max_version.minor,
          uint64_t{static_cast<uint32_t>(r.dl_device.device_type)} << 32 |
              static_cast<uint32_t>(r.dl_device.device_id),
          static_cast<uint64_t>(r.stream_value)};
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

// Adds one keyword; `value` makes the object for Arg::kValue. False with an exception set on
// failure.
template <typename MakeValue>
bool AddKeyword(PyObject* kwargs, const char* name, Arg arg, Odd odd, MakeValue value) {
  Ref object;
  if (arg == Arg::kNone) object = Ref::Borrow(Py_None);
  if (arg == Arg::kValue) object = Ref::Steal(value());
  if (arg == Arg::kOdd) object = Ref::Steal(OddValue(odd));
  if (!object) return PyErr_Occurred() == nullptr;
  return PyDict_SetItemString(kwargs, name, object.get()) == 0;
}

bool AddKeywords(PyObject* kwargs, const Request& r) {
  return AddKeyword(kwargs, "stream", r.stream, r.odd,
                    [&] { return PyLong_FromLongLong(r.stream_value); }) &&
         AddKeyword(kwargs, "max_version", r.version, r.odd,
                    [&] {
                      return Py_BuildValue("(II)", unsigned{r.max_version.major},
                                           unsigned{r.max_version.minor});
                    }) &&
         AddKeyword(kwargs, "dl_device", r.device, r.odd,
                    [&] {
                      return Py_BuildValue("(ii)", static_cast<int>(r.dl_device.device_type),
                                           static_cast<int>(r.dl_device.device_id));
                    }) &&
         AddKeyword(kwargs, "copy", r.copy, r.odd, [&] { return PyBool_FromLong(r.copy_value); }) &&
         (r.extra != Extra::kUnknownKeyword ||
          PyDict_SetItemString(kwargs, "unknown", Py_None) == 0);  // As RequestText prints it.
}

bool Build(const Request& r, CallArguments& call) {
  call.args = Ref::Steal(r.extra == Extra::kPositional ? PyTuple_Pack(1, Py_None) : PyTuple_New(0));
  call.kwargs = Ref::Steal(PyDict_New());
  if (!call.args || !call.kwargs || !AddKeywords(call.kwargs.get(), r)) return false;
  if (PyDict_Size(call.kwargs.get()) == 0) call.kwargs.Reset();
  return true;
}

}  // namespace

const CallArguments* RequestCache::Get(const Request& request) {
  const Key key = KeyOf(request);
  if (last_ != nullptr && key == last_key_) return last_;
  auto found = calls_.find(key);
  if (found == calls_.end()) {
    if (calls_.size() >= kMaxRequests) {
      last_ = nullptr;
      calls_.clear();
    }
    CallArguments call;
    if (!Build(request, call)) return nullptr;
    found = calls_.emplace(key, std::move(call)).first;
  }
  last_key_ = key;
  last_ = &found->second;
  return last_;
}

}  // namespace dlpc
