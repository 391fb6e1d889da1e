"""What the tools here share: the names of the targets, and refusals in one line (exit code 2)."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

FUZZ = pathlib.Path(__file__).resolve().parent.parent


def fail(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    """Its help is the docstring of the tool; what is wrong takes one line."""

    def __init__(self, doc):
        super().__init__(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        fail(message)


def at_least(least):
    """The type of an option that is a whole number, `least` or more."""
    def number(text):
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{text} is no whole number from {least} up")
        return value
    return number


def names(text):
    """a,b as a list."""
    return [name for name in text.split(",") if name]


def known(wanted, all_names, what):
    for name in wanted:
        if name not in all_names:
            fail(f"no {what} {name}")


def all_targets():
    return sorted(path.stem[len("fuzz_"):] for path in FUZZ.glob("fuzz_*.cc"))


def chosen_targets(text):
    """The targets named in an option --targets; none named: all."""
    wanted = names(text)
    known(wanted, all_targets(), "target")
    return wanted or all_targets()


def answer(command, errors=subprocess.DEVNULL):
    """What a command prints (errors=STDOUT: all of it); None if it does not start or fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=errors, encoding="utf-8", errors="replace",
                              env={**os.environ, "LLVM_PROFILE_FILE": os.devnull}, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def build_with(folder, programs):
    """The bin folder of a build that has these programs, all with libFuzzer."""
    if not folder.is_dir():
        fail(f"no folder {folder}")
    for name in programs:
        program = folder.resolve() / name
        if not program.is_file():
            fail(f"no program {name} in {folder}")
        if "libFuzzer" not in (answer([program, "-help=1"], subprocess.STDOUT) or ""):
            fail(f"{folder} is no build with libFuzzer ({name})")
    return folder.resolve()


def interpreter(path, modules=()):
    """Refuses what is no Python that has these modules."""
    if shutil.which(path) is None:
        fail(f"no interpreter {path}")
    if answer([path, "-c", "import " + ", ".join(["sys", *modules])]) is None:
        fail(f"{path} is no Python" + (" with " + " and ".join(modules) if modules else ""))


def folder_for_output(path):
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {path}: {error.strerror}")
