"""Arrays of array-api-strict: NumPy arrays behind nothing but the array API standard."""

import array_api_strict as xp
import numpy as np

MODULE = "array_api_strict"
PIP = "array-api-strict"

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip
MAX_RANK = 64 if int(np.__version__.split(".")[0]) >= 2 else 32


def claims():
    return {
        "producer": "array-api-strict",
        "version": xp.__version__,
        "dtypes": DTYPES,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "read-only", "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or len(spec.shape) > MAX_RANK:
        return NotImplemented
    if spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    base = np.frombuffer(bytearray(spec.base), spec.dtype).reshape(spec.base_shape)
    if spec.read_only:
        base.flags.writeable = False
    # The standard leaves stops beyond the end undefined, and array-api-strict refuses them.
    index = tuple(
        slice(s.start, None if s.stop is not None and s.stop > n else s.stop, s.step)
        for s, n in zip(spec.index, spec.base_shape)
    )
    x = xp.asarray(base, copy=False)[index]
    if spec.axes is not None:
        x = xp.permute_dims(x, spec.axes)
    return x if spec.broadcast_to is None else xp.broadcast_to(x, spec.broadcast_to)


def inner(x):
    """The NumPy array inside. np.asarray(x) is the public way, but makes a new object."""
    return x._array


def pointer(x):
    return inner(x).ctypes.data


def label(x):
    return (1, 0)  # Its devices are names; all memory is the host's.


def writable(x):
    return inner(x).flags.writeable


def shape(x):
    return x.shape


def allocation(x):
    owner = inner(x)
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner.ctypes.data, owner.nbytes


def read(x):
    return inner(x).tobytes()


def poke(x, element):
    values = inner(x)
    if not values.flags.writeable or values.size == 0:
        return NotImplemented
    values[(0,) * values.ndim] = np.frombuffer(element, values.dtype)[0]


def consume(x):
    return xp.from_dlpack(x)


def subclass(x, kind):
    return kind._new(x._array, device=x.device)  # The class has no public constructor.
