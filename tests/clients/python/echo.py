"""Reads each line, the name of a component and a tab before its JSON, as the generated class, and writes it again."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys

from generated_client import models


def echo(line: str) -> str:
    """Return a message as it was read and written, or the fault after a `!`."""
    name, _, text = line.partition("\t")
    try:
        return json.dumps(getattr(models, name).from_dict(json.loads(text)).to_dict())
    except Exception as problem:  # noqa: BLE001 -- whatever the generated code raises is told
        return f"!{type(problem).__name__}: {problem}".replace("\n", " ")


if __name__ == "__main__":
    for each in sys.stdin:
        sys.stdout.write(f"{echo(each)}\n")
