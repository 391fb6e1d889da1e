"""NVIDIA Warp arrays: host memory, and pinned and device memory where there is a GPU."""

import ctypes

import numpy as np
import warp as wp

wp.config.quiet = True

MODULE = "warp"
PIP = "warp-lang"

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16",
]  # fmt: skip
DTYPES = {name: getattr(wp, name) for name in NAMES if hasattr(wp, name)}
MAX_RANK = 4
MEMORIES = {"cpu": {"device": "cpu"}}
if wp.is_cuda_available():
    MEMORIES["cuda"] = {"device": "cuda:0"}
    MEMORIES["cuda_pinned"] = {"device": "cpu", "pinned": True}


def claims():
    return {
        "producer": "warp",
        "version": wp.__version__,
        "dtypes": list(DTYPES),
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty",
                    "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": ["cpu"] + (["cuda"] if "cuda" in MEMORIES else []),
        "memory_kinds": list(MEMORIES),
        "features": ["writable"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory not in MEMORIES:
        return NotImplemented
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    if not 1 <= len(spec.shape) <= MAX_RANK:
        return NotImplemented
    where, dtype = MEMORIES[spec.memory], DTYPES[spec.dtype]
    if not spec.base:
        return wp.empty(spec.shape, dtype, **where)
    base = wp.array(np.frombuffer(spec.base, np.uint8), dtype=wp.uint8, **where)
    start = base.ptr + spec.offset * spec.itemsize
    x = wp.array(ptr=start, dtype=dtype, shape=spec.shape, strides=spec.byte_strides, **where)
    x._ref = base  # As Warp's own slices keep their base.
    return x


@wp.struct
class Pair:
    a: wp.float32
    b: wp.int8


def refusals():
    return [("struct dtype", lambda: wp.zeros(3, dtype=Pair, device="cpu"))]


def remedies():
    def field(x):
        return wp.array(x.numpy()["a"].copy(), dtype=wp.float32, device="cpu")

    return {"struct dtype": ("one array for each field of x.numpy()", field, bytes(12))}


def pointer(x):
    return x.ptr or 0


def label(x):
    if x.device.is_cpu:
        return (3, 0) if x.pinned else (1, 0)
    return 2, x.device.ordinal


def writable(x):
    return True


def shape(x):
    return tuple(x.shape)


def allocation(x):
    base = getattr(x, "_ref", None)
    return None if base is None else (base.ptr, base.capacity)


def read(x):
    if not x.size:
        return b""
    x = x if x.device.is_cpu else x.contiguous().to("cpu")
    item = wp.types.type_size_in_bytes(x.dtype)
    first = np.ctypeslib.as_array((ctypes.c_uint8 * item).from_address(x.ptr))
    shape, strides = [*x.shape, item], [*x.strides, 1]
    return np.lib.stride_tricks.as_strided(first, shape, strides).tobytes()


def poke(x, element):
    if not x.size or not x.device.is_cpu:
        return NotImplemented
    ctypes.memmove(x.ptr, element, len(element))


def subclass(x, kind):
    derived = kind(ptr=x.ptr, dtype=x.dtype, shape=x.shape, strides=x.strides, device=x.device)
    derived._ref = x
    return derived


def consume(x):
    return wp.from_dlpack(x)
