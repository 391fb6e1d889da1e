"""One emulated accelerator for the unmodified JAX, chosen by the name of a profile.

    import jax_emulation                                 # before jax is used
    jax_emulation.setup("tpu-pinned", "lib/dlpc_pjrt_emulation.so")
    x = jax_emulation.make(numpy.arange(6.0))            # a jax.Array where the profile says

JAX fixes its backends at first use, so a process has one profile. Nothing of JAX on disk is
touched, and nothing needs root: the plug-in comes in by the ways that JAX has for that, environment
variables.
"""

import ctypes
import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Profile:
    plugin: str  # Under which name JAX knows the plug-in; dl_device= finds cuda, rocm, ... by it.
    platform: str  # What the plug-in calls its platform; decides the device type in the capsule.
    version: str  # Its version text; decides the device type that __dlpack_device__ answers.
    memory: str = "device"  # Memory kind of the array.
    hardware_ids: tuple = (0,)  # One for each device; -1: the device has none.
    device: int = 0  # Index of the device that the array is on.
    layout: str = "one"  # "one" device, or "sharded" or "replicated" over all.


# The version texts of real plug-ins were not at hand: these hold the words that JAX looks for.
_TPU = ("tpu", "tpu", "tpu emulated")
_CUDA = ("cuda", "cuda", "cuda 12090")
_ROCM = ("rocm", "rocm", "rocm 60300")
_ONEAPI = ("oneapi", "oneapi", "oneapi 2025")

PROFILES = {
    "tpu-device": Profile(*_TPU),
    "tpu-pinned": Profile(*_TPU, memory="pinned_host"),
    "tpu-unpinned": Profile(*_TPU, memory="unpinned_host"),
    "cuda-device": Profile(*_CUDA),
    "cuda-pinned": Profile(*_CUDA, memory="pinned_host"),
    "cuda-unpinned": Profile(*_CUDA, memory="unpinned_host"),
    "rocm-device": Profile(*_ROCM),
    "rocm-pinned": Profile(*_ROCM, memory="pinned_host"),
    "oneapi-device": Profile(*_ONEAPI),
    "oneapi-pinned": Profile(*_ONEAPI, memory="pinned_host"),
    # The query looks at the version text, the capsule at the platform's name: each may know alone.
    "gpu-unknown-version": Profile("cuda", "gpu", "some gpu 1"),
    "cuda-unknown-version": Profile("cuda", "cuda", "some gpu 1"),
    "gpu-cuda-version": Profile("cuda", "gpu", "cuda 12090"),
    "unknown-platform": Profile("dlpc", "xpu", "xpu 1"),
    "tpu-no-hardware-id": Profile(*_TPU, memory="pinned_host", hardware_ids=(-1,)),
    "cuda-no-hardware-id": Profile(*_CUDA, hardware_ids=(-1,)),
    "second-device": Profile(*_TPU, memory="pinned_host", hardware_ids=(4, 9), device=1),
    "second-device-cuda": Profile(*_CUDA, hardware_ids=(4, 9), device=1),
    "sharded": Profile(*_CUDA, hardware_ids=(0, 1), layout="sharded"),
    "replicated": Profile(*_CUDA, hardware_ids=(0, 1), layout="replicated"),
    # No plug-in: JAX's own CPU, twice.
    "cpu-two-devices": Profile("cpu", "cpu", "", hardware_ids=(0, 1), device=1),
}

MEMORIES = "device,pinned_host,unpinned_host"
STREAM = 1514  # What the plug-in names when JAX asks for a stream to hand to a producer.

_profile = None
_library = None


def profiles():
    """Names of all profiles."""
    return list(PROFILES)


def setup(profile, library_path):
    """Gives this process the profile's devices. Call once, before JAX is used for anything."""
    global _profile, _library
    if _profile is not None:
        raise RuntimeError("a process has one profile, and this one has it already")
    if profile not in PROFILES:
        raise ValueError(f"no such profile: {profile} (there are {', '.join(PROFILES)})")
    chosen = PROFILES[profile]
    library_path = os.path.abspath(library_path)
    platforms = "cpu" if chosen.plugin == "cpu" else f"{chosen.plugin},cpu"
    if chosen.plugin != "cpu":
        if not os.path.exists(library_path):
            raise FileNotFoundError(library_path)
        os.environ.update(_environment(chosen, library_path))
    os.environ["JAX_PLATFORMS"] = platforms

    import jax

    jax.config.update("jax_platforms", platforms)  # It may have been imported before.
    jax.config.update("jax_enable_x64", True)  # Else an array of 64-bit elements is not one.
    if chosen.plugin == "cpu":
        jax.config.update("jax_num_cpu_devices", len(chosen.hardware_ids))
    if chosen.plugin == "cuda":
        _pretend_gpu()
    _profile = chosen
    if chosen.plugin != "cpu":
        jax.devices()  # Loads the plug-in.
        _library = _declare(ctypes.CDLL(library_path))


def _environment(profile, library_path):
    variables = {
        "DLPC_EMU_PLATFORM": profile.platform,
        "DLPC_EMU_PLATFORM_VERSION": profile.version,
        "DLPC_EMU_MEMORIES": MEMORIES,
        "DLPC_EMU_HARDWARE_IDS": ",".join(map(str, profile.hardware_ids)),
        "DLPC_EMU_STREAM": str(STREAM),
    }
    if profile.plugin == "tpu":  # JAX has a start-up path of its own for TPUs.
        variables["TPU_LIBRARY_PATH"] = library_path
    else:
        variables["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{profile.plugin}:{library_path}"
    return variables


def _pretend_gpu():
    """JAX skips a plug-in named cuda unless it finds one of these files. The list is not what is
    tested here, and it is changed in this process only."""
    from jax._src import hardware_utils

    hardware_utils._NVIDIA_GPU_DEVICES[:] = [os.devnull]


def devices():
    """The profile's devices, as JAX objects."""
    import jax

    return jax.devices("cpu" if _profile.plugin == "cpu" else None)


def sharding():
    """Where the profile has its arrays."""
    import jax
    import numpy

    memory = None if _profile.plugin == "cpu" else _profile.memory
    if _profile.layout == "one":
        device = devices()[_profile.device]
        return jax.sharding.SingleDeviceSharding(device, memory_kind=memory)
    mesh = jax.sharding.Mesh(numpy.array(devices()), ("x",))
    axes = ("x",) if _profile.layout == "sharded" else ()
    spec = jax.sharding.PartitionSpec(*axes)
    return jax.sharding.NamedSharding(mesh, spec, memory_kind=memory)


def make(array):
    """A jax.Array with the elements of a NumPy array. Sharding needs an even first axis."""
    import jax

    return jax.device_put(array, sharding())


def _declare(library):
    library.dlpc_emulation_calls.argtypes = [ctypes.c_char_p]
    library.dlpc_emulation_waits.argtypes = [ctypes.c_int64]
    for function in ("calls", "waits", "all_waits"):
        getattr(library, "dlpc_emulation_" + function).restype = ctypes.c_int64
    return library


def calls(function):
    """How often JAX called a function of the plug-in, such as PJRT_Client_Create."""
    return _library.dlpc_emulation_calls(function.encode())


def waits(stream=None):
    """How often JAX asked that this stream (None: any) wait until a buffer is ready."""
    if _library is None:  # JAX's own CPU: nobody counts.
        return 0
    if stream is None:
        return _library.dlpc_emulation_all_waits()
    return _library.dlpc_emulation_waits(stream)
