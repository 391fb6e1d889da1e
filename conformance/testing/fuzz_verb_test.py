"""The verbs fuzz and promote as a user meets them: fuzz_verb_test.py PROGRAM"""

import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=300, **options)


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name, "out")

    def fuzz(self, *arguments, fresh=True, runs=3000):
        return call("fuzz", "reference", "--runs", runs, "--out", self.out,
                    *(["--fresh"] if fresh else []), *arguments)

    def test_correct_reference_has_no_findings(self):
        done = self.fuzz("--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        report = json.loads(done.stdout)
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["scripts"], 3000)
        self.assertGreater(report["checks"], 3000)
        self.assertFalse(self.out.exists())

    def test_finding_is_told_once_with_the_simplest_array(self):
        done = self.fuzz("--mutant", "negative-stride-abs", "--json", "--requirements", "SHAPE-07")
        self.assertEqual(done.returncode, 1, done.stderr)
        findings = json.loads(done.stdout)["findings"]
        self.assertEqual({f["requirement"] for f in findings}, {"SHAPE-07"})
        self.assertLess(len(findings), 4)
        # Two elements, backwards: nothing less shows a negative stride.
        self.assertTrue(any("shape=(2,), strides=(-" in f["script"][0] for f in findings),
                        [f["script"][0] for f in findings])
        self.assertGreater(max(f["count"] for f in findings), 1)

    def test_finding_comes_with_a_program(self):
        self.assertEqual(self.fuzz("--mutant", "negative-stride-abs", "--requirements",
                                   "SHAPE-07").returncode, 1)
        stored = sorted(self.out.glob("SHAPE-07-*.json"))
        self.assertTrue(stored)
        for path in stored:
            program = path.with_suffix(".py").read_text()
            self.assertIn("SHAPE-07", program)
            compile(program, path.name, "exec")

    def test_findings_can_be_tried_again_and_promoted(self):
        self.assertEqual(self.fuzz("--mutant", "strides-reversed", "--requirements",
                                   "SHAPE-06").returncode, 1)
        stored = sorted(self.out.glob("SHAPE-06-*.json"))
        self.assertTrue(stored)
        again = call("fuzz", "reference", "--mutant", "strides-reversed", "--replay", stored[0],
                     "--json")
        self.assertEqual(again.returncode, 1)
        self.assertIn("SHAPE-06", {f["requirement"] for f in json.loads(again.stdout)["findings"]})
        correct = call("fuzz", "reference", "--replay", stored[0], "--json")
        self.assertEqual(correct.returncode, 0, correct.stdout)

        root = pathlib.Path(self.folder.name, "root")
        (root / "fuzz/corpus/script").mkdir(parents=True)
        done = call("promote", stored[0], "--name", "reversed", "--root", root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((root / "fuzz/corpus/script/reversed").stat().st_size, 8)
        for part in ("b.Make(0, spec0)", "b.Inspect(0)", '{"SHAPE-06", Reversed, 0, 0,'):
            self.assertIn(part, done.stdout)
        twice = call("promote", stored[0], "--name", "reversed", "--root", root)
        self.assertEqual(twice.returncode, 2)

    def test_line_that_tries_again_is_whole(self):
        done = self.fuzz("--mutant", "strides-reversed", "--requirements", "SHAPE-06")
        line = re.search(r"again: dlpack-conformance (.*)", done.stdout)[1]
        again = call(*shlex.split(line))
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("SHAPE-06", again.stdout)
        self.assertNotIn("new", again.stdout)

    def test_script_that_does_not_fit_its_name_is_refused(self):
        self.fuzz("--mutant", "strides-reversed", "--requirements", "SHAPE-06")
        text = sorted(self.out.glob("SHAPE-06-*.json"))[0].read_text()
        name = json.loads(text)["script"]
        bad = pathlib.Path(self.folder.name, "bad.json")
        for other in ("table/allocate/int8-2x3x4/locked", "max-version/none", "no such script"):
            bad.write_text(text.replace(json.dumps(name), json.dumps(other)))
            self.assertNotEqual(bad.read_text(), text)
            done = call("fuzz", "reference", "--replay", bad)
            self.assertIn(done.returncode, (2, 3), done.stdout)
            self.assertRegex(done.stderr, r"\Adlpack-conformance: [^\n]+\n\Z")

    def test_signal_leaves_the_findings(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for patience in (2, 10, 40):  # Until there was something to be found.
                code, out, err = self.break_off(number, patience)
                if "SHAPE-06" in out:
                    break
            self.assertEqual(code, 3, err)
            self.assertIn("interrupted", err)
            self.assertIn("SHAPE-06", out)
            self.assertTrue(sorted(self.out.glob("SHAPE-06-*.json")))

    def break_off(self, number, patience):
        child = subprocess.Popen(
            [PROGRAM, "fuzz", "reference", "--mutant", "strides-reversed", "--fresh", "--time",
             "100", "--out", self.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8")  # fmt: skip
        time.sleep(patience)
        child.send_signal(number)
        out, err = child.communicate(timeout=120)
        return child.returncode, out, err

    def test_folder_holds_the_findings_of_one_campaign(self):
        self.fuzz("--mutant", "strides-reversed", "--requirements", "SHAPE-06")
        (self.out / "mine.txt").write_text("kept")
        self.fuzz("--mutant", "negative-stride-abs", "--requirements", "SHAPE-07")
        names = {path.name.rsplit("-", 1)[0] for path in self.out.iterdir()}
        self.assertIn("SHAPE-07", names)
        self.assertNotIn("SHAPE-06", names)
        self.assertIn("mine.txt", names)

    def test_time_holds_though_scripts_hang(self):
        adapter = pathlib.Path(self.folder.name, "slow.py")
        adapter.write_text(
            "import time\ndef claims(): return {'producer': 'slow', 'version': '1'}\n"
            "def make(spec): time.sleep(60)\ndef pointer(x): pass\ndef label(x): pass\n")
        start = time.monotonic()
        call("fuzz", "--adapter", adapter, "--python", sys.executable, "--fresh", "--time", "2",
             "--timeout", "1", "--out", self.out)  # fmt: skip
        self.assertLess(time.monotonic() - start, 150)  # It was 250 and more.

    def test_what_tries_nothing_is_no_success(self):
        adapter = pathlib.Path(self.folder.name, "empty.py")
        adapter.write_text(
            "def claims(): return {'producer': 'empty', 'version': '1'}\n"
            "def make(spec): return NotImplemented\ndef pointer(x): pass\ndef label(x): pass\n")
        done = call("fuzz", "--adapter", adapter, "--python", sys.executable, "--fresh", "--runs",
                    "500", "--out", self.out)  # fmt: skip
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)

    def test_options_that_say_nothing_are_refused(self):
        for words in (["--requirements", "NOPE-99"], ["--until", "NOPE-99"], ["--time", "nan"],
                      ["--time", "0"], ["--runs", "-5"], ["--seed", "-1"],
                      ["--seed", "99999999999999999999999"], ["--timeout", "nan"],
                      ["--engine", "libfuzzer", "--runs", "10"],
                      ["--cross", "numpy", "--json"], ["--cross", "numpy", "--mutant", "x"]):
            done = call("fuzz", "reference", "--out", self.out, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertNotIn("scripts", done.stdout)

    def test_folder_that_cannot_be_is_told_before_the_campaign(self):
        self.out.write_text("a file")
        start = time.monotonic()
        done = self.fuzz("--time", "30", runs=0)
        self.assertEqual(done.returncode, 3)
        self.assertLess(time.monotonic() - start, 20)

    def test_crash_files_are_kept(self):
        root = pathlib.Path(self.folder.name, "root")
        for folder in ("corpus", "crashes"):
            (root / "fuzz" / folder / "wire").mkdir(parents=True)
        crash = pathlib.Path(self.folder.name, "wire-crash-0a1b")
        crash.write_bytes(b"\0\1\2")
        done = call("promote", crash, "--name", "three-bytes", "--root", root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((root / "fuzz/crashes/wire/three-bytes").read_bytes(), b"\0\1\2")
        self.assertEqual(call("promote", crash, "--name", "../x", "--root", root).returncode, 2)
        other = pathlib.Path(self.folder.name, "nobody-crash")
        other.write_bytes(b"\0")
        self.assertEqual(call("promote", other, "--name", "x", "--root", root).returncode, 2)

    def test_what_the_catalogue_shows_is_known(self):
        done = self.fuzz("--mutant", "strides-reversed", "--json", fresh=False)
        findings = json.loads(done.stdout)["findings"]
        self.assertTrue(findings)
        self.assertEqual({f["known"] for f in findings}, {True})
        self.assertEqual(done.returncode, 0)

    def test_the_same_seed_finds_the_same(self):
        arguments = ("--mutant", "byte-strides", "--json", "--seed", 5)
        one, two = (json.loads(self.fuzz(*arguments).stdout) for _ in range(2))
        key = [(f["requirement"], f["script"], f["count"]) for f in one["findings"]]
        self.assertEqual(key, [(f["requirement"], f["script"], f["count"])
                               for f in two["findings"]])

    def test_deaths_are_findings(self):
        done = self.fuzz("--mutant", "null-deleter-unguarded", "--json", "--requirements",
                         "CAP-06", runs=20_000)
        findings = json.loads(done.stdout)["findings"]
        self.assertIn("crash", {f["status"] for f in findings}, done.stdout[-500:])

    def test_cross(self):
        done = call("fuzz", "reference", "--cross", "reference", "--runs", 512)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 kinds of disagreement", done.stdout)

    def test_usage(self):
        for arguments in (["fuzz"], ["fuzz", "reference", "--engine", "libfuzzer"],
                          ["fuzz", "no-such-producer"], ["promote"]):
            self.assertEqual(call(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
