"""Bootstrap of the Python host: runs inside the vendor's own interpreter.

    PYTHON host.py --module dlpc_host.abi3.so (--adapter NAME_OR_FILE | --object MODULE:EXPRESSION)
           REQUEST_FD REPLY_FD PROGRESS_FD

Loads the extension module by path and the adapter by path, then lets the module answer requests.
Whatever is wrong with the user's side is told to the runner in one line. The syntax stays that of
old Python 3, so that an interpreter that is too old can still say so.
"""

import faulthandler
import gc
import importlib.machinery
import importlib.util
import json
import os
import sys

HOST_ENDS = 64  # As in harness/engine.h.
REQUIRED = ("claims", "make", "pointer", "label")
HERE = os.path.dirname(os.path.abspath(__file__))


class UserError(Exception):
    """Something that the user can put right; str() is one line."""


class Spec(object):
    """What array make() is asked for. Shape, strides and offset count elements.

    dtype, code, bits, lanes, itemsize: the element type, by name and as a DLDataType
    shape, strides, offset: the array that is wanted, as a view of the base buffer
    byte_strides: the same strides in bytes
    base, base_shape: the bytes of the base buffer, and its C-contiguous shape
    index, axes, broadcast_to: the recipe: base.reshape(base_shape)[index].transpose(axes), then
        broadcast to broadcast_to; axes and broadcast_to are None when there is nothing to do
    memory: "cpu", "cuda", "cuda_pinned", "cuda_managed", "cuda_unpinned", "rocm", "rocm_pinned",
        "oneapi", "oneapi_pinned", "tpu", "tpu_pinned", "tpu_unpinned", "extension"
    place: "ordinary"; others are asked for only where claims()["places"] has them:
        "second_device", "no_hardware_id", "replicated", "unknown_platform", "name_only",
        "version_only"
    read_only, static, sharded, odd_stride: properties wanted beside these
    is_default: float32, shape (2, 3), C-contiguous, in CPU memory, no properties
    """

    __slots__ = (
        "dtype", "code", "bits", "lanes", "itemsize", "shape", "strides", "offset", "byte_strides",
        "base", "base_shape", "index", "axes", "broadcast_to", "memory", "place", "read_only",
        "static", "sharded", "odd_stride", "is_default", "given",
    )  # fmt: skip

    def __init__(self, **values):
        self.given = False
        for name, value in values.items():
            setattr(self, name, value)

    def __repr__(self):
        return "Spec(%s)" % ", ".join(
            "%s=%r" % (n, getattr(self, n)) for n in self.__slots__ if n != "base"
        )


def text_of(value):
    """str(), for values that cannot be trusted to have one; what cannot be printed is escaped."""
    try:
        text = str(value)
        return "".join(c if c.isprintable() or c.isspace() else ascii(c)[1:-1] for c in text)
    except BaseException:
        return "<unprintable %s>" % type(value).__name__


