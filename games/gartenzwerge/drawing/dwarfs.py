"""Dwarfs in rows: each cap once, with its number, and pairs hand in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from games.core.svg import element, text, title
from games.core.texts import Texts
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.view import DwarfPair, DwarfRow

TIGHT: Final = 0.45
"""Figures are never made smaller than this; so many do not stand in one place in any game."""


SCHMIEDELS: Final = 2
"""Herr Schmiedel's flower, the third one (GZ-55, GZ-D47)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that stands in a row: its width, and its drawing around (0, 0)."""

    width: float
    drawing: str


def dwarf(cap: str, flower: int) -> str:
    """Draw one dwarf of a flower."""
    return use("coat", 0, 0, f"gz-f{flower}") + use("cap", 0, 0, f"gz-{cap}")


def several(cap: str, number: int, flower: int, language: str, texts: Texts) -> Figure:
    """Draw the dwarfs of one cap as one, with their number."""
    said = texts.say(language, "picture", "dwarf", cap=cap)
    label = f"{number} × {said}" if number > 1 else said  # noqa: RUF001 -- a times sign
    many = [text(f"×{number}", 15, -3, "gz-bold", font_size=17)] if number > 1 else []  # noqa: RUF001
    return Figure(58 if number > 1 else 34, element("g", title(label), dwarf(cap, flower), *many))


def figures(row: DwarfRow, flower: int, language: str, texts: Texts) -> list[Figure]:
    """Draw the dwarfs of a row, the most valuable first."""
    counts = dict(zip(CAPS, msgspec.structs.astuple(row), strict=True))
    return [several(cap, counts[cap], flower, language, texts) for cap in reversed(CAPS) if counts[cap]]


def pairs(shed: Sequence[DwarfPair], flower: int, names: Sequence[str], language: str, texts: Texts) -> list[Figure]:
    """Draw the pairs of a shed."""
    found = []
    for pair in shed:
        owner = texts.say(language, "picture", "schmiedel") if pair.owner is None else names[pair.owner]
        said = texts.say(language, "picture", "pair", own=pair.own, mate=pair.mate, name=owner)
        mate = element(
            "g", dwarf(pair.mate, SCHMIEDELS if pair.owner is None else pair.owner), transform="translate(25 0)"
        )
        found.append(Figure(66, element("g", title(said), dwarf(pair.own, flower), mate)))
    return found


def row(standing: Sequence[Figure], x: float, y: float, width: float) -> str:
    """Draw figures side by side within a width, smaller where there are many."""
    needed = sum(figure.width for figure in standing)
    scale = max(min(1.0, width / needed), TIGHT) if needed else 1.0
    parts, at = [], 17.0
    for figure in standing:
        parts.append(element("g", figure.drawing, transform=f"translate({at:g} 0)"))
        at += figure.width
    grown = f" scale({scale:.2f})" if scale < 1 else ""
    return element("g", *parts, transform=f"translate({x:g} {y:g}){grown}") if parts else ""
