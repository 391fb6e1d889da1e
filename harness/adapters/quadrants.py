"""Quadrants' ndarrays on the CPU: compact, with no array protocol but to_dlpack(versioned=False).

So that its capsules can be judged, __dlpack__ is added to the classes, with the one keyword that
to_dlpack has an equivalent of. What else the protocol asks for, __dlpack_device__ and the other
keywords, is reported as missing, as it is.
"""

import numpy as np
import quadrants as qd

MODULE = PIP = "quadrants"

# The types that to_dlpack knows; of the others, refusals() has some.
DTYPES = {
    "bool": qd.u1, "int32": qd.i32, "int64": qd.i64, "float32": qd.f32, "float64": qd.f64,
}  # fmt: skip
MAX_RANK = 8

qd.init(arch=qd.cpu, log_level=qd.ERROR)


def add_protocol(kind):
    def __dlpack__(self, *, max_version=None):
        return self.to_dlpack(versioned=max_version is not None and max_version >= (1, 0))

    kind.__dlpack__ = __dlpack__


NDARRAY, FIELD = type(qd.ndarray(qd.f32, (1,))), type(qd.field(qd.f32, (1,)))
add_protocol(NDARRAY)
add_protocol(FIELD)


def claims():
    return {
        "producer": "quadrants",
        "version": ".".join(map(str, qd.__version__)),
        "dtypes": list(DTYPES),
        "layouts": ["scalar", "rank:%d" % MAX_RANK],
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or len(spec.shape) > MAX_RANK:
        return NotImplemented
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride or 0 in spec.shape:
        return NotImplemented
    start = spec.offset * spec.itemsize
    view = np.ndarray(spec.shape, spec.dtype, spec.base, start, spec.byte_strides)
    x = qd.ndarray(DTYPES[spec.dtype], spec.shape)
    x.from_numpy(np.array(view, order="C"))
    return x


def sparse():
    x = qd.field(qd.f32)
    qd.root.pointer(qd.i, 4).dense(qd.i, 2).place(x)
    return x


def refusals():
    return [
        ("sparse field", sparse),
        ("unsupported uint8 array", lambda: qd.ndarray(qd.u8, (3,))),
        ("unsupported float16 array", lambda: qd.ndarray(qd.f16, (3,))),
    ]


def remedies():
    def copied(dtype):
        def copy(x):
            y = qd.ndarray(DTYPES[dtype], x.shape)
            y.from_numpy(x.to_numpy().astype(dtype))
            return y

        return "a copy as %s, by way of x.to_numpy()" % dtype, copy

    return {
        "sparse field": (*copied("float32"), bytes(32)),
        "unsupported uint8 array": (*copied("int32"), bytes(12)),
        "unsupported float16 array": (*copied("float32"), bytes(12)),
    }


def pointer(x):
    return None  # The library does not tell it but by DLPack.


def label(x):
    return 1, 0  # Only the CPU is asked for in init().


def writable(x):
    return True


def shape(x):
    return tuple(x.shape)


def read(x):
    return x.to_numpy().tobytes() if isinstance(x, NDARRAY) else NotImplemented


def subclass(x, kind):
    derived = kind(x.element_type, x.shape)
    derived.from_numpy(x.to_numpy())
    return derived
