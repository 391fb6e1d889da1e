// Takes the answer of `__dlpack_device__()` apart without converting through anything that would
// hide what was really returned.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_DEVICE_READER_H_
#define DLPC_HARNESS_HOSTS_PYTHON_DEVICE_READER_H_

#include "harness/hosts/python/py.h"
#include "harness/trace.h"

namespace dlpc {

class DeviceReader {
 public:
  explicit DeviceReader(Ref enum_class) : enum_class_(std::move(enum_class)) {}

  /// Leaves no exception behind.
  DeviceAnswer Read(PyObject* answer) const;

 private:
  Item Classify(PyObject* item, int64_t& value) const;
  Ref enum_class_;  // enum.Enum
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_DEVICE_READER_H_
