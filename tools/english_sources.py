"""Sources of the English lint: the texts of a checkout, each with its kind and place.

Python is read line by line instead of parsed: that takes a fifth of the time, and the formatter guarantees the layout
that the reader relies on.
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

CONTRACT: Final = "openapi/openapi.yaml"

GENERATED: Final = re.compile(
    r"/generated/|clients/web/src/contract"
    r"|service/docs/assets/|/node_modules/|openapi/examples/|bench/results/|docs/clients\.md|tests/evolution/stored"
)
"""Files that a command writes; their texts are counted where they come from."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the kind of thing that it describes."""

    path: str
    line: int
    kind: str
    """`module`, `class`, `function`, `private`, `constant`, `comment`, `page`, `contract`, `summary`, `message`, `name`
    or `subject`."""

    text: str


def read_texts(root: Path, paths: Sequence[str] = ()) -> Iterator[Text]:
    """Yield the texts of the files that Git tracks or would track, or of those below the given paths."""
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, check=True, cwd=root, stdout=subprocess.PIPE)
    for path in dict.fromkeys(listed.stdout.decode().split("\0")):
        name = path.rpartition("/")[2]
        reader = READERS.get(name.rpartition(".")[2])
        if path == CONTRACT:
            yield from contract_texts(path, yaml.load((root / path).read_text("utf-8"), Loader=yaml.CSafeLoader))
        elif reader and not GENERATED.search(path) and (root / path).is_file():
            yield from reader(path, (root / path).read_text("utf-8"))


_OWNER: Final = re.compile(r"(?:async )?(def|class) (\w+)")
_CONSTANT: Final = re.compile(r"(_?[A-Z][A-Z0-9_]+)(?:: [^=]+)? = ")
_FIELD: Final = re.compile(r"[a-z_]\w*(?:: | = )|self\.")
_TRAILING: Final = re.compile(r"\S  # (?!noqa|type:|pragma|fmt:|ruff:)(.+)")
_IGNORED: Final = re.compile(r"# ?(?:noqa|type:|pragma|fmt:|ruff:|!|-\*-)")


def python_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the docstrings, comments and names of module constants of a formatted Python file."""
    owner = "module"
    lines = iter(enumerate(source.splitlines(), start=1))
    comment: list[str] = []
    for number, line in lines:
        code = line.strip()
        if code.startswith("#"):
            if not _IGNORED.match(code):
                comment.append(code.lstrip("#: "))
            continue
        if comment:
            yield Text(path, number - len(comment), "comment", "\n".join(comment))
            comment = []
        if code.startswith(('"""', 'r"""')):
            yield Text(path, number, owner, inspect.cleandoc(_quoted(code.partition('"""')[2], lines)))
        elif code.count('"""') % 2:
            _quoted("", lines)
        elif code:
            owner = _owner(line, code) or owner
            if match := _CONSTANT.match(line):
                yield Text(path, number, "name", match[1])
            if match := _TRAILING.search(code):
                yield Text(path, number, "comment", match[1])
    if comment:
        yield Text(path, source.count("\n"), "comment", "\n".join(comment))


def _quoted(begun: str, lines: Iterator[tuple[int, str]]) -> str:
    rows = [begun]
    while '"""' not in rows[-1]:
        rows.append(next(lines)[1])
    return "\n".join(rows).partition('"""')[0]


def _owner(line: str, code: str) -> str | None:
    if match := _OWNER.match(code):
        if match[1] == "class":
            return "class"
        return "private" if match[2].startswith("_") and not match[2].endswith("__") else "function"
    return "constant" if _CONSTANT.match(line) or _FIELD.match(code) else None


_FENCE: Final = re.compile(r"^( *)(```|~~~).*?^\1\2`*$", re.DOTALL | re.MULTILINE)
_MARKUP: Final = re.compile(r"<!--.*?-->|</?[a-z][^>]*>", re.DOTALL)


def page_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the paragraphs, list items, cells and headings of a Markdown page, without code."""
    for pattern in (_FENCE, _MARKUP):
        source = pattern.sub(lambda match: "\n" * match.group().count("\n"), source)
    block: list[str] = []
    start = 1
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        begins = re.match(r"\s*(?:[-*+] |\d+\. |#+ |> )", line)
        if block and (not line.strip() or begins or line.lstrip().startswith("|")):
            yield Text(path, start, "page", "\n".join(block))
            block = []
        if line.lstrip().startswith("|"):
            for cell in line.strip().strip("|").split("|"):
                if len(cell.split()) > 1:
                    yield Text(path, number, "page", cell.strip())
            continue
        if line.strip():
            start = start if block else number
            block.append(line[begins.end() :] if begins else line)


_BLOCK_COMMENT: Final = re.compile(r"/\*\*?(.*?)\*/|(?:^[ \t]*//(?!/)[^\n]*\n?)+", re.DOTALL | re.MULTILINE)


def script_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the comments of a TypeScript or JavaScript file."""
    for match in _BLOCK_COMMENT.finditer(source):
        body = match[1] if match[1] is not None else re.sub(r"^[ \t]*// ?", "", match.group(), flags=re.MULTILINE)
        body = re.sub(r"^[ \t]*\*? ?", "", body, flags=re.MULTILINE)
        yield Text(path, source.count("\n", 0, match.start()) + 1, "comment", body.strip())


def lua_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the comments of a Lua script that fill lines."""
    for match in re.finditer(r"(?:^[ \t]*--[^\n]*\n?)+", source, re.MULTILINE):
        body = re.sub(r"^[ \t]*-- ?", "", match.group(), flags=re.MULTILINE)
        yield Text(path, source.count("\n", 0, match.start()) + 1, "comment", body.strip())


def settings_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the comments of a YAML, TOML or shell file."""
    for match in re.finditer(r"(?:^[ \t]*#(?!!)[^\n]*\n?)+|(?<=\S  )# [^\n]+", source, re.MULTILINE):
        body = re.sub(r"^[ \t]*# ?", "", match.group(), flags=re.MULTILINE)
        yield Text(path, source.count("\n", 0, match.start()) + 1, "comment", body.strip())


def message_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the messages of an English text file."""
    if not path.endswith(("texts/en.json", "field_texts.json")):
        return
    lines = {line.strip().rstrip(","): number for number, line in enumerate(source.splitlines(), start=1)}
    for message in _strings(json.loads(source)):
        ending = json.dumps(message, ensure_ascii=False)
        number = next((number for line, number in lines.items() if line.endswith(ending)), 1)
        yield Text(path, number, "message", message)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def contract_texts(path: str, document: Any) -> Iterator[Text]:
    """Yield the summaries, descriptions and titles of an OpenAPI document, each distinct text once."""
    seen: set[str] = set()
    for place, key, value in _described(document, path):
        if value not in seen:
            seen.add(value)
            yield Text(place, 1, "summary" if key == "summary" and place.count("/paths/") else "contract", value)


def _described(value: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in {"summary", "description", "title"} and isinstance(item, str):
                yield f"{place}/{key}", key, item
            elif key not in {"example", "examples", "default", "const", "enum"}:
                yield from _described(item, f"{place}/{str(key).strip('/').replace('/', '~1')}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _described(item, f"{place}/{number}")


READERS: Final = {
    "py": python_texts,
    "md": page_texts,
    "ts": script_texts,
    "tsx": script_texts,
    "lua": lua_texts,
    "json": message_texts,
    "yaml": settings_texts,
    "yml": settings_texts,
    "toml": settings_texts,
    "sh": settings_texts,
    "Dockerfile": settings_texts,
}
