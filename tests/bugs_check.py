"""Runs the programs of docs/BUGS.md again and compares what they print with what the page says.

    bugs_check.py [FRAMEWORK...]

Needs the virtual environments that scripts/certify makes; frameworks without one are told and
skipped. Not part of ctest: it takes minutes and needs them all. Addresses, paths and what else
differs from run to run is not compared.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = re.compile(r"```python\n(.*?)```(?:(?!```).)*?```text\n(.*?)```", re.S)
VOLATILE = ((r"0x[0-9a-f]+", "0x"), (r'File ".*"', "File"))


def comparable(text):
    for pattern, replacement in VOLATILE:
        text = re.sub(pattern, replacement, text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def printed(python, program, folder):
    """Lines of both outputs; a death by a signal is one, as a shell shows it."""
    (folder / "program.py").write_text(program)
    done = subprocess.run([python, "-W", "ignore", "program.py"], cwd=folder, timeout=300,
                          capture_output=True, text=True)  # fmt: skip
    died = "Segmentation fault\n" if done.returncode == -11 else ""
    return comparable(done.stdout + died + done.stderr)


def check(section, folder):
    """(programs, how many of them print something else)"""
    title = section.splitlines()[0]
    python = ROOT / ".venvs" / title.split()[0] / "bin" / "python"
    if not python.exists():
        print(f"skip  {title}: scripts/certify {title.split()[0]} makes its environment")
        return 0, 0
    programs = wrong = 0
    for match in PROGRAM.finditer(section):
        heading = re.findall(r"^### (.*)", section[: match.start()], re.M)[-1]
        seen = printed(python, match[1], folder)
        missing = [line for line in comparable(match[2]) if line not in seen]
        programs, wrong = programs + 1, wrong + bool(missing)
        print("DIFF " if missing else "ok   ", f"{title}: {heading}")
        if missing:
            print("      not printed:", *missing, "instead:", *seen[-5:], sep="\n        ")
    return programs, wrong


def main(wanted):
    head, *sections = re.split(r"^## ", (ROOT / "docs/BUGS.md").read_text(), flags=re.M)
    modules = re.findall(r"```python\n(.*?)```", head, re.S)
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in zip(("capsule.py", "exchange.py"), modules, strict=True):
            (folder / name).write_text(text)
        for section in sections:
            if not wanted or section.split()[0] in wanted:
                counts.append(check(section, folder))
    programs, wrong = map(sum, zip(*counts)) if counts else (0, 0)
    print(f"{programs} programs, {wrong} print something else than the page says")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
