"""CuPy arrays in the memory of an NVIDIA or AMD GPU."""

import cupy as cp
import numpy as np

MODULE = "cupy"
PIP = "cupy-cuda13x"

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
if not cp.cuda.is_available():
    raise RuntimeError("CuPy finds no GPU")

GPU = "rocm" if cp.cuda.runtime.is_hip else "cuda"
DEVICE_TYPE = 10 if cp.cuda.runtime.is_hip else 2
MAX_RANK = 64 if int(np.__version__.split(".")[0]) >= 2 else 32
MEMORIES = [GPU] if GPU == "rocm" else [GPU, "cuda_managed"]


def claims():
    return {
        "producer": "cupy",
        "version": cp.__version__,
        "dtypes": DTYPES,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "rank:%d" % MAX_RANK],  # fmt: skip
        "devices": [GPU],
        "memory_kinds": MEMORIES,
        "features": ["writable", "copy"],
    }


def base(spec):
    raw = np.frombuffer(spec.base, np.uint8)
    if spec.memory != "cuda_managed":
        return cp.asarray(raw)
    x = cp.ndarray(raw.shape, np.uint8, cp.cuda.malloc_managed(max(raw.nbytes, 1)))
    x.set(raw)
    return x


def make(spec):
    if spec.dtype not in DTYPES or spec.memory not in MEMORIES or len(spec.shape) > MAX_RANK:
        return NotImplemented
    # CuPy has no read-only arrays.
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    x = base(spec)
    start = x.data + spec.offset * spec.itemsize
    return cp.ndarray(spec.shape, np.dtype(spec.dtype), start, spec.byte_strides)


def sparse():
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse.eye(3, dtype=cp.float32, format="csr")


def refusals():
    return [("sparse matrix", sparse)]


def pointer(x):
    return x.data.ptr


def label(x):
    """By the CUDA runtime's own account of the address."""
    if DEVICE_TYPE == 2 and x.data.ptr:
        kind = cp.cuda.runtime.pointerGetAttributes(x.data.ptr).type
        if kind == 3:  # cudaMemoryTypeManaged
            return 13, 0
    return DEVICE_TYPE, x.device.id


def writable(x):
    return True


def shape(x):
    return x.shape


def allocation(x):
    return x.data.mem.ptr, x.data.mem.size


def read(x):
    return cp.asnumpy(x).tobytes()


def poke(x, element):
    if x.size == 0:
        return NotImplemented
    x[(0,) * x.ndim] = cp.asarray(np.frombuffer(element, x.dtype)[0])
