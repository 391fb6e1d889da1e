"""Bad input of every kind: one clear line, the right exit code, nothing lost of an earlier report.
Part of cli_test.py."""

import os

import cli_runner
from cli_runner import NUMPY, PYTHON, CliTest, adapter_args

GOOD = (
    "def claims(): return {'producer': 'fake', 'version': '1'}\n"
    "def make(spec): return NotImplemented\n"
    "def pointer(x): return None\n"
    "def label(x): return None\n"
)

# name of the adapter, its text, what the line must say. All: exit code 3.
ADAPTERS = [
    ("syntax", "def claims(:\n", r"SyntaxError.*syntax\.py:1"),
    ("raises", "raise RuntimeError('boom\\nsecond line')\n", r"boom second line \(raises\.py:1\)"),
    ("interrupt", "raise KeyboardInterrupt('key')\n", r"KeyboardInterrupt: key \(interr.*py:1\)"),
    ("exits", "import sys\nsys.exit(0)\n", r"SystemExit: 0"),
    ("leaves", "import os\nos._exit(0)\n", r"exited with code 0 before it was ready"),
    ("crashes", "import ctypes\ndef f():\n  ctypes.string_at(0)\nf()\n",
     r"SIGSEGV before it was ready: File .*, line \d+ in "),
    ("base", "class E(BaseException): pass\nraise E('base')\n", r"E: base \(base\.py:2\)"),
    ("mute", "class E(Exception):\n  def __str__(self): raise ValueError\nraise E\n",
     r"unprintable E.*mute\.py:3"),
    ("long", "raise Exception('x' * 1000000)\n", r"Exception: xxx.*\.\.\. \(long\.py:1\)"),
    ("surrogates", "raise Exception('a\\udcff\\x00\\x1b[31m b')\n", r"\\udcff.*surrogates\.py:1"),
    ("binary", b"\xff\xfe\x00bad", r"(SyntaxError|ValueError): source code .*null bytes"),
    ("missing", "import nosuchpkg\n", r"nosuchpkg, which adapter missing needs, is not installed"),
    ("library", "MODULE = PIP = 'nosuchpkg'\nimport nosuchpkg\n", r"pip install nosuchpkg"),
    ("empty", "", r"no function claims\(\)"),
    ("no_make", GOOD.replace("def make", "def mace"), r"no function make\(\)"),
    ("claims_int", GOOD.replace("return {", "return 5 or {"), r"returned no dict but a int"),
    ("claims_set", GOOD.replace("'1'}", "'1', 'x': {1}}"), r"cannot be written as JSON"),
    ("claims_raise", GOOD.replace("return {", "return 1 / 0 or {"), r"claims\(\) raised ZeroDiv"),
    ("make_raises", GOOD.replace("return NotImpl", "raise ValueError('a\\nb') or NotImpl"),
     r"error in [A-Z]+-\d+/.*make\(\) raised ValueError: a b"),
    ("prints", "print('x' * 5000000)\nraise RuntimeError('loud')\n", r"RuntimeError: loud"),
]  # fmt: skip

OBJECTS = [
    ("nosuchpkg:x", r"no module nosuchpkg in "),
    ("math:nosuch", r"NameError"),
    ("math:pi", r"a float has neither __dlpack__ nor __dlpack_device__"),
    ("math", r"expected MODULE:EXPRESSION"),
    ("math:", r"expected MODULE:EXPRESSION"),
    (":", r"expected MODULE:EXPRESSION"),
    ("math:1/0", r"ZeroDivisionError"),
    ("math:(", r"SyntaxError"),
    ("sys:exit(3)", r"SystemExit: 3"),
    ("os:_exit(5)", r"exited with code 5"),
    ("os:abort()", r"SIGABRT before it was ready: File "),
    ("signal:raise_signal(SIGINT)", r"KeyboardInterrupt"),
    ("..:x", r"relative import"),
]

