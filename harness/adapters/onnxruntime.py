"""ONNX Runtime's OrtValue in host memory. Tensors are always compact."""

import ctypes

import numpy as np
import onnxruntime as ort

MODULE = PIP = "onnxruntime"

NUMPY_DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
]  # fmt: skip
# Numbers of onnx.TensorProto.DataType, for types that NumPy lacks.
ONNX_DTYPES = {
    "bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
}  # fmt: skip
PACKED = {"uint4": 21, "int4": 22, "float4_e2m1fn": 23}  # Hardly supported in Python: not claimed.


def claims():
    return {
        "producer": "onnxruntime",
        "version": ort.__version__,
        "dtypes": NUMPY_DTYPES + list(ONNX_DTYPES),
        "layouts": ["empty", "scalar", "rank:64"],
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable"],
    }


def make(spec):
    if spec.memory != "cpu" or spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    if spec.dtype in PACKED:  # It wants a byte for each element, and uses the first ones.
        if spec.offset or any(stride != 1 for stride in spec.strides[-1:]) or len(spec.shape) > 1:
            return NotImplemented
        data = np.frombuffer(spec.base.ljust(spec.shape[0] if spec.shape else 1), np.uint8).copy()
        x = data.reshape(spec.shape)
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(x, PACKED[spec.dtype])
    if spec.dtype not in NUMPY_DTYPES and spec.dtype not in ONNX_DTYPES:
        return NotImplemented
    dtype = spec.dtype if spec.dtype in NUMPY_DTYPES else "uint%d" % spec.bits
    start = spec.offset * spec.itemsize
    view = np.ndarray(spec.shape, dtype, spec.base, start, spec.byte_strides)
    x = np.array(view, order="C")
    if spec.dtype in NUMPY_DTYPES:
        return ort.OrtValue.ortvalue_from_numpy(x)
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(x, ONNX_DTYPES[spec.dtype])


def sparse():
    cpu = ort.OrtDevice.make("cpu", 0)
    index = np.array([[0, 0], [1, 1]], np.int64)
    value = ort.SparseTensor.sparse_coo_from_numpy(
        np.array([2, 2], np.int64), np.ones(2, np.float32), index, cpu
    )
    return ort.OrtValue.ort_value_from_sparse_tensor(value)


def refusals():
    return [("sparse tensor", sparse)]


def dense(x):
    parts = x.as_sparse_tensor()
    full = np.zeros(parts.dense_shape(), np.float32)
    full[tuple(parts.as_coo_view().indices().T)] = parts.values()
    return ort.OrtValue.ortvalue_from_numpy(full)


def remedies():
    done = "a dense copy, made of x.as_sparse_tensor()"
    return {"sparse tensor": (done, dense, np.eye(2, dtype=np.float32).tobytes())}


def pointer(x):
    return x.data_ptr()


def label(x):
    return (1, 0) if x.device_name() == "cpu" else None


def writable(x):
    return True  # update_inplace() writes any tensor.


def shape(x):
    return tuple(x.shape())


def allocation(x):
    return x.data_ptr(), x.tensor_size_in_bytes()


def read(x):
    if not x.is_tensor():
        return NotImplemented
    raw = ctypes.string_at(x.data_ptr(), x.tensor_size_in_bytes())
    if x.element_type() not in PACKED.values():
        return raw
    nibbles = [byte >> shift & 15 for byte in raw for shift in (0, 4)]
    return bytes(nibbles[: int(np.prod(x.shape()))])


def poke(x, element):
    if not x.tensor_size_in_bytes():
        return NotImplemented
    ctypes.memmove(x.data_ptr(), element, len(element))


def consume(x):
    return ort.OrtValue.from_dlpack(x)


def subclass(x, kind):
    return kind(x._get_c_value())
