"""How many inputs each target tries in a second, on one core, beside an empty target.

    speed.py BIN [--seconds 6] [--python producer=INTERPRETER,...] [--atheris INTERPRETER]

BIN: the bin folder of the preset fuzz-fast (no sanitizers). --python adds the producers with their
interpreters, by the module dlpc_fuzz; --atheris the same checks in Python. Inputs over wall time:
what libFuzzer prints itself is divided by whole seconds.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FUZZ = pathlib.Path(__file__).resolve().parent.parent


def measure(command, seconds, env=None):
    start = time.monotonic()
    done = subprocess.run([*command, f"-max_total_time={seconds}", "-print_final_stats=1",
                           "-max_len=256", "-seed=1"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", env=env)
    spent = time.monotonic() - start
    count = re.findall(r"stat::number_of_executed_units:\s+(\d+)", done.stdout)
    if done.returncode != 0 or not count:
        return None, done.stdout[-2000:]
    return int(count[0]) / spent, ""


def show(name, result):
    rate, problem = result
    print("%-24s %s" % (name, f"{rate:12,.0f} inputs/s" if rate else "broken\n" + problem),
          flush=True)
    return rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--python", default="")
    parser.add_argument("--atheris", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        show("empty", measure([options.bin / "fuzz_empty", folder], options.seconds))
        for path in sorted(FUZZ.glob("fuzz_*.cc")):
            target = path.stem
            seeds = FUZZ / "corpus" / target[len("fuzz_"):]
            show(target[len("fuzz_"):],
                 measure([options.bin / target, tempfile.mkdtemp(dir=folder), seeds],
                         options.seconds))
        ours = theirs = None
        for pair in filter(None, options.python.split(",")):
            producer, interpreter = pair.split("=")
            module = options.bin.parent / "lib" / "dlpc_fuzz.abi3.so"
            command = [interpreter, options.bin.parent / "share/dlpc/fuzz_host.py", "--module",
                       module, "--adapter", producer, "--findings", folder + "/findings"]
            rate = show("python " + producer, measure(command, options.seconds))
            ours = rate if producer == "numpy" else ours
        if options.atheris:
            theirs = show("atheris numpy", measure(
                [options.atheris, FUZZ / "python/atheris_numpy.py"], options.seconds))
        if ours and theirs:
            print(f"python numpy / atheris numpy: {ours / theirs:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
