"""Generated programs show the failures that they were made for: those of every mutant of the
reference, as a Python library (dlpc_reference_twin), and those of frameworks that are installed.

    repro_test.py --bin BUILD/bin [NAME of a mutant or framework...]

A program of a mutant's failure must exit 1 with the mutant and 0 with the correct reference. The
frameworks are numpy, jax and torch, unless others are named.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FRAMEWORKS = ["numpy", "jax", "torch"]
# What no program in Python can show, and why.
NOT_SHOWN = {
    "MEM-04": "the twin's lock is not the interpreter's", "MEM-07": "the same",
    "MEM-08": "Python cannot call C code while an exception is pending",
    "STREAM-03": "the emulated runtime's counters", "STREAM-09": "the same",
    "STREAM-04": "work on a stream of a GPU", "STREAM-05": "the same", "STREAM-11": "the same",
    "XAPI-17": "work on a stream of a GPU", "XAPI-21": "the same",
    "XAPI-22": "the twin's functions are its own",
}  # fmt: skip
NOT_ON_TWIN = {"deleter-without-lock", "deleter-lock-not-reentrant"}
OPTIONS = None
LENGTHS = {"mutants": [], "native": [], "frameworks": []}
# Lines of the programs: median, and of the longest.
MOST = {"mutants": (32, 120), "native": (85, 130), "frameworks": (32, 95)}


def run(*arguments, **options):
    return subprocess.run([str(x) for x in arguments], capture_output=True, text=True,
                          timeout=120, **options)  # fmt: skip


def python_of(name):
    path = ROOT / ".venvs" / name / "bin" / "python"
    return path if path.exists() else None


def programs(out):
    """(requirement, path of a program) of each failure that has one, and those that have none."""
    results = json.loads((out / "results.json").read_text())
    shown, bare = {}, set()
    for case in results["cases"]:
        if case["status"] in ("fail", "crash", "timeout"):
            if case["repro"]:
                shown[case["repro"]] = case["requirement"]
            else:
                bare.add(case["requirement"])
    return [(requirement, out / path) for path, requirement in shown.items()], bare


class Mutants(unittest.TestCase):
    def setUp(self):
        library = OPTIONS.bin.parent / "lib"
        if not (library / "dlpc_twin.abi3.so").exists():
            self.skipTest("dlpc_twin is not built")
        testing = ROOT / "harness/hosts/python/testing"
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1",
                                PYTHONPATH=f"{library}{os.pathsep}{testing}")

    def execute(self, program):
        try:
            return run(sys.executable, program, env=self.environment)
        except subprocess.TimeoutExpired:
            return None

    def look(self, mutant, wanted):
        """Complaints about one mutant's programs, and the requirements that they show."""
        wrong, shown = [], set()
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            run(OPTIONS.bin / "dlpack-conformance", "run", "reference", "--mutant", mutant,
                "--requirements", ",".join(wanted), "--format", "json,repro", "--out", out)
            for requirement, program in programs(out)[0]:
                LENGTHS["mutants"].append(len(program.read_text().splitlines()))
                if requirement in shown:
                    continue
                done = self.execute(program)
                if done is None or done.returncode != 1 or "observed:" not in done.stdout:
                    text = "no end" if done is None else done.stdout + done.stderr
                    wrong.append(f"{mutant}: {program.name} does not show it: {text[-300:]}")
                    continue
                shown.add(requirement)
                program.write_text(program.read_text().replace(f"'{mutant}'", "''"))
                done = self.execute(program)
                if done is None or done.returncode != 0:
                    text = "no end" if done is None else done.stdout + done.stderr
                    wrong.append(f"{mutant}: {program.name} fails for all: {text[-300:]}")
        return wrong, shown

    def test_every_mutant(self):
        done = run(OPTIONS.bin / "dlpack-conformance", "mutants", "--json", "--requirements",
                   "DEV-01")  # For the names of all.  # fmt: skip
        rows = [row for row in json.loads(done.stdout)["mutants"]
                if row["name"] and row["name"] not in NOT_ON_TWIN]
        if OPTIONS.names:
            rows = [row for row in rows if row["name"] in OPTIONS.names]
        wrong, shown, killed = [], set(), set()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            looks = [pool.submit(self.look, row["name"], row["must_fail"]) for row in rows]
            for row, look in zip(rows, looks):
                complaints, seen = look.result()
                wrong += complaints
                shown |= seen
                killed |= set(row["must_fail"])
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
        self.assertEqual(sorted(killed - shown - set(NOT_SHOWN)), [], "no program shows these")
        if not OPTIONS.names:
            self.assertEqual(sorted(set(NOT_SHOWN) & shown), [], "shown after all")


