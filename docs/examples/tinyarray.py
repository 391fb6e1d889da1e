"""A pretend array library: C-contiguous float32 arrays in host memory that export DLPack.

Stands for the library of a vendor in the example adapter, my_adapter.py. Pure Python, so that it
runs everywhere; the structs are those of dlpack.h. One fault comes with that: a destructor in
Python cannot run while an exception is pending.
"""

import ctypes
import math

__version__ = "0.1"

CPU = (1, 0)
NAME, USED = b"dltensor", b"used_dltensor"
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# Destructors see a dying object: its address, not a new reference to it.
is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", api))  # fmt: skip
get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", api))  # fmt: skip

live = {}  # Address of each exported struct -> all that must live as long as it does.


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # Takes the interpreter lock: any thread may call it.
def deleter(address):
    live.pop(address, None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def destructor(capsule):
    for name, struct in ((NAME, Managed), (VERSIONED, ManagedVersioned)):
        if is_valid(capsule, name):  # A consumer renames what it takes over.
            address = get_pointer(capsule, name)
            call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(struct.from_address(address).deleter)
            call(address)


class Array:
    def __init__(self, values, shape, readonly=False):
        self.shape = tuple(shape)
        self.size = math.prod(self.shape)
        self.memory = (ctypes.c_float * max(self.size, 1))(*values)
        self.readonly = readonly

    def data_address(self):
        return ctypes.addressof(self.memory)

    def tobytes(self):
        return bytes(self.memory)[: 4 * self.size]

    def __setitem__(self, index, value):
        if self.readonly:
            raise TypeError("the array is read-only")
        self.memory[index] = value

    def __dlpack_device__(self):
        return CPU

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None:
            raise ValueError("host memory has no streams")
        if dl_device is not None and tuple(dl_device) != CPU:
            raise BufferError("only host memory can be exported")
        if max_version is None or max_version[0] < 1:
            if self.readonly and not copy:
                raise BufferError("a legacy capsule cannot say that the array is read-only")
            return self._capsule(Managed(), NAME, bool(copy))
        return self._capsule(ManagedVersioned(), VERSIONED, bool(copy))

    def _capsule(self, managed, name, copied):
        owner = Array(self.memory[: self.size], self.shape) if copied else self
        strides = [math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))]
        vector = ctypes.c_int64 * max(len(strides), 1)
        shape, strides = vector(*self.shape), vector(*strides)
        managed.tensor = Tensor(
            owner.data_address() if self.size else None, *CPU, len(self.shape), 2, 32, 1,
            ctypes.addressof(shape), ctypes.addressof(strides), 0,
        )  # fmt: skip
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p)
        if name == VERSIONED:
            managed.major, managed.minor = 1, 0
            managed.flags = (1 if owner.readonly else 0) | (2 if copied else 0)
        address = ctypes.addressof(managed)
        live[address] = (managed, shape, strides, owner)
        return api.PyCapsule_New(address, name, ctypes.cast(destructor, ctypes.c_void_p))
