"""The runs of the correct reference and of each mutant under sanitizers:

    sanitized_test.py PATH_OF_DLPACK_CONFORMANCE PATH_OF_MUTANTS_MD [--every N] [MUTANT...]

--every N: of the mutants only each Nth, and those that break memory.
No process of a run, runner or host, may be reported by AddressSanitizer or
UndefinedBehaviorSanitizer. The mutants that docs/mutants.md marks as breaking memory are run, too:
each must be reported, or its mark is stale. Leaks are not looked for: hosts are ended soon after
their last answer, and MEM-01 and -02 measure what exports leave behind.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

REFERENCE = ""  # The name of no mutant.


def read_mutants(page):
    """name -> does it break memory by intent, from the kill matrix."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in pathlib.Path(page).read_text().splitlines() if line.startswith("| ")]
    return {row[0]: row[-1] == "yes" for row in rows[1:]}


def run(program, mutant):
    """What the sanitizers said, and what the runner said where it did not finish."""
    with tempfile.TemporaryDirectory() as folder:
        options = "detect_leaks=0:print_stacktrace=1:log_path=%s/sanitizer" % folder
        environment = dict(os.environ, ASAN_OPTIONS=options, UBSAN_OPTIONS=options)
        command = [program, "run", "reference", "--format", "json", "--jobs", "1",
                   "--out", os.path.join(folder, "out")]  # fmt: skip
        if mutant != REFERENCE:
            command += ["--mutant", mutant]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        reports = [path.read_text(errors="replace")
                   for path in sorted(pathlib.Path(folder).glob("sanitizer*"))]
        if done.returncode not in (0, 1) and not reports:
            reports = ["exit code %d: %s" % (done.returncode, done.stderr)]
        return reports


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("page")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    mutants, program = read_mutants(options.page), options.program
    some = [name for i, name in enumerate(mutants) if mutants[name] or i % options.every == 0]
    wanted = options.names or [REFERENCE, *some]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runs = pool.map(lambda name: run(program, name), wanted)
        for name, reports in zip(wanted, runs):
            breaks = mutants.get(name, False)
            if bool(reports) == breaks:
                continue
            bad += 1
            print("%s: %s" % (name or "the correct reference",
                              "no sanitizer reports it any more" if breaks else reports[0]))
    print("%d runs, %d not as expected" % (len(wanted), bad))
    return 1 if bad or len(mutants) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
