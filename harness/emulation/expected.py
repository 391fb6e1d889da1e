"""What JAX of a given release must answer on a profile, by the tables of expected.json.

profiles: release -> profile -> [answer of __dlpack_device__, device in the capsule], or refusals. A
          release's table holds what was different before it, "" what holds today.
words:    release -> text, for {word} in the texts of rules.
rules:    the first that fits a result decides. `result` is a pattern, `on` names profiles or a
          group (@refuses: no capsule, @host-readable: NumPy takes the device), `since` and `until`
          (exclusive) are releases. A text that ends in * is a beginning; a list holds
          several right texts, where JAX leaves it to chance.
"""

import fnmatch
import json
import pathlib

import jax_emulation

TABLES = json.loads(pathlib.Path(__file__).with_name("expected.json").read_text())
HOST_TYPES = {3, 11, 20}
SIBLING = {2: 3, 3: 2, 10: 11, 11: 10}


def release(version):
    """0.12.0.1 -> (0, 12, 0)"""
    return tuple(int(part) for part in (version + ".0.0").split(".")[:3])


def of_release(versions, version):
    """The value of the latest release that is not later."""
    at = max((key for key in versions if release(key) <= release(version)), key=release)
    return versions[at]


class Expected:
    def __init__(self, profile, version):
        self.profile, self.version = profile, release(version)
        before = sorted((until for until, table in TABLES["profiles"].items()
                         if until and profile in table and self.version < release(until)),
                        key=release)
        self.device, self.capsule = TABLES["profiles"][before[0] if before else ""][profile]

    def __call__(self, result):
        """The text expected of a result; KeyError if the tables have nothing to say."""
        if result == "device":
            return self.device
        if result == "capsule":
            return self._fill("dltensor {capsule} same") if self._exports() else self.capsule
        for rule in TABLES["rules"]:
            if (fnmatch.fnmatchcase(result, rule["result"]) and self._on(rule.get("on", "*"))
                    and release(rule.get("since", "0")) <= self.version
                    and self.version < release(rule.get("until", "999"))):
                return self._fill(rule["text"])
        raise KeyError(result)

    def _exports(self):
        return self.capsule.startswith("(")

    def _type(self):
        """Device type that __dlpack_device__ answers, 0 if it refuses."""
        return int(self.device[1:].split(",")[0]) if self.device.startswith("(") else 0

    def _on(self, names):
        if names == "@refuses":
            return not self._exports()
        if names == "@host-readable":
            return self._type() in (1, 3, 11)
        return any(fnmatch.fnmatchcase(self.profile, name) for name in names.split(","))

    def _fill(self, text):
        if isinstance(text, list):
            return [self._fill(each) for each in text]
        for word, versions in TABLES["words"].items():
            text = text.replace("{" + word + "}",
                                of_release(versions, ".".join(map(str, self.version))))
        profile = jax_emulation.PROFILES[self.profile]
        kind = self._type()
        backends = ["cpu"] if profile.plugin == "cpu" else [profile.plugin, "cpu"]
        words = {
            "capsule": self.capsule,
            "device": f"{'Cpu' if profile.plugin == 'cpu' else 'Emu'}Device(id={profile.device})",
            "sibling": SIBLING.get(kind),
            "absent": "cuda" if kind in (10, 11) else "rocm",
            "backends": backends,
            "stream": None if kind in HOST_TYPES or kind == 1 else jax_emulation.STREAM,
            "import_kind": "pinned_host" if kind in HOST_TYPES else "device",
        }
        for word, value in words.items():
            text = text.replace("{" + word + "}", str(value))
        return text


def fits(text, expected):
    if isinstance(expected, list):
        return any(fits(text, each) for each in expected)
    if expected.endswith("*"):
        return text.startswith(expected[:-1])
    return text == expected
