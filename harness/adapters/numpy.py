"""NumPy arrays in host memory."""

import ctypes
import functools

import numpy as np
import numpy.ma  # noqa: F401  Else its import falls into the first script that needs it.

MODULE = PIP = "numpy"

MAX_RANK = 64 if int(np.__version__.split(".")[0]) >= 2 else 32
DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )  # fmt: skip
}
# How a program without this file does the same (docs/adapters.md).
REPRO = {
    "import": ["import numpy as np"],
    "dtypes": {name: repr(name) for name in DTYPES},
    "make": "{numpy}",
    "read_only": "{x}.flags.writeable = False",
    "read": "{x}.tobytes()",
    "pointer": "{x}.ctypes.data",
    "poke": "{x}[(0,) * {x}.ndim] = np.frombuffer({element}, {x}.dtype)[0]",
    "subclass": "{x}.view({kind})",
    "consume": "np.from_dlpack({x})",
}


def claims():
    return {
        "producer": "numpy",
        "version": np.__version__,
        "dtypes": list(DTYPES),
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "read-only", "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or spec.static or spec.sharded:
        return NotImplemented
    if len(spec.shape) > MAX_RANK:
        return NotImplemented
    x = np.frombuffer(bytearray(spec.base), DTYPES[spec.dtype])
    if spec.odd_stride:  # A field of packed records, each one byte longer than the element.
        record = np.dtype({"names": ["v"], "formats": [x.dtype], "itemsize": spec.itemsize + 1})
        records = np.zeros(x.size, record)
        records["v"] = x
        x = records["v"]
    x = x.reshape(spec.base_shape)[spec.index]
    if spec.axes is not None:
        x = x.transpose(spec.axes)
    if spec.broadcast_to is not None:
        return np.broadcast_to(x, spec.broadcast_to)  # Elements share memory: always read-only.
    if spec.read_only:
        x.flags.writeable = False
    return x


def pointer(x):
    return x.ctypes.data


def label(x):
    return (1, 0)


def writable(x):
    return x.flags.writeable


def shape(x):
    return x.shape


def allocation(x):
    """The buffer at the end of the chain of bases."""
    owner = x
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    buffer = owner.base
    if not buffer:  # Memory of its own (odd strides), or an empty buffer.
        return pointer(owner), owner.nbytes
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)), len(buffer)


def read(x):
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return x.tobytes()


@functools.lru_cache(1024)
def scalar(element, dtype):
    return np.frombuffer(element, dtype)[0]


def poke(x, element):
    if not x.flags.writeable or x.size == 0:
        return NotImplemented
    x[(0,) * x.ndim] = scalar(element, x.dtype)


def refusals():
    swapped = np.dtype("f4").newbyteorder()
    return [
        ("object dtype", lambda: np.array([1.5, 2], object)),
        ("text dtype", lambda: np.array(["a", "bc"])),
        ("byte string dtype", lambda: np.array([b"a", b"bc"])),
        ("datetime64", lambda: np.array([1, 2], "datetime64[s]")),
        ("timedelta64", lambda: np.array([1, 2], "timedelta64[s]")),
        ("opaque bytes (record)", lambda: np.array([b"abcd", b"efgh"], "V4")),
        ("record dtype", lambda: np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])),
        ("byte-swapped float32", lambda: np.arange(1, 4).astype(swapped)),
        ("odd stride", lambda: np.array([(0, 1), (0, 2)], [("pad", "i1"), ("v", "i4")])["v"]),
        ("long double", lambda: np.arange(1, 3, dtype=np.longdouble)),
        ("complex of long double", lambda: np.array([1 + 2j], np.clongdouble)),
        ("masked array with a missing value", lambda: np.ma.array([1.0, 2.0], mask=[False, True])),
    ]


def remedies():
    def fits(dtype, *values):
        return np.array(values, dtype).tobytes()

    return {
        "object dtype": ("x.astype(float)", lambda x: x.astype(float), fits("f8", 1.5, 2)),
        "text dtype": ("x.view(np.uint32), its code points", lambda x: x.view("u4"),
                       fits("u4", 97, 0, 98, 99)),
        "byte string dtype": ("x.view(np.uint8)", lambda x: x.view("u1"), b"a\0bc"),
        "datetime64": ("x.view(np.int64)", lambda x: x.view("i8"), fits("i8", 1, 2)),
        "timedelta64": ("x.view(np.int64)", lambda x: x.view("i8"), fits("i8", 1, 2)),
        "opaque bytes (record)": ("x.view(np.uint8)", lambda x: x.view("u1"), b"abcdefgh"),
        "record dtype": ("one export for each field, x['a']", lambda x: x["a"], fits("i4", 1, 3)),
        "byte-swapped float32": ("a copy in native byte order, x.astype(np.float32)",
                                 lambda x: x.astype("f4"), fits("f4", 1, 2, 3)),
        "odd stride": ("np.ascontiguousarray(x)", np.ascontiguousarray, fits("i4", 1, 2)),
        "long double": ("x.astype(np.float64)", lambda x: x.astype("f8"), fits("f8", 1, 2)),
        "complex of long double": ("x.astype(np.complex128)", lambda x: x.astype("c16"),
                                   fits("c16", 1 + 2j)),
        "masked array with a missing value": ("x.filled(0)", lambda x: x.filled(0),
                                              fits("f8", 1, 0)),
    }  # fmt: skip


def subclass(x, kind):
    return x.view(kind)


def consume(x):
    return np.from_dlpack(x)
