"""The files of the tree, for the tests beside this one."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = {".git", ".deps", ".venvs", "build", "__pycache__", "dlpack-report"}


def files():
    """Paths relative to the root: what git knows or would add; everything, without git."""
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True).stdout.decode()
        names = [pathlib.Path(name) for name in listing.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    return sorted({name for name in names
                   if (ROOT / name).is_file() and not GENERATED & set(name.parts)})


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")
