# More of helpers.py: the exchange table, and native plug-ins.


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


def tensor(dtype, shape, base, wrong=""):
    """A compact DLTensor of ours with these elements, wrong in one point perhaps."""
    data = ctypes.create_string_buffer(base)
    strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    axes = [(ctypes.c_int64 * len(x))(*x) for x in (shape, strides)]
    alive.extend([data, axes])
    t = Tensor(ctypes.addressof(data), (1, 0), len(shape), *dtype,
               ctypes.addressof(axes[0]), ctypes.addressof(axes[1]), 0)
    if wrong == "dtype":
        t.code, t.bits = 250, 7
    if wrong == "device":
        t.device[0] = 99
    if wrong == "extent":
        axes[0][0] = -1
    return t


class Call(Export):
    """One call of a function of the exchange table that may give a managed tensor."""

    code = made = None
    name, versioned = b"table", True

    def __init__(self, call, out):
        try:
            self.code = call(ctypes.byref(out))
        except Exception as error:  # It was set when the function returned.
            self.error = error.with_traceback(None)
        self.out, self.failed = out.value, self.error is not None or self.code != 0
        self.managed = out.value if not self.failed else None

    def __repr__(self):
        return repr(self.error) if self.error else "code %s" % self.code


def table(kind):
    """The exchange table of a type: address and functions, as numbers."""
    capsule = kind.__dlpack_c_exchange_api__
    pointer = api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    t = types.SimpleNamespace(at=pointer(capsule, b"dlpack_exchange_api"))
    major, minor, t.previous, *t.functions = struct.unpack("IIQ5Q", peek(t.at, 56))
    t.version = (major, minor)
    t.allocate, t.owned, t.adopt, t.borrow, t.stream = t.functions
    return t


def table_owned(kind, x):
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    return Call(lambda out: function(table(kind).owned)(x, out), ctypes.c_void_p())


def table_borrow(kind, x, times=1):
    function, t = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p), Tensor()
    borrow = function(table(kind).borrow)
    call = Call(lambda out: borrow(x, ctypes.addressof(t)), ctypes.c_void_p())
    before = heap_bytes()
    for _ in range(times - 1):
        attempt(lambda: borrow(x, ctypes.addressof(t)))
    call.tensor, call.heap = t, heap_bytes() - before
    return call


def table_stream(kind, device_type):
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    return Call(lambda out: function(table(kind).stream)(device_type, 0, out),
                ctypes.c_void_p(0x1234))


def table_allocate(kind, prototype, locked=True):
    """With garbage where the allocator has no business; the errors that it set."""
    errors = []
    report = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
    set_error = report(lambda context, kind, message: errors.append((kind, message)))
    prototype.data, prototype.strides, prototype.byte_offset = 0x5000, 0x5000, 0x5000
    make = ctypes.PYFUNCTYPE if locked else ctypes.CFUNCTYPE
    function = make(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, report)
    call = Call(lambda out: function(table(kind).allocate)(ctypes.addressof(prototype), out, None,
                                                           set_error), ctypes.c_void_p())
    call.errors = errors
    return call


def table_import(kind, t, context):
    """Hands a tensor of ours over; the object that comes of it, and the calls of our deleter."""
    calls = []
    delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(calls.append)
    deleter = ctypes.cast(delete, ctypes.c_void_p).value
    header = struct.pack("IIQQQ", 1, 3, context, deleter, 0)
    managed = ctypes.create_string_buffer(header + bytes(t))
    alive.extend([delete, managed])
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    call = Call(lambda out: function(table(kind).adopt)(ctypes.addressof(managed), out),
                ctypes.c_void_p())
    call.calls, call.managed = calls, None
    if not call.failed and call.out:
        call.made = ctypes.cast(call.out, ctypes.py_object).value
        api("Py_DecRef", None, ctypes.py_object)(call.made)
    return call


class Plugin:
    """A library behind dlpc/producer.h."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, *arguments):
        text = ctypes.create_string_buffer(512)
        code = getattr(self.library, name)(*arguments, text, ctypes.c_size_t(512))
        kinds = {2: BufferError, 3: TypeError, 4: ValueError}
        if code:
            raise kinds.get(code, RuntimeError)(text.value.decode(errors="replace"))

    def make(self, dtype, shape, strides, offset, base, device, flags):
        axes = [(ctypes.c_int64 * max(len(x), 1))(*x) for x in (shape, strides)]
        spec = struct.pack("QBBHiQQqQQiI", 64, *dtype, len(shape), *map(ctypes.addressof, axes),
                           offset, ctypes.cast(base, ctypes.c_void_p).value or 0, len(base), device,
                           flags)
        array = ctypes.c_void_p()
        self.call("dlpc_make", spec, ctypes.byref(array))
        size = math.prod(shape) * dtype[1] * dtype[2] // 8
        return PluginArray(self, array, size)


class PluginArray:
    names = b"dltensor", b"dltensor_versioned"

    def __init__(self, plugin, array, size):
        self.plugin, self.array, self.size = plugin, array, size

    def __del__(self):
        self.plugin.library.dlpc_release(self.array)

    def __dlpack_device__(self):
        device = (ctypes.c_int32 * 2)()
        self.plugin.call("dlpc_device", self.array, device)
        return tuple(device)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        request = struct.pack("QiIIiiiiiq", 48, max_version is not None, *(max_version or (0, 0)),
                              -1 if copy is None else copy, dl_device is not None,
                              *(dl_device or (0, 0)), stream is not None, stream or 0)
        out = (ctypes.c_uint64 * 3)(24, 0, 0)
        self.plugin.call("dlpc_export", self.array, request, out)
        new = api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p,
                  ctypes.c_void_p)
        return new(out[1] or out[2], self.names[out[1] != 0], None)

    def facts(self):
        facts = ctypes.create_string_buffer(struct.pack("Q", 56), 56)
        self.plugin.library.dlpc_facts(self.array, facts)
        return struct.unpack_from("QQQ", facts, 16)

    def read(self):
        data = ctypes.create_string_buffer(max(self.size, 1))
        self.plugin.call("dlpc_access", self.array, 0, data, ctypes.c_size_t(self.size))
        return data.raw[:self.size]

    def poke(self, element):
        data = ctypes.create_string_buffer(element)
        self.plugin.call("dlpc_access", self.array, 1, data, ctypes.c_size_t(len(element)))
