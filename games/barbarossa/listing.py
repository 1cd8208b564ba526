"""What a person is shown of the moves that he may make: of attempts and letters an example each, the rest is a form."""

from __future__ import annotations

from typing import Final

from games.barbarossa.table.codes import (
    ASK_FREELY,
    ATTEMPT,
    CURSE_ATTEMPT,
    CURSE_LETTER,
    LETTER,
    SAMPLE,
    kind_of,
    riddle_of,
    what_of,
)
from games.barbarossa.table.hall import Hall

EXEMPLARY: Final = {ATTEMPT, CURSE_ATTEMPT, LETTER, CURSE_LETTER}
"""Kinds of moves of which one for each riddle is shown: any term, or any place, may stand there as well."""


def listing(hall: Hall, seat: int) -> list[int]:
    """Return the codes that are shown: all but those that are told from an example by a word or a place alone."""
    found: list[int] = []
    shown: set[tuple[int, int]] = set()
    for move in hall.legal(seat):
        kind, about = int(kind_of(move)), (int(kind_of(move)), int(riddle_of(move)))
        if about in shown or (kind == ASK_FREELY and what_of(move) != SAMPLE):
            continue
        if kind in EXEMPLARY:
            shown.add(about)
        found.append(int(move))
    return found
