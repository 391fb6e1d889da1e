"""Files are ASCII, short, tidy at line ends, and name no machine. Functions: see .clang-tidy."""

import re
import unittest

import tree

CODE = {".cc", ".h", ".c", ".py", ".sh", ".cmake"}
LIMIT, TEST_LIMIT = 300, 400
# Paths and addresses that only hold on one developer's machine.
MACHINE = re.compile(r"/(?:root|home/\w+|work/\w+)/|\b(?:10|127)\.\d+\.\d+\.\d+\b|localhost")
EXCEPTIONS = "tests/style_exceptions.txt"


def texts():
    for name in tree.files():
        data = (tree.ROOT / name).read_bytes()
        binary = {"corpus", "crashes"} & set(name.parts) or b"\0" in data
        if not binary:
            yield name, data


def is_code(name):
    return name.suffix in CODE or name.parts[0] == "scripts" or name.name == "CMakeLists.txt"


def limit(name):
    is_test = name.parts[0] == "tests" or name.stem.endswith("_test")
    return TEST_LIMIT if is_test else LIMIT


def exceptions():
    """path -> lines allowed. The list may only shrink."""
    lines = [line.split("#")[0].split() for line in tree.read(EXCEPTIONS).splitlines()]
    return {fields[0]: int(fields[1]) for fields in lines if fields}


class StyleTest(unittest.TestCase):
    def test_ascii(self):
        bad = [f"{name}:{number}" for name, data in texts()
               for number, line in enumerate(data.split(b"\n"), 1) if not line.isascii()]
        self.assertEqual(bad, [])

    def test_line_ends(self):
        bad = [f"{name}:{number}" for name, data in texts()
               for number, line in enumerate(data.split(b"\n"), 1)
               if line != line.rstrip() or b"\t" in line]
        self.assertEqual(bad, [])

    def test_last_line_ends(self):
        bad = [str(name) for name, data in texts() if data and not data.endswith(b"\n")]
        self.assertEqual(bad, [])

    def test_length_of_lines(self):
        formatted = {".cc", ".h", ".c"}  # clang-format sees to these.
        bad = [f"{name}:{number}" for name, data in texts()
               if is_code(name) and name.suffix not in formatted
               for number, line in enumerate(data.split(b"\n"), 1) if len(line) > 100]
        self.assertEqual(bad, [])

    def test_length_of_files(self):
        allowed = exceptions()
        bad = []
        for name, data in texts():
            lines = data.count(b"\n")
            most = allowed.get(str(name), limit(name))
            if is_code(name) and lines > most:
                bad.append(f"{name}: {lines} lines, at most {most}")
        self.assertEqual(bad, [])

    def test_exceptions_are_needed(self):
        sizes = {str(name): data.count(b"\n") for name, data in texts()}
        stale = [name for name in exceptions()
                 if sizes.get(name, 0) <= limit(tree.pathlib.Path(name))]
        self.assertEqual(stale, [], "no longer needed in " + EXCEPTIONS)

    def test_no_machine(self):
        bad = [f"{name}: {match}" for name, data in texts()
               if name.name != "style_test.py"
               for match in MACHINE.findall(data.decode("utf-8", "replace"))]
        self.assertEqual(bad, [])


if __name__ == "__main__":
    unittest.main()
