"""Certificates: made, verified, and tampered with in every way. Part of cli_test.py."""

import hashlib
import json
import os
import shutil
import subprocess
import unittest

from cli_runner import CliTest

MUTANT = ("--mutant", "copies-by-default")


class Bundle(CliTest):
    def setUp(self):
        super().setUp()
        self.succeed("run", "reference", "--format", "json,junit,html,traces")
        self.succeed("bundle", "dlpack-report", "--out", "good")

    def read(self, name, folder="bad"):
        with open(self.path(os.path.join(folder, name)), encoding="utf-8") as file:
            return file.read()

    def bad(self):
        shutil.rmtree(self.path("bad"), ignore_errors=True)
        shutil.copytree(self.path("good"), self.path("bad"))

    def list_again(self):
        """As somebody would who changes more than one file."""
        names = sorted(set(os.listdir(self.path("bad"))) - {"SHA256SUMS", "SHA256SUMS.sig"})
        lines = [hashlib.sha256(self.read(n).encode()).hexdigest() + "  " + n for n in names]
        self.write("bad/SHA256SUMS", "\n".join(lines) + "\n")

    def refused(self, said, code=1):
        self.complain(code, said, "verify", "bad")

    def tamper(self, name, change, said):
        """Without the hash being corrected, and with it."""
        self.bad()
        text = self.read(name)
        self.write("bad/" + name, change(text))
        self.assertNotEqual(self.read(name), text, "nothing was changed")
        self.refused(f"{name} is not what its hash says")
        self.list_again()
        self.refused(said)

    def results(self, change):
        """A change of results.json as a function on its text."""
        def tampered(text):
            results = json.loads(text)
            change(results)
            return json.dumps(results)
        return tampered

    def test_what_is_made_holds(self):
        text = self.succeed("verify", "good")
        self.assertIn("conformant; all hashes, cases and", text)
        self.assertRegex(text, r"core +met ")
        self.succeed("verify", "good", "--profile", "core")
        self.complain(2, "no profile 'best'", "verify", "good", "--profile", "best")
        if shutil.which("sha256sum"):
            subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.path("good"),
                           check=True)  # fmt: skip
        for name in ("README.md", "STATEMENT.md", "PRODUCER.yaml"):
            self.assertIn("reference", self.read(name, "good") + "reference")
        self.assertIn("dlpack-conformance run reference", self.read("README.md", "good"))
        self.complain(2, "good is there already", "bundle", "dlpack-report", "--out", "good")

    def test_a_bad_producer_is_certified_as_such(self):
        self.call("run", "reference", *MUTANT, "--out", "mutant")
        self.succeed("bundle", "mutant", "--out", "fails")
        self.assertRegex(self.succeed("verify", "fails"), r"core +not met ")
        self.complain(1, "profile core is not met", "verify", "fails", "--profile", "core")
        self.succeed("badge", "mutant", "--out", "mutant")
        with open(self.path("mutant.json")) as file:
            badge = json.load(file)
        self.assertEqual((badge["schemaVersion"], badge["color"]), (1, "red"))
        self.assertIn("<svg", self.read("mutant.svg", "."))

    def test_a_run_for_a_profile(self):
        said = self.succeed("run", "reference", "--profile", "exchange-api")
        self.assertRegex(said, r"profile exchange-api: met, \d+ requirements passed, \d+ untested")
        with open(self.path("dlpack-report/results.json")) as file:
            cases = json.load(file)["cases"]
        self.assertEqual({c["requirement"][:4] for c in cases}, {"XAPI"})
        self.assertEqual({c["level"] for c in cases if c["requirement"] != "XAPI-01"}, {"must"})
        done = self.call("run", "reference", "--mutant", "cpu-id-ordinal", "--profile", "core")
        self.assertEqual(done.returncode, 1)
        self.assertIn("profile core: not met", done.stdout)
        self.complain(2, "no profile 'best'", "run", "reference", "--profile", "best")

    def test_a_part_is_no_ground(self):
        self.succeed("run", "reference", "--requirements", "DEV-*", "--out", "part")
        self.complain(2, "partial", "bundle", "part", "--out", "x")
        os.remove(self.path("dlpack-report/traces.jsonl"))
        self.complain(2, "traces.jsonl: no such file", "bundle", "dlpack-report", "--out", "x")

    def test_files(self):
        for name in ("results.json", "traces.jsonl", "junit.xml", "README.md", "PRODUCER.yaml"):
            self.bad()
            os.remove(self.path("bad/" + name))
            self.refused(f"{name} is missing")
            self.list_again()
            self.refused(f"does not list {name}")
        self.bad()
        os.remove(self.path("bad/SHA256SUMS"))
        self.refused("SHA256SUMS is missing")
        self.bad()
        self.write("bad/more.txt", "x")
        self.refused("more.txt is not in SHA256SUMS")
        os.remove(self.path("bad/more.txt"))
        os.symlink("/etc/passwd", self.path("bad/more.txt"))
        self.refused("more.txt: a symbolic link", code=2)
        os.remove(self.path("bad/more.txt"))
        os.mkdir(self.path("bad/more"))
        self.refused("more: no file", code=2)
        self.complain(2, "none: no such folder", "verify", "none")

    def test_the_list_of_hashes(self):
        self.bad()
        good = self.read("SHA256SUMS")
        for text, said in [
            (good.replace("results.json", "../results.json"), "no plain file name"),
            (good.replace("results.json", "/etc/passwd"), "no plain file name"),
            (good + good.splitlines()[0] + "\n", "is there twice"),
            ("zz\n", "no hash and name"),
            ("", "does not list"),
            (good.replace(good[:8], "00000000"), "is not what its hash says"),
            ("0" * 64 + "  " + "a" * 5000 + "\n", "no plain file name"),
            (good[:-1], "not as bundle writes it"),
            ("".join(reversed(good.splitlines(True))), "not as bundle writes it"),
        ]:
            self.write("bad/SHA256SUMS", text)
            self.refused(said)

    def test_cases(self):
        def swap(results):
            cases = results["cases"]
            cases[3], cases[4] = cases[4], cases[3]
        for change, said in [
            (lambda r: r["cases"].pop(5), "is where"),
            (lambda r: r["cases"].pop(), r"is missing"),
            (lambda r: r["cases"].insert(5, r["cases"][5]), "is where"),
            (lambda r: r["cases"].append(r["cases"][0]), "is in no catalogue"),
            (swap, "is where"),
            (lambda r: r["cases"][0].update(status="fail"), "stored as fail, .* judged pass"),
            (lambda r: r["cases"][0].update(observed="well"), "the stored text is not"),
            (lambda r: r["cases"][0].update(expected="well"), "the stored text is not"),
            (lambda r: r["cases"][0].update(level="info"), "not the case of the catalogue"),
            (lambda r: r["cases"][0].update(script="zoo"), "not the case of the catalogue"),
            (lambda r: r["cases"][0].update(status="xfail"), "stored as xfail"),
        ]:
            self.tamper("results.json", self.results(change), said)

    def test_sums(self):
        for change, said in [
            (lambda r: r.update(verdict="nonconformant"), "verdict is nonconformant"),
            (lambda r: r["summary"]["must"].update(requirements_passed=500), "the sums"),
            (lambda r: r["summary"].update(cases={}), "the sums"),
            (lambda r: r["summary"].update(partial=True), "partial"),
            (lambda r: r["requirements"].pop(0), "is where"),
            (lambda r: r["requirements"][0].update(status="fail"), "not those of its cases"),
            (lambda r: r["suite"].update(catalogue_sha256="0" * 64), "another catalogue"),
            (lambda r: r["producer"].update(name="numpy"), "is not what results.json says"),
            (lambda r: r.update(wall_s=1.5), "is not what results.json says"),
            (lambda r: r["claims"].update(extra=[1]), "is not what results.json says"),
            (lambda r: r.update(schema="other"), "schema 'other'"),
            (lambda r: r["spec"].update(dlpack="9.9"), "9.9"),
        ]:
            self.tamper("results.json", self.results(change), said)

    def test_traces(self):
        def first(change):
            def tampered(text):
                head, _, rest = text.partition("\n")
                line = json.loads(head)
                change(line)
                return json.dumps(line) + "\n" + rest
            return tampered
        for change, said in [
            (lambda text: text.partition("\n")[2], "is missing"),
            (lambda text: text.partition("\n")[0] + "\n" + text, "is there twice"),
            (first(lambda line: line.update(script_hex="")), "not the catalogue's script"),
            (first(lambda line: line.update(outcome="crash")), "stored|judged|text is not"),
            (first(lambda line: line["observations"].pop()), "observations for"),
            (lambda text: text[: len(text) // 2], "traces.jsonl"),
            (lambda text: "[" * 100000, "traces.jsonl:1: not a JSON object"),
        ]:
            self.tamper("traces.jsonl", change, said)

    def test_a_trace_decides(self):
        """The device that one trace tells is changed, and nothing else."""
        def change(text):
            lines = text.splitlines()
            for i, line in enumerate(lines):
                stored = json.loads(line)
                if stored["script"] == "device-query/cpu":
                    for seen in stored["observations"]:
                        if seen["type"] == "device":
                            seen["device_id"] = -1
                    lines[i] = json.dumps(stored)
            return "\n".join(lines) + "\n"
        self.tamper("traces.jsonl", change, "DEV-03/device-query/cpu: stored as pass, .* fail")

    def test_pages(self):
        for name in ("report.html", "junit.xml", "STATEMENT.md", "PRODUCER.yaml"):
            self.tamper(name, lambda text: text.replace("reference", "numpy", 1)
                        .replace("met", "kept", 1), f"{name} is not what results.json says")

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_signature(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=self.folder, check=True,
                           capture_output=True)  # fmt: skip
        for name in ("key", "other"):
            openssl("genpkey", "-algorithm", "ed25519", "-out", name + ".pem")
            openssl("pkey", "-in", name + ".pem", "-pubout", "-out", name + ".pub")
        self.succeed("bundle", "dlpack-report", "--out", "signed", "--sign", "key.pem")
        self.assertIn("the signature fits", self.succeed("verify", "signed", "--key", "key.pub"))
        openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "key.pub", "-in",
                "signed/SHA256SUMS", "-sigfile", "signed/SHA256SUMS.sig")
        self.complain(1, "not by this key", "verify", "signed", "--key", "other.pub")
        self.complain(1, "SHA256SUMS.sig is missing", "verify", "good", "--key", "key.pub")
        self.complain(1, "no public Ed25519 key", "verify", "signed", "--key", "key.pem")
        self.complain(2, "no private Ed25519 key", "bundle", "dlpack-report", "--out", "x",
                      "--sign", "key.pub")  # fmt: skip
        with open(self.path("signed/SHA256SUMS.sig"), "r+b") as file:
            byte = file.read(1)[0]
            file.seek(0)
            file.write(bytes([byte ^ 1]))
        self.complain(1, "not by this key", "verify", "signed", "--key", "key.pub")
