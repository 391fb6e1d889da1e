"""Links between the pages of the documentation lead somewhere: the file is there, and has the
heading. And every MUST failure that docs/frameworks.md names links to an entry about that rule.
"""

import pathlib
import posixpath
import re
import unittest

import tree

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FAILURE = re.compile(r"^- ([A-Z]+-[0-9]{2}): .*\]\(BUGS\.md#([^)]+)\)", re.M)


def headings(text):
    """The anchors of a page, in order, as GitHub makes them: anchor -> heading."""
    anchors = {}
    for title in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        slug = base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        repeat = 0
        while slug in anchors:
            repeat += 1
            slug = f"{base}-{repeat}"
        anchors[slug] = title
    return anchors


def links():
    for name in tree.files():
        if name.suffix != ".md":
            continue
        for target in LINK.findall(FENCE.sub("", tree.read(name))):
            if not re.match(r"[a-z]+:", target):
                yield name, target


def broken(name, target):
    path, _, anchor = target.partition("#")
    page = pathlib.Path(posixpath.normpath(name.parent / path)) if path else name
    if not (tree.ROOT / page).exists():
        return True
    return bool(anchor) and anchor not in headings(tree.read(page))


class LinksTest(unittest.TestCase):
    def test_links_are_seen(self):
        self.assertGreater(len(list(links())), 20)

    def test_a_wrong_link_is_found(self):
        readme = pathlib.Path("README.md")
        self.assertTrue(broken(readme, "docs/none.md"))
        self.assertTrue(broken(readme, "docs/BUGS.md#none"))
        self.assertFalse(broken(readme, "docs/BUGS.md#torch-2150"))

    def test_links_lead_somewhere(self):
        self.assertEqual([f"{name}: {target}" for name, target in links()
                          if broken(name, target)], [])

    def test_failures_have_programs(self):
        entries = headings(tree.read("docs/BUGS.md"))
        failures = FAILURE.findall(tree.read("docs/frameworks.md"))
        self.assertGreater(len(failures), 20)
        self.assertEqual([f"{rule}: {anchor}" for rule, anchor in failures
                          if rule not in entries.get(anchor, "")], [])


if __name__ == "__main__":
    unittest.main()
