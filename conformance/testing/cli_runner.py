"""Calls the command line for its tests, and reads what it writes."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTING = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(TESTING))
STATUSES = {
    "pass", "fail", "crash", "timeout", "error", "not_applicable", "not_supported", "skipped",
    "xfail", "xpass",
}  # fmt: skip

cli_path = None  # Set by cli_test.py.


def environment_python(name):
    """The interpreter of a virtual environment that scripts/setup made, or None."""
    path = os.path.join(ROOT, ".venvs", name, "bin", "python")
    return path if os.path.exists(path) else None


PYTHON = environment_python("tools") or sys.executable
NUMPY = environment_python("numpy")


class CliTest(unittest.TestCase):
    """A folder of its own, which is the current one of every call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def call(self, *arguments, timeout=60, **options):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GTEST_")}
        return subprocess.run(
            [cli_path, *arguments], cwd=self.folder, env=environment, timeout=timeout,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            **options,
        )  # fmt: skip

    def succeed(self, *arguments, **options):
        done = self.call(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-3000:])
        return done.stdout

    def complain(self, code, said, *arguments, **options):
        """Exit code, and one clear line that matches `said`, free of stack traces and of bytes
        that a terminal would obey."""
        done = self.call(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout[-2000:])
        self.assertRegex(done.stderr, r"\Adlpack-conformance: [^\n]+\n\Z")
        self.assertRegex(done.stderr, said)
        self.assertLess(len(done.stderr), 2000)
        unclear = re.search(r"[\x00-\x09\x0b-\x1f]|Traceback|terminate called", done.stderr)
        self.assertIsNone(unclear)
        return done

    def results(self, out="dlpack-report"):
        with open(os.path.join(self.folder, out, "results.json"), encoding="utf-8") as file:
            return json.load(file)

    def verdicts(self, out="dlpack-report"):
        return {c["id"]: (c["status"], c["expected"]) for c in self.results(out)["cases"]}


def adapter_args(path):
    return ["run", "--adapter", path, "--python", PYTHON]
