"""Any object, given as MODULE:EXPRESSION on the command line: no adapter is needed."""

import importlib
import sys

PROTOCOLS = ("__dlpack__", "__dlpack_device__")


def is_producer(x):
    return any(hasattr(x, name) for name in PROTOCOLS)


class ObjectAdapter:
    """Looks like an adapter module. Its one array is whatever the expression gives."""

    given = True

    def __init__(self, text, module, code):
        self._text, self._module, self._code = text, module, code

    def evaluate(self):
        # The user's own expression, as in `python -c`.
        value = eval(self._code, vars(self._module))
        if callable(value) and not is_producer(value):
            value = value()
        return value

    def claims(self):
        root = sys.modules[self._module.__name__.split(".")[0]]
        return {
            "producer": self._text,
            "version": str(getattr(root, "__version__", "unknown")),
            "features": ["given"],
        }

    def make(self, spec):
        return self.evaluate() if spec.is_default else NotImplemented

    def pointer(self, x):
        interface = getattr(x, "__array_interface__", None)
        if isinstance(interface, dict) and isinstance(interface.get("data"), tuple):
            return interface["data"][0]
        for name in ("data_ptr", "unsafe_buffer_pointer"):  # torch, jax and those like them.
            if callable(getattr(x, name, None)):
                return quietly(getattr(x, name))
        return None

    def label(self, x):
        return None

    def writable(self, x):
        interface = getattr(x, "__array_interface__", None)
        if isinstance(interface, dict) and isinstance(interface.get("data"), tuple):
            return not interface["data"][1]
        view = quietly(memoryview, x)
        return None if view is None else not view.readonly

    def shape(self, x):
        shape = getattr(x, "shape", None)
        if isinstance(shape, tuple) and all(isinstance(n, int) for n in shape):
            return shape
        view = quietly(memoryview, x)
        return None if view is None else view.shape

    def read(self, x):
        view = quietly(memoryview, x)
        if view is not None:
            return view.tobytes()
        return quietly(x.tobytes) if hasattr(x, "tobytes") else NotImplemented


def quietly(function, *arguments):
    """The result, or None: a fact that an object cannot tell is no error."""
    try:
        return function(*arguments)
    except Exception:
        return None


def open_object(text, user_error, describe):
    """The adapter for MODULE:EXPRESSION; raises `user_error` with one line."""
    module_name, colon, expression = text.partition(":")
    if not (colon and module_name.strip() and expression.strip()):
        raise user_error("--object %r: expected MODULE:EXPRESSION, e.g. numpy:arange(3)" % text)
    try:
        module = importlib.import_module(module_name.strip())
        code = compile(expression.strip(), "<object>", "eval")
        adapter = ObjectAdapter(text, module, code)
        x = adapter.evaluate()
    except ModuleNotFoundError as error:
        raise user_error("--object %r: no module %s in %s" % (text, error.name, sys.executable))
    except BaseException as error:
        raise user_error("--object %r: %s" % (text, describe(error)))
    if not is_producer(x):
        raise user_error(
            "--object %r: a %s has neither __dlpack__ nor __dlpack_device__"
            % (text, type(x).__name__)
        )
    return adapter
