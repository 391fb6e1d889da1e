# More of helpers.py: the exchange table.


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


def tensor(dtype, shape, base):
    """A compact DLTensor of ours with these elements."""
    data = ctypes.create_string_buffer(base)
    strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    axes = [(ctypes.c_int64 * len(x))(*x) for x in (shape, strides)]
    alive.extend([data, axes])
    at, strides_at = map(ctypes.addressof, axes)
    return Tensor(ctypes.addressof(data), (1, 0), len(shape), *dtype, at, strides_at, 0)


class Call:
    """One call of a function of the exchange table that may give a managed tensor."""

    versioned = True

    def __init__(self, call, out):
        self.code, self.error = attempt(lambda: call(ctypes.byref(out)))  # Set when it returned.
        self.out, self.failed = out.value, self.error is not None or self.code != 0
        self.managed = None if self.failed else out.value

    #: +bare
    def __repr__(self):
        return repr(self.error) if self.error else "code %s" % self.code


def table(kind):
    """The exchange table of a type: address and functions, as numbers."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    capsule = ctypes.py_object(kind.__dlpack_c_exchange_api__)
    t = types.SimpleNamespace(at=pointer(capsule, b"dlpack_exchange_api"))
    major, minor, t.previous = struct.unpack("IIQ", ctypes.string_at(t.at, 16))
    t.version = major, minor
    t.functions = struct.unpack("5Q", ctypes.string_at(t.at + 16, 40))
    t.allocate, t.owned, t.adopt, t.borrow, t.stream = t.functions
    return t


def table_owned(kind, x):
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    return Call(lambda out: function(table(kind).owned)(x, out), ctypes.c_void_p())


def table_borrow(kind, x):
    function, t = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p), Tensor()
    call = Call(lambda out: function(table(kind).borrow)(x, ctypes.addressof(t)), ctypes.c_void_p())
    call.tensor = t
    return call


def borrow_many(kind, x, times):
    """The bytes that all calls but the first leave."""
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    borrow, room = function(table(kind).borrow), ctypes.create_string_buffer(48)
    borrow(x, room)
    before = heap_bytes()
    for _ in range(times - 1):
        borrow(x, room)
    return heap_bytes() - before


def table_stream(kind, device_type):
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    return Call(lambda out: function(table(kind).stream)(device_type, 0, out),
                ctypes.c_void_p(0x1234))


def table_allocate(kind, prototype, make=ctypes.PYFUNCTYPE):
    """With garbage where the allocator has no business; the errors that it set."""
    errors = []
    report = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
    set_error = report(lambda context, kind, message: errors.append((kind, message)))
    prototype.data, prototype.strides, prototype.byte_offset = 0x5000, 0x5000, 0x5000
    function = make(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, report)
    allocate, at = function(table(kind).allocate), ctypes.addressof(prototype)
    call = Call(lambda out: allocate(at, out, None, set_error), ctypes.c_void_p())
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
    call.calls, call.made = calls, None
    if not call.failed and call.out:
        call.made = ctypes.cast(call.out, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(call.made))
    return call
