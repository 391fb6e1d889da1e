"""A fake vendor that misbehaves in a few of its scripts: everything else must arrive. Part of
cli_test.py."""

import collections
import os
import time

from cli_runner import TESTING, CliTest, adapter_args

LAYOUTS = {"A": "c-2x3", "B": "sliced-step2", "C": "scalar", "D": "empty-1d"}

# The ways of misbehaving_vendor.py: dtype, layout -> status of the script's cases, what each must
# tell.
DEADLY = {
    ("uint8", "A"): ("crash", r"^SIGSEGV in step \d+ \(export\)"),
    ("uint8", "B"): ("crash", r"^SIGABRT in step \d+ \(export\)"),
    ("uint8", "C"): ("error", r"^host exited with code 0 in step 0 \(make\)"),
    ("uint8", "D"): ("timeout", r"^no answer within 0\.5 s in step \d+ \(export\)"),
    # These two run on for a while: without pipes, or until the garbage is read. In a step of the
    # adapter that is an error.
    ("uint16", "A"): ("crash|error", r"(in|after its last) step"),
    ("uint16", "B"): ("crash", r"^used more than 128 MB of memory in step \d+ \(export\)"),
    ("uint16", "C"): ("timeout", r"^no answer within 0\.5 s in step \d+ \(export\)"),
    ("uint16", "D"): ("timeout", r"^no answer within 0\.5 s in step \d+ \(export\)"),
    ("complex64", "A"): ("crash", r"^host exited with code 9 in step \d+ \(export\)"),
    ("complex64", "B"): ("crash|error", r"^host sent .* (in|after its last) step"),
    ("int64", "A"): ("error", r"^make\(\) raised ValueError: make is broken \(misbehaving_vendor"),
    ("int64", "B"): ("error", r"^make\(\) raised .*BadText.*unprintable"),
    ("int64", "C"): ("error", r"^make\(\) returned None"),
    ("float16", "B"): ("error", r"^pointer\(\) raised KeyError: 'pointer'"),
}
TELLING = {
    ("uint32", "A"): r"BadText: <unprintable",
    ("uint32", "B"): r"BufferError: x{50}",
    ("uint32", "C"): r"BufferError: \\udcff",
    ("uint32", "D"): r"OwnBase: base",
    ("uint64", "A"): r"KeyboardInterrupt",
    ("uint64", "B"): r"SystemExit",
    ("uint64", "C"): r"an object of type int, not a capsule",
    ("int16", "C"): r"managed tensor cannot be read",
    ("int64", "D"): r"MemoryError",
    ("float16", "C"): r"RecursionError",
    ("float16", "D"): r"an object of type .*NoRepr, not a capsule",
}
FAILING = {
    ("uint64", "D"): ("CAP-02", r"capsule named"),
    ("int16", "A"): ("CAP-02", r'capsule named ""'),
    ("int16", "B"): ("CAP-02", r"capsule named .dltensordltensor"),
    ("int16", "D"): ("DEV-02", r"\('cpu', None\)"),
    ("int32", "A"): ("DEV-02", r"unprintable tuple"),
    ("int32", "B"): ("DEV-02", r"1208925819614629174706176"),
    ("int32", "D"): ("DEV-01", r"NoRepr"),
    ("complex64", "C"): ("ABI-03", r"not in executable memory"),
}


ODD_PROCESS = """
import atexit, os, signal, sys, threading, time
sys.path.append(%r)
from misbehaving_vendor import *
BAD.clear()
os.chdir("/")
sys.stdout = sys.stderr = None
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
threading.Thread(target=lambda: time.sleep(1000)).start()
atexit.register(lambda: time.sleep(1000))
if os.fork() == 0:
    time.sleep(1000)  # Holds the pipes open.
"""


def script(key, path="versioned"):
    return "zoo/%s/%s/%s" % (key[0], LAYOUTS[key[1]], path)


class FakeVendor(CliTest):
    """One run, looked at from all sides: it takes most of the time of these tests."""

    def test_everything_else_arrives(self):
        start = time.monotonic()
        vendor = os.path.join(TESTING, "misbehaving_vendor.py")
        limits = ["--timeout", "0.5", "--memory", "128", "--jobs", "2"]
        done = self.call(*adapter_args(vendor), *limits)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout[-2000:])
        self.assertNotIn("\x1b", done.stdout)
        results = self.results()
        self.assertEqual(results["verdict"], "nonconformant")
        by_script = collections.defaultdict(list)
        for case in results["cases"]:
            by_script[case["script"]].append(case)
        self.assertGreater(len(by_script), 200)
        self.check_deadly(by_script)
        self.check_telling(by_script)
        self.check_the_rest(by_script)

    def test_odd_process(self):
        """A library that is right, in a process that it has turned upside down."""
        odd = self.write("odd.py", ODD_PROCESS % TESTING)
        done = self.call(*adapter_args(odd))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-2000:])
        results = self.results()
        self.assertEqual(results["verdict"], "conformant")
        self.assertGreater(results["summary"]["cases"]["pass"], 1000)
        self.assertFalse(set(results["summary"]["cases"]) & {"crash", "timeout", "error"})

    def check_deadly(self, by_script):
        for key, (status, said) in DEADLY.items():
            for path in ("legacy", "versioned"):
                cases = by_script[script(key, path)]
                with self.subTest(script(key, path)):
                    for case in cases:
                        self.assertRegex(case["status"], "^(%s)$" % status)
                    for case in cases:
                        self.assertRegex(case["observed"], said)
        tail = by_script[script(("uint8", "A"))][0]["stderr_tail"]
        self.assertIn("misbehaving_vendor.py", tail)

    def check_telling(self, by_script):
        for key, said in TELLING.items():
            with self.subTest(script(key)):
                self.assertRegex("\n".join(c["observed"] for c in by_script[script(key)]), said)
                shape = [c for c in by_script[script(key)] if c["requirement"].startswith("SHAPE")]
                self.assertFalse([c for c in shape if c["status"] == "pass"])
        for key, (requirement, said) in FAILING.items():
            with self.subTest(script(key)):
                case = next(c for c in by_script[script(key)] if c["requirement"] == requirement)
                self.assertEqual(case["status"], "fail")
                self.assertRegex(case["observed"], said)

    def check_the_rest(self, by_script):
        """No other script suffers: garbage on stdout is no fault either."""
        spoilt = {script(k, p) for k in [*DEADLY, *TELLING, *FAILING, ("int32", "C")]
                  for p in ("legacy", "versioned")}  # fmt: skip
        spoilt |= {"array-api-dtype/" + key[0] for key in DEADLY if key[1] == "A"}
        spoilt |= {"paths/%s/%s" % (key[0], LAYOUTS[key[1]]) for key in DEADLY}
        spoilt |= {"consumed-%s/%s" % (what, p) for what in ("exports", "copies")
                   for p in ("legacy", "versioned")}  # Python is slow: the limit is 0.5 s.
        hurt = {c["script"] for s, cases in by_script.items() if s not in spoilt for c in cases
                if c["status"] in ("crash", "timeout", "error")}  # fmt: skip
        self.assertEqual(hurt, set())
        for path in ("legacy", "versioned"):
            flooded, good = (
                {c["requirement"]: c["status"] for c in by_script["zoo/%s/c-2x3/%s" % (t, path)]
                 if c["level"] != "info"}  # How far an address is aligned is luck.
                for t in ("float16", "float64")
            )  # fmt: skip
            self.assertTrue(flooded)
            self.assertEqual(flooded, good)
