"""Builds the preset fuzz-fast twice: the second time for what the first one was seen to do.

    fast_build.py [--build build/fuzz-fast] [--seconds 5] [--python producer=INTERPRETER,...]

Profile-guided optimisation with clang: a build that counts runs each target on its corpus (and, in
the producers' interpreters, the module dlpc_fuzz); the build in --build is optimised for that. It
tries the same inputs as any other build of the targets, in two thirds of the time.
"""

import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys

import speed

ROOT = speed.FUZZ.parent


def build(folder, *settings):
    subprocess.run(["cmake", "--preset", "fuzz-fast", "-B", folder, *settings], cwd=ROOT,
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "fuzz_targets", "dlpc_fuzz"], cwd=ROOT,
                   check=True)


def train(folder, seconds, pythons):
    for name, result in speed.measure_all(folder / "bin", seconds, speed.all_targets(), pythons):
        if not result[0]:
            raise SystemExit(f"fast_build.py: {name} does not run\n{result[3][-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/fuzz-fast")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--python", default="")
    options = parser.parse_args()
    profdata = shutil.which("llvm-profdata") or shutil.which("llvm-profdata-14")
    if profdata is None:
        raise SystemExit("fast_build.py: llvm-profdata is not installed (Debian: llvm-14)")
    final = options.build.resolve()
    trained = final.with_name(final.name + "-train")
    raw, merged = trained / "profiles", trained / "fuzz.profdata"
    for old in [*trained.glob("fuzz-*.profdata"), merged]:
        old.unlink(missing_ok=True)
    shutil.rmtree(raw, ignore_errors=True)
    build(trained, f"-DDLPC_PROFILE_INTO={raw}")
    train(trained, options.seconds, speed.pairs(options.python))
    subprocess.run([profdata, "merge", "-o", merged, *sorted(raw.glob("*.profraw"))], check=True)
    # By a name that changes with what it says: else objects made for an earlier one would be kept.
    named = trained / f"fuzz-{hashlib.sha256(merged.read_bytes()).hexdigest()[:16]}.profdata"
    merged.rename(named)
    build(final, f"-DDLPC_PROFILE={named}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
