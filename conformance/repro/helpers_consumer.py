# More of helpers.py: what consumers do with exports.


alive = []  # What must not be collected.


def rename(e, name):
    """As a consumer does, which then owns the tensor."""
    #: +attempt
    if e.managed:
        e.new_name = ctypes.create_string_buffer(name)
        ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(e.capsule), e.new_name)
    #: +plain
    e.new_name = ctypes.create_string_buffer(name)
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(e.capsule), e.new_name)


def deleter_of(e):
    return ctypes.c_void_p.from_address(e.managed + (16 if e.versioned else 56))


def release(e):
    """Calls the deleter."""
    deleter = e.managed and deleter_of(e).value
    deleter and ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(deleter)(e.managed)


def release_free(e):
    """Calls the deleter without the interpreter's lock."""
    deleter = e.managed and deleter_of(e).value
    deleter and ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(e.managed)


def start(e, library):
    """Calls the deleter on a thread that the interpreter does not know."""
    handle = ctypes.c_ulong()
    library.pthread_create(ctypes.byref(handle), None, deleter_of(e), ctypes.c_void_p(e.managed))
    return handle


def release_foreign(e):
    if e.managed and deleter_of(e).value:
        ctypes.CDLL(None).pthread_join(start(e, ctypes.CDLL(None)), None)


def release_contended(e, count):
    """The same while this thread keeps the lock: the count before and after."""
    locked, before = ctypes.PyDLL(None), count()  # Calls keep the lock.
    handle = start(e, locked)
    locked.usleep(300000)
    after = count()
    ctypes.CDLL(None).pthread_join(handle, None)
    return before, after


def count_deleter(e):
    """Puts a function that counts in front of the export's own deleter."""
    slot, kind, e.calls = deleter_of(e), ctypes.CFUNCTYPE(None, ctypes.c_void_p), []
    own = kind(slot.value)
    e.counting = kind(lambda pointer: (e.calls.append(pointer), own(e.managed))[1])
    slot.value = ctypes.cast(e.counting, ctypes.c_void_p).value


def at_exit(e):
    """The deleter is called when the interpreter has ended."""
    if e.managed:
        ctypes.CDLL(None).__cxa_atexit(deleter_of(e), ctypes.c_void_p(e.managed), None)


def heap_bytes():
    gc.collect()  # What waits for that is no leak.
    mallinfo2, body = ctypes.CDLL(None).mallinfo2, {"_fields_": [("all", ctypes.c_size_t * 10)]}
    mallinfo2.restype = type("Info", (ctypes.Structure,), body)
    info = mallinfo2().all
    return info[7] + info[4]  # uordblks, hblkhd


def export_many(n, call, hold):
    """n exports, dropped at once or held together."""
    held, names = [], set()
    for _ in range(n):
        capsule = attempt(call)[0]
        if capsule is not None:
            names.add(name_of(capsule))
            held.append(capsule if hold else None)
    distinct = len(set(map(id, held)))
    return types.SimpleNamespace(capsules=len(held), names=names, distinct=distinct)


def name_addresses(n, call):
    """How many places the names of n capsules are at."""
    ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_void_p
    held = [call() for _ in range(n)]
    return len({ctypes.pythonapi.PyCapsule_GetName(ctypes.py_object(x)) for x in held})


def consume_many(n, call, name=None):
    """n exports, each renamed and its capsule dropped; all are released in the end."""
    held = []
    for _ in range(n):
        #: +plain
        e = Export(call())
        #: +attempt
        e = Export(call)
        #:
        rename(e, name or b"used_" + e.name)
        e.capsule = None
        held.append(e)
    managed = {e.managed for e in held}
    name or [release(e) for e in held]
    return types.SimpleNamespace(count=n, distinct=len(managed))


def consume_each(n, call):
    """n exports, each consumed and released at once: the bytes that stay."""
    before = heap_bytes()
    for _ in range(n):
        #: +plain
        e = Export(call())
        #: +attempt
        e = Export(call)
        #:
        rename(e, b"used_" + e.name)
        e.capsule = None
        release(e)
    return heap_bytes() - before


def on_threads(work, items):
    crew = [threading.Thread(target=lambda part: [work(x) for x in part], args=[items[i::4]])
            for i in range(4)]
    [thread.start() for thread in crew]
    [thread.join() for thread in crew]


def together(n, call, export_there):
    """n exports, made here or on several threads, and released on several threads: how many kinds
    of tensor, structs and exports there were."""
    #: +plain
    held = [Export(call())]
    #: +attempt
    held = [Export(call)]
    #: +plain
    make = lambda _: held.append(Export(call()))
    #: +attempt
    make = lambda _: held.append(Export(call))
    #:
    on_threads(make, range(n)) if export_there else [make(i) for i in range(n)]
    kinds, structs = {repr(fields(look(e))) for e in held}, {e.managed for e in held}
    for e in held:
        rename(e, b"used_" + e.name)
    if len(structs) == len(held):
        on_threads(release_foreign, held)
    return len(kinds), len(structs), len(held)


def churn(byte):
    """Takes memory that was freed too early, and overwrites it."""
    return [bytes([byte]) * size for size in range(8, 2048, 8) for _ in range(4)]


def dropped_while_raising(e):
    """The value stack of a failing expression is cleared while its exception is pending."""
    try:
        [vars(e).pop("capsule"), 1 / 0]
    except BaseException as error:
        return type(error).__name__


class Wrapper:
    """Forwards both methods, as a library that is no producer itself does."""

    asked = None

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **kwargs):
        self.asked = "stream=%r" % kwargs.get("stream")
        return self.x.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()
