"""Adds recorded requests and responses to the OpenAPI document as examples."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from service.http.problems import MEDIA_TYPE

INLINE_BYTES: Final = 450
"""Maximum size in bytes of an example that is part of the document."""

MAX_EXAMPLES: Final = 1
"""Maximum number of examples per body in the document. The shortest ones are used."""

RECORDED_EXAMPLES: Final = "x-recorded"
"""The key of the links to recorded responses that are too long for the document."""

EXAMPLES_PATH: Final = "/openapi/examples"
"""The URL path under which recorded examples are served."""


def add_examples(operation: dict[str, Any]) -> None:
    """Add the shortest recorded examples to an operation. If a recorded response is long, add only a link to it."""
    name = operation["operationId"]
    bodies: dict[str, Any] = {}
    answers: defaultdict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for file in (file for (of, _), file in recorded_examples().items() if of == name):
        recorded = read_example(file)
        body, said = recorded["request"].get("body"), recorded["response"]
        if said["content_type"] == MEDIA_TYPE:
            continue
        if body is not None:
            bodies[file.stem] = body
        if said["body"] is not None:
            answers[str(said["status"]), said["content_type"]][file.stem] = said["body"]
    for (status, media_type), found in answers.items():
        content = operation["responses"][status]["content"][media_type]
        for key, value in _shortest(found).items():
            if size_of(value) <= INLINE_BYTES:
                content["examples"] = {key: {"value": value}}
            else:  # bundlers read an `externalValue` and look for a file
                content[RECORDED_EXAMPLES] = {key: f"{EXAMPLES_PATH}/{name}/{key}"}
    if bodies:
        content = operation["requestBody"]["content"]["application/json"]
        content["examples"] = {key: {"value": value} for key, value in _shortest(bodies).items()}


def _shortest(examples: dict[str, Any]) -> dict[str, Any]:
    return {
        key: examples[key] for key in sorted(examples, key=lambda key: (size_of(examples[key]), key))[:MAX_EXAMPLES]
    }


def size_of(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def example(operation: str, name: str) -> tuple[Any, str] | None:
    """Return the body and the media type of a recorded response. Return None if there is no such example."""
    file = recorded_examples().get((operation, name))
    if file is None:
        return None
    said = read_example(file)["response"]
    return (said["body"], said["content_type"]) if said["body"] is not None else None


@cache
def recorded_examples() -> dict[tuple[str, str], Path]:
    """Return the files of recorded examples. The keys are pairs (operation id, name).

    The dict is empty if there is no folder `openapi/examples`.
    """
    folder = examples_folder()
    return {(file.parent.name, file.stem): file for file in sorted(folder.glob("*/*.json"))} if folder else {}


def read_example(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def examples_folder() -> Path | None:
    """Return the folder `openapi/examples` of the checkout that contains this file.

    Return None if there is no such folder.
    """
    for above in Path(__file__).resolve().parents:
        if (above / "openapi" / "examples").is_dir():
            return above / "openapi" / "examples"
    return None
