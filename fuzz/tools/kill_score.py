"""Kill score: how soon the fuzzer finds each faulty twin of the reference, from nothing.

    kill_score.py PROGRAM [--time 60] [--seed 1] [--only NAME,... | --doc docs/fuzzing.md] [--json]

Runs `PROGRAM fuzz reference --mutant NAME` for each twin, one at a time with one host, until one of
the requirements that it breaks (as `list --json` has them) is found broken. --doc writes the table
between the marks of that page, so it takes all twins. Ends with 1 if a twin is not found that no
list of exceptions names, with 2 if it cannot start or a hunt fails.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import usage

# Twins whose fault no random script can reach, and why.
OUT_OF_REACH = {
    "deleter-after-end": "needs a host that ends (MEM-06), which the fuzzer leaves out",
}
BEGIN, END = "<!-- kill score: begin -->\n", "<!-- kill score: end -->\n"


def broken_by(program):
    """mutant -> requirements that it must break."""
    if shutil.which(program) is None:
        usage.fail(f"no program {program}")
    mutants = {}
    try:
        for row in json.loads(usage.answer([program, "list", "--json"]) or ""):
            for name in row["mutants"]:
                mutants.setdefault(name, []).append(row["id"])
    except (ValueError, TypeError, KeyError):
        mutants = {}
    return mutants or usage.fail(f"{program} does not list twins (list --json)")


def hunt(program, name, ids, seconds, seed):
    """(requirement, seconds, scripts) of the first finding; None if there was none in time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "fuzz", "reference", "--mutant", name, "--fresh", "--as-found",
                   "--json", "--time", str(seconds), "--seed", str(seed), "--until", ",".join(ids),
                   "--requirements", ",".join(ids), "--out", folder]
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 timeout=seconds * 3 + 60)
        except subprocess.TimeoutExpired:
            usage.fail(f"{name}: does not end")
    if run.returncode not in (0, 1):
        said = run.stderr.decode(errors="replace").split("\n")
        usage.fail(f"{name}: exit code {run.returncode}: {' '.join(filter(None, said))}")
    report = json.loads(run.stdout)
    found = [f for f in report["findings"] if f["requirement"] in ids and f["status"] != "error"]
    if not found:
        return None
    first = min(found, key=lambda f: f["found_s"])
    return first["requirement"], first["found_s"], first["found_scripts"]


def table(results, seconds):
    times = sorted(r[1] for r in results.values() if r)
    summary = "%d of %d twins are found within %g s" % (len(times), len(results), seconds)
    if times:
        summary += "; half of them within %.2f s, all of those within %.1f s" % (
            times[len(times) // 2], times[-1])
    lines = [summary + ".\n", "| twin | requirement | seconds | scripts |", "|---|---|---|---|"]
    for name, result in results.items():
        if result:
            lines.append("| %s | %s | %.2f | %d |" % (name, *result))
        else:
            why = OUT_OF_REACH.get(name, "UNEXPECTED")
            lines.append("| %s | not found: %s | | |" % (name, why))
    return "\n".join(lines) + "\n"


def check_page(page):
    """Refuses a page that `write` could not change."""
    try:
        marked = re.search(re.escape(BEGIN) + ".*?" + re.escape(END), page.read_text(), re.S)
    except (OSError, UnicodeDecodeError) as error:
        usage.fail(f"--doc {page}: {getattr(error, 'strerror', None) or 'no text'}")
    if not marked:
        usage.fail(f"--doc {page}: no marks {BEGIN.strip()}, {END.strip()}")
    if not os.access(page, os.W_OK):
        usage.fail(f"--doc {page}: may not be written")


def write(page, text):
    old = page.read_text()
    new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + text + END, old,
                 flags=re.S)
    page.write_text(new)


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number above 0")
    return value


def arguments():
    parser = usage.Parser(__doc__)
    parser.add_argument("program", metavar="PROGRAM", help="dlpack-conformance, as built")
    parser.add_argument("--time", type=positive, default=60, metavar="SECONDS",
                        help="how long each twin is looked for at most (default: 60)")
    parser.add_argument("--seed", type=usage.at_least(0), default=1, metavar="N",
                        help="of the fuzzer (default: 1)")
    parser.add_argument("--only", default="", metavar="NAME,...", help="these twins (default: all)")
    parser.add_argument("--doc", type=pathlib.Path, metavar="PAGE",
                        help="page whose table is replaced; not with --only")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args()
    if options.only and options.doc:
        usage.fail("--doc replaces the whole table: not with --only")
    if options.doc:
        check_page(options.doc)
    return options


def main():
    options = arguments()
    mutants = broken_by(options.program)
    wanted = usage.names(options.only) or list(mutants)
    usage.known(wanted, mutants, "twin")
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
