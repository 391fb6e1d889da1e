"""Tests of the command line as a user meets it: cli_test.py PATH_OF_DLPACK_CONFORMANCE [TEST...]"""

import json
import os
import pty
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "testing"))

import cli_runner  # noqa: E402
from cli_runner import NUMPY, PYTHON, ROOT, STATUSES, CliTest  # noqa: E402
from bad_input_test import *  # noqa: E402,F401,F403
from certificate_test import *  # noqa: E402,F401,F403
from exchange_test import *  # noqa: E402,F401,F403
from hostile_files_test import *  # noqa: E402,F401,F403
from interrupt_test import *  # noqa: E402,F401,F403
from mutated_files_test import *  # noqa: E402,F401,F403
from objects_test import *  # noqa: E402,F401,F403
from report_test import *  # noqa: E402,F401,F403
from stored_test import *  # noqa: E402,F401,F403
from vendor_test import *  # noqa: E402,F401,F403


class Run(CliTest):
    def test_reference_is_conformant(self):
        text = self.succeed("run", "reference")
        verdict = r"^reference .*: conformant, \d+ of \d+ MUST requirements checked$"
        self.assertRegex(text.splitlines()[0], verdict)
        results = self.results()
        self.assertEqual(results["verdict"], "conformant")
        for level in ("must", "should", "info"):
            self.assertEqual(results["summary"][level]["requirements_failed"], 0)
            self.assertGreater(results["summary"][level]["requirements_passed"], 5)
        self.assertLessEqual({c["status"] for c in results["cases"]},
                             {"pass", "not_applicable", "not_supported", "skipped"})  # fmt: skip

    def test_mutant_is_named(self):
        done = self.call("run", "reference", "--mutant", "cpu-id-ordinal")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "")
        place = done.stdout.index("  DEV-06  ")
        self.assertRegex(done.stdout[place:], r"(?s)^.*?\n    expected  \S.*?\n    observed  \S")
        failed = {r["id"] for r in self.results()["requirements"] if r["status"] == "fail"}
        self.assertIn("DEV-06", failed)
        self.assertEqual(self.results()["verdict"], "nonconformant")

    def test_mutant_without_text_has_one_line(self):
        self.complain(1, "reference is nonconformant", "run", "reference", "--format", "json",
                      "--mutant", "cpu-id-ordinal")  # fmt: skip

    def test_formats(self):
        self.assertEqual(self.succeed("run", "reference", "--format", "json,md"), "")
        self.assertEqual(sorted(os.listdir(self.path("dlpack-report"))),
                         ["results.json", "summary.md"])  # fmt: skip

    def test_requirements_select(self):
        self.succeed("run", "reference", "--requirements", "SHAPE-0?,CAP-01")
        results = self.results()
        tried = {c["requirement"] for c in results["cases"]}
        self.assertIn("CAP-01", tried)
        self.assertTrue(all(re.fullmatch(r"SHAPE-0\d|CAP-01", id) for id in tried), tried)
        self.assertEqual(results["verdict"], "partial")
        self.assertTrue(results["summary"]["partial"])

    def test_one_case_selects_itself(self):
        self.succeed("run", "reference")
        chosen = self.results()["cases"][100]["id"]
        self.succeed("run", "reference", "--requirements", chosen, "--out", "one")
        self.assertEqual([c["id"] for c in self.results("one")["cases"]], [chosen])

    def test_levels_select(self):
        levels = {}
        for level in ("must", "should", "may"):
            self.succeed("run", "reference", "--level", level)
            levels[level] = {c["level"] for c in self.results()["cases"]}
        self.assertEqual(levels, {"must": {"must"}, "should": {"must", "should"},
                                  "may": {"must", "should", "info"}})  # fmt: skip

    def test_jobs_change_nothing(self):
        self.succeed("run", "reference", "--out", "one", "--jobs", "1")
        self.succeed("run", "reference", "--out", "two", "--jobs", "2")
        self.assertEqual(self.verdicts("one"), self.verdicts("two"))

    @unittest.skipUnless(NUMPY, "there is no virtual environment with numpy")
    def test_numpy(self):
        done = self.call("run", "numpy", "--python", NUMPY)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        results = self.results()
        self.assertEqual(results["producer"]["name"], "numpy")
        statuses = {c["status"] for c in results["cases"]}
        self.assertIn("pass", statuses)
        self.assertFalse(statuses & {"crash", "timeout", "error"}, done.stdout[-3000:])
        # How far an address is aligned beyond the element is luck: level info.
        for out, jobs in (("one", "1"), ("two", "2")):
            self.call("run", "numpy", "--python", NUMPY, "--out", out, "--jobs", jobs,
                      "--level", "should")  # fmt: skip
        self.assertEqual(self.verdicts("one"), self.verdicts("two"))

    def test_example_plugin_is_conformant(self):
        plugin = os.path.join(os.path.dirname(os.path.dirname(cli_runner.cli_path)), "lib",
                              "example_producer.so")  # fmt: skip
        if not os.path.exists(plugin):
            self.skipTest("the example plug-in is not built")
        self.succeed("run", plugin)
        results = self.results()
        self.assertEqual(results["producer"]["kind"], "native")
        self.assertEqual(results["verdict"], "conformant")
        self.assertGreater(results["summary"]["cases"]["pass"], 200)
        names = [c for c in results["cases"] if c["requirement"] in ("CAP-01", "CAP-02")]
        self.assertEqual({c["status"] for c in names}, {"not_applicable"} if names else set())