# code, what the line must say, arguments of run reference
OPTIONS = [
    (2, r"no requirement or case matches 'NOPE\*'", ["--requirements", "DEV-*,NOPE*"]),
    (2, r"no requirement or case matches ''", ["--requirements", ""]),
    (2, r"--level.*silly", ["--level", "silly"]),
    (2, r"--format.*pdf", ["--format", "json,pdf"]),
    (2, r"--shard wants I/N", ["--shard", "3/3"]),
    (2, r"--shard wants I/N", ["--shard", "-1/3"]),
    (2, r"--shard wants I/N", ["--shard", "0/3x"]),
    (2, r"--shard wants I/N", ["--shard", "abc"]),
    (2, r"--jobs", ["--jobs", "0"]),
    (2, r"--jobs", ["--jobs", "many"]),
    (2, r"--timeout", ["--timeout", "-1"]),
    (2, r"--timeout", ["--timeout", "nan"]),
    (2, r"--timeout", ["--timeout", "inf"]),
    (2, r"--memory", ["--memory", "1"]),
    (2, r"no mutant 'nope'", ["--mutant", "nope"]),
    (2, r"reference producer takes no", ["--object", "math:pi"]),
    (2, r"reference producer takes no", ["--python", "python3"]),
    (2, r"frobnicate", ["--frobnicate"]),
    (2, r"no option --gtest_frob=1", ["--", "--gtest_frob=1"]),
    (2, r"no option --help", ["--", "--help"]),
    (2, r"no option word", ["--", "word"]),
    (4, r"no case is selected", ["--", "--gtest_filter=NOPE*"]),
    (3, r"cannot create file/x: Not a directory", ["--out", "file/x"]),
    (3, r"cannot create file: ", ["--out", "file"]),
    (3, r"cannot create /proc/x: ", ["--out", "/proc/x"]),
    (3, r"cannot create", ["--out", ""]),
]

# code, what the line must say, the whole command line
COMMANDS = [
    (2, r"say what to do: run", []),
    (2, r"no verb 'frob' \(there are: run, ", ["frob"]),
    (2, r"say which producer", ["run"]),
    (2, r"'--' belongs to run only", ["list", "--", "--gtest_filter=x"]),
    (2, r"id is required", ["explain"]),
    (2, r"no requirement 'NOPE-1'", ["explain", "NOPE-1"]),
    (2, r"no requirement 'SHAPE-99' \(SHAPE-01 to ", ["explain", "SHAPE-99"]),
    (2, r"no profile 'foo' \(there are: .*generic", ["map", "--profile", "foo"]),
    (2, r"--shards", ["map", "--shards", "-1"]),
    (2, r"--hardware-id", ["map", "--hardware-id", "x"]),
    (2, r"no requirement or case matches", ["mutants", "--requirements", "NOPE*"]),
    (2, r"no adapter is built in for 'nosuch'", ["smoke", "nosuch"]),
    (2, r"no adapter is built in for 'nosuch' \(there are: .*numpy", ["run", "nosuch"]),
    (2, r"--mutant belongs to the reference", ["run", "numpy", "--mutant", "cpu-id-ordinal"]),
    (2, r"there is no interpreter /nonexistent", ["run", "numpy", "--python", "/nonexistent"]),
    (2, r"no interpreter nosuchpython on PATH", ["run", "numpy", "--python", "nosuchpython"]),
    (2, r"/bin/true does not run as a Python", ["run", "numpy", "--python", "/bin/true"]),
    (2, r"file does not run as a Python", ["run", "numpy", "--python", "./file"]),
    (2, r"is a folder", ["run", "numpy", "--python", "/tmp"]),
    (2, r"there is no adapter file none\.py", ["run", "--adapter", "none.py"]),
    (2, r"give one of --object and --adapter", ["run", "--adapter", "a.py", "--object", "m:x"]),
    (2, r"none\.so: no such file", ["run", "./none.so"]),
    (3, r"not a shared library", ["run", "./file"]),
    (3, r"not a shared library", ["run", "text.so"]),
    (3, r"is a directory", ["run", "./"]),
]


