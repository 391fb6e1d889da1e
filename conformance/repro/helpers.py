# What generated programs are put together from: each gets the blocks whose names it mentions, and
# of their lines those that it needs: `#: +flag word` stands above lines for programs with that flag
# (helpers.h) that mention one of the words elsewhere, `#:` above lines for all.
# Blocks are two empty lines apart, and come in this order.


def attempt(call):
    """What a call returned, and what it raised."""
    try:
        return call(), None
    except Exception as error:
        return None, error.with_traceback(None)


def peek(address, size):
    """The bytes at an address; None if they cannot be read."""
    try:
        with open("/proc/self/mem", "rb", 0) as memory:
            data = os.pread(memory.fileno(), size, address)
    except (OSError, OverflowError):
        return None
    return data if len(data) == size else None


def name_of(capsule):
    ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
    return capsule and ctypes.pythonapi.PyCapsule_GetName(ctypes.py_object(capsule))


class Export:
    #: +attempt
    """What __dlpack__ returned (or raised), and where its managed tensor is."""
    #: +plain
    """A capsule, and where its managed tensor is."""

    #: +attempt
    capsule = error = managed = None
    name, versioned = b"", False

    def __init__(self, call):
        self.capsule, self.error = attempt(call)
        if self.capsule is None:
            return
    #: +plain
    def __init__(self, capsule):
        self.capsule = capsule
        #:
        api, capsule = ctypes.pythonapi, ctypes.py_object(self.capsule)
        api.PyCapsule_GetName.restype = ctypes.c_char_p
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        self.name = api.PyCapsule_GetName(capsule)
        self.managed = api.PyCapsule_GetPointer(capsule, self.name)
        #: .versioned
        self.versioned = self.name.endswith(b"versioned")

    #: +bare
    def __repr__(self):
        return repr(self.error or self.capsule)


def look(e):
    """The fields of the managed tensor."""
    #: +attempt +raw
    if e is None:
        return None
    #: +raw
    api, capsule = ctypes.pythonapi, ctypes.py_object(e)
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    name = api.PyCapsule_GetName(capsule)
    at, versioned = api.PyCapsule_GetPointer(capsule, name), name.endswith(b"versioned")
    #: +attempt +held
    if not e.managed:
        return None
    #: +held
    at, versioned = e.managed, e.versioned
    #:
    t, raw = types.SimpleNamespace(), ctypes.string_at(at, 80 if versioned else 64)
    (t.data, t.device_type, t.device_id, t.ndim, t.code, t.bits, t.lanes, t.shape_at, t.strides_at,
     t.byte_offset) = struct.unpack_from("QiiiBBHQQQ", raw, 32 if versioned else 0)
    #: .version .flags .context .deleter vars
    t.version, t.flags = (0, 0), 0
    if versioned:
        *t.version, t.context, t.deleter, t.flags = struct.unpack_from("IIQQQ", raw)
    #: .context .deleter vars
    else:
        t.context, t.deleter = struct.unpack_from("QQ", raw, 48)
    #: .version vars
    t.version = tuple(t.version)
    #: .first
    t.first = t.data + t.byte_offset
    #: .device place
    t.device = t.device_type, t.device_id
    #: .dtype
    t.dtype = t.code, t.bits, t.lanes
    #: +sure .shape .strides
    t.shape = struct.unpack("%dq" % t.ndim, ctypes.string_at(t.shape_at, 8 * t.ndim))
    #: +sure .strides
    strides = ctypes.string_at(t.strides_at, 8 * t.ndim if t.strides_at else 0)
    t.strides = t.strides_at and struct.unpack("%dq" % t.ndim, strides)
    #: +guarded .shape .strides vars
    size = t.ndim if 0 <= t.ndim <= 64 else 0
    shape = ctypes.string_at(t.shape_at, 8 * size)
    strides = ctypes.string_at(t.strides_at, 8 * size)
    t.shape = None if shape is None else struct.unpack("%dq" % size, shape)
    #: +guarded .strides vars
    t.strides = None if strides is None else struct.unpack("%dq" % size, strides)
    #:
    return t


def offsets(t):
    """Where the elements are, in row-major order and in elements from the first."""
    compact = [math.prod(t.shape[axis + 1:]) for axis in range(t.ndim)]
    for index in itertools.product(*map(range, t.shape)):
        yield sum(map(operator.mul, index, t.strides or compact))


def elements(t):
    """Their bytes as a consumer reads them."""
    #: +attempt
    if t is None:
        return None
    #: +guarded
    if t.shape is None:
        return None
    #: +packed
    if t.bits * t.lanes % 8:
        size = (math.prod(t.shape) * t.bits * t.lanes + 7) // 8
        return ctypes.string_at(t.data + t.byte_offset, size)
    #:
    item, first = t.bits * t.lanes // 8, t.data + t.byte_offset
    parts = [ctypes.string_at(first + item * at, item) for at in offsets(t)]
    #: +guarded
    return None if None in parts else b"".join(parts)
    #: +sure
    return b"".join(parts)


def span(t):
    """The first byte of the elements and the one past their last."""
    item, places = t.bits * t.lanes // 8, list(offsets(t))
    return t.first + item * min(places), t.first + item * (max(places) + 1)


def fields(t):
    """What two exports of one array have in common."""
    #: +attempt
    if t is None:
        return None
    #:
    long = math.prod(t.shape) and [(n, s) for n, s in zip(t.shape, t.strides or ()) if n > 1]
    return t.device, t.dtype, t.shape, long if t.strides_at else "compact", t.flags


def place(answer):
    """A device as two numbers; None for an exception."""
    if answer is None or isinstance(answer, Exception):
        return None
    return tuple(int(getattr(x, "value", x)) for x in getattr(answer, "device", answer))


def is_code(address):
    """Does a function lie there?"""
    for line in open("/proc/self/maps"):
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        if low <= address < high:
            return "x" in line.split()[1]
    return False


def plausible(t):
    """Can these numbers be those of a tensor, and of the versioned struct's header?"""
    tensor = 0 <= t.ndim <= 1024 and t.bits and t.lanes and t.code <= 24
    tensor = tensor and abs(t.device_type) <= 1024 and abs(t.device_id) <= 1 << 20
    address = 0xFF < t.flags < 1 << 47 and t.flags >> 32
    return bool(tensor and t.byte_offset >> 48 == 0 and max(t.version) <= 1000 and not address)
