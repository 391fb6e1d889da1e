"""The suite on every emulated profile: what `run jax --emulate all` saw against expected.json.

    suite_test.py --cli dlpack-conformance --python .venvs/jax/bin/python [--page FILE | --print]

--page: where the release has a section in that file, it must be what was seen now. --print: the
section. Exit code 77: there is no JAX in that interpreter.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jax_emulation
from emulation_test import SKIPPED, jax_version
from expected import Expected, fits

DL_TENSOR = {False: 0, True: 32}  # Offset in the managed tensor, by whether it is versioned.
# They need a stream that the framework makes current itself; jax has no such call.
OWN_STREAMS = ("STREAM-04", "STREAM-05", "STREAM-11")
# What emulated hardware shows of the real package, whatever its release: a struct with id -1.
MUST_FAIL = {"cuda-no-hardware-id": "DEV-09", "tpu-no-hardware-id": "DEV-07",
             "cpu-two-devices": "DEV-06"}


def refusal(observation):
    text = " ".join(observation["message"].split("\n"))
    return observation["class"].rsplit(".", 1)[-1] + ": " + text


def query(observation):
    if observation["type"] == "raised":
        return refusal(observation)
    return f"({observation['device_type']}, {observation['device_id']})"


def capsule(exported, inspected):
    if exported["type"] == "raised":
        return refusal(exported)
    raw = bytes.fromhex(inspected["raw"])
    at = DL_TENSOR[inspected["versioned"]] + 8
    return str(tuple(int.from_bytes(raw[i:i + 4], "little", signed=True) for i in (at, at + 4)))


def run(cli, python, out):
    command = [cli, "run", "jax", "--python", python, "--emulate", "all", "--out", str(out),
               "--format", "json,traces"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    if done.returncode not in (0, 1):
        raise SystemExit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    lines = (out / "traces.jsonl").read_text().splitlines()
    traces = [json.loads(line) for line in lines]
    return json.loads((out / "results.json").read_text()), {t["script"]: t for t in traces}


def trace_of(traces, profile, path):
    """The script that asks the plain array for its device and exports it."""
    family = [t for name, t in traces.items()
              if name.split("/")[0] in ("place", "memory") and name.endswith(f"/{path}/{profile}")]
    assert len(family) == 1, (profile, path, [t["script"] for t in family])
    return family[0]["observations"]


def section(traces, version):
    """What the suite saw of each profile, as Markdown."""
    lines = [f"## jax {version}", "", "| profile | `__dlpack_device__()` | device in the struct |",
             "|---|---|---|"]
    for profile in jax_emulation.profiles():
        steps = trace_of(traces, profile, "versioned")
        device = capsule(steps[2], steps[3])
        lines.append(f"| {profile} | {cell(query(steps[1]))} | {cell(device)} |")
    return "\n".join(lines) + "\n"


def cell(text):
    return "`" + text.replace("|", "\\|") + "`"


def page_unlike_tables(page):
    """Rows of any section that are not what expected.json has for its release."""
    for part in page.split("\n## jax ")[1:]:
        version, *lines = part.splitlines()
        rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
        for profile, *seen in rows:
            expected = Expected(profile, version)
            wanted = [" ".join(text.split()) for text in (expected.device, expected.capsule)]
            if seen != [cell(text) for text in wanted]:
                yield f"page, jax {version}: {profile} is not as in the tables: {seen}"


def page_is_right(page, text):
    heading = text.splitlines()[0]
    if heading not in page:
        return True  # Another release.
    found = page[page.index(heading):].split("\n## ")[0].strip()
    return found == text.strip()


def differences(results, traces, version):
    for profile in jax_emulation.profiles():
        expected = Expected(profile, version)
        for path in ("legacy", "versioned"):
            steps = trace_of(traces, profile, path)
            seen = query(steps[1]), capsule(steps[2], steps[3])
            print(f"{profile:21} {path:9} {seen[0]} | {seen[1]}")
            for name, got, wanted in zip(("query", "capsule"), seen,
                                         (expected.device, expected.capsule)):
                if not fits(got, wanted.replace("\n", " ")):
                    yield f"{profile} {path} {name}\n  expected {wanted}\n  observed {got}"
        cases = [c for c in results["cases"] if c["emulated"] == profile]
        if not all(c["id"].endswith("/" + profile) for c in cases):
            yield f"{profile}: the id of a case does not end in it"
        for status in ("error", "crash", "timeout", "not_supported"):
            for case in cases:
                expected_here = (status == "not_supported" and case["requirement"] in OWN_STREAMS)
                if case["status"] == status and not expected_here:
                    yield f"{case['id']}: {status}: {case['observed']}"
    for case in results["cases"]:
        if not case["emulated"]:
            yield f"{case['id']}: not marked as emulated"
    failed = {(c["emulated"], c["requirement"]) for c in results["cases"] if c["status"] == "fail"}
    for profile, requirement in MUST_FAIL.items():
        exports = Expected(profile, version).capsule.startswith("(")
        if exports and (profile, requirement) not in failed:
            yield f"{profile}: {requirement} was not found to be broken"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--python", default=os.environ.get("DLPC_JAX_PYTHON"))
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--print", action="store_true")
    args = parser.parse_args()
    version = jax_version(args.python)
    if version is None:
        print("skipped: no JAX in", args.python)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        results, traces = run(args.cli, args.python, pathlib.Path(folder))
    if args.print:
        print(section(traces, version))
        return 0
    wrong = list(differences(results, traces, version))
    if args.page:
        wrong += page_unlike_tables(args.page.read_text())
    if args.page and not page_is_right(args.page.read_text(), section(traces, version)):
        wrong.append(f"{args.page} has something else; this was seen:\n{section(traces, version)}")
    print(*wrong, sep="\n")
    print(f"jax {version}: {len(results['cases'])} cases, {results['wall_s']:.1f} s, "
          f"{len(wrong)} unlike the tables")
    return 1 if wrong or not results["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
