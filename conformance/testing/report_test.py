"""Tests of `report` and of the editions that `run` judges against."""

import json
import os

from cli_runner import CliTest


class Report(CliTest):
    def run_twice(self):
        self.call("run", "reference", "--out", "good", "--format", "json")
        self.call("run", "reference", "--out", "bad", "--format", "json",
                  "--mutant", "cpu-id-ordinal")  # fmt: skip

    def page(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            text = file.read()
        start = text.index('id="data">') + len('id="data">')
        return text, json.loads(text[start : text.index("</script>", start)])

    def test_one_page_for_all(self):
        self.run_twice()
        said = self.succeed("report", "good", "bad/results.json", "--out", "pages/all.html")
        self.assertEqual(said, "2 producers: pages/all.html\n")
        text, data = self.page("pages/all.html")
        self.assertNotRegex(text, r"""(src|href)=["'](https?:)?//""")
        self.assertEqual([p["verdict"] for p in data["producers"]], ["conformant", "nonconformant"])
        (row,) = [r for r in data["requirements"] if r["id"] == "DEV-06"]
        self.assertEqual([c["status"] for c in row["cells"]], ["pass", "fail"])
        self.assertTrue(row["cells"][1]["groups"][0]["observed"])

    def test_markup_stays_text(self):
        self.run_twice()
        with open(self.path("good/results.json"), encoding="utf-8") as file:
            results = json.load(file)
        results["producer"]["name"] = "</script><script>alert(1)</script>"
        self.write("good/results.json", json.dumps(results))
        self.succeed("report", "good", "--out", "all.html")
        text, data = self.page("all.html")
        self.assertEqual(text.count("<script"), 2)
        self.assertEqual(data["producers"][0]["name"], results["producer"]["name"])

    def test_bad_results_are_one_line(self):
        self.run_twice()
        with open(self.path("good/results.json"), encoding="utf-8") as file:
            text = file.read()
        for name, contents, said in (
            ("cut", text[: len(text) // 2], "unreadable JSON"),
            ("deep", "[" * 100000 + "]" * 100000, "nested deeper"),
            ("array", "[]", "not a JSON object"),
            ("empty", "", "unreadable JSON"),
            ("other", text.replace("results-1", "results-9", 1), "results-9"),
            ("typed", text.replace('"verdict": "conformant"', '"verdict": 7', 1), "'verdict'"),
        ):
            self.write(name + ".json", contents)
            self.complain(2, said, "report", "good", name + ".json", "--out", "all.html")
            self.assertFalse(os.path.exists(self.path("all.html")))
        self.complain(2, "no such file", "report", "nowhere")
        self.complain(2, "no regular file", "report", "/dev/zero")
        self.complain(3, "cannot", "report", "good", "--out", "good/results.json/all.html")


class Editions(CliTest):
    def statuses(self, requirement, *options):
        self.call("run", "reference", "--requirements", requirement, *options)
        results = self.results()
        return results["spec"], {c["status"] for c in results["cases"]}

    def test_a_younger_rule_is_not_judged(self):
        spec, statuses = self.statuses("SHAPE-03", "--dlpack", "1.1")
        self.assertEqual(spec, {"dlpack": "1.1", "array_api": "2025.12"})
        self.assertEqual(statuses, {"not_applicable"})
        self.assertIn("pass", self.statuses("SHAPE-03", "--dlpack", "1.2")[1])

    def test_keywords_of_2023(self):
        spec, statuses = self.statuses("COPY-03", "--array-api", "2022.12")
        self.assertEqual(spec["array_api"], "2022.12")
        self.assertEqual(statuses, {"not_applicable"})
        self.assertIn("pass", self.statuses("CAP-01", "--array-api", "2022.12")[1])

    def test_unknown_editions(self):
        self.complain(2, "--dlpack: no release 1.4", "run", "reference", "--dlpack", "1.4")
        self.complain(2, "--array-api: no release 2025", "run", "reference", "--array-api", "2025")