class Reports(CliTest):
    def setUp(self):
        super().setUp()
        self.call("run", "reference", "--mutant", "cpu-id-ordinal")

    def read(self, name):
        with open(self.path(os.path.join("dlpack-report", name)), encoding="utf-8") as file:
            return file.read()

    def test_results_fit_the_schema(self):
        done = subprocess.run(
            [PYTHON, os.path.join(ROOT, "tests", "validate_schema.py"),
             os.path.join(ROOT, "docs", "results.schema.json"),
             self.path("dlpack-report/results.json")],
            stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        if done.returncode == 77:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_results_are_whole(self):
        results = self.results()
        listed = {r["id"]: r["cases"] for r in json.loads(self.succeed("list", "--json"))}
        self.assertEqual(listed, {r["id"]: sum(r["counts"].values())
                                  for r in results["requirements"]})  # fmt: skip
        self.assertEqual(sum(listed.values()), len(results["cases"]))
        self.assertEqual(len({c["id"] for c in results["cases"]}), len(results["cases"]))
        for case in results["cases"]:
            self.assertTrue(case["id"].startswith(case["requirement"] + "/"), case)
            self.assertIn(case["status"], STATUSES)
            self.assertTrue(case["expected"] and case["observed"], case)

    def test_junit_counts(self):
        suites = xml.etree.ElementTree.fromstring(self.read("junit.xml"))
        cases = self.results()["cases"]
        self.assertEqual(len(list(suites.iter("testcase"))), len(cases))
        bad = [c for c in cases if c["status"] == "fail" and c["level"] == "must"]
        self.assertEqual(len(list(suites.iter("failure"))), len(bad))

    def test_traces_are_lines_of_json(self):
        traces = [json.loads(line) for line in self.read("traces.jsonl").splitlines()]
        scripts = {c["script"] for c in self.results()["cases"]}
        self.assertEqual({t["script"] for t in traces}, scripts)

    def test_html_needs_nothing_else(self):
        html = self.read("report.html")
        self.assertIn("DEV-06", html)
        load = r"""(?i)\b(?:src|srcset)\s*=|<link\b|@import|url\(\s*["']?https?:"""
        self.assertEqual(re.findall(load, html), [])


class Gtest(CliTest):
    def run_reference(self, *gtest_args, out="dlpack-report", options=()):
        self.succeed("run", "reference", "--out", out, "--requirements", "CAP-*,VER-*", *options,
                     "--", *gtest_args)  # fmt: skip
        return self.verdicts(out)

    def test_filter(self):
        ids = self.run_reference("--gtest_filter=CAP_01.*")
        self.assertGreater(len(ids), 10)
        self.assertTrue(all(id.startswith("CAP-01/") for id in ids))

    def test_order_and_repetition_change_nothing(self):
        plain = self.run_reference()
        for seed in ("1", "77"):
            shuffled = self.run_reference("--gtest_shuffle", "--gtest_random_seed=" + seed)
            self.assertEqual(shuffled, plain)
        self.assertEqual(self.run_reference("--gtest_repeat=2"), plain)

    def test_shards_are_the_whole(self):
        shards = [self.run_reference(out="s%d" % i, options=("--shard", "%d/3" % i))
                  for i in range(3)]  # fmt: skip
        self.assertTrue(all(shards))
        whole = self.run_reference()
        self.assertEqual(sum(map(len, shards)), len(whole))
        self.assertEqual({**shards[0], **shards[1], **shards[2]}, whole)

    def test_list_writes_no_report(self):
        text = self.succeed("run", "reference", "--", "--gtest_list_tests")
        self.assertIn("CAP_01.\n", text)
        self.assertFalse(os.path.exists(self.path("dlpack-report/results.json")))


class OtherVerbs(CliTest):
    def test_list(self):
        rows = json.loads(self.succeed("list", "--json"))
        text = self.succeed("list")
        self.assertGreater(len(rows), 150)
        for row in rows:
            self.assertIn(row["level"], ("must", "should", "info"))
            self.assertTrue(row["title"] and row["citation"] and row["since"], row)
            self.assertTrue(row["mutants"] or row["cases"] == 0, row["id"] + " has no mutant")
            line = r"(?m)^%s +%s +%d cases  " % (row["id"], row["level"], row["cases"])
            self.assertRegex(text, line)

    def test_explain_takes_any_case(self):
        text = self.succeed("explain", "shape-06")
        self.assertEqual(text, self.succeed("explain", "SHAPE-06"))
        for word in ("must", "Source:", "Checked:", "Mutant:", "If it fails:"):
            self.assertIn(word, text)

    def test_mutants(self):
        matrix = json.loads(self.succeed("mutants", "--json", "--requirements", "DEV-*,CAP-*"))
        by_name = {row["name"]: row for row in matrix["mutants"]}
        self.assertTrue(matrix["complete"])
        self.assertEqual(by_name[""]["failed"], [])
        self.assertIn("DEV-06", by_name["cpu-id-ordinal"]["failed"])
        for row in matrix["mutants"]:
            self.assertTrue(row["ok"] and row["error"] == "", row)
            allowed = set(row["must_fail"]) | set(row["may_fail"])
            self.assertLessEqual(set(row["failed"]), allowed, row["name"])
        self.assertGreater(len(by_name), 40)

    def test_smoke(self):
        text = self.succeed("smoke", "reference")
        self.assertIn("dltensor_versioned", text)
        self.assertIn("__dlpack__", text)

    def test_smoke_tells_a_bad_producer(self):
        self.complain(1, "not exported", "smoke", "--object", "types:SimpleNamespace(__dlpack__=5)",
                      "--python", PYTHON)  # fmt: skip
        broken = self.write("broken.py", "def claims(): return {'producer': 'b', 'version': '1'}\n"
                            "def make(spec): raise ValueError('no')\n"
                            "def pointer(x): pass\ndef label(x): pass\n")  # fmt: skip
        self.complain(3, "no array", "smoke", "--adapter", broken, "--python", PYTHON)

    def test_lost_output_is_no_success(self):
        for target in (">/dev/full", ">&-"):
            for verb in ("list", "run reference"):
                with self.subTest(verb + target):
                    done = subprocess.run('"%s" %s %s' % (cli_runner.cli_path, verb, target),
                                          shell=True, cwd=self.folder, stderr=subprocess.PIPE,
                                          encoding="utf-8")  # fmt: skip
                    self.assertEqual(done.returncode, 3)
                    self.assertRegex(done.stderr, r"\Adlpack-conformance: [^\n]+\n\Z")
        self.assertEqual(self.results()["verdict"], "conformant")

    def test_map(self):
        self.assertEqual(self.succeed("map", "--platform", "cpu", "--memory-kind", "device"),
                         "kDLCPU 1 0\n")  # fmt: skip
        self.assertIn("|", self.succeed("map", "--markdown"))

    def test_doctor(self):
        text = self.succeed("doctor")
        self.assertRegex(text, r"(?m)^reference +ready")
        self.assertIn("numpy", text)

    def test_version_and_help(self):
        self.assertRegex(self.succeed("--version"), r"^\d+\.\d+\.\d+\n$")
        for verb in ("run", "list", "explain", "doctor", "smoke", "mutants", "map"):
            self.assertIn(verb, self.succeed("--help"))
            self.succeed(verb, "--help")


class Progress(CliTest):
    def on_terminal(self, *arguments):
        """What a terminal gets as standard error."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen([cli_runner.cli_path, *arguments], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=theirs)  # fmt: skip
        os.close(theirs)
        seen = b""
        try:
            while chunk := os.read(ours, 4096):
                seen += chunk
        except OSError:  # How Linux tells that the other end is closed.
            pass
        os.close(ours)
        self.assertEqual(child.wait(60), 0)
        return seen.decode()

    def test_progress_on_a_terminal_only(self):
        seen = self.on_terminal("run", "reference")
        self.assertRegex(seen, r"\r\d+/\d+ scripts, \d+ s left ")
        self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen[-80:]))  # It wipes itself.
        self.assertEqual(self.call("run", "reference").stderr, "")


if __name__ == "__main__":
    cli_runner.cli_path = os.path.abspath(sys.argv.pop(1))
    unittest.main()
