"""Reads each line, the name of a component and a tab before its JSON, as the generated class, and writes it again."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys
from enum import Enum

from openapi_client import models


def echo(line: str) -> str:
    """Return a message as it was read and written, or the fault after a `!`."""
    name, _, text = line.partition("\t")
    try:
        kind = getattr(models, name)
        return (
            json.dumps(kind(json.loads(text)).value) if issubclass(kind, Enum) else str(kind.from_json(text).to_json())
        )
    except Exception as problem:  # noqa: BLE001 -- whatever the generated code raises is told
        return f"!{type(problem).__name__}: {problem}".replace("\n", " ")


if __name__ == "__main__":
    for each in sys.stdin:
        sys.stdout.write(f"{echo(each)}\n")
