"""Template of an adapter: copy it and put your library in place of tinyarray (docs/adapters.md)."""

import struct

import tinyarray

MODULE = PIP = "tinyarray"  # What must be importable, and what pip calls it.


def claims():
    """What your library promises to export. A claim makes its requirements mandatory."""
    return {
        "producer": "tinyarray",
        "version": tinyarray.__version__,
        "dtypes": ["float32"],
        "layouts": ["empty", "scalar", "read-only", "rank:64"],
        "devices": ["cpu"],
        "memory_kinds": ["cpu"],
        "features": ["writable", "copy"],
    }


def make(spec):
    """The array of this spec; NotImplemented if your library has no such array."""
    contiguous = spec.axes is None and spec.broadcast_to is None and spec.shape == spec.base_shape
    if spec.dtype != "float32" or spec.memory != "cpu" or spec.static or spec.sharded:
        return NotImplemented
    if spec.odd_stride or not contiguous or any(s < 0 for s in spec.strides):
        return NotImplemented
    values = struct.unpack("%df" % (len(spec.base) // 4), spec.base)
    return tinyarray.Array(values, spec.shape, readonly=spec.read_only)


# What the library itself says of an array, not by way of DLPack: the suite compares the two.


def pointer(x):
    """Address of the first element, or None."""
    return x.data_address()


def label(x):
    """(device type, device id) as in dlpack.h, or None."""
    return (1, 0)


# From here on optional.


def writable(x):
    return not x.readonly


def shape(x):
    return x.shape


def allocation(x):
    """(address, bytes) of the whole buffer that the elements lie in."""
    return x.data_address(), len(x.memory) * 4


def read(x):
    """All elements in row-major order."""
    return x.tobytes()


def poke(x, element):
    """Writes the first element."""
    if not x.size:
        return NotImplemented
    x[0] = struct.unpack("f", element)[0]


def refusals():
    """Objects that DLPack cannot describe, as (name, object or function that makes it)."""
    return []
