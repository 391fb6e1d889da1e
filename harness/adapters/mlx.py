"""MLX arrays on the CPU backend. They are lazy; make() evaluates what it gives."""

import ctypes
import importlib.metadata

import mlx.core as mx
import numpy as np

MODULE = "mlx.core"
PIP = "mlx[cpu]"

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "complex64",
]  # fmt: skip
DTYPES = {name: getattr(mx, "bool_" if name == "bool" else name) for name in NAMES}


class Buffer(ctypes.Structure):  # Py_buffer
    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p), ("rest", ctypes.c_void_p * 4),
    ]  # fmt: skip


FULL = 0x11C  # PyBUF_FULL_RO


def claims():
    return {
        "producer": "mlx",
        "version": importlib.metadata.version("mlx"),
        "dtypes": NAMES,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "rank:64"],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu":
        return NotImplemented
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    if not spec.base:
        x = mx.zeros(spec.shape, DTYPES[spec.dtype])
    else:
        x = mx.array(np.frombuffer(spec.base, np.uint8)).view(DTYPES[spec.dtype])
        x = mx.as_strided(x, spec.shape, spec.strides, spec.offset)
    mx.eval(x)
    return x


def unevaluated():
    return mx.zeros((3,)) + 1


def tracer():
    """What a compiled function sees while it is traced: no values behind it, then or later."""
    seen = []

    def traced(x):
        seen.append(x * 2)
        return x

    mx.compile(traced)(mx.zeros((3,)))
    return seen[0]


def batched():
    seen = []
    mx.vmap(lambda x: seen.append(x) or x)(mx.ones((3, 2)))
    return seen[0]


def failing():
    """A singular matrix: the error comes when the value is asked for."""
    return mx.linalg.inv(mx.array([[1.0, 2.0], [2.0, 4.0]]), stream=mx.cpu)


def refusals():
    return [
        ("traced array", tracer),
        ("unevaluated array", unevaluated),
        ("traced by vmap", batched),
        ("unevaluated array whose computation fails", failing),
    ]


def pointer(x):
    view = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(view), FULL)
    address = view.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return address


def label(x):
    return 1, 0  # The CPU backend has one device and one kind of memory.


def writable(x):
    return not memoryview(x).readonly


def shape(x):
    return tuple(x.shape)


def read(x):
    try:
        return memoryview(x).tobytes()
    except (ValueError, RuntimeError):  # A traced array.
        return NotImplemented


def poke(x, element):
    if x.size == 0:
        return NotImplemented
    ctypes.memmove(pointer(x), element, len(element))  # x[0] = ... would give x other memory.


def consume(x):
    return mx.from_dlpack(x)


def subclass(x, kind):
    derived = kind(x)
    mx.eval(derived)
    return derived
