"""How many inputs each target tries in a second of one core, beside an empty target.

    speed.py BIN [--seconds 6] [--rounds 1] [--targets a,b]
             [--python producer=INTERPRETER,...] [--atheris INTERPRETER] [--check]

BIN: the bin folder that fast_build.py or the preset fuzz-fast made (no sanitizers). --python adds
producers with their interpreters, by the module dlpc_fuzz; --atheris the same checks in Python.
Inputs are divided by the processor time of the process (what a core of its own would give) and by
wall time; what libFuzzer prints itself is divided by whole seconds. Start and imports count.
With --rounds N everything is measured N times, in turns, and the best of each is kept: what else
runs on a machine makes a target slower, never faster. --check ends with 1 if a goal is missed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import usage
from usage import FUZZ, all_targets

GOALS = {"device_map": 1_000_000, "tensor_check": 600_000, "script": 400_000,
         "python numpy": 300_000}
RATIO = 3  # python numpy against atheris numpy.
# No power schedule, no search for shorter inputs: both cost as much as an input.
LEAN = ["-len_control=0", "-entropic=0", "-reduce_inputs=0", "-seed=1", "-verbosity=0",
        "-print_funcs=0"]
# As for a campaign: inputs are no longer than what a target reads of them.
LONGEST = {"device_map": 48, "tensor_check": 64, "script": 64, "strides": 64, "negotiate": 48}


def measure(command, seconds, longest=64, seeds=()):
    """(inputs, processor seconds, wall seconds, output); no inputs: it failed."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output, \
            tempfile.NamedTemporaryFile("w", encoding="utf-8") as names:
        words = [f"-max_total_time={seconds}", "-print_final_stats=1", f"-max_len={longest}", *LEAN]
        if seeds:  # By name, so that new inputs stay in memory.
            names.write(",".join(str(path) for path in seeds))
            names.flush()
            words.append("-seed_inputs=@" + names.name)
        child = subprocess.Popen([*command, *words], stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        output.seek(0)
        text = output.read()
    count = re.findall(r"stat::number_of_executed_units:\s+(\d+)", text)
    inputs = int(count[0]) if count and child.returncode == 0 else 0
    return inputs, usage.ru_utime + usage.ru_stime, wall, text


class Table:
    def __init__(self):
        self.rates = {}
        self.missed = []

    def add(self, name, result):
        inputs, processor, wall, text = result
        if not inputs:
            print("%-16s broken\n%s" % (name, text[-2000:]), flush=True)
            self.missed.append(name)
            return
        rate = self.rates[name] = inputs / processor
        goal = GOALS.get(name)
        verdict = ""
        if goal:
            verdict = "goal %9s %s" % (f"{goal:,}", "met" if rate >= goal else "MISSED")
            if rate < goal:
                self.missed.append(name)
        print("%-16s %10s inputs/s of processor time, %10s of wall time  %s" % (
            name, f"{rate:,.0f}", f"{inputs / wall:,.0f}", verdict), flush=True)

    def compare(self):
        ours, theirs = self.rates.get("python numpy"), self.rates.get("atheris numpy")
        if ours and theirs:
            good = ours >= RATIO * theirs
            print("python numpy / atheris numpy: %.1f  goal %d %s" % (
                ours / theirs, RATIO, "met" if good else "MISSED"))
            if not good:
                self.missed.append("ratio")


def pairs(text):
    """producer=INTERPRETER,... as a list."""
    found = [tuple(pair.split("=")) for pair in usage.names(text)]
    for pair in found:
        if len(pair) != 2 or not all(pair):
            usage.fail(f"--python takes producer=INTERPRETER, not {'='.join(pair)}")
    return found


def measure_all(folder, seconds, targets, pythons):
    """Yields (name, what measure returns) for each; folder: the bin folder."""
    with tempfile.TemporaryDirectory() as findings:
        yield "empty", measure([folder / "fuzz_empty"], seconds)
        for target in targets:
            seeds = sorted(path for path in (FUZZ / "corpus" / target).iterdir()
                           if path.name != ".gitkeep")
            yield target, measure([folder / ("fuzz_" + target)], seconds,
                                  LONGEST.get(target, 256), seeds)
        for producer, interpreter in pythons:
            yield "python " + producer, measure(
                [interpreter, folder.parent / "share/dlpc/fuzz_host.py", "--module",
                 folder.parent / "lib/dlpc_fuzz.abi3.so", "--adapter", producer,
                 "--findings", findings + "/findings"], seconds)


def one_round(options, targets):
    """Yields (name, what measure returns) for all that is asked for."""
    yield from measure_all(options.bin, options.seconds, targets, options.python)
    if options.atheris:
        yield "atheris numpy", measure([options.atheris, FUZZ / "python/atheris_numpy.py"],
                                       options.seconds)


def best_of(rounds):
    """Yields the best result of each name, as soon as the last round has it; a failure is kept."""
    best = {}
    for last, results in rounds:
        for name, result in results:
            if name not in best or not result[0] or (
                    best[name][0] and result[0] / result[1] > best[name][0] / best[name][1]):
                best[name] = result
            if last:
                yield name, best[name]


def arguments():
    parser = usage.Parser(__doc__)
    parser.add_argument("bin", type=pathlib.Path, metavar="BIN", help="bin folder of the build")
    parser.add_argument("--seconds", type=usage.at_least(1), default=6, metavar="N",
                        help="how long each is measured (default: 6)")
    parser.add_argument("--rounds", type=usage.at_least(1), default=1, metavar="N",
                        help="how often; the best counts (default: 1)")
    parser.add_argument("--targets", default="", metavar="a,b", help="default: all")
    parser.add_argument("--python", default="", metavar="producer=INTERPRETER,...",
                        help="producers to measure with the module dlpc_fuzz")
    parser.add_argument("--atheris", default="", metavar="INTERPRETER",
                        help="a Python with atheris and numpy, to compare with")
    parser.add_argument("--check", action="store_true", help="end with 1 if a goal is missed")
    options = parser.parse_args()
    options.python = pairs(options.python)
    return options


def check_pythons(build, pythons):
    """Refuses what measure_all could not start."""
    for producer, interpreter in pythons:
        usage.interpreter(interpreter)
        adapters = (build / "share/dlpc/adapters" / (producer + ".py"), pathlib.Path(producer))
        if not any(path.is_file() for path in adapters):
            usage.fail(f"no producer {producer}")
    module = build / "lib/dlpc_fuzz.abi3.so"
    if pythons and not module.is_file():
        usage.fail(f"no module {module} (target dlpc_fuzz)")


def main():
    options = arguments()
    targets = usage.chosen_targets(options.targets)
    programs = ["fuzz_" + target for target in ["empty", *targets]]
    options.bin = usage.build_with(options.bin, programs)
    check_pythons(options.bin.parent, options.python)
    if options.atheris:
        usage.interpreter(options.atheris, ["atheris", "numpy"])
    table = Table()
    for name, result in best_of((turn == options.rounds, one_round(options, targets))
                                for turn in range(1, options.rounds + 1)):
        table.add(name, result)
    table.compare()
    return 1 if options.check and table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
