"""Check of source that cannot be compiled here against the types of the document: its grammar, and earlier faults.

Numbers beyond 2^31 must have 64 bits. Unions must have all their members, enumerations all their values, and references
their names. No known shape may turn into an untyped value.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.environment import provide
from bench.recording import PREFIX, Contract

GRAMMAR: Final = Path(__file__).resolve().parent / "peers" / "grammar.py"


@dataclass(frozen=True)
class Written:
    """Syntax of a language for the searched items."""

    language: str
    models: str
    """Place of the models in the generated files."""

    fields: Callable[[str], dict[str, str]]
    """Returns the fields of a model's source: their types by their names on the wire."""

    member: str
    """Pattern that shows that a component is a member of a union."""

    value: str
    """Pattern that shows that a text is a value of an enumeration."""

    long: str
    unknown: str


def swift_fields(source: str) -> dict[str, str]:
    """Return the fields of a Swift structure by their names on the wire."""
    types = dict(
        re.findall(r"^    public (?:private\(set\) )?var (\w+): ([^\n={]+?)(?: =[^\n]*)?$", source, re.MULTILINE)
    )
    wire = re.findall(
        r'^        case (\w+)(?: = "([^"]+)")?$', source.rpartition("CodingKeys: String")[2], re.MULTILINE
    )
    return {said or name: types[name] for name, said in wire if name in types}


def dart_fields(source: str) -> dict[str, str]:
    """Return the fields of a class of built_value by their names on the wire."""
    found = re.findall(r"BuiltValueField\(wireName: r'([^']+)'\)\s+(?://[^\n]*\s+)*([^\n;]+?) get \w+;", source)
    return dict(found)


SWIFT: Final = Written("swift", "Models", swift_fields, "({name})", '"{value}"', "Int64", "JSONValue")
DART: Final = Written("dart", "model", dart_fields, ": {name},", "wireName: r'{value}'", "int", "JsonObject")


def swift_faults(folder: Path, contract: Contract) -> list[str]:
    """Return the faults of Swift's source."""
    return [*grammar_faults(SWIFT, folder), *type_faults(SWIFT, folder, contract)]


def dart_faults(folder: Path, contract: Contract) -> list[str]:
    """Return the faults of Dart's source."""
    return [*grammar_faults(DART, folder), *type_faults(DART, folder, contract)]


def grammar_faults(written: Written, folder: Path) -> list[str]:
    """Return the models and operations outside the language's grammar."""
    program = (str(provide("grammars")), str(GRAMMAR), written.language)
    return [
        line
        for part in sorted(folder.rglob("*"))
        if part.is_dir() and part.name.lower() in {"models", "model", "apis", "api"}
        for line in subprocess.run(
            [*program, str(part)], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]


def type_faults(written: Written, folder: Path, contract: Contract) -> list[str]:
    """Return the places where a model's types are less than those of the document."""
    files = {
        file.stem.replace("_", "").lower(): file
        for part in folder.rglob(written.models)
        for file in part.glob(f"*.{written.language}")
    }
    return [fault for name in contract.schemas for fault in _of_component(written, files, name, contract.schemas)]


def _of_component(
    written: Written, files: dict[str, Path], name: str, schemas: dict[str, dict[str, Any]]
) -> Iterator[str]:
    schema = schemas[name]
    file = files.get(name.lower())
    if file is None:
        if schema.get("properties") or "oneOf" in schema or "enum" in schema:
            yield f"{name}: there is no type of it"
        return
    source = file.read_text("utf-8")
    for each in schema.get("oneOf", ()):
        member = each.get("$ref", "").removeprefix(PREFIX)
        if member and written.member.format(name=member) not in source:
            yield f"{name}: {member} is no member"
    for value in schema.get("enum", ()):
        if written.value.format(value=value) not in source:
            yield f"{name}: {value} is no value"
    fields = written.fields(source)
    for wire, of in schema.get("properties", {}).items():
        if wire not in fields:
            yield f"{name}.{wire}: there is no field of it"
        elif fault := _wrong(written, _aliased(of, schemas), fields[wire], source):
            yield f"{name}.{wire}: {fields[wire]} {fault}"


def _aliased(schema: dict[str, Any], schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    meant = schemas.get(schema.get("$ref", "").removeprefix(PREFIX), schema)
    return schema if any(meant.get(key) for key in ("properties", "oneOf", "enum")) else meant


def _wrong(written: Written, schema: dict[str, Any], declared: str, source: str) -> str:
    reference = schema.get("$ref", "").removeprefix(PREFIX)
    if reference and reference not in declared:
        return f"is not {reference}"
    if schema.get("format") == "int64" and written.long not in declared:
        return "has fewer than 64 bits"
    if any(schema.get(key) for key in ("items", "enum", "properties")) and declared.startswith(written.unknown):
        return "may be anything"
    missing = [value for value in schema.get("enum", ()) if written.value.format(value=value) not in source]
    return f"lacks {missing[0]}" if missing else ""
