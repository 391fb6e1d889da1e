"""Objects that are given (--object), and ways around the refusal of an object (ERR-13), as adapters
name them. Part of cli_test.py."""

import pathlib
import subprocess
import unittest

from cli_runner import NUMPY, PYTHON, TESTING, CliTest, adapter_args

ADAPTER = """
import sys
sys.path.append(%r)
from honest_library import Array, array_of

class Lazy(Array):
    def __dlpack__(self, **keywords):
        raise BufferError("evaluate it first")

def refusals():
    return [("unevaluated %%d" %% n, lambda: Lazy(b"abcd", (1, 8, 1), 1, (4,), (1,), 0, False))
            for n in range(4)]

def plain(x, data):
    return Array(data, (1, 8, 1), 1, (4,), (1,), 0, False)

def remedies():
    return {"unevaluated 0": ("right", lambda x: plain(x, b"abcd"), b"abcd"),
            "unevaluated 1": ("wrong values", lambda x: plain(x, b"abcx"), b"abcd"),
            "unevaluated 2": ("raises", lambda x: x.evaluate(), b"abcd")}

def claims(): return {"producer": "lazy", "version": "1"}
def make(spec): return NotImplemented
def pointer(x): return x.data_address()
def label(x): return (1, 0)
def writable(x): return True
"""

# Objects that are not the catalogue's array: other dtype, values, layout, rank; read-only ones.
GIVEN = """
import sys
sys.path.append(%r)
from honest_library import Array
doubles = Array(bytes(range(48)), (2, 64, 1), 8, (2, 3), (24, 8), 0, False)
backwards = Array(b"abcdef", (1, 8, 1), 1, (3,), (-2,), 5, False)
scalar = Array(b"ab", (0, 16, 1), 2, (), (), 0, False)
none = Array(b"", (0, 8, 1), 1, (0, 3), (3, 1), 0, False)
fixed = Array(b"abcdef", (1, 8, 1), 1, (6,), (1,), 0, True)

class Lossy(Array):
    def __dlpack__(self, *, dl_device=None, **keywords):
        if dl_device is not None and tuple(dl_device) != (1, 0):
            self.memory[0] = b"x"
        return super().__dlpack__(dl_device=dl_device, **keywords)

lossy = lambda: Lossy(b"abcd", (1, 8, 1), 1, (4,), (1,), 0, False)
"""


class Given(CliTest):
    def judge(self, name):
        self.write("given.py", GIVEN % TESTING)
        self.call("run", "--object", "given:" + name, "--python", PYTHON)
        return [c for c in self.results()["cases"] if c["status"] in ("fail", "error", "pass")]

    def test_rightful_ones_have_no_failure(self):
        for name in ("doubles", "backwards", "scalar", "none", "fixed"):
            cases = self.judge(name)
            self.assertGreater(len(cases), 300, name)
            # Faults of the library itself: nothing is kept beyond its end, a wrong device argument
            # is a BufferError.
            bad = [c["id"] + ": " + c["observed"] for c in cases
                   if c["status"] != "pass" and c["level"] != "info"
                   and c["requirement"] not in ("MEM-06", "ERR-02")]  # fmt: skip
            self.assertEqual(bad, [], name)

    def test_a_refusal_that_changes_values_is_found_and_shown(self):
        bad = [c for c in self.judge("lossy") if c["requirement"] == "ERR-13"]
        self.assertTrue([c for c in bad if c["status"] == "fail" and
                         "host round trip: element 0" in c["observed"]], bad)  # fmt: skip
        programs = sorted(pathlib.Path(self.folder, "dlpack-report/repro").glob("ERR-13*.py"))
        self.assertTrue(programs)
        for program in programs:
            done = subprocess.run([PYTHON, program], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, encoding="utf-8", timeout=60)
            self.assertEqual(done.returncode, 1, done.stdout)


class Remedies(CliTest):
    def judged(self, *arguments):
        self.call(*arguments, "--requirements", "ERR-13/inexpressible/*", "--format", "json")
        return {c["id"].split("/", 2)[2]: c for c in self.results()["cases"]
                if c["status"] != "not_supported"}  # fmt: skip

    def test_each_is_tried(self):
        cases = self.judged(*adapter_args(self.write("lazy.py", ADAPTER % TESTING)))
        for path in ("legacy", "versioned"):
            wanted = {"0": ("pass", "BufferError: evaluate it first"), "1": ("fail", "element 0"),
                      "2": ("fail", "AttributeError"), "3": ("not_applicable", "no way")}
            for n, (status, said) in wanted.items():
                case = cases[n + "/" + path]
                self.assertEqual(case["status"], status, case)
                self.assertIn(said, case["observed"])
        self.assertIn("by: right", cases["0/legacy"]["expected"])

    @unittest.skipUnless(NUMPY, "there is no virtual environment with numpy")
    def test_those_of_numpy(self):
        cases = self.judged("run", "numpy", "--python", NUMPY)
        passed = [c for c in cases.values() if c["status"] == "pass"]
        self.assertGreater(len(passed), 20)
        for case in cases.values():  # One object is exported, without its mask (ERR-08).
            self.assertTrue(case["status"] == "pass" or case["observed"] == "not refused", case)
