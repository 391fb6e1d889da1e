"""TensorFlow's eager tensors on the CPU. They are immutable and always compact; a tf.Variable has
no __dlpack__ of its own."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # Before the import: no start-up messages.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

MODULE = "tensorflow"
PIP = "tensorflow-cpu"

CLAIMED = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "complex64", "complex128",
]  # fmt: skip
# TensorFlow refuses to export these so far; made when asked, not claimed.
FLOAT8 = [
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
]  # fmt: skip
DTYPES = {name: getattr(tf.dtypes, name) for name in CLAIMED}
for name in FLOAT8:  # Older releases lack some.
    if hasattr(tf.dtypes.experimental, name):
        DTYPES[name] = getattr(tf.dtypes.experimental, name)


def claims():
    return {
        "producer": "tensorflow",
        "version": tf.__version__,
        "dtypes": CLAIMED,
        "layouts": ["empty", "scalar", "read-only", "rank:64"],
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["immutable"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu":
        return NotImplemented
    if spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    dtype, start = DTYPES[spec.dtype], spec.offset * spec.itemsize
    view = np.ndarray(spec.shape, dtype.as_numpy_dtype, spec.base, start, spec.byte_strides)
    # A copy: TensorFlow may keep the memory of an aligned NumPy array that it is given.
    return tf.constant(np.array(view, order="C"), dtype=dtype)


def refusals():
    return [
        ("text dtype", lambda: tf.constant(["a", "bc"])),
        ("quantized", lambda: tf.cast([1.0, 2.0], tf.qint8)),
        ("resource handle", lambda: tf.Variable([1.0]).handle),
    ]


def remedies():
    return {
        "quantized": ("tf.cast(x, tf.int32)", lambda x: tf.cast(x, tf.int32),
                      np.array([1, 2], "i4").tobytes()),
    }  # fmt: skip


def values(x):
    """An array on the tensor's own memory; x.numpy() copies. It fails for some 0-d tensors."""
    return np.asarray(x if x.shape.rank else tf.reshape(x, [1]))  # A reshape shares memory.


def pointer(x):
    return values(x).ctypes.data


def label(x):
    return (1, 0) if "device:CPU" in x.device else None


def writable(x):
    return False


def shape(x):
    return tuple(x.shape.as_list())


def read(x):
    if x.dtype not in DTYPES.values():
        return NotImplemented
    return values(x).tobytes()


def consume(x):
    return tf.experimental.dlpack.from_dlpack(x.__dlpack__())
