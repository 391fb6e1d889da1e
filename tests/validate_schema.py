"""Checks JSON files against a JSON Schema: validate_schema.py SCHEMA INSTANCE...

Exit code 77 (skip) where the jsonschema package is not installed.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    print("jsonschema is not installed for", sys.executable)
    sys.exit(77)


def main():
    schema_path, *instances = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    bad = 0
    for path in instances:
        with open(path, encoding="utf-8") as file:
            instance = json.load(file)
        for error in validator.iter_errors(instance):
            where = "/".join(str(part) for part in error.absolute_path)
            print(f"{path}: {where}: {error.message[:300]}")
            bad += 1
    return 1 if bad or not instances else 0


if __name__ == "__main__":
    sys.exit(main())
