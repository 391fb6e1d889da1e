"""Apache Arrow in host memory: an Array where one can be made (one axis, contiguous, immutable),
else a Tensor, which has strides and may be writable."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MODULE = PIP = "pyarrow"

DTYPES = {
    name: getattr(pa, name)()
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64",
    )  # fmt: skip
}
MAX_RANK = 64 if int(np.__version__.split(".")[0]) >= 2 else 32  # Tensors are made from NumPy's.


def claims():
    return {
        "producer": "pyarrow",
        "version": pa.__version__,
        "dtypes": list(DTYPES),
        "layouts": ["strided", "offset", "transposed", "broadcast", "empty", "scalar", "read-only",
                    "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or spec.static or spec.sharded:
        return NotImplemented
    if min(spec.strides, default=0) < 0 or len(spec.shape) > MAX_RANK:
        return NotImplemented  # Arrow has no negative strides.
    if len(spec.shape) == 1 and spec.strides == (1,) and not spec.odd_stride:
        buffers = [None, pa.py_buffer(bytes(bytearray(spec.base)))]
        return pa.Array.from_buffers(DTYPES[spec.dtype], spec.shape[0], buffers, offset=spec.offset)
    dtype = np.dtype(spec.dtype)
    if spec.odd_stride:  # A field of packed records, each one byte longer than the element.
        records = np.zeros(spec.shape, {"names": ["v"], "formats": [dtype],
                                        "itemsize": spec.itemsize + 1})  # fmt: skip
        records["v"] = np.frombuffer(spec.base, dtype).reshape(spec.shape)
        return pa.Tensor.from_numpy(records["v"])
    start = spec.offset * spec.itemsize
    x = np.ndarray(spec.shape, dtype, bytearray(spec.base), start, spec.byte_strides)
    if spec.read_only or 0 in spec.strides:  # Elements that share memory: never writable.
        x.flags.writeable = False
    return pa.Tensor.from_numpy(x)


def is_tensor(x):
    return isinstance(x, pa.Tensor)


def fixed_lists():
    return pa.FixedSizeListArray.from_arrays(pa.array([1.0, 2.0, 3.0, 4.0]), 2)


def refusals():
    return [
        ("array with a null", lambda: pa.array([1, None, 3], pa.int32())),
        ("bit-packed bool", lambda: pa.array([True, False, True])),
        ("text", lambda: pa.array(["a", "bc"])),
        ("nested list", lambda: pa.array([[1, 2], [3]])),
        ("struct", lambda: pa.array([{"a": 1}])),
        ("duration (timedelta)", lambda: pa.array([1, 2], pa.duration("s"))),
        ("date (datetime)", lambda: pa.array([1, 2], pa.date32())),
        ("nothing but nulls", lambda: pa.nulls(3)),
        ("fixed size binary (record)", lambda: pa.array([b"ab", b"cd"], pa.binary(2))),
        ("nested list of fixed size", fixed_lists),
        ("run-end encoded dictionary", lambda: pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])),
        ("timestamp", lambda: pa.array([1, 2], pa.timestamp("s"))),
        ("dictionary", lambda: pa.array(["a", "b", "a"]).dictionary_encode()),
        ("decimal128", lambda: pa.array([1, 2], pa.decimal128(5))),
    ]


def remedies():
    def ints(dtype, *values):
        return np.array(values, dtype).tobytes()

    def whole(x):
        return x.cast(pa.int64())

    return {
        "array with a null": ("x.fill_null(0)", lambda x: x.fill_null(0), ints("i4", 1, 0, 3)),
        "bit-packed bool": ("x.cast(pa.int8())", lambda x: x.cast(pa.int8()), b"\1\0\1"),
        "text": ("x.dictionary_encode().indices", lambda x: x.dictionary_encode().indices,
                 ints("i4", 0, 1)),
        "nested list": ("x.flatten(), and its offsets", lambda x: x.flatten(), ints("i8", 1, 2, 3)),
        "struct": ("one export for each field, x.field('a')", lambda x: x.field("a"),
                   ints("i8", 1)),
        "duration (timedelta)": ("x.cast(pa.int64())", whole, ints("i8", 1, 2)),
        "date (datetime)": ("x.cast(pa.int32())", lambda x: x.cast(pa.int32()), ints("i4", 1, 2)),
        "timestamp": ("x.cast(pa.int64())", whole, ints("i8", 1, 2)),
        "decimal128": ("x.cast(pa.int64())", whole, ints("i8", 1, 2)),
        "nothing but nulls": ("x.cast(pa.int8()).fill_null(0)",
                              lambda x: x.cast(pa.int8()).fill_null(0), bytes(3)),
        "fixed size binary (record)": ("its bytes, x.buffers()[1], as an array of uint8",
            lambda x: pa.Array.from_buffers(pa.uint8(), 4, [None, x.buffers()[1]]), b"abcd"),
        "nested list of fixed size": ("x.flatten()", lambda x: x.flatten(),
                                      ints("f8", 1, 2, 3, 4)),
        "run-end encoded dictionary": ("pyarrow.compute.run_end_decode(x)", pc.run_end_decode,
                                       ints("i8", 1, 1, 2)),
        "dictionary": ("x.indices", lambda x: x.indices, ints("i4", 0, 1, 0)),
    }  # fmt: skip


def pointer(x):
    if is_tensor(x):
        return x.to_numpy().ctypes.data
    return x.buffers()[1].address + x.offset * x.type.byte_width


def label(x):
    return (1, 0) if is_tensor(x) or x.is_cpu else None


def writable(x):
    return is_tensor(x) and x.is_mutable  # Arrays are immutable.


def shape(x):
    return tuple(x.shape) if is_tensor(x) else (len(x),)


def allocation(x):
    if is_tensor(x):
        return None
    return x.buffers()[1].address, x.buffers()[1].size


def read(x):
    if is_tensor(x):
        return x.to_numpy().tobytes()
    if x.null_count or x.type not in DTYPES.values():
        return NotImplemented
    start, size = x.offset * x.type.byte_width, len(x) * x.type.byte_width
    return x.buffers()[1].to_pybytes()[start : start + size]


def poke(x, element):
    if not writable(x) or 0 in x.shape:
        return NotImplemented
    values = x.to_numpy()
    values[(0,) * x.ndim] = np.frombuffer(element, values.dtype)[0]


def consume(x):
    return type(x).from_dlpack(x) if is_tensor(x) else pa.Array.from_dlpack(x)


def subclass(x, kind):
    return "no constructor of Arrow's makes an object of a subclass"
