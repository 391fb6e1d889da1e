// Calls into the adapter module. Whatever goes wrong in there is the adapter's fault, never the
// producer's.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_ADAPTER_H_
#define DLPC_HARNESS_HOSTS_PYTHON_ADAPTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "harness/hosts/python/exceptions.h"
#include "harness/hosts/python/py.h"
#include "harness/trace.h"

namespace dlpc {

class Adapter {
 public:
  /// `exceptions` must outlive this.
  Adapter(PyObject* module, ExceptionReader* exceptions);

  /// An object, or why there is none: Unsupported or AdapterFault.
  using Object = std::variant<Ref, Observation>;
  Object Make(PyObject* spec);
  /// The n-th of list(refusals()); its name goes in `name`.
  Object MakeRefusal(uint32_t n, std::string& name);

  /// `derive(adapter, x, how, name)`, by host.py: NotImplemented where the adapter offers no such
  /// thing. `name`: that of the object in refusals(), or empty.
  Object Derive(PyObject* derive, PyObject* x, int how, const std::string& name);

  /// Fills what the library itself says of x. The AdapterFault if something in there is wrong.
  std::optional<AdapterFault> AddFacts(PyObject* x, Made& made);
  /// The address alone; nullopt also where pointer() does not understand x.
  std::optional<uint64_t> PointerOf(PyObject* x);

  Observation Read(PyObject* x);
  Observation Poke(PyObject* x, const std::string& element);
  Observation UseStream(PyObject* x, uint32_t n);

  /// How often the stream was made to wait so far; nullopt where nobody counts.
  std::optional<int64_t> Waits(int64_t stream);

  bool given() const { return given_; }

 private:
  AdapterFault Fault(const char* function);
  AdapterFault Wrong(const char* function, const char* wanted, PyObject* got);
  Object Checked(const char* function, Ref object);
  std::optional<AdapterFault> AddPointer(PyObject* x, Made& made);
  std::optional<AdapterFault> AddWritable(PyObject* x, Made& made);
  std::optional<AdapterFault> AddLabel(PyObject* x, Made& made);
  std::optional<AdapterFault> AddShape(PyObject* x, Made& made);
  std::optional<AdapterFault> AddAllocation(PyObject* x, Made& made);

  ExceptionReader* exceptions_;
  bool given_ = false;
  Ref module_;
  Ref make_, pointer_, writable_, label_, shape_, allocation_, refusals_, read_, poke_, use_stream_,
      waits_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_ADAPTER_H_
