"""A run of each released framework that is installed, with the expectation file shipped for it, is
as expected.

    green_test.py --bin BUILD/bin [NAME...]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def version_in(path):
    """The release that the file was written for, by its first line."""
    words = path.read_text().split("\n", 1)[0].split()
    return words[words.index("of") + 2].rstrip(".")


class Green(unittest.TestCase):
    def test_files_are_in_order(self):
        files = sorted(HERE.glob("*.txt"))
        self.assertGreater(len(files), 10)
        done = subprocess.run([CLI, "expect", "check", *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_runs(self):
        for path in sorted(HERE.glob("*.txt")):
            name = path.stem
            if NAMES and name not in NAMES:
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as out:
                python = ROOT / ".venvs" / name / "bin" / "python"
                if not python.exists():
                    self.skipTest(f"{name} is not installed (scripts/certify {name})")
                done = subprocess.run(
                    [CLI, "run", name, "--python", python, "--expect", path, "--out", out,
                     "--format", "json"],
                    capture_output=True, text=True, timeout=600)  # fmt: skip
                results = json.loads((pathlib.Path(out) / "results.json").read_text())
                if results["producer"]["version"] != version_in(path):
                    self.skipTest(f"another release of {name} than the file's")
                stale = "\n".join(results["summary"]["stale_expectations"])
                self.assertEqual((done.returncode, stale), (0, ""), done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    CLI, NAMES = options.bin.resolve() / "dlpack-conformance", options.names
    unittest.main(argv=sys.argv[:1])
