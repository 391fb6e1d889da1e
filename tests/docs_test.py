"""Runs the commands that the documentation shows.

In README.md and docs/*.md every line that starts with "$ " inside a block fenced as ```console is
executed, in a scratch folder that looks like the root. The block's other lines are output and are
not compared. "$ command  # exit 1" says which exit code is right if it is not 0; several may be
given as "# exit 0 or 1". Blocks fenced as ```console no-run (installing, long runs) are only shown.
build/release/bin/ and lib/ stand for the build under test.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tree

FENCE = re.compile(r"^```(\S*) *(.*)$")
EXIT = re.compile(r"\s+# exit ([0-9]+(?: or [0-9]+)*)$")
TIMEOUT_S = 600
BIN = ""


def commands(text):
    """(line number, command, accepted exit codes) of each command to run."""
    language, info = None, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence:
            language, info = (fence[1], fence[2]) if language is None else (None, "")
        elif language == "console" and info != "no-run" and line.startswith("$ "):
            match = EXIT.search(line)
            codes = [int(code) for code in match[1].split(" or ")] if match else [0]
            yield number, EXIT.sub("", line[2:]), codes


def documents():
    return [name for name in tree.files()
            if name.suffix == ".md" and (len(name.parts) == 1 or name.parts[0] == "docs")]


def run(command, folder):
    environment = dict(os.environ, PATH=BIN + os.pathsep + os.environ["PATH"])
    for part in ("bin", "lib"):
        command = command.replace(f"build/release/{part}/", f"{BIN}/../{part}/")
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        return done.returncode, (done.stdout + done.stderr)[-2000:]
    except subprocess.TimeoutExpired:
        return None, f"no end within {TIMEOUT_S} s"


class DocsTest(unittest.TestCase):
    def test_parser(self):
        text = ("```console\n$ a b  # exit 1\nout $ x\n```\n$ c\n```console no-run\n$ d\n```\n"
                "```sh\n$ e\n```\n```console\n$ f  # exit 0 or 1\n```\n")
        self.assertEqual(list(commands(text)), [(2, "a b", [1]), (13, "f", [0, 1])])

    def test_runner_notices(self):
        self.assertEqual(run("exit 3", ".")[0], 3)

    def test_commands(self):
        with tempfile.TemporaryDirectory() as scratch:
            for entry in tree.ROOT.iterdir():
                if not entry.name.startswith("dlpack-report"):
                    (pathlib.Path(scratch) / entry.name).symlink_to(entry)
            for name in documents():
                for number, command, codes in commands(tree.read(name)):
                    with self.subTest(f"{name}:{number}: {command}"):
                        code, output = run(command, scratch)
                        self.assertIn(code, codes, output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="where the programs under test are")
    known, rest = parser.parse_known_args()
    BIN = str(pathlib.Path(known.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
