"""Asks JAX on one emulated profile everything that expected.json has an answer to; prints JSON.

    python probe.py PROFILE LIBRARY
"""

import gc
import json
import sys

import jax_emulation as emulation
from capsules import Producer, describe, read

CALLS = {
    "max_version=None": {"max_version": None},
    "max_version=(0,4)": {"max_version": (0, 4)},
    "max_version=(0,5)": {"max_version": (0, 5)},
    "max_version=(0,8)": {"max_version": (0, 8)},
    "max_version=(1,0)": {"max_version": (1, 0)},
    "max_version=(1,99)": {"max_version": (1, 99)},
    "max_version=(2,0)": {"max_version": (2, 0)},
    "copy=None": {"copy": None},
    "copy=False": {"copy": False},
    "copy=True": {"copy": True},
    "dl_device=cpu": {"dl_device": (1, 0)},
    "dl_device=cpu copy=True": {"dl_device": (1, 0), "copy": True},
    "dl_device=cpu copy=False": {"dl_device": (1, 0), "copy": False},
    "dl_device=(4,0)": {"dl_device": (4, 0)},
    "dl_device=(19,0)": {"dl_device": (19, 0)},
    "dl_device=(999,0)": {"dl_device": (999, 0)},
    "stream=0": {"stream": 0},
    "stream=1": {"stream": 1},
    "stream=2": {"stream": 2},
    "stream=-1": {"stream": -1},
    "stream=12345": {"stream": 12345},
    "stream='x'": {"stream": "x"},
}
DTYPES = [
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "complex64", "complex128", "bfloat16", "float8_e3m4", "float8_e4m3",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "int1", "int2", "int4",
    "uint1", "uint2", "uint4",
]  # fmt: skip
# The other memory of the same accelerator.
SIBLING = {2: 3, 3: 2, 10: 11, 11: 10}


def attempt(call):
    """Its result, or the exception as class and text."""
    try:
        return call()
    except Exception as e:  # noqa: BLE001
        kind = type(e)
        name = kind.__name__ if kind.__name__ != "XlaRuntimeError" else "JaxRuntimeError"
        return f"{name}: {e}"


def answer(x):
    kind, index = x.__dlpack_device__()
    return f"({int(kind)}, {index})"


def pointer(x):
    """Where the plug-in has the elements, not by way of DLPack."""
    return x.addressable_data(0).unsafe_buffer_pointer()


def export(x, **arguments):
    """The capsule as text, with how often the plug-in was asked to wait for the given stream."""
    stream = arguments.get("stream")
    counted = stream if isinstance(stream, int) else None  # None: any stream.
    before = emulation.waits(counted)
    text = describe(x.__dlpack__(**arguments), pointer(x))
    waits = emulation.waits(counted) - before
    return text if stream is None and waits == 0 else f"{text} waits={waits}"


def devices_asked(x, numpy):
    """dl_device: its own, its sibling memory, an accelerator that is not there, no such device."""
    own = attempt(lambda: tuple(int(n) for n in x.__dlpack_device__()))
    if isinstance(own, str):
        return {}
    absent = 10 if own[0] != 10 and own[0] != 11 else 2
    asked = {"own": own, "absent": (absent, 0), "(own,7)": (own[0], 7)}
    if own[0] in SIBLING:
        asked["sibling"] = (SIBLING[own[0]], own[1])
    results = {}
    for name, device in asked.items():
        for copy in (None, False) if name == "sibling" else (None,):
            key = f"dl_device={name}" + (" copy=False" if copy is False else "")
            results[key] = attempt(
                lambda: export(x, dl_device=device, copy=copy, max_version=(1, 3)))
    return results


def lifetimes(numpy):
    x = emulation.make(numpy.arange(6, dtype=numpy.int32))
    capsule = attempt(lambda: x.__dlpack__())
    results = {}
    if not isinstance(capsule, str):
        x.delete()
        results["read after delete()"] = str(read(capsule, numpy.int32))
        del x
        gc.collect()
        results["read after del"] = str(read(capsule, numpy.int32))
        del capsule
    y = emulation.make(numpy.arange(6, dtype=numpy.int32))
    y.delete()
    results["deleted, device"] = attempt(lambda: answer(y))
    results["deleted, capsule"] = attempt(lambda: export(y))
    return results


