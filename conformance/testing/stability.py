"""Verdicts do not depend on the run: the same cases, over and over, in order, shuffled and on two
hosts at a time, must end alike.

    stability.py CLI PRODUCER [--python P] [--runs 5]

Exit code 1 and every case that changed its verdict, 0 if none did.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def verdicts(cli, producer, python, extra):
    with tempfile.TemporaryDirectory() as out:
        command = [cli, "run", producer, "--out", out, "--format", "json", *extra[0]]
        if python:
            command += ["--python", python]
        if extra[1]:
            command += ["--", *extra[1]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
        result = json.loads(pathlib.Path(out, "results.json").read_text())
        return {case["id"]: case["status"] for case in result["cases"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("producer")
    parser.add_argument("--python")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    # (options of run, options of GoogleTest)
    plans = [([], [])] * options.runs
    plans += [([], ["--gtest_shuffle", f"--gtest_random_seed={seed}"]) for seed in (1, 77)]
    plans += [(["--jobs", "2"], []), (["--jobs", "2"], ["--gtest_shuffle"])]
    runs = [verdicts(options.cli, options.producer, options.python, plan) for plan in plans]
    changed = 0
    for case in sorted(set().union(*runs)):
        seen = [run.get(case, "missing") for run in runs]
        if len(set(seen)) > 1:
            changed += 1
            print(f"{case}: {', '.join(seen)}")
    print(f"{options.producer}: {len(runs)} runs of {len(runs[0])} cases, {changed} changed")
    return 1 if changed or not runs[0] else 0


if __name__ == "__main__":
    sys.exit(main())
