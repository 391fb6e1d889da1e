// dlpc_host: the extension module that host.py loads by path into the vendor's interpreter.
#include <exception>
#include <memory>

#include "harness/engine.h"
#include "harness/hosts/python/py.h"
#include "harness/hosts/python/python_backend.h"

namespace dlpc {
namespace {

PyObject* Serve(PyObject*, PyObject* args) {
  PyObject *adapter = nullptr, *info = nullptr;
  int request_fd = -1, reply_fd = -1, progress_fd = -1;
  if (!PyArg_ParseTuple(args, "OiiiO!:serve", &adapter, &request_fd, &reply_fd, &progress_fd,
                        &PyDict_Type, &info)) {
    return nullptr;
  }
  try {
    const std::unique_ptr<PythonBackend> backend = PythonBackend::Create(adapter, info);
    if (!backend) return nullptr;
    return PyLong_FromLong(ServeHost(backend.get(), request_fd, reply_fd, progress_fd));
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_RuntimeError, "dlpc_host: %s", e.what());
    return nullptr;
  }
}

PyObject* Fail(PyObject*, PyObject* args) {
  const char* message = nullptr;
  int reply_fd = -1;
  if (!PyArg_ParseTuple(args, "si:fail", &message, &reply_fd)) return nullptr;
  try {
    return PyLong_FromLong(ServeFailure(message, reply_fd));
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_RuntimeError, "dlpc_host: %s", e.what());
    return nullptr;
  }
}

PyObject* Tensor(PyObject*, PyObject* args) {
  unsigned long long bytes = 0;
  int versioned = 0;
  if (!PyArg_ParseTuple(args, "Kp:tensor", &bytes, &versioned)) return nullptr;
  try {
    return PlainCapsule(bytes, versioned != 0);
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_MemoryError, "dlpc_host: %s", e.what());
    return nullptr;
  }
}

PyMethodDef kMethods[] = {
    {"serve", Serve, METH_VARARGS,
     "serve(adapter, request_fd, reply_fd, progress_fd, info) -> exit code\n\n"
     "Performs scripts on the adapter's arrays until the request pipe closes."},
    {"fail", Fail, METH_VARARGS,
     "fail(message, reply_fd) -> exit code\n\nTells the runner in one line why nothing can run."},
    {"tensor", Tensor, METH_VARARGS,
     "tensor(nbytes, versioned) -> a new capsule around a float32 vector of ours"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "dlpc_host",
                       "Host of the DLPack conformance suite.",
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace dlpc

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_dlpc_host() {
  return PyModule_Create(&dlpc::kModule);
}
