"""Runs libFuzzer inside the vendor's own interpreter.

    PYTHON fuzz_host.py --module dlpc_fuzz.abi3.so (--adapter NAME_OR_FILE | --object MODULE:EXPR)
           --findings FILE [--version TEXT] [libFuzzer options...]
    PYTHON fuzz_host.py --module dlpc_fuzz.abi3.so --map jax [libFuzzer options...]

Starts as the host does (host.py, beside this file or at DLPC_HOST_PY), then hands over to
libFuzzer, which ends the process. With --map the device map is compared with the framework's own
function, on stand-ins for arrays.
"""

import gc
import importlib.util
import os
import sys


def load_host():
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.environ.get("DLPC_HOST_PY") or os.path.join(here, "host.py")
    spec = importlib.util.spec_from_file_location("dlpc_host_py", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class StandIn:
    """As much of an array as the query of jax looks at (as in jax_map_test.py)."""

    def __init__(self, platform, version, kind, number, shards):
        self._arrays = [None] * shards
        self._platform = platform
        client = Record(platform_version=version)
        device = Record(local_hardware_id=number, client=client)
        self.sharding = Record(memory_kind=kind, _internal_device_list=[device])

    def platform(self):
        return self._platform


def jax_query():
    """(profile, function) of the installed jax."""
    import jax
    from jax._src.array import ArrayImpl

    query = ArrayImpl.__dlpack_device__
    release = tuple(int(part) for part in jax.__version__.split(".")[:2])
    gpu_names = {"cuda", "rocm", "gpu"} | ({"oneapi"} if release >= (0, 11) else set())

    def ask(platform, version, kind, number, shards):
        # What a device calls its platform is jaxlib's doing.
        name = "gpu" if platform in gpu_names else platform
        device_type, device_id = query(StandIn(name, version, kind, number, shards))
        return int(device_type), device_id

    return "jax@" + jax.__version__, ask


def main(arguments):
    # Nothing here computes: threads of a BLAS would only spin while they start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    host = load_host()
    options, rest = {}, list(arguments)
    while rest and rest[0].startswith("--") and len(rest) > 1:
        options[rest[0]] = rest[1]
        del rest[:2]
    fuzzer = host.load_extension(options["--module"], "dlpc_fuzz")
    # What an engine of ours starts has three descriptors at the end, which nobody needs here.
    words = [word for word in rest if not word.isdigit()]
    if options.get("--map") == "jax":
        profile, ask = jax_query()
        return fuzzer.run_map(ask, profile, words)
    if options.get("--version", fuzzer.version()) != fuzzer.version():
        sys.stderr.write("dlpc_fuzz is of another build than dlpack-conformance\n")
        return 3
    try:
        adapter, info = host.build(options, fuzzer)
    except host.UserError as error:
        sys.stderr.write("%s\n" % error)
        return 3
    gc.collect()
    gc.freeze()
    return fuzzer.run(adapter, info, options["--findings"], words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
