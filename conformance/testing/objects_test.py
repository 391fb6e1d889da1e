"""Ways around the refusal of an object (ERR-13), as adapters name them. Part of cli_test.py."""

import unittest

from cli_runner import NUMPY, TESTING, CliTest, adapter_args

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
