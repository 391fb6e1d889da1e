# What generated programs are put together from: each gets the blocks whose names it mentions.
# Blocks are two empty lines apart, and come in this order.


def not_shown(*error):
    """Neither kept nor broken: the program could not look."""
    sys.__excepthook__(*error)
    os._exit(3)


def conclude(holds, expected, observed):
    print("expected:", expected)
    print("observed:", observed)
    sys.stdout.flush()
    os._exit(0 if holds else 1)  # Without the end of a large framework.


def in_child(expected, seconds=20):
    """Goes on in a child process, and tells how that ends."""
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        return
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1, 3):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    late = "still running after %d s" % seconds
    how = late if number == signal.SIGALRM else "the process died: wait status %#x" % status
    conclude(False, expected, how)


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error.with_traceback(None)


def api(name, result, *types):
    """A function of Python's C API."""
    return ctypes.PYFUNCTYPE(result, *types)((name, ctypes.pythonapi))


def peek(address, size):
    """The bytes at an address; None if they cannot be read."""
    with open("/proc/self/mem", "rb", 0) as memory:
        try:
            data = os.pread(memory.fileno(), size, address)
        except (OSError, OverflowError):
            return None
    return data if len(data) == size else None


class Attempt:
    """What one call of __dlpack__ gave: an object, or an exception."""

    capsule = error = managed = None

    def __init__(self, call):
        try:
            self.capsule = call()
        except Exception as error:
            self.error = error.with_traceback(None)

    def __repr__(self):
        return repr(self.error or self.capsule)


class Export(Attempt):
    """The same, and where its managed tensor is."""

    name, name_at, versioned = b"", 0, False

    def __init__(self, call):
        super().__init__(call)
        if type(self.capsule).__name__ != "PyCapsule":
            return
        name = api("PyCapsule_GetName", ctypes.c_void_p, ctypes.py_object)
        pointer = api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
        self.name_at = name(self.capsule)
        self.managed = pointer(self.capsule, self.name_at)
        self.name = ctypes.string_at(self.name_at) if self.name_at else b""
        self.versioned = self.name.endswith(b"versioned")


def look(e):
    """The fields of the managed tensor, at the layout that the capsule's name promises."""
    if not e.managed:
        return None
    t = types.SimpleNamespace(versioned=e.versioned, version=(0, 0), flags=0)
    raw = peek(e.managed, 80 if e.versioned else 64)
    (t.data, t.device_type, t.device_id, t.ndim, t.code, t.bits, t.lanes, t.shape_at, t.strides_at,
     t.byte_offset) = struct.unpack_from("QiiiBBHQQQ", raw, 32 if e.versioned else 0)
    if e.versioned:
        major, minor, t.context, t.deleter, t.flags = struct.unpack_from("IIQQQ", raw)
        t.version = (major, minor)
    else:
        t.context, t.deleter = struct.unpack_from("QQ", raw, 48)
    t.first = t.data + t.byte_offset
    t.device, t.dtype = (t.device_type, t.device_id), (t.code, t.bits, t.lanes)
    size = t.ndim if 0 <= t.ndim <= 64 else 0
    shape, strides = peek(t.shape_at, 8 * size), peek(t.strides_at, 8 * size)
    t.shape = None if shape is None else struct.unpack("%dq" % size, shape)
    t.strides = None if strides is None else struct.unpack("%dq" % size, strides)
    return t


def offsets(t):
    """Where the elements are, in row-major order and in elements from the first."""
    strides, step = list(t.strides or ()), 1
    for n in reversed(t.shape if not t.strides_at else ()):  # NULL: compact.
        strides.insert(0, step)
        step *= n
    for index in itertools.product(*map(range, t.shape)):
        yield sum(map(operator.mul, index, strides))


def elements(t):
    """Their bytes as a consumer reads them; None where it could not."""
    if t is None or t.shape is None:
        return None
    if t.bits * t.lanes % 8:  # Packed.
        return peek(t.first, (math.prod(t.shape) * t.bits * t.lanes + 7) // 8)
    item = t.bits * t.lanes // 8
    parts = [peek(t.first + item * at, item) for at in offsets(t)]
    return None if None in parts else b"".join(parts)


def span(t):
    """The first byte of the elements and the one past their last."""
    item, places = t.bits * t.lanes // 8, list(offsets(t))
    return t.first + item * min(places), t.first + item * (max(places) + 1)


def fields(t):
    """What two exports of one array have in common."""
    if t is None:
        return None
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
