"""Stored results: expectation files, comparison and shards. Part of cli_test.py."""

import json
import os

from cli_runner import CliTest

MUTANT = ("--mutant", "cpu-id-ordinal")
SOME = ("--requirements", "DEV-*,CAP-0*")


def stable(case):
    """Without what differs from run to run: times, and the addresses in what was observed."""
    return {key: value for key, value in case.items() if key not in ("duration_us", "observed")}


class Expect(CliTest):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def test_a_known_failure_is_as_expected_until_it_is_fixed(self):
        self.call("run", "reference", *MUTANT, "--out", "bad")
        self.assertIn("entries: known.txt", self.succeed("expect", "update", "bad", "--file",
                                                         "known.txt"))
        self.assertIn("all in order", self.succeed("expect", "check", "known.txt"))
        self.succeed("run", "reference", *MUTANT, "--expect", "known.txt")
        results = self.results()
        self.assertEqual(results["verdict"], "nonconformant")  # Of the producer, known or not.
        self.assertIn("xfail", results["summary"]["cases"])
        done = self.call("run", "reference", "--expect", "known.txt")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"known\.txt:\d+: DEV-06/\S+ passes")
        done = self.call("run", "reference", "--mutant", "cpu-id-ordinal", "--expect", os.devnull)
        self.assertEqual(done.returncode, 2)  # No regular file.

    def test_another_failure_is_news(self):
        self.write("known.txt", "DEV-06 fail message=\"what nobody says\"\n")
        done = self.call("run", "reference", *MUTANT, *SOME, "--expect", "known.txt")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"known\.txt:1: DEV-06/\S+ fails in another way")

    def test_rotten_files(self):
        self.write("old.txt", "# x\nDEV-06 fail expires=2020-01-01\nDEV-77/* fail\nDEV-06 fail\n")
        done = self.call("expect", "check", "old.txt")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), [
            "old.txt:2: DEV-06 expired on 2020-01-01",
            "old.txt:3: no case of the catalogue matches DEV-77/*",
            "old.txt:4: DEV-06 is in old.txt:2 already"])
        self.write("bad.txt", "DEV-06 fail\nDEV-06 pass\n")
        for verb in (("expect", "check", "bad.txt"), ("run", "reference", "--expect", "bad.txt")):
            self.complain(2, r"bad\.txt:2: 'pass' is no expected status", *verb)
        self.complain(2, r"none\.txt: no such file", "run", "reference", "--expect", "none.txt")
        self.complain(2, r"none: no such file", "expect", "update", "none", "--file", "x.txt")

    def test_a_partial_run_is_no_ground(self):
        self.call("run", "reference", *MUTANT, *SOME)
        self.complain(2, "partial", "expect", "update", "dlpack-report", "--file", "x.txt")


class Compare(CliTest):
    def test_regressions_first(self):
        self.succeed("run", "reference", *SOME, "--out", "good")
        self.call("run", "reference", *SOME, *MUTANT, "--out", "bad")
        self.assertIn("No case differs.", self.succeed("compare", "good", "good"))
        done = self.call("compare", "good", "bad/results.json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"Regressions \(\d+ cases\)\n  DEV-06 must")
        self.assertIn("Fixed", self.succeed("compare", "bad", "good"))
        markdown = self.call("compare", "good", "bad", "--markdown").stdout
        self.assertIn("**Regressions**", markdown)
        changes = json.loads(self.call("compare", "good", "bad", "--json").stdout)
        self.assertTrue(changes["regressed"])
        self.complain(2, "nothing: no such file", "compare", "good", "nothing")


class Merge(CliTest):
    def test_shards_are_the_whole(self):
        self.succeed("run", "reference", "--out", "whole")
        for shard in range(3):
            self.succeed("run", "reference", "--shard", "%d/3" % shard, "--out", "s%d" % shard)
        self.succeed("merge", "s2", "s0", "s1")
        with open(self.path("whole/results.json")) as file:
            whole = json.load(file)
        merged = self.results()
        for part in ("verdict", "requirements", "summary", "suite", "producer", "claims"):
            self.assertEqual(merged[part], whole[part], part)
        self.assertEqual([stable(c) for c in merged["cases"]],
                         [stable(c) for c in whole["cases"]])
        self.complain(2, "shard 1/3 is missing", "merge", "s0", "s2")
        self.complain(2, "shard 0/3 is there twice", "merge", "s0", "s1", "s2", "s0")
        self.complain(2, "no shard", "merge", "whole")
        os.remove(self.path("s1/traces.jsonl"))
        self.complain(2, "traces.jsonl: no such file", "merge", "s0", "s1", "s2")


