"""Runs every target for a fixed count or time, from its corpus and crashes, one after the other.

    run.py BIN (--runs N | --time SECONDS | both) [--targets a,b] [--artifacts DIR] [--corpus DIR]

BIN is the bin folder of a build with libFuzzer (preset fuzz or fuzz-fast). New inputs go to
--corpus (default: a temporary folder), what breaks a property to --artifacts. Prints one line for
each target; ends with 1 if one of them found something, with 2 if it cannot start.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import usage
from usage import FUZZ


def run(target, options, corpus):
    new = corpus / target
    usage.folder_for_output(new)
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


def arguments():
    parser = usage.Parser(__doc__)
    parser.add_argument("bin", type=pathlib.Path, metavar="BIN", help="bin folder of the build")
    parser.add_argument("--runs", type=usage.at_least(1), metavar="N",
                        help="inputs to try in each target")
    parser.add_argument("--time", type=usage.at_least(1), metavar="SECONDS",
                        help="how long each target runs at most")
    parser.add_argument("--targets", default="", metavar="a,b", help="default: all")
    parser.add_argument("--artifacts", type=pathlib.Path, default=pathlib.Path("fuzz-artifacts"),
                        metavar="DIR", help="for what breaks a property (default: fuzz-artifacts)")
    parser.add_argument("--corpus", type=pathlib.Path, metavar="DIR",
                        help="for new inputs (default: a temporary folder)")
    options = parser.parse_args()
    if not options.runs and not options.time:
        usage.fail("say --runs or --time")
    return options


def main():
    options = arguments()
    targets = usage.chosen_targets(options.targets)
    options.bin = usage.build_with(options.bin, ["fuzz_" + target for target in targets])
    for folder in filter(None, (options.artifacts, options.corpus)):
        usage.folder_for_output(folder)
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or pathlib.Path(folder)
        good = [run(target, options, corpus) for target in targets]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