# In the example of a native plug-in: text, the fault in its place, the requirement that breaks.
FAULTS = [
    ("device->device_type = kDLCPU;\n  device->device_id = 0;",
     "device->device_type = kDLCPU;\n  device->device_id = 3;", "DEV-06"),
    ("copied         ? DLPACK_FLAG_BITMASK_IS_COPIED", "copied ? 0", "COPY-06"),
    ("t.ndim = a->ndim;", "t.ndim = a->ndim > 1 ? a->ndim - 1 : a->ndim;", "SHAPE-01"),
    ("t.dtype = a->dtype;", "t.dtype = a->dtype, t.dtype.code ^= 1;", "DT-01"),
    ("return fail(DLPC_BUFFER_ERROR, why", "return fail(DLPC_OTHER, why", "ERR-03"),
    ("buffer_release(e->buffer);\n  free(e);", "free(e);", "MEM-01"),
    ("buffer_release(e->buffer);\n  free(e);", "abort();", "MEM-02"),
    ("buffer_release(e->buffer);\n  free(e);", "for (;;);", "MEM-07"),
    ("version.minor = DLPACK_MINOR_VERSION", "version.minor = 99", "ABI-05"),
]


class Native(unittest.TestCase):
    def compile(self, source, to, *flags):
        done = run(*flags, "-I", ROOT / "harness/include", *self.include, source, "-o", to)
        self.assertEqual((done.returncode, done.stderr), (0, ""), source)

    def setUp(self):
        self.c, self.cxx = shutil.which("cc"), shutil.which("c++")
        commands = OPTIONS.bin.parent / "compile_commands.json"
        if self.c is None or self.cxx is None or not commands.exists():
            self.skipTest("no compiler, or no build tree")
        include = re.search(r"-isystem (\S*dlpack\S*)", commands.read_text())
        self.include = ["-I", include[1]] if include else []
        self.source = (ROOT / "harness/examples/example_producer.c").read_text()

    def shows(self, text, fault, requirement, out):
        """Its programs are C++: exit code 1 with the faulty plug-in, 0 with the sound one."""
        self.assertIn(text, self.source)
        plugin, library = out / "plugin.c", out / "plugin.so"
        plugin.write_text(self.source.replace(text, fault))
        self.compile(plugin, library, self.c, "-shared", "-fPIC", "-w")
        run(OPTIONS.bin / "dlpack-conformance", "run", library, "--requirements", requirement,
            "--timeout", "2", "--format", "json,repro", "--out", out)  # fmt: skip
        found, bare = programs(out)
        self.assertEqual((bare, bool(found)), (set(), True))
        for _, program in found[:2]:
            self.assertEqual(program.suffix, ".cc")
            self.compile(program, out / "shows", self.cxx, "-std=c++17", "-Wall", "-Wextra",
                         "-ldl", "-pthread")  # fmt: skip
            for code in (1, 0):
                done = run(out / "shows")
                self.assertEqual(done.returncode, code, program.name + done.stdout + done.stderr)
                self.assertIn("observed:", done.stdout)
                plugin.write_text(self.source)
                self.compile(plugin, library, self.c, "-shared", "-fPIC", "-w")
            plugin.write_text(self.source.replace(text, fault))
            self.compile(plugin, library, self.c, "-shared", "-fPIC", "-w")
        LENGTHS["native"] += [len(p.read_text().splitlines()) for _, p in found]

    def test_plug_ins(self):
        for text, fault, requirement in FAULTS:
            with self.subTest(requirement), tempfile.TemporaryDirectory() as folder:
                self.shows(text, fault, requirement, pathlib.Path(folder))


class Frameworks(unittest.TestCase):
    def test_real_failures(self):
        for name in [n for n in OPTIONS.names if python_of(n)] if OPTIONS.names else FRAMEWORKS:
            with self.subTest(name):
                python = python_of(name)
                if python is None:
                    self.skipTest(f"{name} is not installed (scripts/certify {name})")
                with tempfile.TemporaryDirectory() as folder:
                    out = pathlib.Path(folder)
                    run(OPTIONS.bin / "dlpack-conformance", "run", name, "--python", python,
                        "--format", "json,repro", "--out", out)
                    found, bare = programs(out)
                    self.assertEqual(bare - set(NOT_SHOWN), set(), "failures without a program")
                    self.assertGreater(len(found), 0)
                    for requirement, program in found:
                        LENGTHS["frameworks"].append(len(program.read_text().splitlines()))
                        done = run(python, program, cwd=folder)
                        self.assertEqual(done.returncode, 1,
                                         program.name + done.stdout + done.stderr)  # fmt: skip
                        self.assertIn("observed:", done.stdout)


class Short(unittest.TestCase):
    """Comes last: the programs of all that ran before."""

    def test_lengths(self):
        for kind, lengths in LENGTHS.items():
            if lengths and not OPTIONS.names:
                lengths = statistics.median(lengths), max(lengths)
                print(kind, "median and longest:", *lengths)
                self.assertTrue(all(n <= most for n, most in zip(lengths, MOST[kind])), kind)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    OPTIONS = parser.parse_args()
    OPTIONS.bin = OPTIONS.bin.resolve()
    unittest.main(argv=sys.argv[:1])
