"""Stored files from anybody: truncated, huge, deep, of wrong types, links, names that lead out.
Each gives one clear line, whatever verb reads it. Part of cli_test.py."""

import json
import os
import shutil

from cli_runner import CliTest

# Verbs that read results.json; "F" stands for the folder that holds it.
READERS = [
    ["report", "F", "--out", "x.html"], ["compare", "F", "F"], ["merge", "F"], ["badge", "F"],
    ["expect", "update", "F", "--file", "x.txt"], ["repro", "COPY-01", "F"], ["rerun", "F"],
    ["bundle", "F", "--out", "x"],
]  # fmt: skip


class HostileResults(CliTest):
    def setUp(self):
        super().setUp()
        self.succeed("run", "reference", "--format", "json,traces,junit,html", "--out", "good")
        shutil.copytree(self.path("good"), self.path("F"))
        with open(self.path("good/results.json")) as file:
            self.good = file.read()

    def everywhere(self, said):
        for reader in READERS:
            with self.subTest(reader[0]):
                self.complain(2, said, *reader)

    def test_texts(self):
        deep = '{"schema": ' + "[" * 100000 + "]" * 100000 + "}"
        for text, said in [
            ("", "unreadable JSON"), ("null", "not a JSON object"), ("[]", "not a JSON object"),
            ("{}", "'schema' is missing"), ("{" * 1000, "unreadable JSON"),
            (self.good[: len(self.good) // 2], "unreadable JSON"),
            (deep, "nested deeper"), (b"\xff\xfe\x00\x01", "unreadable JSON"),
            (self.good + "x", "unreadable JSON"), ('{"schema": 1}', "'schema' is no text"),
            ('{"schema": "other\\u001b[31m"}', "schema 'other"),
        ]:
            self.write("F/results.json", text)
            with self.subTest(text[:30]):
                self.complain(2, said, "report", "F", "--out", "x.html")
        self.everywhere(said)

    def test_types(self):
        """Every part of the file in turn replaced by something else."""
        results = json.loads(self.good)
        for part in ("cases", "requirements"):
            results[part] = results[part][:1]
        places = []

        def walk(value, place):
            if place and place[0] not in ("claims", "environment"):
                places.append(place)
            for key in value if isinstance(value, dict) else range(len(value)) \
                    if isinstance(value, list) else ():
                walk(value[key], place + [key])

        walk(results, [])
        self.assertGreater(len(places), 60)
        for place in places:
            broken = json.loads(json.dumps(results))
            at = broken
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] = [] if isinstance(at[place[-1]], dict) else {"x": -1}
            if place[-1] == "emulated":
                continue  # An object there is told below.
            self.write("F/results.json", json.dumps(broken))
            with self.subTest(place):
                self.complain(2, r"F/results\.json: ", "report", "F", "--out", "x.html")
        results["cases"][0]["emulated"] = {}
        self.write("F/results.json", json.dumps(results))
        self.complain(2, "emulated.*is no text", "report", "F", "--out", "x.html")

    def test_files(self):
        os.remove(self.path("F/results.json"))
        self.everywhere("no such file")
        os.mkdir(self.path("F/results.json"))
        self.everywhere("no regular file")
        os.rmdir(self.path("F/results.json"))
        os.symlink("results.json", self.path("F/results.json"))
        self.complain(2, "no such file", "report", "F", "--out", "x")  # A link to itself.
        os.remove(self.path("F/results.json"))
        os.mkfifo(self.path("F/results.json"))
        self.complain(2, "no regular file", "report", "F", "--out", "x.html")
        os.remove(self.path("F/results.json"))
        with open(self.path("F/results.json"), "wb") as file:
            file.truncate(300 << 20)
        self.complain(2, "larger than 256 MiB", "report", "F", "--out", "x.html")

    def test_traces(self):
        self.call("run", "reference", "--mutant", "copies-by-default", "--out", "F")
        for text, said in [
            ("{}\n", r"traces.jsonl.*missing or wrong"), ("[" * 99999, "not a JSON object"),
            (b"\x00\xff", "not a JSON object"), ("", "is missing|traces.jsonl"),
            ('{"script": "../../x", "outcome": "trace", "step": -1}\n', "missing or wrong"),
        ]:
            self.write("F/traces.jsonl", text)
            with self.subTest(text[:20]):
                self.complain(2, said, "repro", "COPY-01", "F")
                self.complain(2, said, "bundle", "F", "--out", "x")
        os.remove(self.path("F/traces.jsonl"))
        self.complain(2, "traces.jsonl: no such file", "repro", "COPY-01", "F")

    def test_names_that_lead_out(self):
        """Nothing is read or written by what a stored file calls a case or a program."""
        self.call("run", "reference", "--mutant", "copies-by-default", "--out", "F")
        with open(self.path("F/results.json")) as file:
            results = json.load(file)
        for case in results["cases"]:
            case["repro"] = "../../../etc/passwd"
            case["script"] = "../../../etc/passwd"
        self.write("F/results.json", json.dumps(results))
        self.complain(2, "script ../../../etc/passwd is missing", "repro", "COPY-01", "F")
        self.succeed("report", "F", "--out", "page.html")
        with open(self.path("page.html")) as file:
            self.assertNotIn('href="../', file.read())

    def test_a_link_in_a_report(self):
        """A report from anybody, continued: its link chooses not where programs come and go."""
        how = ("run", "reference", "--mutant", "copies-by-default", "--requirements", "COPY-01")
        os.mkdir(self.path("mine"))
        self.write("mine/COPY-01.mine.py", "mine")
        os.symlink(self.path("mine"), self.path("F/repro"))
        self.complain(3, "repro is a symbolic link", *how, "--out", "F")
        self.assertEqual(os.listdir(self.path("mine")), ["COPY-01.mine.py"])
        os.remove(self.path("F/repro"))
        os.mkdir(self.path("F/repro"))
        for name in ("tool.py", "COPY-01.old.py", "COPY-01.old.cc", "COPY-x.py"):
            self.write("F/repro/" + name, "")
        self.call(*how, "--out", "F")
        left = os.listdir(self.path("F/repro"))
        self.assertEqual({"tool.py", "COPY-x.py"} & set(left), {"tool.py", "COPY-x.py"})
        self.assertFalse([name for name in left if "old" in name])

    def test_expectations(self):
        for text, said in [
            (b"\xff\xfe\x00", r"f\.txt:1: "), ("x" * 10000, "longer than"),
            ("*" * 100 + " fail", "more than 8"), ("DEV-01 fail x" * 3, r"f\.txt:1: "),
            ("DEV-01 fail message=\"", "does not end"),
        ]:
            self.write("f.txt", text)
            self.complain(2, said, "expect", "check", "f.txt")
            self.complain(2, said, "run", "reference", "--expect", "f.txt", "--out", "o")
        self.complain(2, "no regular file", "expect", "check", "F")
