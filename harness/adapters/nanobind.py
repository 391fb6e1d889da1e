"""nb::ndarray as an extension of ours returns it (harness/examples/nanobind; certify builds it)."""

import ctypes
import importlib.metadata

import dlpc_nanobind_example as example

MODULE = "dlpc_nanobind_example"
PIP = "(no package: scripts/certify nanobind builds it)"

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "complex64", "complex128",
]  # fmt: skip


class Buffer(ctypes.Structure):  # Py_buffer
    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("rest", ctypes.c_void_p * 3),
    ]  # fmt: skip


FULL = 0x11C  # PyBUF_FULL_RO
get = ctypes.pythonapi.PyObject_GetBuffer
release = ctypes.pythonapi.PyBuffer_Release


def claims():
    return {
        "producer": "nanobind",
        "version": importlib.metadata.version("nanobind"),
        "dtypes": DTYPES,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "read-only", "rank:64"],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu":
        return NotImplemented
    if spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    return example.view(
        example.Buffer(bytes(spec.base)), list(spec.shape), list(spec.strides),
        spec.offset * spec.itemsize, spec.code, spec.bits, spec.read_only,
    )  # fmt: skip


def buffer(x, fact):
    """A fact of the array's Python buffer, which knows neither bfloat16 nor more than 64 axes."""
    view = Buffer()
    try:
        get(ctypes.py_object(x), ctypes.byref(view), FULL)
    except BufferError:
        return None
    answer = fact(view)
    release(ctypes.byref(view))
    return answer


def pointer(x):
    return buffer(x, lambda view: view.buf)


def label(x):
    return 1, 0  # The extension has no other memory.


def writable(x):
    return buffer(x, lambda view: not view.readonly)


def shape(x):
    return buffer(x, lambda view: tuple(view.shape[: view.ndim]))


def read(x):
    try:
        return memoryview(x).tobytes()
    except (BufferError, ValueError, NotImplementedError):
        return NotImplemented


def poke(x, element):
    address = pointer(x)
    if not address or not writable(x) or 0 in shape(x):
        return NotImplemented
    ctypes.memmove(address, element, len(element))


def consume(x):
    return example.load(x)
