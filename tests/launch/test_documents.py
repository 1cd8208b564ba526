"""The commands in the documents exist."""

import ast
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click
import pytest

from service.__main__ import cli
from tools.__main__ import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENTS: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

COMMAND: Final = re.compile(
    r"(?:^|[`$&;] ?|-- )(?:\w+=\S+ )*(python3? dev\.py|python3? -m service) ([a-z][a-z-]*)", re.MULTILINE
)
PYTHON: Final = re.compile(
    r"""(?:^|(?<=[|;&(]))\ *(?:\w+=\S+\ )*(python3?\ (?:"[^"\n]*"|'[^'\n]*'|[^`|;&()#"'\n])+)""",
    re.MULTILINE | re.VERBOSE,
)
"""A command that begins with python; the names of its settings before it are left out."""

BLOCK: Final = re.compile(r"^```(?:sh)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE: Final = re.compile(r"(?<!`)`([^`\n]+)`")
LINK: Final = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
PROGRAM_COMMANDS: Final = {"dev.py": set(COMMANDS), "service": set(cli.list_commands(click.Context(cli)))}

READERS: Final = {
    "keys": ("service.__main__", "cli"),
    "worker": ("service.__main__", "cli"),
    "openapi": ("service.__main__", "cli"),
    "simulate": ("workers.__main__", "main"),
    "tournament": ("workers.__main__", "main"),
    "bench": ("bench.__main__", "main"),
    "dataset": ("bench.datasets.__main__", "main"),
}
"""The click group that reads a command of dev.py, by its module, which may take long to load, and its name there."""


def programs() -> Iterator[tuple[str, str]]:
    """Yield each document with the commands that begin with python in its blocks for the shell and its sentences."""
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        blocks = BLOCK.findall(text)
        pieces = [*blocks, *INLINE.findall(BLOCK.sub("", text))]
        for piece in pieces:
            for command in PYTHON.findall(re.sub(r"\\\n\s*", "", piece)):
                yield str(document.relative_to(ROOT)), command.strip()


def complaint(command: str) -> str | None:
    """Return the reason why a command does not work in a clone, or None."""
    _, first, *rest = [word for word in shlex.split(command) if word not in {"-I", "-P"}]
    if first == "-c":
        compile(rest[0], "<a document>", "exec")
        return None
    if first == "-m":
        return "modules are found in .venv alone: `python3 dev.py run` runs them"
    if first != "dev.py":
        return None if (ROOT / first).is_file() else f"there is no {first}"
    name, *rest = rest
    if name not in COMMANDS:
        return f"dev.py has no {name}"
    if name == "run":
        return None if find_spec(rest[0]) else f"there is no {rest[0]}"
    if name not in READERS:
        return None
    module, group = READERS[name]
    return refused(getattr(import_module(module), group), rest if name == "bench" else [name, *rest])


def refused(command: click.Command, words: list[str]) -> str | None:
    """Return which word a command does not know; placeholders and the values of options are not looked at."""
    if isinstance(command, click.Group):
        context = click.Context(command)  # some groups load their commands only when one is named
        for index, word in enumerate(words):
            if (named := command.get_command(context, word)) is not None:
                return refused(named, words[index + 1 :])
        if words and not words[0].startswith("-"):
            return f"there is no {words[0]}"
    for parameter, word in zip([p for p in command.params if p.param_type_name == "argument"], words, strict=False):
        if isinstance(parameter.type, click.Choice) and word not in parameter.type.choices:
            return f"{word} is none of {parameter.type.choices}"
    known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    unknown = [word for word in words if word.startswith("--") and word not in {*known, "--help"}]
    return f"there is no {unknown[0]}" if unknown else None


def commands() -> Iterator[tuple[str, str, str]]:
    for document in DOCUMENTS:
        for program, command in COMMAND.findall(document.read_text("utf-8")):
            yield document.name, program.split()[-1], command


def links() -> Iterator[tuple[Path, str]]:
    for document in DOCUMENTS:
        for link in LINK.findall(document.read_text("utf-8")):
            yield document, link


PACKAGES: Final = "games|service|workers|bench|tests"
DOTTED: Final = re.compile(rf"(?:{PACKAGES})(?:\.\w+)+")
PATHLIKE: Final = re.compile(rf"(?:(?:{PACKAGES}|docs|openapi|k8s|image)/[\w./-]*|[\w/]+\.(?:py|lua|toml|yaml))")
FUTURE_PATHS: Final = {"bench/env", "worth.py", "table.py", "test_worlds.py", "shared_wins.py"}
"""Paths that a command makes, or that a new game gets."""


def names() -> Iterator[tuple[str, str]]:
    """Yield each document with the modules, names in modules, and files that it names in backticks."""
    for document in DOCUMENTS:
        if document.name != "CHANGELOG.md":
            for name in INLINE.findall(BLOCK.sub("", document.read_text("utf-8"))):
                if DOTTED.fullmatch(name) or PATHLIKE.fullmatch(name):
                    yield str(document.relative_to(ROOT)), name


def exists(name: str) -> bool:
    """Return whether the checkout has a path, a module, or a name that a module or its class defines."""
    if not DOTTED.fullmatch(name) or (ROOT / name).exists():
        return (
            name in FUTURE_PATHS
            or any(ROOT.glob(name.rstrip("/")))
            or any(any((ROOT / package).rglob(name)) for package in PACKAGES.split("|"))
        )
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:cut])
        source = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
        if source.is_file():
            return defines(ast.parse(source.read_text("utf-8")), parts[cut:])
    return False


def defines(scope: ast.Module | ast.ClassDef, parts: list[str]) -> bool:
    if not parts:
        return True
    for node in scope.body:
        if isinstance(node, ast.ClassDef) and node.name == parts[0]:
            return defines(node, parts[1:])
        if isinstance(node, ast.FunctionDef) and node.name == parts[0]:
            return len(parts) == 1
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == parts[0] for target in targets):
            return len(parts) == 1
    return False


def glossary() -> Iterator[tuple[str, str]]:
    for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] not in {"term", "---"}:
            yield from ((cells[0], place) for place in re.findall(r"`([\w./]+)`", cells[2]))


