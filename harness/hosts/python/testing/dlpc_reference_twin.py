"""The reference producer and its faulty twins as a Python library, for generated programs.

Needs the module dlpc_twin on the path. A program has one producer: the first that it asks for.
"""

import functools

import dlpc_twin as core

PRODUCERS, ADOPT = {}, {}
ABSENT, NONE, VALUE, OWN, ODD = range(5)
ODD_VALUES = ["1", "'x'", "[1, 0]", "(1,)", "(1, 0, 0)", "('1', '0')", "(None, 0)", "", "2"]
# As harness/hosts/reference_backend.cc lists them: (state, flags of the spec).
REFUSALS = [(0, 4), (0, 8), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)]
MISSING = object()


class Wrapped:
    """An object around a capsule."""


class Own(tuple):
    """What __dlpack_device__ returned: known again as dl_device."""


class Base:
    def __init__(self, capsule, producer):
        self._core, self._producer = capsule, producer
        kind = type(self)
        for name, there in zip(("__dlpack__", "__dlpack_device__"), core.methods(producer)[2:]):
            if there and not hasattr(kind, name):
                setattr(self, name, functools.partial(getattr(Base, name.strip("_")), self))
        table, on_type = core.table(capsule, ADOPT[producer])
        if table is not None:
            setattr(kind if on_type else self, TABLE, table)

    def dlpack_device(self):
        kind, number, is_text, is_none, items = core.device(self._core)
        pair = "cpu" if is_text else kind, None if is_none else number
        return Own(pair + (0,) * (items - 2))

    def dlpack(self, *args, **kwargs):
        unknown = set(kwargs) - {"stream", "max_version", "dl_device", "copy"}
        extra = 2 if args else 1 if unknown else 0
        odd = [7]

        def split(name, empty, legal):
            value = kwargs.get(name, MISSING)
            if value is MISSING or value is None:
                return (ABSENT if value is MISSING else NONE,) + empty
            if isinstance(value, Own):
                return (OWN,) + empty
            if legal(value):
                values = value if isinstance(value, tuple) else (int(value),)
                return (VALUE,) + tuple(values)
            odd[0] = ODD_VALUES.index(repr(value)) if repr(value) in ODD_VALUES else 7
            return (ODD,) + empty

        version = split("max_version", (1, 0), is_pair)
        copy = split("copy", (0,), lambda value: isinstance(value, bool))
        device = split("dl_device", (1, 0), is_pair)
        stream = split("stream", (0,), lambda value: isinstance(value, int))
        made = core.export(self._core, version, copy, device, stream, odd[0], extra)
        return Wrapped() if made is None else made

    def read(self):
        return core.facts(self._core)[4]

    def poke(self, element):
        core.poke(self._core, element)

    @property
    def pointer(self):
        return core.facts(self._core)[0]

    @property
    def allocation(self):
        return core.facts(self._core)[1:3]

    @property
    def references(self):
        return core.facts(self._core)[3]

    def subclass(self, kind):
        return kind(core.derived(self._core, 0), self._producer)


TABLE = "__dlpack_c_exchange_api__"


def is_pair(value):
    return isinstance(value, tuple) and len(value) == 2 and all(type(x) is int for x in value)


def of(mutant):
    """(producer, class of its arrays)"""
    if mutant not in PRODUCERS:
        producer = core.open(mutant)
        methods = core.methods(producer)
        body = {}
        if methods[0]:
            body["__dlpack__"] = Base.dlpack
        if methods[1]:
            body["__dlpack_device__"] = Base.dlpack_device
        kind = type("Array", (Base,), body)
        PRODUCERS[mutant] = producer, kind
        ADOPT[producer] = functools.partial(adopt, kind, producer)
    return PRODUCERS[mutant]


def adopt(kind, producer, capsule):
    return kind(capsule, producer)


def make(script, mutant):
    producer, kind = of(mutant)
    return kind(core.make(producer, script), producer)


def refusal(n, mutant):
    producer, kind = of(mutant)
    return kind(core.make_in_state(producer, *REFUSALS[n]), producer)


def remedied(x):
    return type(x)(core.derived(x._core, 2), x._producer)


def from_dlpack(x):
    inner = getattr(x, "x", x)
    if inner is not x:
        x.asked = core.import_text(inner._core)
    return type(inner)(core.derived(inner._core, 1), inner._producer)
