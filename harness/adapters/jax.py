"""JAX arrays on the CPU backend, with two CPU devices so that one array can be sharded."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

jax.config.update("jax_num_cpu_devices", 2)  # Both must come before the backend's first use.
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

MODULE = PIP = "jax"

NUMPY_DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
ML_DTYPES = [
    "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
]  # fmt: skip
# XLA has these, but no DLPack equivalent of them in every release: made when asked, not claimed.
UNCLAIMED = ["float4_e2m1fn", "int4", "uint4", "int2", "uint2"]


def claims():
    return {
        "producer": "jax",
        "version": jax.__version__,
        "dtypes": NUMPY_DTYPES + ML_DTYPES,
        "layouts": ["empty", "scalar", "read-only", "rank:64"],  # JAX arrays are always compact.
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["copy", "immutable", "sharded"],
    }


def values(spec):
    """The elements as a NumPy array."""
    if spec.dtype in NUMPY_DTYPES:
        dtype = np.dtype(spec.dtype)
    else:
        dtype = np.dtype(getattr(ml_dtypes, spec.dtype))
    raw = np.frombuffer(spec.base, np.uint8)
    if spec.bits < 8:  # The base is packed; ml_dtypes holds one element per byte.
        count = int(np.prod(spec.base_shape, dtype=np.int64))
        bits = np.unpackbits(raw, bitorder="little")[: count * spec.bits].reshape(count, spec.bits)
        raw = np.packbits(bits, axis=1, bitorder="little").ravel()
    x = raw.view(dtype).reshape(spec.base_shape)[spec.index]
    if spec.axes is not None:
        x = x.transpose(spec.axes)
    return x if spec.broadcast_to is None else np.broadcast_to(x, spec.broadcast_to)


def make(spec):
    if spec.dtype not in NUMPY_DTYPES + ML_DTYPES + UNCLAIMED or spec.memory != "cpu":
        return NotImplemented
    if spec.static or spec.odd_stride:
        return NotImplemented
    if spec.sharded:
        return sharded() if spec.is_default else NotImplemented
    # A copy of our own: JAX may keep the memory of a NumPy array that it is given.
    return jnp.asarray(np.array(values(spec), order="C"))


def sharded():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    return jax.device_put(np.arange(8, dtype=np.float32), sharding)


def deleted():
    x = jnp.arange(3, dtype=jnp.float32) + 1
    x.delete()
    return x


def refusals():
    return [("sharded", sharded), ("deleted", deleted)]


def pointer(x):
    return x.unsafe_buffer_pointer() if len(x.devices()) == 1 else None


def label(x):
    """By platform and memory kind, not by what JAX's DLPack code says."""
    if len(x.devices()) != 1:
        return None
    (device,) = x.devices()
    return (1, 0) if device.platform == "cpu" else None


def writable(x):
    return False  # jax.Array is immutable.


def shape(x):
    return x.shape


def read(x):
    return np.asarray(x).tobytes()
