"""The verb bench as a vendor meets it: bench_test.py PROGRAM

Exit code 77 (skip) where there is no interpreter with NumPy.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venvs" / "numpy" / "bin" / "python"

# An adapter whose arrays have a fault that only counters see.
FAULTY = '''
import sys
import numpy as np

KEPT = []


class Array:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **kwargs):
        {fault}
        return self.x.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return (1, 0)


def claims():
    return {{"producer": "faulty", "version": "1", "dtypes": ["float32"], "devices": ["cpu"]}}


def make(spec):
    return Array(np.frombuffer(bytearray(spec.base), spec.dtype).reshape(spec.shape))


def pointer(a):
    return a.x.ctypes.data


def label(a):
    return (1, 0)
'''
FAULTS = {
    "sound": "pass",
    "copies": "self = Array(self.x.copy())",
    "allocates": "bytearray(self.x.nbytes)",
    "leaks": "KEPT.append(bytearray(24))",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUICK = ["--repetitions", "5", "--target-ms", "0.5", "--max-bytes", str(1 << 20)]


def bench(*arguments, code=0):
    done = subprocess.run([PROGRAM, "bench", *map(str, arguments)], capture_output=True, text=True,
                          timeout=240, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit code {done.returncode}, not {code}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def series(folder):
    """name -> the entries of its repetitions."""
    out = {}
    for entry in json.loads((folder / "bench.json").read_text())["benchmarks"]:
        if entry["run_type"] == "iteration":
            out.setdefault(entry["name"], []).append(entry)
    return out


class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        for name, fault in FAULTS.items():
            (cls.work / f"{name}.py").write_text(FAULTY.format(fault=fault))
        for name in FAULTS:
            cls.output = getattr(cls, "output", {})
            cls.output[name], _ = bench("--adapter", cls.work / f"{name}.py", "--python", PYTHON,
                                        "--out", cls.work / name, *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_file_is_written(self):
        names = {path.name for path in (self.work / "sound").iterdir()}
        self.assertEqual(names, {"bench.json", "bench.md", "bench.html", "smaller-is-better.json"})
        small = json.loads((self.work / "sound" / "smaller-is-better.json").read_text())
        self.assertTrue(all({"name", "unit", "value"} <= set(entry) for entry in small))

    def test_figures_are_there(self):
        found = series(self.work / "sound")
        for name in ("BM_Export/sound/release_versioned/4096",
                     "BM_Device/sound/__dlpack_device__/4096",
                     "BM_Threads/sound/export_release_2/4096",
                     "BM_Size/sound/release_versioned/1048576",
                     "BM_Refusal/sound/dl_device/4096", "BM_Import/sound/numpy_from_it/4096"):
            self.assertEqual([e["repetition_index"] for e in found[name]], list(range(5)), name)
            self.assertTrue(all(0 < e["real_time"] < 1e8 for e in found[name]), name)
        table = found["BM_Table/sound/owned/4096"]
        self.assertTrue(table[0]["error_occurred"])
        self.assertIn("no exchange table", table[0]["error_message"])

    def test_counts_are_exact(self):
        sizes = [entries[0] for name, entries in series(self.work / "sound").items()
                 if name.startswith("BM_Size/")]
        self.assertEqual(len({(e["blocks_per_call"], e["bytes_per_call"]) for e in sizes}), 1)
        self.assertEqual({e["kept_blocks_per_call"] for e in sizes}, {0})
        pair = series(self.work / "sound")["BM_Floor/sound/malloc_free/4096"][0]
        self.assertEqual((pair["blocks_per_call"], pair["bytes_per_call"]), (1, 80))

    def test_faults_are_found(self):
        self.assertNotIn("finding", self.output["sound"])
        for name in ("copies", "allocates"):
            self.assertIn("memory grows with the tensor", self.output[name])
            self.assertNotIn("keeps", self.output[name])
        self.assertIn("blocks of memory with each call", self.output["leaks"])
        self.assertNotIn("memory grows", self.output["leaks"])

    def test_compare_names_what_allocates_more(self):
        for name in ("copies", "allocates", "leaks"):
            before = json.loads((self.work / "sound" / "bench.json").read_text().replace(
                '"sound"', f'"{name}"').replace("/sound/", f"/{name}/"))
            path = self.work / f"before-{name}.json"
            path.write_text(json.dumps(before))
            output, _ = bench("compare", path, self.work / name, code=1)
            self.assertIn("allocates more", output)
            self.assertIn(": regressed", output)
        bench("compare", self.work / "sound", self.work / "sound")

    def test_page_is_drawn(self):
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            self.skipTest("no Chromium here")
        data = (self.work / "sound" / "bench.json").read_text()
        hostile = "</script><script>document.title='owned'</script>"
        earlier = self.work / "earlier.json"
        earlier.write_text(data.replace('"version of sound": "1"',
                                        f'"version of sound": "{hostile}"'))
        bench("--adapter", self.work / "sound.py", "--python", PYTHON, "--out", self.work / "page",
              "--history", earlier, *QUICK)
        for width in (1200, 390):
            done = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                 f"--window-size={width},900", f"--user-data-dir={self.work / 'profile'}",
                 "--virtual-time-budget=3000", (self.work / "page" / "bench.html").as_uri()],
                capture_output=True, text=True, timeout=120, check=False)
            self.assertGreaterEqual(done.stdout.count("<figure"), 8)
            self.assertIn("run by run", done.stdout)
            self.assertIn("<title>DLPack benchmarks: sound</title>", done.stdout)
            self.assertNotIn("NaN", done.stdout.split("<script")[0])

    def test_the_suite_itself_is_timed(self):
        for who in (["reference"], ["--adapter", self.work / "sound.py", "--python", PYTHON]):
            out = self.work / "suite"
            bench(*who, "--suite", "--repetitions", "1", "--max-bytes", "1", "--target-ms", "0.1",
                  "--out", out)
            name = "reference" if len(who) == 1 else "sound"
            found = series(out)
            for what in ("run", "check", "host_start", "empty_script", "fuzz_script"):
                entry, = found[f"BM_Suite/{name}/{what}/0"]
                self.assertGreater(entry["real_time"], 0, f"{what}: {entry}")
            small = {e["name"]: e for e in json.loads((out / "smaller-is-better.json").read_text())}
            for memory in ("host_rss_kb", "runner_rss_kb"):
                self.assertGreater(small[f"{memory} of {name}"]["value"], 1000)

    def test_mutants_of_the_reference_are_found(self):
        output, _ = bench("reference", "--out", self.work / "r", *QUICK)
        self.assertNotIn("finding", output)
        output, _ = bench("reference", "--mutant", "struct-leaks", "--out", self.work / "m", *QUICK)
        self.assertIn("finding", output)

    def test_mistakes_are_one_line(self):
        good = self.work / "sound"
        other = json.loads((good / "bench.json").read_text())
        other["context"]["cpu"] = "another"
        elsewhere = self.work / "elsewhere.json"
        elsewhere.write_text(json.dumps(other))
        broken = self.work / "broken.json"
        broken.write_text("[" * 100_000)
        for arguments in (["compare", good, elsewhere], ["compare", good, broken],
                          ["compare", good, self.work / "missing"], [], ["no-such-producer"],
                          ["reference", "reference"], ["reference", "numpy", "--mutant", "x"],
                          ["reference", "--baseline", broken, "--out", self.work / "x"]):
            _, error = bench(*arguments, code=2)
            self.assertEqual(error.count("\n"), 1, error)
        bench("compare", good, elsewhere, "--any-machine")
        _, error = bench("reference", "--out", "/proc/none", *QUICK, code=3)
        self.assertEqual(error.count("\n"), 1, error)


if __name__ == "__main__":
    if not PYTHON.exists():
        print("no environment with NumPy: scripts/certify makes one")
        sys.exit(77)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main(argv=sys.argv[:1])
