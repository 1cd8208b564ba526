"""Dwarfs side by side: each cap once, with its number, and pairs hand in hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from games.core.svg import MIN_TEXT_SIZE, breadth, element, lines, text, title
from games.core.texts import Texts
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.view import DwarfPair, DwarfRow

TALL: Final = 56
"""Height of a line of dwarfs."""

LINE: Final = 24
"""The height of a line of a name."""

SCHMIEDELS: Final = 2
"""Herr Schmiedel's flower, the third one (GZ-55, GZ-D47)."""

TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that stands in a row: its width, its drawing above (0, 0), and its height."""

    width: float
    drawing: str
    tall: float = TALL


def dwarf(cap: str, flower: int) -> str:
    """Draw one dwarf of a flower."""
    return use("coat", 0, 0, f"gz-f{flower}") + use(f"cap-{cap}", 0, 0, f"gz-{cap}")


def several(cap: str, number: int, flower: int, language: str, texts: Texts, *, own: bool = False) -> Figure:
    """Draw the dwarfs of one cap as one, with their number."""
    said = numbered(cap, number, language, texts)
    touched = {"data_ref": f"dwarf/{cap}"} if own else {}
    if number == 1:
        return Figure(36, element("g", title(said), dwarf(cap, flower), **touched))
    times = f"{TIMES}{number}"
    many = text(times, 15, -3, "gz-bold", font_size=MIN_TEXT_SIZE)
    wide = 36 + breadth(times, MIN_TEXT_SIZE, "bold")
    return Figure(wide, element("g", title(said), dwarf(cap, flower), many, **touched))


def numbered(cap: str, number: int, language: str, texts: Texts) -> str:
    """Return the number of dwarfs of a cap in words."""
    said = texts.say(language, "picture", "dwarf", cap=cap)
    return said if number == 1 else f"{number} {TIMES} {said}"


def pair_named(pair: DwarfPair, names: Sequence[str], language: str, texts: Texts) -> str:
    """Return the two dwarfs in a shed with their owners."""
    owner = texts.say(language, "picture", "schmiedel") if pair.owner is None else names[pair.owner]
    return texts.say(language, "picture", "pair", own=pair.own, mate=pair.mate, name=owner)


def figures(row: DwarfRow, flower: int, language: str, texts: Texts, *, own: bool = False) -> list[Figure]:
    """Draw the dwarfs of a row, the most valuable first; a move may concern the viewer's own."""
    counts = dict(zip(CAPS, msgspec.structs.astuple(row), strict=True))
    return [several(cap, counts[cap], flower, language, texts, own=own) for cap in reversed(CAPS) if counts[cap]]


def pairs(
    shed: Sequence[DwarfPair], flower: int, names: Sequence[str], width: float, language: str, texts: Texts
) -> list[Figure]:
    """Draw the pairs of a shed, equal ones once, each with the name of the mate's owner."""
    found = []
    for pair, number in Counter(shed).items():
        seat = pair.owner
        owner = texts.say(language, "picture", "schmiedel") if seat is None else names[seat]
        said = pair_named(pair, names, language, texts)
        other = element("g", dwarf(pair.mate, SCHMIEDELS if seat is None else seat), transform="translate(26 0)")
        times = f"{TIMES}{number} " if number > 1 else ""
        written = lines(times + owner, width - 62, MIN_TEXT_SIZE, "gz-plainly")
        named = [
            text(line, 43, -4 - LINE * (len(written) - 1 - place), "gz-plainly", font_size=MIN_TEXT_SIZE)
            for place, line in enumerate(written)
        ]
        drawing = element("g", title(said), dwarf(pair.own, flower), other, *named)
        found.append(Figure(width, drawing, max(TALL, LINE * len(written) + 8)))
    return found


def folded(standing: Sequence[Figure], width: float) -> list[list[Figure]]:
    """Return figures in lines that are no wider than a width."""
    rows: list[list[Figure]] = []
    room = 0.0
    for figure in standing:
        if not rows or figure.width > room:
            rows.append([])
            room = width
        rows[-1].append(figure)
        room -= figure.width
    return rows


def high(standing: Sequence[Figure], width: float) -> float:
    """Return the height of figures that fill lines of a width; nobody takes a line, too."""
    return sum(max(figure.tall for figure in line) for line in folded(standing, width)) or TALL


def row(standing: Sequence[Figure], x: float, y: float, width: float) -> str:
    """Draw figures side by side in lines of a width, the first of which begins at a y."""
    parts = []
    for line in folded(standing, width):
        at = x + 17.0
        y += max(figure.tall for figure in line)
        for figure in line:
            parts.append(element("g", figure.drawing, transform=f"translate({at:g} {y - 4:g})"))
            at += figure.width
    return element("g", *parts) if parts else ""
