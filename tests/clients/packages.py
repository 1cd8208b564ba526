"""Writes what the client packages have of the contract: `python3 dev.py clients`."""

import json
import keyword
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import unasync
import yaml

CHECKOUT: Final = Path(__file__).resolve().parents[2]
CONTRACT: Final = CHECKOUT / "openapi" / "openapi.yaml"
PACKAGE: Final = CHECKOUT / "clients" / "python" / "dorfplatz_client"
GENERATED: Final = PACKAGE / "generated"
PYTHON: Final = GENERATED / "contract.py"
ASYNCHRONOUS: Final = PACKAGE / "asynchronous"
SYNCHRONOUS: Final = GENERATED / "synchronous"

REPLACED: Final = {
    **{f"Async{name}": name for name in ("BaseTransport", "Client", "Job", "Seat", "Transport")},
    "aclose": "close",
    "aclosing": "closing",
    "aiter_lines": "iter_lines",
    "anyio": "time",
    "aread": "read",
    "asynchronous": "generated.synchronous",
}
"""Names of the asynchronous client by those of the synchronous one, besides what unasync replaces by itself."""

TYPESCRIPT: Final = CHECKOUT / "clients" / "typescript"
TYPESCRIPT_CONTRACT: Final = TYPESCRIPT / "src" / "generated" / "contract.ts"
TYPESCRIPT_GENERATOR: Final = (
    "node_modules/.bin/openapi-typescript",
    str(CONTRACT),
    "--default-non-nullable=false",
    "--empty-objects-unknown=true",
)

HEADING: Final = '''"""The types of the contract, written by `python3 dev.py clients` and by nobody's hand.

An answer is the dictionary that its JSON is: fields and members of unions that are younger than this file come through.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict
'''

NOTICE: Final = "# Written by `python3 dev.py clients` from ../../asynchronous; changes belong there.\n"

PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

BUILT_IN: Final = {*PLAIN.values(), "list", "dict", "Any", "Literal"}

Schema = dict[str, Any]


def written(contract: Schema) -> str:
    """Return the module of Python's types: an object is a TypedDict, everything else an alias."""
    schemas: dict[str, Schema] = contract["components"]["schemas"]
    objects = {name for name, schema in schemas.items() if schema.get("properties")}
    aliases = {name: _named(schema) - objects for name, schema in schemas.items() if name not in objects}
    first = [name for name in schemas if name in aliases and not _named(schemas[name])]
    last = [name for name in TopologicalSorter(aliases).static_order() if name not in first]
    order = [*first, *(name for name in schemas if name in objects), *last]
    parts = [HEADING, f"CONTRACT_VERSION: Final = {contract['info']['version']!r}\n"]
    return "\n".join(parts + [_declared(name, schemas[name]) for name in order])


def _named(schema: Schema) -> set[str]:
    return {word for word in re.findall(r"'[^']*'|(\w+)", _typed(schema)) if word} - BUILT_IN


def contents() -> dict[Path, str]:
    """Return every generated file of the packages that needs nothing but Python, with its text."""
    contract = yaml.load(CONTRACT.read_bytes(), yaml.CSafeLoader)
    version = contract["info"]["version"]
    manifests = (TYPESCRIPT / "package.json", TYPESCRIPT / "package-lock.json")
    return {PYTHON: written(contract), **synchronous(), **{file: _with_version(file, version) for file in manifests}}


def synchronous() -> dict[Path, str]:
    """Return the modules of the synchronous client, which are the asynchronous ones without `async` and `await`."""
    sources = [ASYNCHRONOUS / "client.py", ASYNCHRONOUS / "transport.py"]
    with TemporaryDirectory() as folder:
        rule = unasync.Rule(str(ASYNCHRONOUS), folder, additional_replacements=REPLACED)
        unasync.unasync_files([str(source) for source in sources], [rule])
        texts = {source.name: (Path(folder) / source.name).read_text() for source in sources}
    return {SYNCHRONOUS / name: formatted(SYNCHRONOUS / name, NOTICE + text) for name, text in texts.items()}


def formatted(file: Path, text: str) -> str:
    """Return a module as ruff sorts its imports and sets its lines."""
    for command in (["check", "--fix-only", "--select=I"], ["format"]):
        ruff = [sys.executable, "-P", "-m", "ruff", *command, "--quiet", f"--stdin-filename={file}", "-"]
        text = subprocess.run(ruff, cwd=CHECKOUT, input=text, capture_output=True, text=True, check=True).stdout
    return text


def typescript(folder: Path) -> dict[Path, str]:
    """Return every generated file of the package for TypeScript; `folder` has its `node_modules`."""
    command = [str(folder / TYPESCRIPT_GENERATOR[0]), *TYPESCRIPT_GENERATOR[1:]]
    types = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    version = yaml.load(CONTRACT.read_bytes(), yaml.CSafeLoader)["info"]["version"]
    return {TYPESCRIPT_CONTRACT: f"{types}\nexport const CONTRACT_VERSION = {json.dumps(version)};\n"}


def _with_version(manifest: Path, version: str) -> str:
    found = json.loads(manifest.read_text())
    for each in (found, *(found["packages"][""] for _ in range("packages" in found))):
        each["version"] = version
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _declared(name: str, schema: Schema) -> str:
    fields: Schema = schema.get("properties", {})
    if not fields:
        return f"{name}: TypeAlias = {_typed(schema)}\n"
    required = set(schema.get("required", ()))
    typed = {field: _typed(part) for field, part in fields.items()}
    typed = {field: text if field in required else f"NotRequired[{text}]" for field, text in typed.items()}
    if all(field.isidentifier() and not keyword.iskeyword(field) for field in typed):
        lines = "".join(f"    {field}: {text}\n" for field, text in typed.items())
        return f"class {name}(TypedDict):\n{lines}"
    lines = "".join(f"        {field!r}: {text!r},\n" for field, text in typed.items())
    return f"{name} = TypedDict(\n    {name!r},\n    {{\n{lines}    }},\n)\n"


def _typed(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if members := schema.get("oneOf") or schema.get("anyOf"):
        return " | ".join(dict.fromkeys(map(_typed, members)))
    kinds = schema.get("type", [])
    return " | ".join(_plain(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "Any"


def _plain(kind: str, schema: Schema) -> str:
    if kind == "array":
        return f"list[{_typed(schema.get('items', {}))}]"
    if kind == "object":
        rest = schema.get("additionalProperties", {})
        return f"dict[str, {_typed(rest) if isinstance(rest, dict) else 'Any'}]"
    return PLAIN[kind]


def main() -> None:
    files = contents()
    if shutil.which("npm") is not None:
        subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=TYPESCRIPT, check=True)
        files |= typescript(TYPESCRIPT)
    for file, text in files.items():
        file.write_text(text)
    if shutil.which("npm") is None:
        sys.exit("clients/typescript/src/generated/contract.ts is not written: this needs Node.js and npm")


if __name__ == "__main__":
    main()
