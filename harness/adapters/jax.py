"""JAX arrays on the CPU backend, with two CPU devices so that one array can be sharded; or, when
DLPC_EMULATE names a profile, on that emulated accelerator (docs/emulation.md)."""

import importlib.util
import os


def load_emulation(profile):
    """The module jax_emulation, set up for the profile: before JAX is used for anything."""
    path = os.path.join(os.environ["DLPC_EMULATION_DIR"], "jax_emulation.py")
    spec = importlib.util.spec_from_file_location("jax_emulation", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.setup(profile, os.environ["DLPC_EMULATION_LIBRARY"])
    return module


EMULATED = os.environ.get("DLPC_EMULATE")
emulation = load_emulation(EMULATED) if EMULATED else None

REAL_GPU = emulation is None and os.environ.get("DLPC_DEVICE") == "cuda"
if not REAL_GPU:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

if emulation is None:
    jax.config.update("jax_num_cpu_devices", 2)  # Both must come before the backend's first use.
    jax.config.update("jax_enable_x64", True)

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
# How a program without this file does the same (docs/adapters.md).
REPRO = {
    "import": ["import jax", "import jax.numpy as jnp", "import numpy as np"],
    "start": ["jax.config.update('jax_num_cpu_devices', 2)",
              "jax.config.update('jax_enable_x64', True)"],
    "dtypes": {name: repr(name) for name in NUMPY_DTYPES + ML_DTYPES},
    "make": "jnp.asarray(np.array({numpy}, order='C'))", "read": "np.asarray({x}).tobytes()",
    "pointer": "{x}.unsafe_buffer_pointer()", "consume": "jax.dlpack.from_dlpack({x})",
}  # fmt: skip
# XLA has these, but no DLPack equivalent of them in every release: made when asked, not claimed.
UNCLAIMED = ["float4_e2m1fn", "int4", "uint4", "int2", "uint2"]
HOST_MEMORY = emulation is not None  # The emulated devices' memory is memory of the process.


def emulated_place():
    """(memory, place, sharded) of the profile's arrays, in the words of a spec."""
    profile = emulation.PROFILES[EMULATED]
    if profile.plugin == "cpu":
        return "cpu", "second_device", False
    known = ("tpu", "cuda", "rocm", "oneapi")
    platform = profile.plugin if profile.plugin in known else "extension"
    kind = {"device": "", "pinned_host": "_pinned", "unpinned_host": "_unpinned"}[profile.memory]
    by_name, by_version = profile.platform == platform, platform in profile.version
    if profile.layout == "replicated":
        place = "replicated"
    elif not (by_name and by_version):
        place = "name_only" if by_name else "version_only" if by_version else "unknown_platform"
    elif profile.hardware_ids[profile.device] < 0:
        place = "no_hardware_id"
    else:
        place = "second_device" if profile.device else "ordinary"
    return platform + kind, place, profile.layout == "sharded"


if emulation is not None and emulation.PROFILES[EMULATED].plugin != "cpu":
    waits = emulation.waits  # The plug-in counts; JAX's own CPU does not.


HERE = None if emulation else jax.sharding.SingleDeviceSharding(jax.devices()[0])
MEMORY, PLACE, SHARDED = emulated_place() if emulation else ("cpu", "ordinary", False)
# Kinds of memory of a real CUDA device, in the words of a spec and of JAX.
CUDA_KINDS = {"cuda": "device", "cuda_pinned": "pinned_host"}


def cuda_device():
    """None where JAX has no CUDA device, or was not asked to look for one."""
    if not REAL_GPU:
        return None
    return next((d for d in jax.devices() if "cuda" in d.client.platform_version.lower()), None)


CUDA = cuda_device()
# What the header calls each kind of memory. TPU device memory has no number in a released one.
DEVICE_TYPES = {
    "cpu": 1, "cuda": 2, "cuda_pinned": 3, "cuda_unpinned": 1, "rocm": 10, "rocm_pinned": 11,
    "oneapi": 14, "oneapi_pinned": 14, "tpu_pinned": 20, "tpu_unpinned": 1,
}  # fmt: skip


def device_facts():
    """Where the profile's arrays are, in the words of the suite's device map."""
    profile = emulation.PROFILES[EMULATED]
    device = emulation.devices()[profile.device]
    number = profile.hardware_ids[profile.device]
    count = 1 if profile.layout == "one" else len(profile.hardware_ids)
    return {
        "platform": profile.platform,
        "platform_version": device.client.platform_version,
        "memory_kind": profile.memory,
        "hardware_id": None if number < 0 else number,
        "shards": count,
        "devices": count,
        "device": str(device),
    }


def claims():
    known = {
        "producer": "jax",
        "version": jax.__version__,
        "dtypes": NUMPY_DTYPES + ML_DTYPES,
        "features": ["copy", "immutable"],
    }
    if emulation is not None:
        return known | {
            "devices": [emulation.PROFILES[EMULATED].platform],
            "memory_kinds": [MEMORY],
            "places": [PLACE],
            "emulated": EMULATED,
            "device_facts": device_facts(),
            "device_maps": {
                "query": "jax@" + jax.__version__,
                "export": "jaxlib@" + jax.__version__,
            },
        }
    if CUDA is not None:
        return known | {"devices": ["cuda"], "memory_kinds": list(CUDA_KINDS)}
    return known | {
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


SOURCES = {}


def make(spec):
    if spec.dtype not in NUMPY_DTYPES + ML_DTYPES + UNCLAIMED:
        return NotImplemented
    if CUDA is not None and spec.memory in CUDA_KINDS and spec.place == "ordinary":
        place = jax.sharding.SingleDeviceSharding(CUDA, memory_kind=CUDA_KINDS[spec.memory])
        return jax.device_put(np.array(values(spec), order="C"), place)
    if spec.memory != MEMORY or spec.place != PLACE or spec.static or spec.odd_stride:
        return NotImplemented
    if emulation is not None:
        if spec.sharded != SHARDED:
            return NotImplemented
        return emulation.make(np.array(values(spec), order="C"))
    if spec.sharded:
        return sharded() if spec.is_default else NotImplemented
    # Half the time of device_put; jnp.asarray compiles a program for each new dtype and shape.
    x = unaligned(spec)
    return jax.make_array_from_callback(x.shape, HERE, lambda _: x)


def unaligned(spec):
    """The elements where XLA has to copy them: it takes over what starts at a multiple of 64."""
    if id(spec) not in SOURCES:
        x = values(spec)
        raw = np.empty(x.nbytes + 64, np.uint8)
        start = (16 - raw.ctypes.data) % 64
        copy = raw[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
        copy[...] = x
        if len(SOURCES) > 1000:
            SOURCES.clear()
        SOURCES[id(spec)] = spec, copy  # Specs come again.
    return SOURCES[id(spec)][1]


def sharded():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    return jax.device_put(np.arange(8, dtype=np.float32), sharding)


def deleted():
    x = jax.device_put(np.ones(3, np.float32))
    x.delete()
    return x


given = jax.jit(lambda x: x.reshape(3, 1), donate_argnums=0)


def donated():
    x = jax.device_put(np.ones(3, np.float32), may_alias=False)
    given(x)
    return x


def replicated():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    return jax.device_put(np.arange(4, dtype=np.float32), sharding)


def batched():
    seen = []
    jax.vmap(lambda x: seen.append(x) or x)(jax.device_put(np.ones(3, np.float32)))
    return seen[0]


def traced():
    seen = []
    jax.make_jaxpr(lambda x: seen.append(x) or x)(np.float32(1))
    return seen[0]


@jax.jit
def slow(x):
    for _ in range(8):  # Unrolled: a loop takes XLA ten times as long to compile.
        x = x @ x
    return x[0, :16]


def pending():  # JAX computes in the background; about 6 ms are left when the call returns.
    return slow(jax.device_put(np.full((384, 384), 1 / 384, np.float32)))


def refusals():
    if emulation is not None:
        return []
    return [
        ("array sharded over two devices", sharded),
        ("copies on two devices", replicated),
        ("deleted", deleted),
        ("donated", donated),
        ("traced", traced),
        ("traced by vmap", batched),
        ("int4 (sub-byte integer)", lambda: jax.device_put(np.arange(4, dtype=ml_dtypes.int4))),
        ("pending computation", pending),  # Not to be refused: to be waited for.
    ]


def remedies():
    one = "jax.device_put(x, jax.devices()[0])"
    return {
        "array sharded over two devices": (one, gathered, np.arange(8, dtype="f4").tobytes()),
        "copies on two devices": (one, gathered, np.arange(4, dtype="f4").tobytes()),
        "int4 (sub-byte integer)": (
            "jax.device_put(np.asarray(x).astype('int8'))",
            lambda x: jax.device_put(np.asarray(x).astype(np.int8)), bytes(range(4)),
        ),
    }  # fmt: skip


def gathered(x):
    return jax.device_put(x, jax.devices()[0])


def pointer(x):
    return x.unsafe_buffer_pointer() if len(x.devices()) == 1 else None


def emulated_label():
    profile = emulation.PROFILES[EMULATED]
    number = profile.hardware_ids[profile.device]
    if MEMORY not in DEVICE_TYPES or PLACE == "unknown_platform" or number < 0:
        return None
    return DEVICE_TYPES[MEMORY], 0 if DEVICE_TYPES[MEMORY] == 1 else number


def label(x):
    """By platform and memory kind, not by what JAX's DLPack code says."""
    if len(x.devices()) != 1:
        return None
    if emulation is not None:
        return emulated_label()
    (device,) = x.devices()
    if CUDA is not None and device == CUDA:
        return 3 if x.sharding.memory_kind == "pinned_host" else 2, device.local_hardware_id
    return (1, 0) if device.platform == "cpu" else None


def writable(x):
    return False  # jax.Array is immutable.


def shape(x):
    return x.shape


def read(x):
    return np.asarray(x).tobytes()


def consume(x):
    return jax.dlpack.from_dlpack(x)
