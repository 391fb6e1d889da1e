"""The files for CI services: valid by their schemas, scripts without findings, and the step of the
action does what it says.

    ci_test.py --bin BUILD/bin
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = {"vendor.github-workflows": [".github/workflows/conformance.yml",
                                       ".github/workflows/fuzz.yml",
                                       "docs/scale/github-matrix.yml"],
           "vendor.github-actions": ["action.yml"], "vendor.gitlab-ci": ["ci/gitlab.yml"]}


class CiFiles(unittest.TestCase):
    def test_schemas(self):
        checker = ROOT / ".venvs/tools/bin/check-jsonschema"
        if not checker.exists():
            self.skipTest("no check-jsonschema (scripts/setup --tests)")
        for schema, files in SCHEMAS.items():
            done = subprocess.run([checker, "--builtin-schema", schema,
                                   *(ROOT / file for file in files)],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_no_input_is_pasted_into_a_script(self):
        for file in sum(SCHEMAS.values(), []):
            for line in (ROOT / file).read_text().splitlines():
                if re.match(r"\s*(- )?run:", line):
                    self.assertNotIn("${{", line, file)

    def test_scripts_have_no_findings(self):
        if not shutil.which("shellcheck"):
            self.skipTest("no shellcheck")
        folders = ("scripts", "ci", "bench", ".ci", "docs/scale", "fuzz/tools", "fuzz/oss-fuzz",
                   ".clusterfuzzlite")
        scripts = [path for folder in folders
                   for path in sorted((ROOT / folder).glob("*"))
                   if path.is_file() and path.read_text().startswith(("#!", "# shellcheck"))]
        self.assertGreater(len(scripts), 4)
        done = subprocess.run(["shellcheck", "-x", "-S", "warning", *scripts],
                              capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def step(self, **inputs):
        with tempfile.TemporaryDirectory() as folder:
            output, summary = pathlib.Path(folder, "output"), pathlib.Path(folder, "summary")
            env = {**os.environ, "OUT": folder + "/report", "GITHUB_OUTPUT": str(output),
                   "GITHUB_STEP_SUMMARY": str(summary), **inputs}
            done = subprocess.run(["bash", ROOT / "ci/github-step.sh"], env=env, cwd=folder,
                                  capture_output=True, text=True)
            texts = [p.read_text() if p.exists() else "" for p in (output, summary)]
            return done, *texts

    def test_slurm_script(self):
        """Two tasks of an array, in the wrong order, as Slurm would start them."""
        cli = BIN / "dlpack-conformance"
        if not cli.exists():
            self.skipTest("the program is not built")
        with tempfile.TemporaryDirectory() as out:
            for task in (8, 7):
                self.assertFalse(pathlib.Path(out, "results.json").exists())
                env = {**os.environ, "PRODUCER": "reference", "CLI": str(cli.resolve()),
                       "OUT": out, "SLURM_ARRAY_JOB_ID": "5", "SLURM_ARRAY_TASK_ID": str(task),
                       "SLURM_ARRAY_TASK_MIN": "7", "SLURM_ARRAY_TASK_COUNT": "2"}
                done = subprocess.run(["bash", ROOT / "docs/scale/slurm.sbatch"], env=env,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = pathlib.Path(out, "results.json").read_text()
            self.assertIn('"verdict": "conformant"', text)

    def test_step(self):
        if BIN.resolve() != ROOT / "build/release/bin":
            self.skipTest("the step uses build/release")
        done, output, summary = self.step(PRODUCER="reference", BENCH="--repetitions 2 "
                                          "--target-ms 0.1 --max-bytes 1024")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("<summary>Benchmarks</summary>", summary)
        self.assertIn("verdict=conformant\n", output)
        self.assertIn("### reference", summary)
        done, output, _ = self.step(PRODUCER="reference", OPTIONS="--mutant copies-by-default")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("verdict=nonconformant\n", output)
        done, output, _ = self.step(PRODUCER="no-such-producer")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin
    unittest.main(argv=[sys.argv[0], *rest])
