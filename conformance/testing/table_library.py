"""The arrays of honest_library with a C exchange table made by ctypes; TABLE_FAULT names a lie that
it tells. Functions of ctypes cannot leave a Python exception behind, and lie in memory of no file:
XAPI-15 and XAPI-22 are never met."""

import ctypes
import os

import honest_library
import tinyarray
from tinyarray import ManagedVersioned, Tensor

FAULT = os.environ.get("TABLE_FAULT", "")
PTR, INT = ctypes.c_void_p, ctypes.c_int
OK, FAILED = 0, -1

new_capsule = tinyarray.api.PyCapsule_New
set_name = ctypes.PYFUNCTYPE(INT, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", tinyarray.api))  # fmt: skip
pointer_of = ctypes.PYFUNCTYPE(PTR, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", tinyarray.api))  # fmt: skip
keep_alive = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", tinyarray.api))
SetError = ctypes.CFUNCTYPE(None, PTR, ctypes.c_char_p, ctypes.c_char_p)
Deleter = ctypes.CFUNCTYPE(None, PTR)


class TableArray(honest_library.Array):
    """Borrowed axes live with the array."""

    def axes(self):
        if not hasattr(self, "_axes"):
            vector = ctypes.c_int64 * max(len(self.shape), 1)
            steps = (s // self.itemsize for s in self.strides)
            self._axes = vector(*self.shape), vector(*steps)
        return self._axes


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", PTR),
        ("allocate", ctypes.CFUNCTYPE(INT, ctypes.POINTER(Tensor), ctypes.POINTER(PTR), PTR, PTR)),
        ("export", ctypes.CFUNCTYPE(INT, PTR, ctypes.POINTER(PTR))),
        ("adopt", ctypes.CFUNCTYPE(INT, ctypes.POINTER(ManagedVersioned), ctypes.POINTER(PTR))),
        ("borrow", ctypes.CFUNCTYPE(INT, PTR, ctypes.POINTER(Tensor))),
        ("stream", ctypes.CFUNCTYPE(INT, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(PTR))),
    ]  # fmt: skip


def object_at(address):
    return ctypes.cast(address, ctypes.py_object).value


def hand_over(array, out, lie=""):
    """The struct of a capsule that is consumed at once."""
    capsule = array.__dlpack__(max_version=(1, 3))
    out[0] = address = pointer_of(capsule, tinyarray.VERSIONED)
    set_name(capsule, tinyarray.USED_VERSIONED)
    managed = ManagedVersioned.from_address(address)
    managed.minor = 0 if FAULT == "old-struct" else 3
    if lie == "read-only":
        managed.flags |= 1
    if lie == "shape" and array.shape:
        ctypes.c_int64.from_address(managed.tensor.shape).value += 1
    return OK


def possible(tensor):
    extents = (ctypes.c_int64 * tensor.ndim).from_address(tensor.shape) if tensor.ndim else ()
    return tensor.bits in (8, 16, 32, 64, 128) and tensor.lanes == 1 and tensor.code < 7 and (
        tensor.device_type == 1 and all(n >= 0 for n in extents))  # fmt: skip


def compact(data, like):
    """An array with these bytes, and with dtype and shape of a DLTensor."""
    item = like.bits * like.lanes // 8
    shape = list((ctypes.c_int64 * like.ndim).from_address(like.shape)) if like.ndim else []
    strides, step = [], item
    for n in reversed(shape):
        strides.insert(0, step)
        step *= max(n, 1)
    kind = (like.code, like.bits, like.lanes)
    if data is None:
        return TableArray(bytes(step), kind, item, shape, strides, 0, False)
    if FAULT == "import-shape":
        shape, strides = shape[::-1], strides[::-1]
    return TableArray(data, kind, item, shape, strides, 0, False)


def allocate(prototype, out, context, set_error):
    if not possible(prototype[0]):
        if FAULT != "silent":
            SetError(set_error)(context, b"ValueError", b"no such array")
        return FAILED
    return hand_over(compact(None, prototype[0]), out)


def export(address, out):
    if FAULT == "crash":
        ctypes.string_at(8)
    x = object_at(address)
    if not isinstance(x, TableArray) or FAULT == "refuses":
        return FAILED
    if FAULT == "nothing":
        out[0] = None
        return OK
    return hand_over(x, out, FAULT)


def adopt(managed, out):
    tensor = managed[0].tensor
    if not possible(tensor):
        return FAILED
    count = 1
    for n in (ctypes.c_int64 * tensor.ndim).from_address(tensor.shape) if tensor.ndim else ():
        count *= n
    raw = ctypes.string_at(tensor.data + tensor.byte_offset, count * tensor.bits // 8)
    x = compact(raw, tensor)
    if FAULT != "never-released":
        Deleter(managed[0].deleter)(ctypes.addressof(managed[0]))
    keep_alive(x)
    out[0] = id(x)
    return OK


def borrow(address, out):
    x = object_at(address)
    if not isinstance(x, TableArray):
        return FAILED
    shape, strides = map(ctypes.addressof, x.axes())
    data = x.data_address() if all(x.shape) else None
    offset = 64 if FAULT == "offset" else 0
    out[0] = Tensor(data, 1, 0, len(x.shape), *x.kind, shape, strides, offset)
    return OK


def stream(device_type, device_id, out):
    out[0] = None
    return OK


def fields():
    kinds = dict(Table._fields_)
    made = (allocate, export, adopt, borrow, stream)
    functions = {f.__name__: kinds[f.__name__](f) for f in made}
    if FAULT in ("no-stream", "no-borrow"):
        functions[FAULT[3:]] = kinds[FAULT[3:]]()
    return functions


NAME = b"exchange_api" if FAULT == "name" else b"dlpack_exchange_api"
table = Table(1, 1 if FAULT == "version" else 3, None, **fields())
if FAULT == "chain":
    table.older = ctypes.addressof(table)
where = 64 if FAULT == "wild" else ctypes.addressof(table)
capsule = new_capsule(where, NAME, None)
if FAULT == "instance":
    TableArray.__dlpack_c_exchange_api__ = property(lambda self: capsule)
else:
    TableArray.__dlpack_c_exchange_api__ = capsule


# ---- The adapter


def claims():
    return {"producer": "table", "version": "1", "devices": ["cpu"], "memory_kinds": ["cpu"],
            "dtypes": ["float32"], "layouts": ["strided", "offset"]}  # fmt: skip


def make(spec):
    if spec.memory != "cpu" or spec.bits < 8 or spec.lanes != 1 or spec.code > 6:
        return NotImplemented
    if spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    return honest_library.array_of(spec, TableArray)


def pointer(x):
    return x.data_address() if all(x.shape) else 0


def label(x):
    return (1, 0)


def writable(x):
    return not x.readonly


def shape(x):
    return x.shape


def read(x):
    return x.tobytes()
