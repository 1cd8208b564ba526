"""Tutorials as data: a seeded table and steps, each with a text, the marked elements, and the awaited move.

`tutorials.json` beside a game's package has the parts that are the same in every language. The section "tutorials" of
its texts has the sentences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from importlib.resources import files
from operator import or_
from typing import Any, Final

import msgspec

from games.core.payloads import Move

TUTORIALS_FILE: Final = "tutorials.json"


class SeatedMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move of a seat."""

    seat: int
    move: Any


class TutorialTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table by its seed, and the moves that come before the first step."""

    seat_count: int
    seed: str
    options: dict[str, Any] = {}
    moves: list[SeatedMove] = []


class TutorialStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Step of a tutorial: marked elements, the learner's move if any, and the moves that follow."""

    refs: list[str]
    move: Any = None
    replies: list[SeatedMove] = []


class Tutorial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tutorial without its sentences."""

    key: str
    minutes: int
    seat: int
    table: TutorialTable
    steps: list[TutorialStep]


class TutorialTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of a tutorial, one text for each step."""

    title: str
    summary: str
    steps: list[str]


def read_tutorials(package: str, moves: Sequence[type[Move]]) -> list[Tutorial]:
    """Read the tutorials beside a game's package, none where it has none; moves are of the game's own types."""
    file = files(package) / TUTORIALS_FILE
    if not file.is_file():
        return []
    kinds: Any = reduce(or_, moves)

    def read(move: Any) -> Any:
        return None if move is None else msgspec.convert(move, kinds)

    def seated(each: SeatedMove) -> SeatedMove:
        return SeatedMove(each.seat, read(each.move))

    found = []
    for one in msgspec.convert(json.loads(file.read_text("utf-8")), list[Tutorial]):
        steps = [TutorialStep(step.refs, read(step.move), [*map(seated, step.replies)]) for step in one.steps]
        table = msgspec.structs.replace(one.table, moves=[*map(seated, one.table.moves)])
        found.append(msgspec.structs.replace(one, table=table, steps=steps))
    return found


def texts_of(section: Mapping[str, Any], key: str) -> TutorialTexts:
    """Return the sentences of a tutorial from a language's texts."""
    return msgspec.convert(section["tutorials"][key], TutorialTexts)
