// The device map against the real function of an installed framework, in one process.
#ifndef DLPC_FUZZ_PYTHON_DEVICE_MAP_JAX_H_
#define DLPC_FUZZ_PYTHON_DEVICE_MAP_JAX_H_

#include <cstddef>
#include <cstdint>

#include "harness/hosts/python/py.h"

namespace dlpc {

/// `ask` is borrowed for good. False: no such profile.
bool SetUpMapFuzzer(PyObject* ask, const char* profile);

/// The callback for libFuzzer: aborts where the two answers differ, and says how.
int TryMap(const uint8_t* data, size_t size);

}  // namespace dlpc

#endif  // DLPC_FUZZ_PYTHON_DEVICE_MAP_JAX_H_
