"""An array library in pure Python that exports every dtype and layout rightly: what a fake vendor
spoils. The structs, the deleter and the destructor are those of docs/examples/tinyarray.py."""

import ctypes
import itertools
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "docs", "examples"))

import tinyarray  # noqa: E402

CPU = tinyarray.CPU


class Array:
    """A strided view of a buffer; everything in bytes, `kind` is (code, bits, lanes)."""

    def __init__(self, data, kind, itemsize, shape, strides, offset, readonly):
        self.memory = (ctypes.c_char * max(len(data), 1)).from_buffer_copy(data or b"\0")
        self.nbytes = len(data)
        self.kind, self.itemsize, self.readonly = kind, itemsize, readonly
        self.shape, self.strides, self.offset = tuple(shape), tuple(strides), offset

    def data_address(self):
        return ctypes.addressof(self.memory) + self.offset

    def positions(self):
        for index in itertools.product(*map(range, self.shape)):
            yield self.offset + sum(i * s for i, s in zip(index, self.strides))

    def tobytes(self):
        raw = bytes(self.memory)
        return b"".join(raw[at : at + self.itemsize] for at in self.positions())

    def poke(self, element):
        self.memory[self.offset : self.offset + len(element)] = element

    def compact_copy(self):
        strides, step = [], self.itemsize
        for n in reversed(self.shape):
            strides.insert(0, step)
            step *= max(n, 1)
        return Array(self.tobytes(), self.kind, self.itemsize, self.shape, strides, 0, False)

    def __dlpack_device__(self):
        return CPU

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None:
            raise ValueError("host memory has no streams")
        if dl_device is not None and tuple(dl_device) != CPU:
            raise BufferError("only host memory can be exported")
        if any(s % self.itemsize for s in self.strides):
            raise BufferError("strides must be whole elements")
        source = self.compact_copy() if copy else self
        if max_version is not None and max_version[0] >= 1:
            flags = (1 if source.readonly else 0) | (2 if copy else 0)
            return source.capsule(tinyarray.ManagedVersioned(1, 0, None, None, flags))
        if source.readonly:
            raise BufferError("a legacy capsule cannot say that the array is read-only")
        return source.capsule(tinyarray.Managed())

    def capsule(self, managed):
        vector = ctypes.c_int64 * max(len(self.shape), 1)
        shape = vector(*self.shape)
        strides = vector(*(s // self.itemsize for s in self.strides))
        managed.tensor = tinyarray.Tensor(
            self.data_address() if all(self.shape) else None, *CPU, len(self.shape), *self.kind,
            ctypes.addressof(shape), ctypes.addressof(strides), 0,
        )  # fmt: skip
        managed.deleter = ctypes.cast(tinyarray.deleter, ctypes.c_void_p)
        tinyarray.live[ctypes.addressof(managed)] = (managed, shape, strides, self)
        versioned = isinstance(managed, tinyarray.ManagedVersioned)
        return tinyarray.api.PyCapsule_New(
            ctypes.addressof(managed), tinyarray.VERSIONED if versioned else tinyarray.NAME,
            ctypes.cast(tinyarray.destructor, ctypes.c_void_p),
        )  # fmt: skip


def array_of(spec, cls=Array):
    """The array of a Spec of the suite."""
    offset = spec.offset * spec.itemsize
    kind = (spec.code, spec.bits, spec.lanes)
    readonly = spec.read_only or spec.broadcast_to is not None
    return cls(
        spec.base, kind, spec.itemsize, spec.shape, spec.byte_strides, offset, readonly
    )  # fmt: skip
