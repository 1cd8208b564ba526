"""Groups and blocks of a view's ring, for people; the table counts them on its own bit sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from games.hoher_rat.view import CouncilView, Piece

MAX_PRICE: Final = 3
"""The most that it costs to convince (HR-48)."""

FACTION_OF: Final = {"white": "pro", "yellow": "pro", "red": "contra", "blue": "contra"}
"""The faction of each colour of pieces (HR-8)."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring fields with one owner: from the field `start`, a number, clockwise over `length` fields."""

    owner: str
    start: int
    length: int


def groups(ring: Sequence[Piece | None]) -> list[Run]:
    """Return the longest runs of one colour, speakers included (HR-17, HR-D4)."""
    return runs([piece.colour if piece else None for piece in ring])


def blocks(ring: Sequence[Piece | None]) -> list[Run]:
    """Return the longest runs of one faction, speakers included (HR-18, HR-D5)."""
    return runs([FACTION_OF[piece.colour] if piece else None for piece in ring])


def runs(owners: Sequence[str | None]) -> list[Run]:
    """Return the runs of one owner on a closed ring, in order of their first field; None owns nothing."""
    found = []
    field = 1
    for owner, members in groupby(owners):
        length = len(list(members))
        if owner is not None:
            found.append(Run(owner, field, length))
        field += length
    if len(found) > 1 and owners[0] is not None and owners[0] == owners[-1]:
        first, last = found[0], found.pop()
        found[0] = Run(first.owner, last.start, last.length + first.length)
    return found


def price(view: CouncilView, source: int, target: int) -> int:
    """Return the price to convince the piece on a field from a neighbouring one (HR-45 to HR-48, HR-59)."""
    sizes = {
        (group.start + step - 1) % len(view.ring): group.length
        for group in groups(view.ring)
        for step in range(group.length)
    }
    piece, size = view.ring[target - 1], sizes[target - 1]
    if view.voting and sizes[source - 1] > size:
        return 1
    return MAX_PRICE if piece is not None and piece.rank == "speaker" else min(size, MAX_PRICE)


def longest(view: CouncilView, faction: str) -> int:
    """Return the length of a faction's longest block, 0 for none."""
    return max((block.length for block in blocks(view.ring) if block.owner == faction), default=0)
