"""Objects that the host makes of an array of the adapter's: Derived in harness/script.h."""


class Forwarding:
    """What a library that is no producer itself passes around in place of an array."""

    def __init__(self, x):
        self._x = x

    def __dlpack__(self, *args, **kwargs):
        self.dlpc_asked = "stream=%r" % kwargs.get("stream")
        return self._x.__dlpack__(*args, **kwargs)

    def __dlpack_device__(self):
        return self._x.__dlpack_device__()


def subclass_of(adapter, x):
    """x as an object of a trivial subclass; why there is none, as a text."""
    try:
        kind = type("Derived", (type(x),), {})
    except Exception as error:  # The type is final; metaclasses raise what they like.
        return "the type cannot be subclassed: %s" % str(error)[:100]
    if not hasattr(adapter, "subclass"):
        return "the adapter has no subclass()"
    return adapter.subclass(x, kind)  # Or why not, as a text.


def remedied(adapter, x, name):
    """(array, what was done, its elements as bytes): the adapter's way around the refusal of the
    object of that name; why there is none, as a text."""
    remedies = adapter.remedies() if hasattr(adapter, "remedies") else {}
    if name not in remedies:
        return "the adapter knows no way around the refusal"
    done, make, values = remedies[name]
    return make(x), done, bytes(values)


def derive(adapter, x, how, name):
    """The Derived of script.h: 0 subclass, 1 wrapper, 2 imported, 3 remedied."""
    if how == 3:
        return remedied(adapter, x, name)
    if how != 2:
        return subclass_of(adapter, x) if how == 0 else Forwarding(x)
    return adapter.consume(x) if hasattr(adapter, "consume") else NotImplemented
