"""The unmodified JAX on every emulated profile, one process each, against expected.json.

    emulation_test.py --library dlpc_pjrt_emulation.so --python .venvs/jax/bin/python [PROFILE ...]

Exit code 77: there is no JAX in that interpreter. --save DIR keeps what was seen.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

import jax_emulation
from expected import Expected, fits

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def jax_version(python):
    """None when that interpreter has no JAX."""
    if not python or not os.path.exists(python):
        return None
    code = "from importlib.metadata import version; print(version('jax'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def probe(python, library, profile):
    """(results, None) or (None, what went wrong)"""
    command = [python, "-B", HERE / "probe.py", profile, library]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, "no answer within 120 s"
    if done.returncode != 0:
        return None, f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    return json.loads(done.stdout.splitlines()[-1])["results"], None


def differences(profile, version, results):
    expected = Expected(profile, version)
    for name, text in results.items():
        try:
            wanted = expected(name)
        except KeyError:
            yield f"{name}: nothing is expected of it, but there is: {text}"
            continue
        if not fits(text, wanted):
            yield f"{name}\n      expected: {wanted}\n      observed: {text}"


def check_tables():
    """The comparison itself can fail."""
    results = {"device": "(2, 0)", "capsule": "dltensor (2, 0) same", "no such result": ""}
    wrong = list(differences("cuda-pinned", "0.12.0", results))
    assert len(wrong) == 3, wrong
    assert len(list(differences("cuda-pinned", "0.10.1", results))) == 1
    assert not list(differences("cuda-device", "0.12.0", {"device": "(2, 0)"}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--python", default=os.environ.get("DLPC_JAX_PYTHON"))
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("profiles", nargs="*", default=[])
    args = parser.parse_args()
    check_tables()
    version = jax_version(args.python)
    if version is None:
        print("skipped: no JAX in", args.python)
        return SKIPPED

    began, wrong, checked = time.monotonic(), 0, 0
    profiles = args.profiles or jax_emulation.profiles()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda p: probe(args.python, os.path.abspath(args.library), p), profiles)
        for profile, (results, fault) in zip(profiles, runs):
            found = [fault] if fault else list(differences(profile, version, results))
            checked += len(results or {})
            wrong += len(found)
            print(f"{'ok  ' if not found else 'FAIL'} {profile}")
            for line in found:
                print("   ", line)
            if args.save:
                args.save.mkdir(parents=True, exist_ok=True)
                (args.save / f"{profile}.json").write_text(json.dumps(results, indent=1) + "\n")
    seconds = time.monotonic() - began
    print(f"jax {version}: {checked} answers on {len(profiles)} profiles, "
          f"{wrong} unlike the tables, {seconds:.1f} s")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
