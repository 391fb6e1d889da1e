"""The yardstick: what the module dlpc_fuzz checks of a NumPy array, in Python with atheris.

    PYTHON atheris_numpy.py [libFuzzer options...]

An array of random dtype and layout is exported by either path; the struct is read through ctypes
and compared with what NumPy says of the array: kind, version, flags, device, dtype, shape, strides,
address, alignment, elements, and references before and after. Only fuzz/tools/speed.py uses it.
"""

import ctypes
import sys

import atheris
import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]
CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def random_array(data):
    dtype = np.dtype(DTYPES[data.ConsumeIntInRange(0, len(DTYPES) - 1)])
    rank = data.ConsumeIntInRange(0, 4)
    base, index = [], []
    for _ in range(rank):
        extent = data.ConsumeIntInRange(0, 8)
        base.append(extent)
        step = data.ConsumeIntInRange(-3, 3)
        index.append(slice(None, None, step) if step else slice(None))
    count = int(np.prod(base)) if base else 1
    array = (np.arange(count) % 100).astype(dtype).reshape(base)
    if rank:  # Indexing of an array without axes gives no array.
        array = array[tuple(index)]
        array = array.T if data.ConsumeBool() else array
    if data.ConsumeIntInRange(0, 7) == 7:
        array.flags.writeable = False
    return array


def check_tensor(tensor, array):
    dtype = array.dtype
    assert (tensor.device_type, tensor.device_id) == array.__dlpack_device__()
    assert (tensor.code, tensor.bits, tensor.lanes) == (CODES[dtype.kind], dtype.itemsize * 8, 1)
    assert tensor.ndim == array.ndim
    assert tuple(tensor.shape[i] for i in range(tensor.ndim)) == array.shape
    if array.size == 0:
        return
    strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    assert all(s == t for s, t, n in zip(strides, array.strides, array.shape) if n > 1)
    address = tensor.data + tensor.byte_offset
    assert address == array.__array_interface__["data"][0]
    assert address % dtype.itemsize == 0 or dtype.kind == "c"
    # The elements as the struct describes them.
    for place in np.ndindex(*array.shape):
        offset = sum(i * s for i, s in zip(place, strides))
        raw = ctypes.string_at(address + offset, dtype.itemsize)
        assert raw == array[place].tobytes()


def test_one_input(raw):
    data = atheris.FuzzedDataProvider(raw)
    array = random_array(data)
    before = sys.getrefcount(array)
    versioned = data.ConsumeBool()
    try:
        capsule = array.__dlpack__(max_version=(1, 3)) if versioned else array.__dlpack__()
    except BufferError:
        assert not array.flags.writeable and not versioned
        return
    name = get_name(capsule)
    assert name == (b"dltensor_versioned" if versioned else b"dltensor")
    pointer = get_pointer(capsule, name)
    managed = (Versioned if versioned else Legacy).from_address(pointer)
    if versioned:
        assert managed.major == 1
        assert managed.flags & 1 == (0 if array.flags.writeable else 1)
        assert managed.flags & 2 == 0
    assert managed.deleter
    check_tensor(managed.tensor, array)
    del managed, capsule
    assert sys.getrefcount(array) == before


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
