#!/usr/bin/env bash
# Prints the figures of bench/README.md that concern the whole path. After scripts/certify.
#   bench/measure_spine.sh [PRODUCER] [--runs N] [--build]
# PRODUCER: a Python producer with an environment in .venvs (numpy). --build: also time a release
# build from nothing, in a scratch folder and without ccache.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"

producer=numpy
runs=5
with_build=no
while [ $# -gt 0 ]; do
  case "$1" in
    --build) with_build=yes ;;
    --runs)
      runs="${2:-5}"
      shift
      ;;
    -*) die 2 "unknown option $1" ;;
    *) producer="$1" ;;
  esac
  shift
done
cli="build/release/bin/dlpack-conformance"
python=".venvs/$producer/bin/python"
[ -x "$cli" ] || die 2 "no $cli; run scripts/certify first"
[ -x "$python" ] || die 2 "no $python; run scripts/certify $producer first"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

"$python" - "$cli" "$producer" "$runs" "$scratch" <<'PY'
import importlib, json, os, pathlib, statistics, subprocess, sys, time

cli, producer, runs, scratch = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
python = sys.executable


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(child) for child in text.split()]
    except OSError:
        return []


def peak_mb(pid):
    """Peak resident memory of a process, while it lives."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def run(watch):
    command = [cli, "run", producer, "--python", python, "--out", scratch + "/report"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL)
    peak = 0.0
    while watch and process.poll() is None:
        peak = max([peak, *map(peak_mb, children(process.pid))])
        time.sleep(0.002)
    code = process.wait()
    wall = time.perf_counter() - start
    if code not in (0, 1):
        sys.exit(f"error: the run ended with exit code {code}")
    return wall, json.load(open(scratch + "/report/results.json")), peak


# The producer alone: its interpreter with the library imported.
plain = subprocess.run([python, "-c", f"import {producer}, pathlib; "
                        "print(pathlib.Path('/proc/self/status').read_text())"],
                       check=True, capture_output=True, text=True).stdout
plain_mb = next(int(l.split()[1]) / 1024 for l in plain.splitlines() if l.startswith("VmHWM"))

results = [run(watch=False) for _ in range(runs)]
walls = [wall for wall, _, _ in results]
rates = [result["checks_per_s"] for _, result, _ in results]
_, result, peak = run(watch=True)
print(f"producer            {producer} {result['producer']['version']}, "
      f"{len(result['cases'])} cases, verdict {result['verdict']}")
print(f"cores               {os.cpu_count()}")
print(f"wall, s             median {statistics.median(walls):.3f}, best {min(walls):.3f}, "
      f"worst {max(walls):.3f} of {runs}")
print(f"checks per second   median {statistics.median(rates):,.0f}, best {max(rates):,.0f}")
print(f"host memory, MB     peak {peak:.1f}, the producer alone {plain_mb:.1f}, "
      f"added {peak - plain_mb:.1f}")
PY

if [ "$with_build" = yes ]; then
  quietly "$scratch/configure.log" cmake --preset release -B "$scratch/build" -DDLPC_CCACHE=OFF \
    -DDLPC_BUILD_TESTS=OFF
  start="$(date +%s.%N)"
  quietly "$scratch/build.log" cmake --build "$scratch/build" --parallel "$(nproc)"
  awk -v start="$start" -v end="$(date +%s.%N)" \
    'BEGIN {printf "clean build, s      %.1f (release, without tests)\n", end - start}'
fi
