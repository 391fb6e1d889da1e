# More of helpers.py: what consumers do with exports.


alive = []  # What must not be collected.


def rename(e, name):
    """As a consumer does, which then owns the tensor."""
    if not e.managed:
        return
    text = ctypes.create_string_buffer(name)
    alive.append(text)
    set_name = api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    set_name(e.capsule, ctypes.addressof(text))


def release(e, thread="locked"):
    """Calls the deleter: with the interpreter's lock, without it, on a thread unknown to it."""
    deleter, c = look(e).deleter if e.managed else 0, ctypes.CDLL(None)
    if not deleter:
        return
    if thread == "foreign":
        handle = ctypes.c_ulong()
        c.pthread_create(ctypes.byref(handle), None, ctypes.c_void_p(deleter),
                         ctypes.c_void_p(e.managed))
        c.pthread_join(handle, None)
        return
    kind = ctypes.PYFUNCTYPE if thread == "locked" else ctypes.CFUNCTYPE
    kind(None, ctypes.c_void_p)(deleter)(e.managed)


def release_contended(e, count):
    """The deleter on a foreign thread while this one keeps the lock: the count before and after."""
    holding, handle, before = ctypes.PyDLL(None), ctypes.c_ulong(), count()
    holding.pthread_create(ctypes.byref(handle), None, ctypes.c_void_p(look(e).deleter),
                           ctypes.c_void_p(e.managed))
    holding.usleep(300000)
    after = count()
    ctypes.CDLL(None).pthread_join(handle, None)
    return before, after


def count_deleter(e):
    """Puts a function that counts in front of the export's own deleter."""
    slot = ctypes.c_void_p.from_address(e.managed + (16 if e.versioned else 56))
    own = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(slot.value)
    e.calls = []

    def counting(pointer):
        e.calls.append(pointer)
        own(e.managed)

    alive.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(counting))
    slot.value = ctypes.cast(alive[-1], ctypes.c_void_p).value


def at_exit(e):
    """The deleter is called when the interpreter has ended."""
    if not e.managed:
        return
    ctypes.CDLL(None).__cxa_atexit(ctypes.c_void_p(look(e).deleter), ctypes.c_void_p(e.managed),
                                   None)


def heap_bytes():
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    body = {"_fields_": [(name, ctypes.c_size_t) for name in names.split()]}
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = type("Info", (ctypes.Structure,), body)
    gc.collect()  # What waits for that is no leak.
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def export_many(n, call, hold):
    """n exports, dropped at once or held together."""
    all_of = types.SimpleNamespace(names=set(), capsules=0, error=None)
    held, addresses, strings = [], set(), set()
    for _ in range(n):
        e = Export(call)
        all_of.error = all_of.error or e.error
        all_of.capsules += e.managed is not None
        all_of.names.add(e.name)
        strings.add(e.name_at)
        if hold:
            held.append(e)
            addresses.add(id(e.capsule))
    all_of.distinct, all_of.name_addresses = len(addresses), len(strings)
    return all_of


def consume_many(n, call, name, each):
    """n exports, each renamed and its capsule dropped; released in the end, or each at once."""
    held, before = [], heap_bytes()
    for _ in range(n):
        e = Export(call)
        if e.error:
            raise e.error
        rename(e, name or b"used_" + e.name)
        alive.clear() if each else None
        e.capsule = None
        release(e) if each else held.append(e)
    managed = {e.managed for e in held}
    result = types.SimpleNamespace(count=n, distinct=len(managed), heap=heap_bytes() - before)
    if name is None:
        [release(e) for e in held]
    return result


def on_threads(work, items):
    crew = [threading.Thread(target=lambda part: [work(x) for x in part], args=[items[i::4]])
            for i in range(4)]
    [thread.start() for thread in crew]
    [thread.join() for thread in crew]


def together(n, call, export_there):
    """n exports, made here or on several threads, and released on several threads: how many kinds
    of tensor, structs and exports there were."""
    first, held = Export(call), []
    make = held.append if export_there else None
    if export_there:
        on_threads(lambda _: make(Export(call)), list(range(n)))
    else:
        held = [Export(call) for _ in range(n)]
    held = [e for e in held if e.managed]
    kinds = {repr(fields(look(e))) for e in [first] + held}
    structs = {e.managed for e in held}
    for e in held:
        rename(e, b"used_" + e.name)
    if len(structs) == len(held):
        on_threads(lambda e: release(e, "foreign"), held)
    return len(kinds), len(structs), len(held)


def churn(byte):
    """Takes memory that was freed too early, and overwrites it."""
    return [bytes([byte]) * size for size in range(8, 2048, 8) for _ in range(4)]


def dropped_while_raising(e):
    """The value stack of a failing expression is cleared while its exception is pending."""

    def give():
        capsule, e.capsule = e.capsule, None
        return capsule

    try:
        [give(), 1 / 0]
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
