"""Runs that are cut short and continued, repetitions, and programs of failures. Part of
cli_test.py."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import cli_runner
from cli_runner import PYTHON, CliTest

# An adapter whose arrays take their time, and that tells when it has made some.
SLOW = """
import os, sys, time
sys.path.insert(0, %r)
from my_adapter import *
inner, count = make, []
def make(spec):
    time.sleep(0.02)
    count.append(1)
    if len(count) == 60:
        open("made", "w").close()
    return inner(spec)
"""
# One whose arrays lie on the second device every now and then.
FLAKY = """
import sys
sys.path.insert(0, %r)
from my_adapter import *
import tinyarray, os
mark = os.environ["MARK"]
class Odd(tinyarray.Array):
    def __dlpack_device__(self):
        odd = os.path.exists(mark)
        return (1, 7) if odd else (1, 0)
def make(spec):
    x = tinyarray.Array.__new__(Odd)
    made = __import__("my_adapter").make(spec)
    if made is NotImplemented:
        return made
    x.__dict__.update(made.__dict__)
    return x
"""
EXAMPLES = os.path.join(cli_runner.ROOT, "docs", "examples")


class Interrupt(CliTest):
    def start(self, *arguments):
        return subprocess.Popen(
            [cli_runner.cli_path, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8")  # fmt: skip

    def test_a_report_is_left_and_continued(self):
        self.write("slow.py", SLOW % EXAMPLES)
        how = ("--adapter", "slow.py", "--python", PYTHON)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                child = self.start("run", *how)
                end = time.monotonic() + 60
                while not os.path.exists(self.path("made")) and time.monotonic() < end:
                    time.sleep(0.05)
                os.remove(self.path("made"))
                child.send_signal(number)
                said, complaint = child.communicate(timeout=30)
                self.assertEqual(child.returncode, 3, said + complaint)
                self.assertRegex(complaint, r"\Adlpack-conformance: interrupted: .* partial .*\n\Z")
                results = self.results()
                self.assertTrue(results["summary"]["partial"])
                self.assertIn(results["verdict"], ("partial", "nonconformant"))
                self.assertRegex(" ".join(results["summary"]["notes"]), r"\d+ cases were not tried")
                self.assertGreater(len(results["cases"]), 20)
                self.assertNotIn("error", results["summary"]["cases"])
        tried = len(self.results()["cases"])
        # The same producer, without the delay.
        self.write("slow.py", SLOW.replace("time.sleep(0.02)", "pass") % EXAMPLES)
        self.complain(2, "no adapter is built in for 'tinyarray'", "rerun", "dlpack-report")
        done = self.call("rerun", "dlpack-report", *how)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        results = self.results()
        self.assertGreater(len(results["cases"]), tried)
        self.assertFalse(results["summary"]["partial"])
        whole = self.call("run", *how, "--out", "whole")
        self.assertEqual(whole.returncode, done.returncode)
        self.assertEqual(self.verdicts(), self.verdicts("whole"))
        self.succeed("bundle", "dlpack-report", "--out", "bundle")

    def test_what_failed_is_tried_again(self):
        self.call("run", "reference", "--mutant", "cpu-id-ordinal")
        before = self.verdicts()
        done = self.call("rerun", "dlpack-report", "--failed")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdicts(), before)
        self.complain(4, "no case is selected", "rerun", "dlpack-report")  # Nothing is missing.
        self.complain(2, "another producer", "rerun", "dlpack-report", "--failed", "--adapter",
                      os.path.join(EXAMPLES, "short_adapter.py"), "--python", PYTHON)

    def test_a_full_disk(self):
        """One line, and the earlier report is whole."""
        self.succeed("run", "reference")
        with open(self.path("dlpack-report/results.json"), "rb") as file:
            earlier = file.read()

        def limit():  # On the size of files: needs no rights.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        self.complain(3, r"cannot write .*: File too large", "run", "reference", "--format",
                      "json,junit,html", preexec_fn=limit)  # fmt: skip
        with open(self.path("dlpack-report/results.json"), "rb") as file:
            self.assertEqual(file.read(), earlier)
        self.assertEqual([n for n in os.listdir(self.path("dlpack-report")) if "tmp" in n], [])

    def test_a_disk_that_becomes_full(self):
        """A real one: what there was room for is a valid report, which rerun continues."""
        disk = self.path("disk")
        os.mkdir(disk)
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk],
                               capture_output=True, text=True)  # fmt: skip
        if mount.returncode != 0:
            self.skipTest("no right to mount a small disk: " + mount.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        out = disk + "/report"
        self.complain(3, r"cannot write .*: No space left on device; \d+ of \d+ cases are in .*, "
                      r"which is partial \(rerun continues it\)", "run", "reference", "--out", out)
        results = self.results(out)
        self.assertTrue(results["summary"]["partial"])
        self.assertEqual(results["verdict"], "partial")
        self.assertGreater(len(results["cases"]), 500)
        self.assertEqual(sorted(os.listdir(out)), ["repro", "results.json", "traces.jsonl"]
                         if os.path.exists(out + "/repro") else ["results.json", "traces.jsonl"])
        self.succeed("report", out, "--out", "page.html")
        # There is no room for the rest either: what was there stays.
        self.complain(3, r"No space left on device\n\Z", "rerun", out)
        self.assertEqual(self.results(out), results)
        subprocess.run(["mount", "-o", "remount,size=60m", disk], check=True)
        self.succeed("rerun", out)
        self.assertFalse(self.results(out)["summary"]["partial"])
        self.succeed("run", "reference", "--out", "whole")
        self.assertEqual(self.verdicts(out), self.verdicts("whole"))
        self.succeed("bundle", out, "--out", "bundle")


class Flakes(CliTest):
    def test_steady(self):
        self.succeed("run", "reference", "--requirements", "DEV-*", "--repeat", "3", "--verify")
        self.complain(2, "--repeat", "run", "reference", "--verify")

    def test_a_case_that_changes(self):
        """The first process that looks leaves a mark, so the second sees another device."""
        text = FLAKY.replace("odd = os.path.exists(mark)",
                             "odd = os.path.exists(mark) and open(mark).read() != str(os.getpid())")
        text = text.replace("class Odd", "if not os.path.exists(mark):\n"
                            "    open(mark, 'w').write(str(os.getpid()))\nclass Odd")
        self.write("flaky.py", text % EXAMPLES)
        os.environ["MARK"] = self.path("mark")
        self.addCleanup(os.environ.pop, "MARK")
        done = self.call("run", "--adapter", "flaky.py", "--python", PYTHON, "--requirements",
                         "DEV-*", "--repeat", "3", "--verify")  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertRegex(done.stderr, r"\d+ cases are flaky")
        flaky = [c for c in self.results()["cases"] if "flaky" in c]
        self.assertIn("DEV-06/memory/cpu/legacy", [c["id"] for c in flaky])
        for case in flaky:
            self.assertRegex(case["flaky"], r"1 times pass \(.*2 times fail|1 times .*; 2 times ")
        self.assertRegex(done.stdout, r"note: flaky: DEV-")


class Repro(CliTest):
    def test_a_program_of_a_stored_failure(self):
        self.call("run", "reference", "--mutant", "copies-by-default")
        results = self.results()
        case = next(c for c in results["cases"] if c["status"] == "fail")
        program = self.succeed("repro", case["id"])
        self.assertEqual(program, self.succeed("repro", case["id"], "dlpack-report"))
        with open(self.path("dlpack-report/" + case["repro"])) as file:
            written = file.read()
        self.assertEqual(re.sub("Found.*", "", program, flags=re.S)[:200],
                         re.sub("Found.*", "", written, flags=re.S)[:200])
        compile(program, "program", "exec")
        self.assertIn("COPY-01", self.succeed("repro", "COPY-01"))
        self.complain(1, "did not fail: pass", "repro", "DEV-01/device-query/cpu")
        kept = self.succeed("repro", "DEV-01/device-query/cpu", "--any")
        compile(kept, "program", "exec")
        self.complain(2, "has no case NOPE", "repro", "NOPE")
        self.complain(2, "none: no such file", "repro", "NOPE", "none")

    def test_hostile_names(self):
        """What a producer says reaches a program as a text, never as code."""
        self.call("run", "reference", "--mutant", "copies-by-default", "--requirements", "COPY-01")
        with open(self.path("dlpack-report/results.json")) as file:
            results = json.load(file)
        evil = 'x"""\nimport os; os.abort()\n"""\\'
        results["producer"].update(name=evil, version=evil)
        for case in results["cases"]:
            case["expected"] = evil + "'"
        for row in results["requirements"]:
            row["title"] = row["citation"] = evil
        self.write("dlpack-report/results.json", json.dumps(results))
        program = self.succeed("repro", "COPY-01")
        tree = compile(program, "program", "exec")
        self.assertNotIn("abort", [name for code in [tree] for name in code.co_names])
        self.assertNotRegex(program, r"(?m)^\s*import os; os.abort")


if __name__ == "__main__":
    sys.exit(unittest.main())
