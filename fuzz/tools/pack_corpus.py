"""Packs the files named on standard input into a seed corpus: pack_corpus.py OUT.zip

Files are named by their contents, and have no time of their own: the same seeds give the same zip.
"""

import hashlib
import sys
import zipfile


def main(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        seen = set()
        for name in sys.stdin.read().splitlines():
            with open(name, "rb") as file:
                data = file.read()
            digest = hashlib.sha256(data).hexdigest()[:16]
            if digest not in seen:
                seen.add(digest)
                archive.writestr(zipfile.ZipInfo(digest), data)
    return 0 if seen else "no seeds for " + path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
