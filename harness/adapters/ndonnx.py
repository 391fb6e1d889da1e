"""ndonnx arrays: they describe ONNX graphs, and refuse export by design."""

import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # It recommends onnxruntime.
    import ndonnx as nd

MODULE = PIP = "ndonnx"

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
]  # fmt: skip


def claims():
    return {"producer": "ndonnx", "version": nd.__version__, "features": ["immutable"]}


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or not spec.is_default:
        return NotImplemented
    return nd.asarray(np.frombuffer(spec.base, spec.dtype).reshape(spec.shape))


def lazy():
    return nd.argument(shape=(3,), dtype=nd.float32)


def refusals():
    return [("abstract array (argument of a graph)", lazy), ("text", lambda: nd.asarray(["a"]))]


def pointer(x):
    return None


def label(x):
    return None  # ONNX does not say where values live.


def shape(x):
    return tuple(x.shape) if all(isinstance(n, int) for n in x.shape) else None


def read(x):
    try:
        return x.unwrap_numpy().tobytes()
    except ValueError:  # Of an argument there are no values.
        return NotImplemented
