"""Stored files, broken at random, given to every verb that reads them: a verdict or one clear line,
never a signal, a hang or a flood. A fixed seed, so a failure can be repeated. Part of cli_test.py.

    DLPC_MUTATED=2000 python3 conformance/cli_test.py PROGRAM MutatedFiles   # more than usual
"""

import json
import os
import random
import re
import shutil
import subprocess

import cli_runner
from cli_runner import CliTest

TRIES = int(os.environ.get("DLPC_MUTATED", "120"))
# What each verb reads ("F" is the report, "B" the bundle), and how it is called.
READERS = [
    ("F/results.json", ["report", "F", "--out", "x.html"]),
    ("F/results.json", ["compare", "G", "F", "--markdown"]),
    ("F/results.json", ["merge", "F", "--out", "x"]),
    ("F/results.json", ["rerun", "F", "--out", "x"]),
    ("F/results.json", ["expect", "update", "F", "--file", "x.txt"]),
    ("F/results.json", ["badge", "F", "--out", "x"]),
    ("F/results.json", ["repro", "COPY-01", "F"]),
    ("F/results.json", ["bundle", "F", "--out", "x"]),
    ("F/traces.jsonl", ["repro", "COPY-01", "F"]),
    ("F/traces.jsonl", ["bundle", "F", "--out", "x"]),
    ("F/traces.jsonl", ["rerun", "F", "--failed", "--out", "x"]),
    ("B/results.json", ["verify", "B"]),
    ("B/traces.jsonl", ["verify", "B"]),
    ("B/PRODUCER.yaml", ["verify", "B"]),
    ("B/SHA256SUMS", ["verify", "B"]),
    ("B/report.html", ["verify", "B"]),
    ("known.txt", ["expect", "check", "known.txt"]),
    ("known.txt", ["run", "reference", "--requirements", "DEV-01", "--expect", "known.txt", "--out",
                   "x"]),
    ("bench/bench.json", ["bench", "compare", "bench", "bench2", "--any-machine"]),
    ("finding.json", ["fuzz", "reference", "--replay", "finding.json", "--json"]),
    ("finding.json", ["promote", "finding.json", "--name", "x", "--root", "root"]),
    ("key.pub", ["verify", "S", "--key", "key.pub"]),
    ("key.pem", ["bundle", "W", "--out", "x", "--sign", "key.pem"]),
]  # fmt: skip
EVIL = [None, True, -1, 0, 1e308, 2**63, 2**200, "", "\x00", "../../../../etc/passwd", "\x1b[31m",
        "\ud800", [], {}, [[[[]]]], "x" * 70000, {"a": {"b": [1]}}]  # fmt: skip


def places(value, place=()):
    yield place
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], place + (key,))