def one_line(text, limit=300):
    text = " ".join(text_of(text).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def describe(error):
    """An exception as one line with the place it came from."""
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__name__
    text = one_line(error)
    text = "%s: %s" % (name, text) if text else name
    if isinstance(error, SyntaxError):
        place = (error.filename or "?", error.lineno or 0)
    else:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None:
            return text
        place = (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return "%s (%s:%d)" % (text, os.path.basename(place[0]), place[1])


def interpreter_name():
    return "%s %s" % (
        {"cpython": "CPython"}.get(sys.implementation.name, sys.implementation.name),
        sys.version.split()[0],
    )


def check_interpreter():
    if sys.implementation.name != "cpython" or sys.version_info < (3, 10):
        raise UserError("%s (%s) is not supported: CPython 3.10 or newer is needed"
                        % (interpreter_name(), sys.executable))  # fmt: skip
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or "t" in getattr(sys, "abiflags", ""):
        raise UserError("%s (%s) is a free-threaded build, which has no stable ABI: use a standard "
                        "build" % (interpreter_name(), sys.executable))  # fmt: skip


def load_beside(name):
    """A module of our own folder, which is not on the vendor's path."""
    spec = importlib.util.spec_from_file_location("dlpc_" + name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_extension(path, name="dlpc_host"):
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def adapter_path(name):
    if name.endswith(".py") or os.sep in name:
        return os.path.abspath(name)
    return os.path.join(HERE, "adapters", name.replace("-", "_") + ".py")


def missing_package(name, module, error):
    """The line for a package that is not there. `module` may be half imported."""
    root = (error.name or str(error)).split(".")[0]
    wanted = getattr(module, "MODULE", name.replace("-", "_")).split(".")[0]
    pip = getattr(module, "PIP", root) if root == wanted else root
    needed = "" if root == wanted else ", which adapter %s needs," % name
    return "%s%s is not installed in %s: pip install %s" % (root, needed, sys.executable, pip)


def load_adapter(name):
    """The adapter module, imported from its file under a name that shadows no package."""
    path = adapter_path(name)
    if not os.path.isfile(path):
        raise UserError("there is no adapter %s" % path)
    stem = os.path.splitext(os.path.basename(path))[0]
    # As for a script, the folder may have modules of its own; but where the built-in adapters are,
    # torch.py is no torch. Wherever that is: a source tree has them, too.
    if not os.path.isfile(os.path.join(os.path.dirname(path), "object_adapter.py")):
        sys.path.append(os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("dlpc_adapter_" + stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise UserError(missing_package(stem, module, error))
    except BaseException as error:
        raise UserError("adapter %s cannot be imported: %s" % (name, describe(error)))
    return module


def checked_claims(name, adapter):
    for function in REQUIRED:
        if not callable(getattr(adapter, function, None)):
            raise UserError("adapter %s has no function %s()" % (name, function))
    try:
        claims = adapter.claims()
    except ModuleNotFoundError as error:
        raise UserError(missing_package(name, adapter, error))
    except BaseException as error:
        raise UserError("adapter %s: claims() raised %s" % (name, describe(error)))
    if not isinstance(claims, dict):
        raise UserError("adapter %s: claims() returned no dict but a %s"
                        % (name, type(claims).__name__))  # fmt: skip
    for key in ("producer", "version"):
        if not isinstance(claims.get(key), str):
            raise UserError("adapter %s: claims() has no text %r" % (name, key))
    for key in ("dtypes", "layouts", "devices", "memory_kinds", "places", "features"):
        value = claims.setdefault(key, [])
        if not isinstance(value, (list, tuple)):
            raise UserError("adapter %s: claims()[%r] is not a list" % (name, key))
    if isinstance(getattr(adapter, "REPRO", None), dict):
        claims["repro"] = load_beside("sources").recipe(adapter)
    try:
        return claims, json.dumps(claims)
    except (TypeError, ValueError) as error:
        raise UserError("adapter %s: claims() cannot be written as JSON: %s" % (name, error))


def record_unraisable(texts):
    """sys.unraisablehook that keeps texts only: keeping the objects would keep arrays alive."""

    def hook(unraisable):
        try:
            kind = unraisable.exc_type.__name__
            texts.append(one_line("%s: %s in %r" % (kind, unraisable.exc_value, unraisable.object)))
        except Exception:  # A hook that raises would be reported to itself.
            texts.append("an exception that cannot be printed")
        del texts[64:]  # Nobody may be reading.

    sys.unraisablehook = hook
    return texts


def absent_device(claims):
    """Why there are no arrays on the GPU that `run --device cuda` asks for; else ''."""
    if os.environ.get("DLPC_DEVICE") != "cuda" or "cuda" in claims["devices"]:
        return ""
    return "no CUDA device that %s can use" % claims["producer"]


def build(options, module):
    """(adapter, info): everything that module.serve needs."""
    check_interpreter()
    if "--object" in options:
        name = options["--object"]
        adapter = load_adapter("object_adapter").open_object(name, UserError, describe)
    else:
        name = options["--adapter"]
        adapter = load_adapter(name)
    claims, claims_json = checked_claims(name, adapter)
    info = {
        "producer": claims["producer"],
        "version": claims["version"],
        "interpreter": interpreter_name(),
        "adapter": "" if "--object" in options else name,
        "claims_json": claims_json,
        "spec_class": Spec,
        "derive": load_beside("derived").derive,
        "benchmark": load_beside("benchmarks").Benchmarks(module, adapter, Spec),
        "describe": describe,
        "unraisable": record_unraisable([]),
        "places": list(claims["places"]),
        "absent": absent_device(claims),
        "host_memory": bool(getattr(adapter, "HOST_MEMORY", False)),
    }
    return adapter, info


def parse(arguments):
    """(options, descriptors) of a command line that the runner made."""
    options, rest = {}, list(arguments)
    while rest and rest[0].startswith("--") and len(rest) > 1:
        options[rest[0]] = rest[1]
        del rest[:2]
    if "--module" not in options or ("--adapter" in options) == ("--object" in options):
        raise UserError("the host needs --module and one of --adapter, --object")
    return options, [int(text) for text in rest]


def start_faulthandler():
    # The Python line that crashed goes to stderr, whose tail the report shows. A sanitizer's own
    # report says more, and needs the signal handlers itself.
    if "asan" not in os.environ.get("LD_PRELOAD", "") and "ASAN_OPTIONS" not in os.environ:
        faulthandler.enable(all_threads=False)


def main(arguments):
    options, (request_fd, reply_fd, progress_fd) = parse(arguments)
    # Our own folder must not be on the vendor's path; the user's current folder comes last, so that
    # a file there shadows no package.
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != HERE] + [os.getcwd()]
    try:
        module = load_extension(options["--module"])
    except ImportError as error:
        check_interpreter()  # The likely reason has a clearer text.
        raise UserError("%s cannot load the host module: %s" % (sys.executable, one_line(error)))
    start_faulthandler()
    # What an import leaves is kept: collecting it takes a tenth of the time of a large framework's
    # start, and after freeze() a full collection takes microseconds.
    gc.disable()
    try:
        adapter, info = build(options, module)
    except UserError as error:
        return module.fail(one_line(error, 1000), reply_fd)
    gc.freeze()
    gc.enable()
    return module.serve(adapter, request_fd, reply_fd, progress_fd, info)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except UserError as error:  # Too early for the module: the runner shows our standard error.
        sys.stderr.write("%s\n" % error)
        code = 3
    sys.stdout.flush()
    sys.stderr.flush()
    if code == HOST_ENDS:  # The interpreter's end is what the last script is about.
        sys.exit(0)
    # All answers are given. The shutdown of a large framework takes long, and a crash in it would
    # say nothing about DLPack.
    os._exit(code)
