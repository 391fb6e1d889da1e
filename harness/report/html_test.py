"""Opens the hostile sample report in a headless browser: html_test.py REPORT_SAMPLE WORK_DIR

Exit code 77 (skip) where no Chromium is installed.
"""

import html.parser
import json
import pathlib
import shutil
import subprocess
import sys

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Page(html.parser.HTMLParser):
    """Tags, attributes and visible text of a serialized page."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.events, self.text, self.expanded = [], [], [], 0
        self.feed(source)
        self.text = "".join(self.text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.events += [name for name, _ in attrs if name.startswith("on")]
        self.expanded += ("aria-expanded", "true") in attrs

    def handle_data(self, data):
        if self.tags and self.tags[-1] not in ("script", "style"):
            self.text.append(data)


def dump(browser, report, fragment, profile):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
               f"--user-data-dir={profile}", "--virtual-time-budget=3000",
               f"{report.resolve().as_uri()}#{fragment}"]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    return done.stdout.decode("utf-8", "replace")


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def check_harmless(page, source):
    check("[object" not in page.text, "every part is rendered as an element or text")
    check("<title>owned" not in source, "no script of the vendor ran")
    check("img" not in page.tags, "markup of the vendor made no element")
    check(page.tags.count("script") == 2, "no script but the page's own")
    check(not page.events, f"no inline handlers: {page.events}")
    check("<img src=x onerror=alert(1)>" in page.text, "hostile text is shown as text")


def check_matrix(browser, work, total):
    source = dump(browser, work / "matrix.html", "SHAPE-03/vendor", work / "profile")
    page = Page(source)
    check_harmless(page, source)
    check(f"{total} of {total} requirements shown" in page.text, "all requirements are rows")
    check(page.tags.count("thead") == 2 and page.tags.count("dialog") == 1,
          "the table, that of the trend, and a dialog")
    check("strides is NULL" in page.text, "the address opens one cell, with what was observed")
    check("vendor 1.2.3 2026-09-01: SHAPE-03" in page.text,
          "the dialog says whose cell it is, of which day")
    check(page.tags.count("caption") == 1, "one producer is there with two days")
    check("2026-09-01" in page.text and "2026-09-02" in page.text, "the trend names the days")


def main():
    sample, work = sys.argv[1], pathlib.Path(sys.argv[2])
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("no Chromium here")
        return 77
    subprocess.run([sample, str(work)], check=True, stdout=subprocess.DEVNULL)
    source = dump(browser, work / "report.html", "ERR-01", work / "profile")
    page = Page(source)
    check("vendor 1.2.3" in page.text, "the header is rendered")
    with open(work / "results.json", encoding="utf-8") as file:
        total = len(json.load(file)["requirements"])
    check(f"{total} of {total} requirements shown" in page.text, "all requirements are listed")
    check(page.expanded == 1, "the address opens one requirement")
    check("<title>vendor 1.2.3: nonconformant" in source, "the title is ours")
    check_harmless(page, source)
    check_matrix(browser, work, total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
