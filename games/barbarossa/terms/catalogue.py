"""Terms and attributes as people write them: `attributes.toml` and the files of `columns/`, read once.

A column's answers hold for its fifteen terms; a term names only the attributes in which it differs. All other answers
are no. A term's id is its coordinate in the rulebook's table (BR-66).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import msgspec

from games.core.texts import LANGUAGES

NO: Final = 0
YES: Final = 1
PERHAPS: Final = 2
UNCLEAR: Final = 3
"""NEIN, JA, EVENTUELL, NICHT EINDEUTIG ZU BEANTWORTEN; the first two are firm."""

ROWS: Final = 15
"""Terms in a column; a1 is the excavator, as in the rulebook."""

_ANSWERS: Final = {"no": NO, "yes": YES, "perhaps": PERHAPS, "unclear": UNCLEAR}
_COLUMN: Final = re.compile(r"(?P<letter>[a-x])_(?P<slug>[a-z_]+)\.toml")


class Attribute(msgspec.Struct, frozen=True):
    """One thing that can be asked: its id, its group, the question and other ways to put it, by language."""

    id: str
    group: str
    question: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]


class Column(msgspec.Struct, frozen=True):
    """A letter of the table: the common property of its terms, and the answers that follow."""

    letter: str
    title: Mapping[str, str]
    answers: Mapping[str, int]


class Term(msgspec.Struct, frozen=True):
    """A term; in each language the first name is the spelled one."""

    id: str
    column: int
    names: Mapping[str, tuple[str, ...]]
    exceptions: Mapping[str, int]

    def name(self, language: str) -> str:
        """Return the name whose letters are asked for."""
        return self.names[language][0]


def _by_language(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    if set(entry) != set(LANGUAGES):
        raise ValueError(f"{where}: needs {', '.join(LANGUAGES)} and nothing else")
    return {language: entry[language] for language in LANGUAGES}


def _read_attributes(text: str) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(
            id=name,
            group=entry["group"],
            question=_by_language(entry["question"], name),
            also={language: tuple(ways) for language, ways in _by_language(entry["also"], name).items()},
        )
        for name, entry in tomllib.loads(text).items()
    )


def _answers(entry: Mapping[str, Any], where: str, known: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word, answer in _ANSWERS.items():
        for attribute in entry.get(word, "").split():
            if attribute not in known or attribute in found:
                raise ValueError(f"{where}: {attribute} is {'answered twice' if attribute in known else 'unknown'}")
            found[attribute] = answer
    return found


def _read_column(letter: str, number: int, text: str, known: set[str]) -> tuple[Column, list[Term]]:
    """Return a column and its terms; raise ValueError if the file is not as it must be."""
    entry = tomllib.loads(text)
    ids = [f"{letter}{row}" for row in range(1, ROWS + 1)]
    if set(entry) - {"title", *_ANSWERS} != set(ids):
        raise ValueError(f"column {letter}: needs {ids[0]} to {ids[-1]} and nothing else")
    column = Column(letter, _by_language(entry["title"], letter), _answers(entry, letter, known))
    terms = []
    for name in ids:
        spoken = {key: tuple(value) for key, value in entry[name].items() if key not in _ANSWERS}
        terms.append(Term(name, number, _by_language(spoken, name), _answers(entry[name], name, known)))
    return column, terms


def _read_columns(known: set[str]) -> tuple[tuple[Column, ...], tuple[Term, ...]]:
    columns: list[Column] = []
    terms: list[Term] = []
    for file in sorted((files(__package__) / "columns").iterdir(), key=lambda file: file.name):
        found = _COLUMN.fullmatch(file.name)
        if found is None:
            continue
        column, members = _read_column(found["letter"], len(columns), file.read_text("utf-8"), known)
        columns.append(column)
        terms += members
    return tuple(columns), tuple(terms)


ATTRIBUTES: Final = _read_attributes((files(__package__) / "attributes.toml").read_text("utf-8"))
"""The 64 attributes; an attribute's number is its place here."""

COLUMNS, TERMS = _read_columns({attribute.id for attribute in ATTRIBUTES})
"""The 24 columns and the 360 terms; a term's number is its place here, so row r of column c is 15 c + r - 1."""

ATTRIBUTE_NUMBERS: Final = {attribute.id: number for number, attribute in enumerate(ATTRIBUTES)}
TERM_NUMBERS: Final = {term.id: number for number, term in enumerate(TERMS)}

SHAPES: Final = tuple(number for number, attribute in enumerate(ATTRIBUTES) if attribute.group == "shape")
"""The attributes that a sculpture can hint at."""
