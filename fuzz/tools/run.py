"""Runs every target for a fixed count or time, from its corpus and crashes, one after the other.

    run.py BIN [--runs N] [--time SECONDS] [--targets a,b] [--artifacts DIR] [--corpus DIR]

BIN is the folder of a build with libFuzzer (preset fuzz or fuzz-fast). New inputs go to --corpus
(default: a temporary folder), what breaks a property to --artifacts. Prints one line for each
target; ends with 1 if one of them found something.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(__file__).resolve().parent.parent


def all_targets():
    return sorted(path.stem[len("fuzz_"):] for path in FUZZ.glob("fuzz_*.cc"))


def run(target, options, corpus):
    options.artifacts.mkdir(parents=True, exist_ok=True)
    new = corpus / target
    new.mkdir(parents=True, exist_ok=True)
    command = [options.bin / ("fuzz_" + target), "-max_len=4096", "-timeout=10",
               "-rss_limit_mb=2048", "-seed=1", "-print_final_stats=1",
               f"-artifact_prefix={options.artifacts}/{target}-",
               new, FUZZ / "corpus" / target, FUZZ / "crashes" / target]
    if options.runs:
        command.insert(1, f"-runs={options.runs}")
    if options.time:
        command.insert(1, f"-max_total_time={options.time}")
    if target == "twins":  # Some leak by intent.
        command.insert(1, "-detect_leaks=0")
    dictionary = FUZZ / "dict" / (target + ".dict")
    if dictionary.exists():
        command.insert(1, f"-dict={dictionary}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    stat = dict(re.findall(r"stat::(\w+):\s+(\d+)", done.stdout))
    coverage = re.findall(r"cov: (\d+)", done.stdout)
    print("%-14s %s  %10s runs  %8s/s  cov %s" % (
        target, "ok    " if done.returncode == 0 else "BROKEN",
        stat.get("number_of_executed_units"), stat.get("average_exec_per_sec"),
        coverage[-1] if coverage else "?"), flush=True)
    if done.returncode != 0:
        print("\n".join(done.stdout.splitlines()[-60:]))
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--time", type=int, default=0)
    parser.add_argument("--targets", default="")
    parser.add_argument("--artifacts", type=pathlib.Path, default=pathlib.Path("fuzz-artifacts"))
    parser.add_argument("--corpus", type=pathlib.Path)
    options = parser.parse_args()
    targets = [name for name in options.targets.split(",") if name] or all_targets()
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or pathlib.Path(folder)
        good = [run(target, options, corpus) for target in targets]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
