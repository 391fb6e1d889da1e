"""What the loops of benchmarks run on: Timed in harness/timing.h."""

import os


class OfOurs:
    """A float32 vector of the host's own, for the library's consumer to take."""

    def __init__(self, module, nbytes):
        self._export, self._nbytes = module.tensor, nbytes

    def __dlpack__(self, *, max_version=None, **_):
        return self._export(self._nbytes, max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self):
        return (1, 0)


def plain_array(adapter, kind_of_spec, nbytes, ndim):
    """An array for benchmarks: zeros, C-contiguous, all elements along the last axis."""
    kind = ("float32", 2, 32, 4) if nbytes % 4 == 0 else ("uint8", 1, 8, 1)
    count = nbytes // kind[3]
    shape = (1,) * (ndim - 1) + (count,) if ndim else ()
    strides = (count,) * (ndim - 1) + (1,) if ndim else ()
    spec = kind_of_spec(
        dtype=kind[0], code=kind[1], bits=kind[2], lanes=1, itemsize=kind[3], shape=shape,
        strides=strides, offset=0, byte_strides=tuple(s * kind[3] for s in strides),
        base=bytes(nbytes), base_shape=shape,
        index=tuple(slice(0, n, 1) for n in shape) or (Ellipsis,), axes=None, broadcast_to=None,
        memory="cuda" if os.environ.get("DLPC_DEVICE") == "cuda" else "cpu", place="ordinary",
        read_only=False, static=False, sharded=False, odd_stride=False, is_default=False,
    )  # fmt: skip
    return adapter.make(spec)


class Benchmarks:
    """What benchmarks need: an array, or a function and its argument; else why not, as a text."""

    def __init__(self, module, adapter, kind_of_spec):
        self.module, self.adapter, self.kind_of_spec = module, adapter, kind_of_spec
        self.size, self.array = None, None

    def plain(self, nbytes, ndim):
        if self.size != (nbytes, ndim):
            self.size, self.array = None, None  # Not two large ones at a time.
            self.array = plain_array(self.adapter, self.kind_of_spec, nbytes, ndim)
            self.size = (nbytes, ndim)
        return self.array

    def __call__(self, what, nbytes, ndim):
        if what == "import":
            return self.consumer(lambda: OfOurs(self.module, nbytes))
        x = self.plain(nbytes, ndim)
        if x is NotImplemented:
            return "the library has no such array"
        if what == "round trip":
            return self.consumer(lambda: x)
        if what == "to numpy":
            try:
                import numpy
            except ImportError:
                return "numpy is not installed there"
            return numpy.from_dlpack, x
        return x

    def consumer(self, source):
        if not hasattr(self.adapter, "consume"):
            return "the adapter has no consume()"
        return self.adapter.consume, source()
