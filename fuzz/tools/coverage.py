"""Line coverage of the rules and the parsers by the fuzz corpora (llvm-cov).

    coverage.py [--build build/fuzz-coverage] [--seconds 0] [--html DIR] [--check]

Builds the targets with clang's coverage, replays corpus and crashes of each (with --seconds: fuzzes
each so long first, from the seeds, and replays what that found, too), and prints the lines covered
of reference/ and of each parser. --check ends with 1 below the floors.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import usage
from usage import FUZZ

ROOT = FUZZ.parent
FLOORS = {"reference": 95.0, "parsers": 90.0}
PARSERS = ["harness/wire.cc", "harness/script.cc", "harness/trace.cc", "harness/json.cc",
           "harness/expectations_read.cc", "harness/report/results_read.cc",
           "harness/report/traces_read.cc"]
# Written for people or for tests, not reached by any input; and tables whose only functions the
# compiler runs (constexpr): what they say is compared by the target device_map.
LEFT_OUT = ["reference/device_map_docs.cc", "reference/testing/", "reference/device_map_generic.cc",
            "reference/device_map_jax.cc", "reference/device_map_jaxlib.cc",
            "reference/device_map_numpy.cc", "reference/device_map_torch.cc"]


def tool(name):
    for candidate in (name, name + "-14"):
        if shutil.which(candidate):
            return candidate
    return usage.fail(f"{name} is not installed")


def build(folder):
    flags = "-fprofile-instr-generate -fcoverage-mapping -fsanitize=fuzzer-no-link"
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++",
                    f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}",
                    "-DDLPC_FUZZ_ENGINE=-fsanitize=fuzzer", "-DDLPC_BUILD_TESTS=OFF",
                    "-DDLPC_PYTHON_HOST=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "fuzz_targets"], check=True)


def profile(program, target, seconds, scratch):
    folders = [FUZZ / "corpus" / target, FUZZ / "crashes" / target]
    if seconds:
        new = scratch / target
        new.mkdir()
        subprocess.run([program, f"-max_total_time={seconds}", "-max_len=4096", new, *folders],
                       env={"LLVM_PROFILE_FILE": "/dev/null"}, check=True,
                       stderr=subprocess.DEVNULL)
        folders.append(new)
    raw = scratch / (target + ".profraw")
    subprocess.run([program, "-runs=0", *folders], env={"LLVM_PROFILE_FILE": str(raw)}, check=True,
                   stderr=subprocess.DEVNULL)
    return raw


def relative(name, folder):
    """The path below the checkout of a file that a compiler in `folder` named; "": elsewhere."""
    path = pathlib.Path(os.path.normpath(folder / name))
    return str(path.relative_to(ROOT)) if ROOT in path.parents else ""


def is_reference(name):
    return name.startswith("reference/") and not any(name.startswith(x) for x in LEFT_OUT)


def lines(files, wanted):
    """(covered, all) of the files that `wanted` holds for."""
    covered = total = 0
    for name, file in files.items():
        if wanted(name):
            covered += file["summary"]["lines"]["covered"]
            total += file["summary"]["lines"]["count"]
    return covered, total


def arguments():
    parser = usage.Parser(__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/fuzz-coverage",
                        metavar="DIR", help="folder of the build (default: build/fuzz-coverage)")
    parser.add_argument("--seconds", type=usage.at_least(0), default=0, metavar="N",
                        help="how long to fuzz each target first (default: 0)")
    parser.add_argument("--html", type=pathlib.Path, metavar="DIR",
                        help="for pages that show the lines")
    parser.add_argument("--check", action="store_true", help="end with 1 below the floors")
    options = parser.parse_args()
    options.build = options.build.resolve()
    for name in ("cmake", "ninja", "clang", "clang++", "llvm-profdata", "llvm-cov"):
        tool(name)
    for folder in filter(None, (options.build, options.html)):
        usage.folder_for_output(folder)
    return options


def measure(options):
    """File -> what llvm-cov says of it."""
    build(options.build)
    targets = usage.all_targets()
    programs = [options.build / "bin" / ("fuzz_" + target) for target in targets]
    objects = [str(programs[0])] + [f"-object={program}" for program in programs[1:]]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        raw = [profile(p, t, options.seconds, scratch) for p, t in zip(programs, targets)]
        data = scratch / "all.profdata"
        subprocess.run([tool("llvm-profdata"), "merge", "-o", data, *raw], check=True)
        cov = tool("llvm-cov")
        exported = subprocess.run([cov, "export", "-summary-only", f"-instr-profile={data}",
                                   *objects], check=True, stdout=subprocess.PIPE).stdout
        files = {relative(file["filename"], options.build): file
                 for file in json.loads(exported)["data"][0]["files"]}
        if options.html:
            # By what to leave out: names may be relative to the build folder (ccache).
            subprocess.run([cov, "show", "-format=html", f"-output-dir={options.html.resolve()}",
                            "-ignore-filename-regex=^/usr|/[.]deps/|/fuzz/[^/]*$|/testing/",
                            f"-instr-profile={data}", *objects], check=True, cwd=options.build)
    return files


def main():
    options = arguments()
    try:
        files = measure(options)
    except subprocess.CalledProcessError as error:
        usage.fail(f"{pathlib.Path(error.cmd[0]).name} ended with {error.returncode}")
    good = True
    for group, wanted in (("reference", is_reference), ("parsers", lambda name: name in PARSERS)):
        covered, total = lines(files, wanted)
        percent = 100 * covered / total
        good = good and percent >= FLOORS[group]
        print(f"{group}: {percent:.1f} % of {total} lines (floor {FLOORS[group]:.0f} %)")
        for name, file in sorted(files.items()):
            if wanted(name) and file["summary"]["lines"]["percent"] < FLOORS[group]:
                print("  %-40s %5.1f %%" % (name, file["summary"]["lines"]["percent"]))
    return 0 if good or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