class BadInput(CliTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.write("file", "no program\n"), 0o755)
        self.write("text.so", "no library\n")

    def test_adapters(self):
        for name, text, said in ADAPTERS:
            with self.subTest(name):
                path = self.write(name + ".py", text)
                done = self.complain(3, said, *adapter_args(path))
                self.assertNotIn("conformant\n", done.stdout)

    def test_objects(self):
        for text, said in OBJECTS:
            with self.subTest(text):
                self.complain(3, said, "run", "--object", text, "--python", PYTHON)

    def test_options(self):
        for code, said, options in OPTIONS:
            with self.subTest(" ".join(options)):
                done = self.complain(code, said, "run", "reference", *options)
                self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("dlpack-report/results.json")))

    def test_commands(self):
        for code, said, command in COMMANDS:
            with self.subTest(" ".join(command)):
                self.assertEqual(self.complain(code, said, *command).stdout, "")

    def test_plugins(self):
        folder = os.path.join(os.path.dirname(os.path.dirname(cli_runner.cli_path)), "lib")
        for number, said in (("1", r"no function dlpc_abi_version"), ("2", r"ABI version 7"),
                             ("3", r"no function dlpc_make"), ("4", r"no JSON")):  # fmt: skip
            path = os.path.join(folder, "libdlpc_bad_plugin_%s.so" % number)
            with self.subTest(said):
                if not os.path.exists(path):
                    self.skipTest("the plug-ins of the tests are not built")
                self.complain(3, said, "run", path)

    def test_package_is_not_installed(self):
        self.assertNotEqual(PYTHON, NUMPY)
        empty = self.write("numpy.py", "raise ModuleNotFoundError(name='numpy')\n")  # Shadows it.
        text = "MODULE = PIP = 'numpy'\nimport sys\nsys.path.insert(0, %r)\nimport numpy\n"
        adapter = self.write("a.py", text % os.path.dirname(empty))
        self.complain(3, "numpy is not installed in .*: pip install numpy", *adapter_args(adapter))

    def test_nothing_ran(self):
        path = self.write("none.py", GOOD)
        said = r"none of the \d+ cases could be executed on fake"
        done = self.complain(4, said, *adapter_args(path))
        self.assertIn("partial", done.stdout)
        self.assertTrue(all(r["status"] == "untested" for r in self.results()["requirements"]))

    def test_claims_that_nobody_expects(self):
        odd = "'1', 'dtypes': ['nosuch', 5, None], 'layouts': ['rank:' + '9' * 99, 'rank:-1']}"
        path = self.write("odd.py", GOOD.replace("'1'}", odd).replace("fake", "p\\ud800\\n<b>"))
        self.complain(4, r"could be executed on p\\ud800 <b>", *adapter_args(path))

    def test_earlier_report_survives(self):
        self.succeed("run", "reference")
        folder = self.path("dlpack-report")
        before = {n: os.stat(os.path.join(folder, n)) for n in sorted(os.listdir(folder))}
        self.assertGreaterEqual(len(before), 5)
        broken = self.write("broken.py", "1/0\n")
        for command in (["run", "nosuch"], ["run", "./none.so"], ["run", "text.so"],
                        adapter_args(broken), ["run", "reference", "--requirements", "NOPE"],
                        ["run", "reference", "--", "--gtest_frob"],
                        ["run", "reference", "--", "--gtest_filter=NOPE"]):  # fmt: skip
            with self.subTest(" ".join(command)):
                self.assertGreater(self.call(*command).returncode, 1)
                after = {n: os.stat(os.path.join(folder, n)) for n in sorted(os.listdir(folder))}
                self.assertEqual(list(before), list(after))
                for name in before:
                    self.assertEqual(before[name].st_mtime_ns, after[name].st_mtime_ns, name)

    def test_report_that_cannot_be_written(self):
        os.makedirs(self.path("out/results.json/in the way"))
        self.complain(3, r"cannot write out/results.json: ", "run", "reference", "--out", "out")
        self.assertEqual(os.listdir(self.path("out/results.json")), ["in the way"])
        self.assertFalse([n for n in os.listdir(self.path("out")) if "tmp" in n])
