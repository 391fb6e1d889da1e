"""Guards that programs put before an export, judged against what the real JAX does on each emulated
profile; makes docs/guards.md.

    guards.py --library lib/dlpc_pjrt_emulation.so --python .venvs/jax/bin/python [--check FILE]

--check: nothing is printed, the file must be what would be printed (its JAX release too).
Exit code 77: there is no JAX in that interpreter.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import jax_emulation
from emulation_test import SKIPPED, jax_version

# Expression on the array x, where it comes from, and what is wrong with it.
GUARDS = [
    ('hasattr(x, "__dlpack__")', "the most common one",
     "every jax.Array has the method; whether it works depends on where the array is."),
    ('x.device.platform in ("cpu", "gpu")', "tests of XLA and TensorFlow, where it was true once",
     "refuses pinned host memory of a TPU, and lets through a GPU that is none of the three."),
    ('x.device.platform in ("cpu", "cuda")', "code that has the name from PyTorch",
     "JAX calls every GPU `gpu`, whatever its maker: no GPU ever passes."),
    ('x.device.platform in ("gpu", "cuda")', "GPU paths of numerical packages",
     "the same as `== \"gpu\"`: also true where the query then refuses."),
    ('x.device.platform in ("cpu", "gpu", "tpu")', "code that lists the platforms of JAX",
     "device memory of a TPU has no DLPack device in JAX, only its pinned host memory has."),
    ('x.device.platform != "tpu"', "code that knows the old text of the refusal",
     "refuses pinned host memory of a TPU, which can be exported since 0.11."),
    ('x.sharding.memory_kind in (None, "device")', "code that moves other memory first",
     "says nothing about the platform, and refuses pinned memory, which can be exported."),
    ("len(x.devices()) == 1", "code that gathers sharded arrays first",
     "needed, not enough."),
    ("x.is_fully_addressable", "code for several processes",
     "true of an array that is sharded over devices of this process, too."),
    ("x.__dlpack_device__()[0] in (1, 2)", "consumers that know the CPU and CUDA",
     "enough for what such a consumer can read itself; other memory is there, and it raises where "
     "there is none. An id of -1 does not come here: the query refuses."),
    ("answers(x.__dlpack_device__)", "consumers: try the query, catch BufferError",
     "the query looks at the version text, the export at the platform's name: they may differ."),
    ("answers(x.__dlpack__)", "try the export, catch whatever comes",
     "exports where the device has no number, with id -1, which no consumer can use."),
    ("answers(x.__dlpack_device__) and answers(x.__dlpack__)", "what `from_dlpack` itself does",
     "this is the definition. Catch RuntimeError too: the export of JAX raises "
     "JaxRuntimeError, no BufferError, where the device has no type."),
]


def answers(method):
    try:
        method()
    except Exception:  # noqa: BLE001
        return False
    return True


def usable(x):
    """Whether a consumer gets the array: it asks for the device, then for the capsule."""
    return answers(x.__dlpack_device__) and answers(x.__dlpack__)


def judge(x):
    names = {"x": x, "answers": answers}
    verdicts = []
    for guard, *_ in GUARDS:
        try:
            said = bool(eval(guard, names))
        except Exception as e:  # noqa: BLE001
            verdicts.append(type(e).__name__)
            continue
        verdicts.append(said)
    return {"usable": usable(x), "said": verdicts}


def one(profile, library):
    jax_emulation.setup(profile, library)
    import numpy

    json.dump(judge(jax_emulation.make(numpy.arange(6.0))), sys.stdout)


def ask(python, library, profile):
    command = [python, "-B", __file__, "--one", profile, "--library", library]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{profile}: {done.stderr}")
    return json.loads(done.stdout)


def listed(names):
    return ", ".join(names) if names else "-"


def page(version, answers_of):
    profiles = list(answers_of)
    works = [p for p in profiles if answers_of[p]["usable"]]
    lines = [
        "# Guards",
        "",
        "Programs ask before they export: is this array one that DLPack can describe? Each guard "
        "below was",
        f"evaluated by harness/emulation/guards.py on every emulated profile of jax {version}, "
        "and compared with",
        "what happens: whether both `__dlpack_device__` and `__dlpack__` answer, as a consumer "
        "needs it. A test",
        "evaluates them again. The profiles are those of docs/emulation.md; the plain device map "
        "is in",
        "docs/device-map.md, and `dlpack-conformance map` answers for any other place.",
        "",
        f"It works on: {listed(works)}.",
        f"It does not on: {listed([p for p in profiles if p not in works])}.",
        "",
        "| guard | seen in | yes, but refused | no, but works | raises | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for index, (guard, seen, why) in enumerate(GUARDS):
        said = {p: answers_of[p]["said"][index] for p in profiles}
        false_yes = [p for p in profiles if said[p] is True and p not in works]
        false_no = [p for p in profiles if said[p] is False and p in works]
        raises = [f"{p} ({said[p]})" for p in profiles if isinstance(said[p], str)]
        wrong = bool(false_yes or false_no or raises)
        lines.append(f"| `{guard}` | {seen} | {listed(false_yes)} | {listed(false_no)} | "
                     f"{listed(raises)} | {'wrong' if wrong else 'right'}: {why} |")
    lines += [
        "",
        "`answers(f)` stands for `try: f()` with every exception caught.",
        "",
        "No test of a platform's name is right, since neither name nor memory kind alone decides. "
        "Either try,",
        "as the last row does, and go through the host (`numpy.asarray(x)`) if that fails; or ask "
        "the map, whose",
        "guard is derived from the same table as its answers and cannot disagree with them.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--python", default=os.environ.get("DLPC_JAX_PYTHON"))
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--one")
    args = parser.parse_args()
    if args.one:
        return one(args.one, args.library)
    version = jax_version(args.python)
    if version is None:
        print("skipped: no JAX in", args.python)
        return SKIPPED
    if args.check and f"of jax {version}," not in args.check.read_text():
        print(f"skipped: {args.check} is about another release than jax {version}")
        return SKIPPED
    profiles = jax_emulation.profiles()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda p: ask(args.python, args.library, p), profiles)
        text = page(version, dict(zip(profiles, results)))
    if not args.check:
        print(text, end="")
        return 0
    if args.check.read_text() == text:
        return 0
    print(f"{args.check} is not what the guards do now; this is:\n{text}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
