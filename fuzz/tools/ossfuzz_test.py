"""Builds two targets as OSS-Fuzz does and looks at what lands in $OUT.

Takes a whole build with clang, so it runs only where DLPC_OSSFUZZ_TEST is set (scripts/test, CI);
else, or without clang and libFuzzer, it is skipped (77).
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

FUZZ = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ["strides", "expectations"]


def libfuzzer():
    if not shutil.which("clang++"):
        return False
    path = subprocess.run(["clang++", "-print-file-name=libclang_rt.fuzzer-x86_64.a"],
                          stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
    return os.path.isabs(path)


class OssFuzzBuild(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name, "out")
        env = {**os.environ, "CC": "clang", "CXX": "clang++", "OUT": str(cls.out),
               "WORK": cls.folder.name + "/work", "FUZZ_TARGETS": " ".join(TARGETS),
               "CFLAGS": "-O0 -fsanitize=fuzzer-no-link",
               "CXXFLAGS": "-O0 -fsanitize=fuzzer-no-link",
               "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer"}
        done = subprocess.run([FUZZ / "oss-fuzz" / "build.sh"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8",
                              env={**env, "SRC": cls.source()})
        assert done.returncode == 0, done.stdout[-4000:]

    @classmethod
    def source(cls):
        """$SRC, where the services check the project out under its name."""
        source = pathlib.Path(cls.folder.name, "src")
        source.mkdir()
        (source / "dlpack-conformance").symlink_to(FUZZ.parent)
        return str(source)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_files(self):
        wanted = {"fuzz_%s%s" % (target, end) for target in TARGETS
                  for end in ("", ".options", "_seed_corpus.zip")} | {"fuzz_expectations.dict"}
        self.assertEqual({path.name for path in self.out.iterdir()}, wanted)

    def test_seeds(self):
        for target in TARGETS:
            with zipfile.ZipFile(self.out / f"fuzz_{target}_seed_corpus.zip") as archive:
                sizes = sorted(info.file_size for info in archive.infolist())
            files = [p for folder in ("corpus", "crashes")
                     for p in (FUZZ / folder / target).iterdir() if p.name != ".gitkeep"]
            self.assertEqual(sizes, sorted({p.read_bytes(): p.stat().st_size
                                            for p in files}.values()))

    def test_targets_run(self):
        for target in TARGETS:
            program = self.out / ("fuzz_" + target)
            self.assertTrue(program.stat().st_mode & stat.S_IXUSR)
            done = subprocess.run([program, "-runs=2000"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("Done 2000 runs", done.stdout)


if __name__ == "__main__":
    if not os.environ.get("DLPC_OSSFUZZ_TEST") or not libfuzzer():
        print("skipped: DLPC_OSSFUZZ_TEST is not set, or there is no clang with libFuzzer")
        sys.exit(77)
    unittest.main()