def dtypes(numpy):
    import ml_dtypes

    results = {}
    for name in DTYPES:
        dtype = getattr(ml_dtypes, name, None) or getattr(numpy, name, None)
        if dtype is None:  # An older ml_dtypes.
            continue
        values = numpy.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
        x = attempt(lambda: emulation.make(values))
        if isinstance(x, str):
            results[name] = "make: " + x
            continue
        same = numpy.asarray(x).tobytes() == values.tobytes()
        results[name] = (attempt(lambda: describe(x.__dlpack__(), None, dtype=True))
                         + ("" if same else "; values differ"))
    return results


def moves(x, numpy):
    """Through every memory kind, to the CPU and back: are the values the same?"""
    import jax

    here, values = x.sharding, numpy.asarray(x)
    device = emulation.devices()[-1]
    stops = [jax.sharding.SingleDeviceSharding(device, memory_kind=memory.kind)
             for memory in device.addressable_memories()]
    stops += [jax.devices("cpu")[0], here]
    for stop in stops:
        x = jax.device_put(x, stop)
        if numpy.asarray(x).tobytes() != values.tobytes():
            return f"values differ on {stop}"
    transposed = numpy.arange(24, dtype=numpy.int16).reshape(2, 3, 4).T[::-1]
    for odd in (transposed, numpy.float32(7), numpy.zeros((0, 3)), transposed[:, ::2]):
        if numpy.asarray(jax.device_put(odd, stops[0])).tobytes() != odd.tobytes():
            return f"values differ of shape {odd.shape}"
    return "same"


def program(x):
    """Anything but a copy must be refused: also under the name of the copy."""
    import jax

    def copy(x):
        return x + x

    return {"x + x": attempt(lambda: str(x + x)), "copy": attempt(lambda: str(jax.jit(copy)(x)))}


def imports(x, numpy):
    """jax.dlpack.from_dlpack of a producer of ours, on the device that the array says it is on."""
    import jax

    results = {}
    own = attempt(lambda: tuple(int(n) for n in x.__dlpack_device__()))
    if isinstance(own, str):
        return results
    for versioned in (False, True):
        producer = Producer(own, versioned)
        y = attempt(lambda: jax.dlpack.from_dlpack(producer))
        key = "import versioned" if versioned else "import"
        if isinstance(y, str):
            results[key] = y
            continue
        same = "same" if pointer(y) == producer.address else "other"
        values = numpy.asarray(y).tolist() == producer.values
        asked = {k: producer.asked.get(k, "not given") for k in ("stream", "max_version")}
        before = producer.deleted
        del y
        gc.collect()
        results[key] = (f"{same} pointer, values {'right' if values else 'wrong'}, "
                        f"stream={asked['stream']}, max_version={asked['max_version']}, "
                        f"deleter {before} then {producer.deleted}")
    back = attempt(lambda: jax.dlpack.from_dlpack(x))
    if not isinstance(back, str):
        same = "same" if pointer(back) == pointer(x) else "other"
        back = f"{same} pointer in {back.sharding.memory_kind}"
    results["round trip"] = back
    for kind in (12, 13, 19):
        text = attempt(lambda: jax.dlpack.from_dlpack(Producer((kind, 0), False)))
        results[f"import type {kind}"] = str(text).split(", array")[0]
    # Not numpy.asarray: that asks __array__ first.
    view = attempt(lambda: numpy.from_dlpack(x))
    if isinstance(view, str):  # Older releases of NumPy raise another class.
        view = view.removeprefix("BufferError: ").removeprefix("RuntimeError: ")
    results["numpy"] = str(view if isinstance(view, str) else view.tolist())
    return results


def main():
    profile, library = sys.argv[1:3]
    emulation.setup(profile, library)
    import jax
    import jaxlib
    import numpy

    x = emulation.make(numpy.arange(6.0))
    results = {
        "device": attempt(lambda: answer(x)),
        "capsule": attempt(lambda: export(x)),
        "moves": attempt(lambda: moves(x, numpy)),
    }
    for name, arguments in CALLS.items():
        arguments = {"max_version": (1, 3), **arguments}
        results[name] = attempt(lambda: export(x, **arguments))
    results |= devices_asked(x, numpy)
    results |= lifetimes(numpy)
    results |= imports(x, numpy)
    results |= {f"dtype {name}": text for name, text in dtypes(numpy).items()}
    if emulation.PROFILES[profile].plugin != "cpu":
        results |= {f"program {name}": text for name, text in program(x).items()}
    json.dump({"jax": jax.__version__, "jaxlib": jaxlib.__version__, "profile": profile,
               "results": results}, sys.stdout)


if __name__ == "__main__":
    main()
