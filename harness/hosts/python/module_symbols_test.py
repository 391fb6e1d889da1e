"""The built module uses nothing but the limited API of CPython 3.10, and exports only its entry.

    module_symbols_test.py dlpc_host.abi3.so
"""

import subprocess
import sys
import unittest

MODULE = sys.argv.pop(1)

# What we use; each is in the stable ABI of 3.10 (docs.python.org, C API, "Stable ABI"). The headers
# of newer versions do not guard all that is newer, so a new name must be looked up there first.
ALLOWED = """
PyBaseObject_Type PyBool_FromLong PyBytes_AsStringAndSize PyBytes_FromStringAndSize PyCMethod_New
PyCallable_Check PyCapsule_GetDestructor PyCapsule_GetName PyCapsule_GetPointer PyCapsule_IsValid
PyCapsule_New PyCapsule_SetName PyCapsule_Type PyDict_GetItemString PyDict_New
PyDict_SetItem PyDict_SetItemString PyDict_Type PyErr_Clear PyErr_Fetch PyErr_Format
PyErr_NoMemory PyErr_NormalizeException PyErr_Occurred PyErr_Restore PyErr_SetObject PyErr_SetString
PyEval_RestoreThread PyEval_SaveThread PyExc_KeyError PyExc_MemoryError PyExc_RuntimeError
PyExc_ValueError PyException_SetTraceback PyGILState_Ensure PyGILState_Release PyImport_ImportModule
PyList_Append PyList_GetItem PyList_New PyList_SetSlice PyList_Size PyLong_AsLongLong
PyLong_AsUnsignedLongLong PyLong_FromLong PyLong_FromLongLong PyLong_Type PyModule_Create2
PyNumber_Index PyObject_Call PyObject_CallFunctionObjArgs PyObject_GetAttr PyObject_GetAttrString
PyObject_IsInstance PyObject_IsTrue PyObject_Repr PyObject_RichCompareBool PyObject_Size
PyObject_Str PySequence_List PySequence_Tuple PySlice_New PyTuple_GetItem PyTuple_New PyTuple_Pack
PyTuple_SetItem PyTuple_Size PyTuple_Type PyType_GetFlags PyUnicode_AsEncodedString
PyUnicode_AsUTF8AndSize PyUnicode_FromString PyUnicode_FromStringAndSize PyUnicode_InternFromString
Py_DecRef Py_GetVersion Py_IncRef _PyArg_ParseTuple_SizeT _PyObject_CallFunction_SizeT
_Py_BuildValue_SizeT _Py_EllipsisObject _Py_FalseStruct _Py_NoneStruct _Py_NotImplementedStruct
_Py_TrueStruct
""".split()
# Where the interpreter has them: in the stable ABI since 3.12 and 3.13.
NEWER = {"PyObject_VectorcallMethod", "PyObject_GetOptionalAttr"}


def nm(*options, weak=False):
    """Symbols as "name" or "name@version"; those that must not be missing, or the weak ones."""
    command = ["nm", "-D", *options, MODULE]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1] for line in lines if (line.split()[-2] == "w") == weak}


class SymbolsTest(unittest.TestCase):
    def test_only_the_limited_api(self):
        # The C library's symbols have versions. Anything else must come from the interpreter; a
        # function of ours that was not linked in would show only when the module is loaded.
        used = {name for name in nm("--undefined-only") if "@" not in name}
        self.assertIn("PyObject_Call", used)
        self.assertEqual(used - set(ALLOWED), set())
        weak = {name for name in nm("--undefined-only", weak=True) if name.startswith("Py")}
        self.assertEqual(weak, NEWER)

    def test_only_the_entry_is_exported(self):
        self.assertEqual(nm("--defined-only"), {"PyInit_dlpc_host"})

    def test_brings_no_library_into_the_process(self):
        command = ["readelf", "-d", MODULE]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        needed = {line.split("[")[1].rstrip("]") for line in lines.splitlines() if "NEEDED" in line}
        system = ("libc.so", "libm.so", "libpthread.so", "ld-linux")
        self.assertEqual([name for name in needed if not name.startswith(system)], [])


if __name__ == "__main__":
    unittest.main()