def mutate_json(dice, text):
    """One value of one line replaced, removed or doubled."""
    lines = text.decode("utf-8", "replace").splitlines() or [""]
    whole = len(lines) > 1 and lines[0] == "{"
    at = 0 if whole else dice.randrange(len(lines))
    document = json.loads(text if whole else lines[at])
    place = dice.choice(list(places(document))[:5000])
    if not place:
        return json.dumps(dice.choice(EVIL)).encode()
    owner = document
    for key in place[:-1]:
        owner = owner[key]
    how = dice.randrange(3)
    if how == 0:
        owner[place[-1]] = dice.choice(EVIL)
    elif how == 1 or isinstance(owner, dict):
        del owner[place[-1]]
    else:
        owner.insert(place[-1], owner[place[-1]])
    lines[at] = json.dumps(document)
    return (lines[0] if whole else "\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def mutate_bytes(dice, text):
    data, how = bytearray(text), dice.randrange(6)
    at = dice.randrange(len(data) or 1)
    if how == 0:
        del data[at:]
    elif how == 1:
        data[at:at + 1] = bytes([dice.randrange(256)])
    elif how == 2:
        end = min(len(data), at + dice.randrange(1, 400))
        del data[at:end]
    elif how == 3:
        data[at:at] = data[at:at + dice.randrange(1, 400)]
    elif how == 4:
        data[at:at] = dice.choice([b"[" * 50000, b"\x00" * 10, b"\xff\xfe", b"9" * 400, b"\r\n"])
    else:
        lines = data.split(b"\n")
        dice.shuffle(lines)
        data = b"\n".join(lines)
    return bytes(data)


class MutatedFiles(CliTest):
    def prepare(self):
        self.call("run", "reference", "--mutant", "copies-by-default", "--out", "F",
                  "--requirements", "COPY-0*,DEV-01,SHAPE-11", "--format", "json,traces")
        shutil.copytree(self.path("F"), self.path("G"))
        self.call("run", "reference", "--out", "W", "--format", "json,traces,junit,html")
        self.succeed("bundle", "W", "--out", "B")
        pem, pub = self.path("key.pem"), self.path("key.pub")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem], check=True)
        subprocess.run(["openssl", "pkey", "-in", pem, "-pubout", "-out", pub], check=True)
        self.succeed("bundle", "W", "--out", "S", "--sign", "key.pem")
        self.write("known.txt", "# Known.\nCOPY-01 fail message=\"x\" bug=https://x.example/1 "
                   "owner=me expires=2099-01-01\nDEV-* fail producer=numpy version>=2.0\n")
        self.succeed("bench", "reference", "--repetitions", "2", "--target-ms", "0.1",
                     "--max-bytes", "1024", "--out", "bench")
        shutil.copytree(self.path("bench"), self.path("bench2"))
        found = self.call("fuzz", "reference", "--mutant", "copies-by-default", "--engine", "own",
                          "--runs", "300", "--out", "fuzz")
        findings = [os.path.join(folder, name) for folder, _, names in os.walk(self.path("fuzz"))
                    for name in names if name.endswith(".json")]
        findings = [path for path in findings if os.path.basename(path) != "findings.json"]
        self.assertTrue(findings, found.stdout + found.stderr)
        shutil.copy(findings[0], self.path("finding.json"))

    def look(self, verb, environment, must_refuse):
        """What is wrong with how the verb took it; empty: nothing."""
        try:
            done = subprocess.run([cli_runner.cli_path, *verb], cwd=self.folder, env=environment,
                                  capture_output=True, timeout=60)  # fmt: skip
        except subprocess.TimeoutExpired:
            return "hangs"
        complaint = done.stderr.decode("utf-8", "replace")
        if done.returncode not in range(5):
            return f"ends with {done.returncode}: {complaint[-300:]}"
        if must_refuse and done.returncode == 0:
            return "an edited certificate is accepted"
        if complaint.count("\n") > 1 or len(complaint) > 2000:
            return f"more than a line: {complaint[:300]!r}"
        if done.returncode > 1 and not re.match("dlpack-conformance: .", complaint):
            return f"exit code {done.returncode} and no reason: {complaint[:300]!r}"
        if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", complaint):
            return f"control characters: {complaint[:300]!r}"
        return ""

    def test_each_is_taken_calmly(self):
        self.prepare()
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        originals = {}
        for name, _ in READERS:
            with open(self.path(name), "rb") as file:
                originals[name] = file.read()
        wrong = []
        for number in range(TRIES):
            dice = random.Random(number)
            name, verb = READERS[number % len(READERS)]
            is_json = name.endswith((".json", ".jsonl")) and dice.randrange(3)
            broken = (mutate_json if is_json else mutate_bytes)(dice, originals[name])
            self.write(name, broken)
            edited = name.startswith("B/") and broken != originals[name]
            complaint = self.look(verb, environment, edited)
            if complaint:
                wrong.append(f"seed {number}, {name}, {' '.join(verb)}: {complaint}")
            self.write(name, originals[name])
            shutil.rmtree(self.path("x"), ignore_errors=True)
            shutil.rmtree(self.path("root"), ignore_errors=True)
        self.assertEqual(wrong, [], "\n".join(wrong))