def test_every_module_and_file_that_a_document_names_exists() -> None:
    assert sorted({f"{document}: {name}" for document, name in names() if not exists(name)}) == []


@pytest.mark.parametrize(
    "name",
    ["service.nowhere", "service.app.nothing", "games.core.game.Game.nothing", "workers/nothing.py", "nothing.lua"],
)
def test_a_name_of_nothing_is_found(name: str) -> None:
    assert DOTTED.fullmatch(name) or PATHLIKE.fullmatch(name)
    assert not exists(name)


DECISIONS: Final = ROOT / "docs" / "decisions"
PARTS: Final = ["## Question", "## Decision", "## Consequences"]
MAX_DECISIONS: Final = 60
MAX_DECISION_LINES: Final = 45
MAX_LINE_LENGTH: Final = 120
"""A row of a table may be longer."""


def misshapen(name: str, text: str) -> str | None:
    """Return the reason why a page is no decision of three parts on one screen, or None."""
    lines = text.splitlines()
    if not re.match(rf"# {name[:3]} \w", lines[0]):
        return "title"
    if [line for line in lines if line.startswith("## ")] != PARTS:
        return "parts"
    if len(lines) > MAX_DECISION_LINES or any(len(line) > MAX_LINE_LENGTH for line in lines if line[:1] != "|"):
        return "size"
    return None


def test_the_index_has_one_row_for_each_decision() -> None:
    rows = [line.split("|") for line in (DECISIONS / "README.md").read_text().splitlines() if line.startswith("| [")]
    assert sorted(LINK.findall(row[1])[0] for row in rows) == sorted(page.name for page in DECISIONS.glob("[0-9]*.md"))
    assert all(len(row) == 6 and all(cell.strip() for cell in row[1:5]) for row in rows)


def test_each_decision_has_three_parts_and_fits_on_a_screen() -> None:
    pages = list(DECISIONS.glob("[0-9]*.md"))
    assert {page.name: fault for page in pages if (fault := misshapen(page.name, page.read_text("utf-8")))} == {}
    assert 0 < len(pages) <= MAX_DECISIONS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# 001 A title\n\n## Question\n\n## Decision\n\n## Consequences\n", None),
        ("# 002 A title\n\n## Question\n\n## Decision\n\n## Consequences\n", "title"),
        ("# 001 A title\n\n## Question\n\n## Consequences\n\n## Decision\n", "parts"),
        ("# 001 A title\n\n## Question\n\n## Decision\n\n## Consequences\n" + "\n" * 40, "size"),
        ("# 001 A title\n\n## Question\n\n## Decision\n\n## Consequences\n" + "x" * 121, "size"),
    ],
)
def test_a_misshapen_decision_is_found(text: str, fault: str | None) -> None:
    assert misshapen("001-a-title.md", text) == fault


def test_a_term_of_the_glossary_is_found_in_the_module_that_it_names() -> None:
    places = list(glossary())
    missing = [
        f"{term}: {place}"
        for term, place in places
        if not (ROOT / place).is_file() or term.lower() not in (ROOT / place).read_text("utf-8").lower()
    ]
    assert len(places) > 50
    assert missing == []


def test_the_glossary_has_each_term_once() -> None:
    terms = list(dict.fromkeys(glossary()))
    firsts = [term for term, _ in terms]
    assert len(set(firsts)) == len({term.lower() for term in firsts})
    lines = (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert sorted(row for row in set(rows) if rows.count(row) > 1 and row != "term") == []


@pytest.mark.parametrize(("document", "program", "command"), sorted(set(commands())))
def test_a_command_in_a_document_exists(document: str, program: str, command: str) -> None:
    assert command in PROGRAM_COMMANDS[program], f"{document} names {program} {command}"


HISTORY: Final = re.compile(r"CHANGELOG\.md|docs/decisions/")
"""Documents about the past; nobody looks up commands there."""


@pytest.mark.parametrize(("document", "command"), sorted({row for row in programs() if not HISTORY.match(row[0])}))
def test_python_as_a_document_calls_it_does_something(document: str, command: str) -> None:
    assert complaint(command) is None, document


@pytest.mark.parametrize(
    "command",
    [
        "python -m service openapi",
        "python3 dev.py srve",
        "python3 dev.py run tests.nothing",
        "python3 dev.py worker music",
        "python3 dev.py keys ad phone",
        "python3 dev.py bench nothing",
        "python3 dev.py simulate --gmae hoher-rat",
        "python3 nothing.py",
    ],
)
def test_useless_settings_are_found(command: str) -> None:
    assert complaint(command)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/operations.md"])
def test_requirements_of_a_second_run_in_one_clone_are_documented(name: str) -> None:
    assert {"PORT", "DORFPLATZ_VAR"} <= set(re.findall(r"`([A-Z_]+)`", (ROOT / name).read_text()))


def test_every_link_in_a_document_leads_somewhere() -> None:
    assert [f"{document.name}: {link}" for document, link in links() if not (document.parent / link).exists()] == []
