"""C exchange tables that lie, behind a Python type: each lie is found by its rows, and none of them
brings the suite down. Part of cli_test.py."""

import os
import unittest

from cli_runner import TESTING, CliTest, adapter_args

ALWAYS = {"XAPI-15", "XAPI-22"}  # What no table of ctypes can do right.
LIES = {
    "": set(),
    "version": {"XAPI-05"},
    "name": None,
    "instance": None,
    "chain": {"XAPI-06"},
    "no-stream": {"XAPI-07"},
    "no-borrow": {"XAPI-08"},
    "silent": {"XAPI-10"},
    "nothing": {"XAPI-12"},
    "refuses": {"XAPI-20"},
    "offset": {"XAPI-14"},
    "shape": {"XAPI-14", "XAPI-20"},
    "read-only": {"XAPI-20"},
    "old-struct": {"XAPI-23"},
    "import-shape": {"XAPI-18"},
    "never-released": {"XAPI-18"},
}
# Without a table on the type there is nothing else to look at.
UNREACHABLE = {"name": {"XAPI-03"}, "instance": {"XAPI-02"}}


class ExchangeTables(CliTest):
    def failed(self, lie, requirements="XAPI-*"):
        os.environ["TABLE_FAULT"] = lie
        self.addCleanup(os.environ.pop, "TABLE_FAULT", None)
        library = os.path.join(TESTING, "table_library.py")
        done = self.call(*adapter_args(library), "--requirements", requirements, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        results = self.results()
        return {r["id"]: r["status"] for r in results["requirements"]
                if r["status"] not in ("pass", "untested")}  # fmt: skip

    def test_each_lie_is_found(self):
        for lie, rows in LIES.items():
            with self.subTest(lie or "no lie"):
                wanted = ALWAYS | rows if rows is not None else UNREACHABLE[lie]
                self.assertEqual(self.failed(lie), dict.fromkeys(wanted, "fail"))

    def test_a_wild_table_is_not_followed(self):
        self.assertEqual(self.failed("wild"), {})

    def test_a_death_is_charged_to_the_table(self):
        self.assertEqual(self.failed("crash", "XAPI-15/paths/float32/c-2x3"), {"XAPI-15": "crash"})


if __name__ == "__main__":
    unittest.main()
