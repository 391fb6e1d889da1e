"""Packs the files named on standard input into a seed corpus: pack_corpus.py OUT.zip

Files are named by their contents, and have no time of their own: the same seeds give the same zip.
"""

import hashlib
import sys
import zipfile

import usage


def contents(names):
    """Digest -> bytes, each once."""
    found = {}
    for name in names:
        with open(name, "rb") as file:
            data = file.read()
        found.setdefault(hashlib.sha256(data).hexdigest()[:16], data)
    return found


def main():
    parser = usage.Parser(__doc__)
    parser.add_argument("out", metavar="OUT.zip", help="the zip to write")
    path = parser.parse_args().out
    try:
        seeds = contents(sys.stdin.read().splitlines())
        if not seeds:
            usage.fail("no seeds for " + path)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for digest, data in seeds.items():
                archive.writestr(zipfile.ZipInfo(digest), data)
    except OSError as error:
        usage.fail(f"{error.filename}: {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
