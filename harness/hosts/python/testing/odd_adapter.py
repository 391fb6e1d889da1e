"""Producers that misbehave in every way that the Python host must report faithfully.

make() is steered by the number of elements; the objects of refusals() are found by name.
"""

import ctypes
import enum
import gc
import sys

MODULE = "sys"

FAILED_DEVICE = "no device today"


class DeviceType(enum.IntEnum):
    CPU = 1


class PlainEnum(enum.Enum):
    CPU = 1
    TEXT = "cpu"


class Indexable:
    def __index__(self):
        return 1


class Device:
    """Answers __dlpack_device__ with whatever it was given."""

    def __init__(self, answer):
        self.answer = answer

    def __dlpack_device__(self):
        return self.answer() if callable(self.answer) else self.answer


class Flipping:
    calls = 0

    def __dlpack_device__(self):
        self.calls += 1
        return (1, self.calls % 2)


class OwnError(BufferError):
    pass


def raise_(error):
    raise error


class Export:
    """Answers __dlpack__ with a call of `function`."""

    def __init__(self, function):
        self.function = function

    def __dlpack__(self, *args, **kwargs):
        return self.function(args, kwargs)

    def __dlpack_device__(self):
        return (1, 7)


def arguments(args, kwargs):
    raise ValueError(", ".join([repr(a) for a in args] + ["%s=%r" % kv for kv in kwargs.items()]))


def keeps_argument(args, kwargs):
    kwargs["polluted"] = True
    return len(kwargs)


api = ctypes.pythonapi
new_capsule = api.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
MEMORY = ctypes.create_string_buffer(256)  # A managed tensor of zeros: no deleter.
VERSIONED = b"dltensor_versioned"  # Capsules keep the pointer to this.
KEPT_NAMES = []


def capsule(name, destructor=None):
    pointer = None if destructor is None else ctypes.cast(destructor, ctypes.c_void_p)
    return new_capsule(ctypes.addressof(MEMORY), name, pointer)


# Functions of the interpreter serve as destructors: they may run while an exception is pending,
# which no callback in Python may. The argument is ignored.
clears, sets, harmless = api.PyErr_Clear, api.PyErr_NoMemory, api.PyErr_Occurred


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def raises(_):
    raise RuntimeError("from a destructor")


def own_name(args, kwargs):
    KEPT_NAMES.append(ctypes.create_string_buffer(b"dltensor"))
    return capsule(ctypes.cast(KEPT_NAMES[-1], ctypes.c_char_p))


class Hoarder:
    """Each export keeps one more reference to the array."""

    kept = []

    def __dlpack__(self, **kwargs):
        self.kept.append(self)
        raise BufferError("no")


class InstanceOnly:
    def __init__(self):
        self.__dlpack__ = lambda **kwargs: None


def claims():
    return {"producer": "odd", "version": "1"}


BROKEN_MAKES = {
    1: lambda: raise_(TypeError("make is\nbroken")),
    2: lambda: None,
    3: lambda: NotImplemented,
    4: lambda: Device("pointer raises"),
    5: lambda: Device("label is wrong"),
}


def make(spec):
    count = len(spec.base) // spec.itemsize
    return BROKEN_MAKES[count]() if count in BROKEN_MAKES else Export(lambda a, k: repr(spec))


def pointer(x):
    if getattr(x, "answer", None) == "pointer raises":
        raise KeyError("pointer")
    return None


def label(x):
    return "cpu" if getattr(x, "answer", None) == "label is wrong" else None


REFUSALS = [
    ("tuple", Device((1, 0))),
    ("int enum", lambda: Device((DeviceType.CPU, 0))),
    ("plain enum", lambda: Device((PlainEnum.CPU, 0))),
    ("text enum", lambda: Device((PlainEnum.TEXT, 0))),
    ("indexable", lambda: Device((Indexable(), True))),
    ("none id", lambda: Device((1, None))),
    ("text type", lambda: Device(("1", 0))),
    ("huge", lambda: Device((2**80, -1))),
    ("triple", lambda: Device((1, 0, 0))),
    ("list", lambda: Device([1, 0])),
    ("number", lambda: Device(1)),
    ("long text", lambda: Device("x" * 1000)),
    ("raises", lambda: Device(lambda: raise_(RuntimeError(FAILED_DEVICE)))),
    ("flips", Flipping),
    ("nothing", object),
    ("instance only", InstanceOnly),
    ("arguments", lambda: Export(arguments)),
    ("keeps arguments", lambda: Export(keeps_argument)),
    ("own error", lambda: Export(lambda a, k: raise_(OwnError("y" * 5000)))),
    ("bad text", lambda: Export(lambda a, k: raise_(ValueError("\udcff \u00e9")))),
    ("exits", lambda: Export(lambda a, k: sys.exit(4))),
    ("no capsule", lambda: Export(lambda a, k: 42)),
    ("unknown name", lambda: Export(lambda a, k: capsule(b"tensor"))),
    ("clears", lambda: Export(lambda a, k: capsule(VERSIONED, clears))),
    ("sets", lambda: Export(lambda a, k: capsule(VERSIONED, sets))),
    ("unraisable", lambda: Export(lambda a, k: capsule(VERSIONED, raises))),
    ("harmless", lambda: Export(lambda a, k: capsule(VERSIONED, harmless))),
    ("own names", lambda: Export(own_name)),
    ("hoarder", Hoarder),
    ("immortal", lambda: 1 if sys.version_info >= (3, 12) else raise_(ImportError("none"))),
    ("broken factory", lambda: raise_(ValueError("factory"))),
    ("frozen", lambda: Device((1, gc.get_freeze_count() > 1000))),
]


def refusals():
    return REFUSALS
