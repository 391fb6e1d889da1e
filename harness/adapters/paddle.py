"""PaddlePaddle's dense tensors in host memory."""

import ctypes

import numpy as np
import paddle

MODULE = "paddle"
PIP = "paddlepaddle"

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "complex64", "complex128",
    "float8_e4m3fn", "float8_e5m2",
]  # fmt: skip
DTYPES = {name: getattr(paddle, name) for name in NAMES if hasattr(paddle, name)}
SIGNED = {"uint16": paddle.int16, "uint32": paddle.int32, "uint64": paddle.int64}
MAX_RANK = 9

paddle.set_device("cpu")


def claims():
    return {
        "producer": "paddle",
        "version": paddle.__version__,
        "dtypes": list(DTYPES),
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu" or len(spec.shape) > MAX_RANK:
        return NotImplemented
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    dtype = SIGNED.get(spec.dtype, DTYPES[spec.dtype])  # Few kernels know the wider unsigned ones.
    if spec.base:
        x = paddle.to_tensor(np.frombuffer(bytearray(spec.base), np.uint8)).view(dtype)
        x = paddle.as_strided(x, spec.shape, spec.strides, spec.offset * spec.itemsize)
    else:
        x = paddle.empty(spec.shape, dtype)
    return x.view(DTYPES[spec.dtype]) if spec.dtype in SIGNED else x


def sparse():
    return paddle.sparse.sparse_coo_tensor([[0, 1], [0, 1]], [1.0, 2.0], [2, 2])


def cleared():
    x = paddle.to_tensor([1.0, 2.0])
    x._clear_dataptr()
    return x


def sparse_rows():
    return paddle.sparse.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], [2, 2])


def distributed():
    from paddle.distributed import ProcessMesh, Replicate, shard_tensor

    return shard_tensor(paddle.ones([4]), ProcessMesh([0], dim_names=["x"]), [Replicate()])


def refusals():
    return [
        ("requires grad", lambda: paddle.to_tensor([1.0, 2.0], stop_gradient=False)),
        ("sparse", sparse),
        ("sparse CSR", sparse_rows),
        ("distributed tensor", distributed),
        ("deleted", cleared),
    ]


def remedies():
    def floats(*values):
        return np.array(values, "f4").tobytes()

    return {
        "requires grad": ("x.detach()", lambda x: x.detach(), floats(1, 2)),
        "sparse": ("x.to_dense()", lambda x: x.to_dense(), floats(1, 0, 0, 2)),
        "sparse CSR": ("x.to_dense()", lambda x: x.to_dense(), floats(1, 0, 0, 2)),
        "distributed tensor": ("paddle.distributed.unshard_dtensor(x)",
                               paddle.distributed.unshard_dtensor, floats(1, 1, 1, 1)),
    }  # fmt: skip


def pointer(x):
    return x.data_ptr()


def label(x):
    return (1, 0) if x.place.is_cpu_place() else None


def writable(x):
    return True


def shape(x):
    return tuple(x.shape)


def read(x):
    if not x._is_initialized() or not x.is_dense():
        return NotImplemented
    if not x.size:
        return b""
    item = x.element_size()  # By address: contiguous() would change x itself.
    first = np.ctypeslib.as_array((ctypes.c_uint8 * item).from_address(x.data_ptr()))
    strides = [n * item for n in x.strides] + [1]
    return np.lib.stride_tricks.as_strided(first, [*x.shape, item], strides).tobytes()


def poke(x, element):
    if not x.size:
        return NotImplemented
    ctypes.memmove(x.data_ptr(), element, len(element))


def consume(x):
    return paddle.utils.dlpack.from_dlpack(x)


def subclass(x, kind):
    return kind(x)
