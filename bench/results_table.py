"""Results of `dlpack-conformance bench` as the table of docs/benchmarks.md.

    results_table.py BENCH.json...

One row for each producer, in the order of the files. A cell is the median of one call, its ratio to
one malloc/free pair in the same process, and the heap blocks that one call takes.
"""

import json
import statistics
import sys

COLUMNS = [  # (heading, topic, step, bytes)
    ("`__dlpack_device__`", "Device", "__dlpack_device__", 4096),
    ("export, legacy", "Export", "release legacy", 4096),
    ("export, versioned", "Export", "release versioned", 4096),
    ("table, owned", "Table", "owned", 4096),
    ("table, borrowed", "Table", "borrowed", 4096),
    ("refusal", "Refusal", "dl_device", 4096),
    ("import of its own", "Import", "from itself", 4096),
    ("`numpy.from_dlpack`", "Import", "numpy from it", 4096),
]


def time_text(ns):
    for limit, unit, scale in ((999.5, "ns", 1), (999.5e3, "us", 1e3), (999.5e6, "ms", 1e6)):
        if ns < limit:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def read(path):
    """[(producer, version, {(topic, step, bytes): ([ns], blocks)})]"""
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    producers = {}
    for entry in run["benchmarks"]:
        if entry["run_type"] != "iteration" or entry.get("error_occurred"):
            continue
        series = producers.setdefault(entry["producer"], {})
        key = entry["topic"], entry["step"], entry["bytes"]
        times, _ = series.setdefault(key, ([], entry.get("blocks_per_call")))
        times.append(entry["real_time"])
    versions = run["context"]
    return [(name, versions.get("version of " + name, ""), series)
            for name, series in producers.items()]


def cell(series, key, floor):
    if key not in series:
        return "-"
    times, blocks = series[key]
    median = statistics.median(times)
    return f"{time_text(median)}, {median / floor:.3g}x" + (
        "" if blocks is None else f", {blocks:.3g}")


def main():
    print("| producer | " + " | ".join(heading for heading, *_ in COLUMNS) + " |")
    print("|" + "---|" * (len(COLUMNS) + 1))
    for path in sys.argv[1:]:
        for name, version, series in read(path):
            floor = statistics.median(series["Floor", "malloc free", 4096][0])
            cells = [cell(series, tuple(key), floor) for _, *key in COLUMNS]
            print(f"| {name} {version} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
