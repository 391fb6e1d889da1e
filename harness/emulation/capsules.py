"""Reads capsules with ctypes, and makes them: the tests' own eyes, apart from the suite's host."""

import ctypes


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", Deleter), ("flags", ctypes.c_uint64),
                ("tensor", Tensor)]


STRUCTS = {b"dltensor": Legacy, b"dltensor_versioned": Versioned}

_api = ctypes.pythonapi
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def managed(capsule):
    """(name, managed tensor)"""
    name = _api.PyCapsule_GetName(capsule)
    return name, STRUCTS[name].from_address(_api.PyCapsule_GetPointer(capsule, name))


def describe(capsule, pointer, dtype=False):
    """As one line: name, device, whether the elements are at `pointer`, version and flags."""
    name, struct = managed(capsule)
    tensor = struct.tensor
    if dtype:
        return f"({tensor.dtype.code},{tensor.dtype.bits},{tensor.dtype.lanes})"
    same = "same" if (tensor.data or 0) + tensor.byte_offset == pointer else "other"
    text = f"{name.decode()} ({tensor.device.type}, {tensor.device.id}) {same}"
    if name == b"dltensor_versioned":
        text += f" {struct.major}.{struct.minor} flags={struct.flags}"
    return text


def read(capsule, dtype):
    """Elements of a one-dimensional tensor, as a list: emulated memory is ours."""
    import numpy

    tensor = managed(capsule)[1].tensor
    size = tensor.shape[0] * numpy.dtype(dtype).itemsize
    return numpy.frombuffer(ctypes.string_at(tensor.data + tensor.byte_offset, size),
                            dtype).tolist()


class Producer:
    """Six int32 in aligned memory of our own; counts calls of the deleter, notes arguments."""

    values = [3, 1, 4, 1, 5, 9]

    def __init__(self, device, versioned):
        self.device, self.versioned = device, versioned
        self.asked, self.deleted = {}, 0
        self._memory = ctypes.create_string_buffer(24 + 256)
        self.address = -(-ctypes.addressof(self._memory) // 256) * 256
        (ctypes.c_int32 * 6).from_address(self.address)[:] = self.values
        self._shape = (ctypes.c_int64 * 1)(6)
        self._strides = (ctypes.c_int64 * 1)(1)
        self._deleter = Deleter(self._count)

    def _count(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        self.asked = arguments
        tensor = Tensor(self.address, Device(*self.device), 1, DataType(0, 32, 1), self._shape,
                        self._strides, 0)
        if self.versioned:
            self._struct = Versioned(1, 0, None, self._deleter, 0, tensor)
        else:
            self._struct = Legacy(tensor, None, self._deleter)
        self._name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return _api.PyCapsule_New(ctypes.addressof(self._struct), self._name, None)

    def __repr__(self):
        return "Producer"
