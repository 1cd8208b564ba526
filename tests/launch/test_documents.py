"""What the documents tell a reader to type exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from service.__main__ import cli
from service.launch.__main__ import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENTS: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MAKEFILE: Final = (ROOT / "Makefile").read_text()
TARGETS: Final = set(re.findall(r"^([a-z]+): ## ", MAKEFILE, re.MULTILINE))

COMMAND: Final = re.compile(
    r"(?:^|[`$&;] ?)(?:\w+=\S+ )*(make|python3? dev\.py|python3? -m service) ([a-z]+)", re.MULTILINE
)
LINK: Final = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
KNOWN: Final = {"make": TARGETS, "dev.py": set(COMMANDS), "service": set(cli.commands)}


def commands() -> Iterator[tuple[str, str, str]]:
    """Yield each command of each document with the program that is to know it."""
    for document in DOCUMENTS:
        for program, command in COMMAND.findall(document.read_text("utf-8")):
            yield document.name, program.split()[-1], command


def links() -> Iterator[tuple[Path, str]]:
    """Yield each link of each document into the checkout."""
    for document in DOCUMENTS:
        for link in LINK.findall(document.read_text("utf-8")):
            yield document, link


@pytest.mark.parametrize(("document", "program", "command"), sorted(set(commands())))
def test_a_command_in_a_document_exists(document: str, program: str, command: str) -> None:
    assert command in KNOWN[program], f"{document} names {program} {command}"


def test_the_documents_name_commands_of_all_programs() -> None:
    assert {program for _, program, _ in commands()} == set(KNOWN)


def test_every_link_in_a_document_leads_somewhere() -> None:
    assert [f"{document.name}: {link}" for document, link in links() if not (document.parent / link).exists()] == []


def test_make_has_the_commands_of_dev() -> None:
    assert set(COMMANDS) == TARGETS


@pytest.mark.parametrize("name", sorted(TARGETS - {"help"}))
def test_a_make_target_runs_the_command_of_its_name(name: str) -> None:
    assert re.search(rf"^{name}: ## .+\n\t@python3 dev\.py {name}\b", MAKEFILE, re.MULTILINE)
