"""Adapter of a fake vendor that misbehaves in every way we could think of, each in two scripts; in
all other scripts it is right. BAD says which array does what."""

import ctypes
import os
import signal
import sys
import time

import honest_library
import tinyarray

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip

KEEP = []  # What must outlive a call.


class BadText(Exception):
    def __str__(self):
        raise ValueError("no text")


class OwnBase(BaseException):
    pass


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr")

    __index__ = __len__ = __eq__ = __repr__


def throw(error):
    raise error


def flood():
    for _ in range(64):
        os.write(1, b"\xff\x00garbage\x1b[31m\r\n" * 4096)
        sys.stderr.write("garbage " * 1000)


def eat_memory():
    while True:  # In small pieces, so that the limit of the suite comes before that of the machine.
        KEEP.append(b"x" * (32 << 20))
        time.sleep(0.001)


def leave_group():
    os.setpgid(0, os.getpgid(os.getppid()))
    time.sleep(3600)


def fork_and_die():
    if os.fork() == 0:
        time.sleep(3600)  # Holds the pipes open.
    os._exit(9)


def recurse():
    recurse()


def named(name, pointer=None):
    KEEP.append(ctypes.create_string_buffer(b"\0" * 128))
    KEEP.append(name and ctypes.create_string_buffer(name))
    text = name and ctypes.cast(KEEP[-1], ctypes.c_char_p)
    return tinyarray.api.PyCapsule_New(pointer or ctypes.addressof(KEEP[-2]), text, None)


class BadStruct(honest_library.Array):
    """Its deleter is no function."""

    def capsule(self, managed):
        capsule = super().capsule(managed)
        managed.deleter = 8
        return capsule


A, B, C, D = (2, 3), (6,), (), (0,)  # Shapes that each dtype is tried in.

# (dtype, shape) -> (function of the vendor, what it does instead of its work).
BAD = {
    ("uint8", A): ("export", lambda: ctypes.string_at(0)),
    ("uint8", B): ("export", os.abort),
    ("uint8", C): ("make", lambda: os._exit(0)),
    ("uint8", D): ("export", lambda: time.sleep(3600)),
    ("uint16", A): ("export", lambda: os.closerange(0, 256)),
    ("uint16", B): ("export", eat_memory),
    ("uint16", C): ("export", lambda: os.kill(os.getpid(), signal.SIGSTOP)),
    ("uint16", D): ("export", leave_group),
    ("uint32", A): ("export", lambda: throw(BadText())),
    ("uint32", B): ("export", lambda: throw(BufferError("x" * 1_000_000))),
    ("uint32", C): ("export", lambda: throw(BufferError("\udcff\0\x1b[31m\r\n<script>"))),
    ("uint32", D): ("export", lambda: throw(OwnBase("base"))),
    ("uint64", A): ("export", lambda: throw(KeyboardInterrupt())),
    ("uint64", B): ("export", lambda: throw(SystemExit(0))),
    ("uint64", C): ("export", lambda: 42),
    ("uint64", D): ("export", lambda: named(b"\xff\xfe\x1b[31m<script>")),
    ("int16", A): ("export", lambda: named(None)),
    ("int16", B): ("export", lambda: named(b"dltensor" * 100_000)),
    ("int16", C): ("export", lambda: named(b"dltensor_versioned", 0x10)),
    ("int16", D): ("device", lambda: ("cpu", None)),
    ("int32", A): ("device", lambda: (NoRepr(), NoRepr())),
    ("int32", B): ("device", lambda: (1 << 80, -(1 << 80))),
    ("int32", C): ("device", lambda: throw(KeyboardInterrupt())),
    ("int32", D): ("device", NoRepr),
    ("int64", A): ("make", lambda: throw(ValueError("make is\nbroken"))),
    ("int64", B): ("make", lambda: throw(BadText())),
    ("int64", C): ("make", lambda: None),
    ("int64", D): ("export", lambda: throw(MemoryError())),
    ("float16", A): ("flood", flood),
    ("float16", B): ("pointer", lambda: throw(KeyError("pointer"))),
    ("float16", C): ("export", recurse),
    ("float16", D): ("export", NoRepr),
    ("complex64", A): ("export", fork_and_die),
    ("complex64", B): ("export", lambda: os.write(4, b"\xff" * 64)),  # Into the reply pipe.
    ("complex64", C): ("class", BadStruct),
}  # fmt: skip


class Array(honest_library.Array):
    bad = ("", None)

    def __dlpack_device__(self):
        return self.bad[1]() if self.bad[0] == "device" else super().__dlpack_device__()

    def __dlpack__(self, **keywords):
        if self.bad[0] == "export":
            return self.bad[1]()
        if self.bad[0] == "flood":
            flood()
        return super().__dlpack__(**keywords)


def claims():
    return {
        "producer": "misbehaving",
        "version": "1",
        "dtypes": DTYPES,
        "layouts": ["strided", "offset", "transposed", "negative", "broadcast", "empty", "scalar",
                    "read-only", "rank:64"],  # fmt: skip
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    if spec.dtype not in DTYPES or spec.memory != "cpu":
        return NotImplemented
    if spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    bad = BAD.get((spec.dtype, tuple(spec.shape)), ("", None))
    if bad[0] == "make":
        return bad[1]()
    if bad[0] == "class":
        return honest_library.array_of(spec, bad[1])
    x = honest_library.array_of(spec, Array)
    x.bad = bad
    return x


def pointer(x):
    if x.__class__ is Array and x.bad[0] == "pointer":
        x.bad[1]()
    return x.data_address()


def label(x):
    return honest_library.CPU


def writable(x):
    return not x.readonly


def shape(x):
    return x.shape


def allocation(x):
    return ctypes.addressof(x.memory), x.nbytes


def read(x):
    return x.tobytes()


def poke(x, element):
    if x.readonly or 0 in x.shape:
        return NotImplemented
    x.poke(element)
