"""Includes point down only: fuzz -> conformance -> harness -> reference (docs/HACKING.md)."""

import re
import unittest

import tree

# folder -> folders of ours that its files may include. The longest matching prefix counts.
MAY_INCLUDE = {
    "reference": {"reference"},
    "harness": {"reference", "harness"},
    "conformance": {"reference", "harness", "conformance"},
    "fuzz": {"reference", "harness", "conformance", "fuzz"},
    "bench": {"reference", "harness", "bench"},
    "tests": {"reference", "harness", "conformance", "fuzz", "tests"},
}
OURS = set(MAY_INCLUDE)
# Rules have no input or output, and know neither Python nor a GPU nor a test framework.
IMPURE = re.compile(
    r"Python\.h|gtest/|gmock/|cuda|hip/|nlohmann/|CLI/|pugixml|fstream|iostream|cstdio|stdio\.h|"
    r"ostream|filesystem|unistd\.h|sys/|fcntl\.h|thread|signal\.h|csignal|ctime|chrono|random|"
    r"dlfcn\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes():
    for name in tree.files():
        if name.suffix in {".cc", ".h", ".c"} and name.parts[0] in OURS:
            for quote, target in INCLUDE.findall(tree.read(name)):
                yield name, quote, target


def misdirected(name, target):
    """Does this include point up or sideways?"""
    top = target.split("/")[0]
    return top in OURS and top not in MAY_INCLUDE[name.parts[0]]


def impure(name, target):
    return (name.parts[0] == "reference" and not name.stem.endswith("_test")
            and IMPURE.match(target) is not None)


def python_outside_host(name, target):
    return target == "Python.h" and name.parts[:3] != ("harness", "hosts", "python")


class LayersTest(unittest.TestCase):
    def assert_none(self, rule):
        broken = [f"{name} includes {target}" for name, _, target in includes()
                  if rule(name, target)]
        self.assertEqual(broken, [])

    def test_tree_is_seen(self):
        self.assertGreater(len(list(includes())), 100)

    def test_includes_point_down(self):
        self.assert_none(misdirected)

    def test_reference_is_pure(self):
        self.assert_none(impure)

    def test_only_the_python_host_knows_python(self):
        self.assert_none(python_outside_host)

    def test_ours_are_quoted_from_the_root(self):
        broken = [f"{name}: {target}" for name, quote, target in includes()
                  if quote == '"' and not (tree.ROOT / target).is_file()
                  and not (name.suffix == ".c" or target.startswith("dlpc/"))]
        self.assertEqual(broken, [])

    def test_rules_notice(self):
        path = type(tree.ROOT)
        self.assertTrue(misdirected(path("reference/a.cc"), "harness/script.h"))
        self.assertTrue(misdirected(path("harness/a.cc"), "conformance/register.h"))
        self.assertFalse(misdirected(path("harness/a.cc"), "reference/dtype.h"))
        self.assertTrue(impure(path("reference/a.cc"), "fstream"))
        self.assertFalse(impure(path("reference/a.cc"), "string"))
        self.assertTrue(python_outside_host(path("harness/a.cc"), "Python.h"))
        self.assertFalse(python_outside_host(path("harness/hosts/python/a.cc"), "Python.h"))


if __name__ == "__main__":
    unittest.main()
