"""The jax profile of the device map against the real function of an installed jax.

jax._src.array.ArrayImpl.__dlpack_device__ is called on stand-ins for arrays: it looks only at how
many buffers there are, at the platform, the sharding's memory kind and the one device. Nothing of
jax is replaced. What a device calls its platform is jaxlib's doing ("gpu" for cuda, rocm, oneapi):
that part is repeated here, and tested through the emulated accelerator (emulation_test.py).

    jax_map_test.py --program bin/dlpack-conformance [--python interpreter with jax]
"""

import argparse
import itertools
import json
import os
import subprocess
import sys

SKIPPED = 77
PLATFORMS = ("cpu", "tpu", "cuda", "rocm", "oneapi", "gpu", "xpu", "METAL", "sycl", "CUDA", "",
             "{platform}", "a b")
VERSIONS = ("", "cuda 12090", "PJRT C API\ncuda 12090", "CUDA 12090", "Cuda", "cud", "rocm 60300",
            "ROCM", "oneapi 2025", "oneAPI", "some gpu 1", "rocm cuda", "oneapi cuda",
            "oneapi rocm", "{platform_version}", "x" * 300, "\u00e9 cuda", "tpu emulated")
KINDS = ("device", "pinned_host", "unpinned_host", "managed", "PINNED_HOST", "", None)
IDS = (None, 0, 1, 9, 2**31 - 1)
SHARDS = (1, 0, 2, 8)


class StandIn:
    """As much of an array as the query looks at."""

    def __init__(self, facts, gpu_names):
        self._arrays = [None] * facts["shards"]
        self._platform = "gpu" if facts["platform"] in gpu_names else facts["platform"]
        self.sharding = _Record(memory_kind=facts["memory_kind"],
                                _internal_device_list=[_Record(
                                    local_hardware_id=facts["hardware_id"],
                                    client=_Record(platform_version=facts["platform_version"]))])

    def platform(self):
        return self._platform


class _Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def grid():
    names = ("platform", "platform_version", "memory_kind", "hardware_id", "shards")
    for values in itertools.product(PLATFORMS, VERSIONS, KINDS, IDS, SHARDS):
        yield dict(zip(names, values))


def real_answer(query, facts, gpu_names):
    try:
        kind, number = query(StandIn(facts, gpu_names))
        return {"device_type": int(kind), "device_id": number}
    except Exception as error:  # Its class is compared.
        return {"exception": type(error).__name__, "message": str(error)}


def ask(program, profile, questions):
    lines = [json.dumps({key: "default" if value is None and key == "memory_kind" else value
                         for key, value in facts.items()}) for facts in questions]
    done = subprocess.run([program, "map", "--batch", "--profile", profile], check=True,
                          input="\n".join(lines) + "\n", stdout=subprocess.PIPE, encoding="utf-8")
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    if len(answers) != len(questions):
        sys.exit(f"{len(questions)} questions, {len(answers)} answers")
    for answer in answers:
        del answer["text"]
    return answers


def compare(program):
    import jax
    from jax._src.array import ArrayImpl

    release = tuple(int(part) for part in jax.__version__.split(".")[:2])
    gpu_names = {"cuda", "rocm", "gpu"} | ({"oneapi"} if release >= (0, 11) else set())
    questions = list(grid())
    # Whatever wraps the function, the array's class has it under this name.
    real = [real_answer(ArrayImpl.__dlpack_device__, facts, gpu_names) for facts in questions]
    ours = ask(program, f"jax@{jax.__version__}", questions)
    wrong = [(facts, r, o) for facts, r, o in zip(questions, real, ours) if r != o]
    for facts, r, o in wrong[:10]:
        print(f"{facts}\n  jax: {r}\n  map: {o}")
    kinds = {answer.get("device_type", answer.get("message", "")[:40]) for answer in real}
    print(f"jax {jax.__version__}: {len(questions)} questions, {len(kinds)} kinds of answers, "
          f"{len(wrong)} differ")
    # The other table must not pass for this one: the comparison would be blind.
    other = "jax@0.10" if release >= (0, 11) else "jax@0.11"
    differ = sum(r != o for r, o in zip(real, ask(program, other, questions)))
    print(f"against {other}: {differ} differ")
    return 0 if not wrong and differ > 100 and len(kinds) >= 8 else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--python", help="interpreter that has jax; else this one")
    options = parser.parse_args()
    if options.python is None:
        return compare(options.program)
    if not os.path.exists(options.python):
        print(f"skipped: no {options.python}")
        return SKIPPED
    if subprocess.run([options.python, "-c", "import jax"], capture_output=True).returncode != 0:
        print(f"skipped: {options.python} has no jax")
        return SKIPPED
    return subprocess.run([options.python, "-B", __file__, "--program", options.program]).returncode


if __name__ == "__main__":
    sys.exit(main())
