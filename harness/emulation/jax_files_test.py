"""The files of the jax and jaxlib packages are those of their wheels: each still has the hash that
RECORD gives it. What the emulation shows is the behaviour of the released package.

    jax_files_test.py --python .venvs/jax/bin/python

Exit code 77: there is no JAX in that interpreter.
"""

import argparse
import os
import subprocess
import sys

# Runs in the interpreter that has JAX.
CHECK = r"""
import base64, hashlib, importlib.metadata as metadata, sys
for name in ("jax", "jaxlib"):
    distribution = metadata.distribution(name)
    checked, changed = 0, []
    for file in distribution.files:
        if file.hash is None:  # RECORD itself, and what the installer wrote.
            continue
        path = file.locate()
        digest = hashlib.new(file.hash.mode)
        if path.exists():
            digest.update(path.read_bytes())
        checked += 1
        if base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode() != file.hash.value:
            changed.append(str(file))
    print(name, distribution.version, checked, "files", len(changed), "changed", *changed[:10])
    if changed or checked < 50:
        sys.exit(1)
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=os.environ.get("DLPC_JAX_PYTHON"))
    python = parser.parse_args().python
    if not python or not os.path.exists(python) or subprocess.run(
            [python, "-c", "import importlib.metadata as m; m.version('jax'); m.version('jaxlib')"],
            capture_output=True).returncode != 0:
        print("skipped: no JAX in", python)
        return 77
    return subprocess.run([python, "-B", "-c", CHECK]).returncode


if __name__ == "__main__":
    sys.exit(main())
