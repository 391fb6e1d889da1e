"""Kill score: how soon the fuzzer finds each faulty twin of the reference, from nothing.

    kill_score.py PROGRAM [--time 60] [--seed 1] [--only NAME,...] [--doc docs/fuzzing.md] [--json]

Runs `PROGRAM fuzz reference --mutant NAME` for each twin, one at a time with one host, until one of
the requirements that it breaks (as `list --json` has them) is found broken. --doc writes the table
between the marks of that page. Ends with 1 if a twin is not found that no list of exceptions names.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Twins whose fault no random script can reach, and why.
OUT_OF_REACH = {
    "deleter-after-end": "needs a host that ends (MEM-06), which the fuzzer leaves out",
}
BEGIN, END = "<!-- kill score: begin -->\n", "<!-- kill score: end -->\n"


def broken_by(program):
    """mutant -> requirements that it must break."""
    rows = json.loads(subprocess.check_output([program, "list", "--json"]))
    mutants = {}
    for row in rows:
        for name in row["mutants"]:
            mutants.setdefault(name, []).append(row["id"])
    return mutants


def hunt(program, name, ids, seconds, seed):
    """(requirement, seconds, scripts) of the first finding; None if there was none in time."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [program, "fuzz", "reference", "--mutant", name, "--fresh", "--as-found", "--json",
             "--time", str(seconds), "--seed", str(seed), "--until", ",".join(ids),
             "--requirements", ",".join(ids), "--out", folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds * 3 + 60)
    if run.returncode not in (0, 1):
        raise RuntimeError("%s: exit code %d: %s" % (name, run.returncode, run.stderr.decode()))
    report = json.loads(run.stdout)
    found = [f for f in report["findings"] if f["requirement"] in ids and f["status"] != "error"]
    if not found:
        return None
    first = min(found, key=lambda f: f["found_s"])
    return first["requirement"], first["found_s"], first["found_scripts"]


def table(results, seconds):
    found = [r for r in results.values() if r]
    times = sorted(r[1] for r in found)
    lines = ["%d of %d twins are found within %g s; half of them within %.2f s, all of those "
             "within %.1f s.\n"
             % (len(found), len(results), seconds, times[len(times) // 2], times[-1]),
             "| twin | requirement | seconds | scripts |", "|---|---|---|---|"]
    for name, result in results.items():
        if result:
            lines.append("| %s | %s | %.2f | %d |" % (name, *result))
        else:
            why = OUT_OF_REACH.get(name, "UNEXPECTED")
            lines.append("| %s | not found: %s | | |" % (name, why))
    return "\n".join(lines) + "\n"


def write(page, text):
    old = page.read_text()
    new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + text + END, old,
                 flags=re.S)
    page.write_text(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--time", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--doc", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    mutants = broken_by(options.program)
    wanted = [name for name in options.only.split(",") if name] or list(mutants)
    results = {}
    for name in wanted:
        limit = 2 if name in OUT_OF_REACH else options.time
        results[name] = hunt(options.program, name, mutants[name], limit, options.seed)
        print("%-40s %s" % (name, results[name]), file=sys.stderr, flush=True)
    text = table(results, options.time)
    print(json.dumps(results) if options.json else text)
    if options.doc:
        write(options.doc, text)
    return int(any(not r and name not in OUT_OF_REACH for name, r in results.items()))


if __name__ == "__main__":
    sys.exit(main())
