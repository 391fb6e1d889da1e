"""Tensors of Apache TVM FFI. It has no allocator of its own in Python: a tensor always wraps a
managed tensor that somebody else made, here plain heap memory whose deleter is C's free(). So there
are no refusals(): nothing can be wrapped that DLPack cannot describe."""

import ctypes

import numpy as np
import tvm_ffi

MODULE = "tvm_ffi"
PIP = "apache-tvm-ffi"

CLAIMED = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "float32x4",
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "uint4", "int2", "uint2",
]  # fmt: skip
# Complex numbers have no name in tvm_ffi.dtype, but a tensor of them can be wrapped.
UNCLAIMED = ["complex32", "complex64", "complex128"]

PTR = ctypes.c_void_p
libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = PTR
libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [PTR, ctypes.c_char_p, PTR]
NAME = ctypes.c_char_p(b"dltensor_versioned")  # Outlives every capsule.


class Managed(ctypes.Structure):  # DLManagedTensorVersioned with its DLTensor.
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def claims():
    return {
        "producer": "tvm-ffi",
        "version": tvm_ffi.__version__,
        "dtypes": CLAIMED,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "rank:64"],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable"],
    }


def make(spec):
    if spec.dtype not in CLAIMED + UNCLAIMED or spec.memory != "cpu":
        return NotImplemented
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    if spec.bits % 8 and (spec.offset or spec.strides != compact(spec.shape)):
        return NotImplemented  # Views of packed elements need not begin at a whole byte.
    ndim, head = len(spec.shape), ctypes.sizeof(Managed)
    start = -(-(head + 16 * ndim) // 256) * 256
    block = libc.aligned_alloc(256, start + -(-max(len(spec.base), 1) // 256) * 256)
    numbers = (ctypes.c_int64 * (2 * ndim)).from_address(block + head)
    numbers[:] = [*spec.shape, *spec.strides]
    ctypes.memmove(block + start, spec.base, len(spec.base))
    first = block + start + spec.offset * spec.itemsize if 0 not in spec.shape else None
    shape, strides, free = block + head, block + head + 8 * ndim, ctypes.cast(libc.free, PTR).value
    Managed.from_address(block).__init__(
        1, 2, None, free, 0, first, 1, 0, ndim, spec.code, spec.bits, spec.lanes, shape, strides, 0
    )
    return tvm_ffi.from_dlpack(new_capsule(block, NAME, None))


def compact(shape):
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    return tuple(strides)


def pointer(x):
    return x.data_ptr()


def label(x):
    return int(x.device.dlpack_device_type()), x.device.index


def shape(x):
    return tuple(x.shape)


def writable(x):
    return True


def read(x):
    try:
        bits, count = x.dtype.bits * x.dtype.lanes, x.numel()
    except ValueError:  # Its dtype has no name for complex32.
        return NotImplemented
    if count == 0:
        return b""
    if bits % 8 == 0:
        item = bits // 8
        first = np.frombuffer((ctypes.c_uint8 * item).from_address(x.data_ptr()), "V%d" % item)
        strides = [n * item for n in x.strides]
        return np.lib.stride_tricks.as_strided(first, x.shape, strides).tobytes()
    raw = np.frombuffer(ctypes.string_at(x.data_ptr(), -(-count * bits // 8)), np.uint8)
    each = np.unpackbits(raw, bitorder="little")[: count * bits].reshape(count, bits)
    return np.packbits(each, axis=1, bitorder="little").tobytes()


def poke(x, element):
    if x.numel() == 0 or x.dtype.bits % 8:
        return NotImplemented
    ctypes.memmove(x.data_ptr(), element, len(element))


def consume(x):
    return tvm_ffi.from_dlpack(x)


def subclass(x, kind):
    return "no function of the library gives an object of a subclass a handle"
