"""Move codes: a kind, a riddle and an argument, packed (published with the ruleset).

A riddle's number is its modeller's seat times the riddles of each, plus its place among his. Places of letters count
from 0; from MAX_LETTERS on they count backwards from the last letter.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, part

MODEL: Final = 0
ROLL: Final = 1
SPEND: Final = 2
ASK: Final = 3
ASK_FREELY: Final = 4
ANSWER: Final = 5
REJECT: Final = 6
END_ROUND: Final = 7
ATTEMPT: Final = 8
LETTER: Final = 9
FORGO: Final = 10
GIVE: Final = 11
HOLD: Final = 12
CURSE_LETTER: Final = 13
CURSE_ATTEMPT: Final = 14
JUDGE: Final = 15

ANY: Final = 63
"""The place of a letter that the modeller chooses (BR-D40)."""

SAMPLE: Final = 0xFFFF
"""The number of the one free question that is listed as an example."""

WORDED: Final = 0xFF00
"""The number of the free question that is worded as the first attribute of the list; the others follow (BR-D49)."""

INSIST: Final = 4
"""Offset of an answer that its modeller insists on against the list (BR-D33)."""

STOCK: Final = 30
"""An explicitness that says: not kneaded, but the example of an own piece, the same whatever the term."""

OWN: Final = 31
"""An explicitness that says: not kneaded, but the player's own piece (BR-D43)."""

EXACT: Final = 21
"""The explicitness of the whole recipe; 1 is that of the barest hint, 0 says that there is no such riddle."""


def code(kind: i64, riddle: i64, what: i64) -> i64:
    """Pack a move: its riddle, and an attribute, a term, a place, an answer, a number of stones or of a free text."""
    return kind | at(riddle, 4) | at(what, 8)


def kind_of(move: i64) -> i64:
    """Return the kind of move of a code."""
    return part(move, 0, 4)


def riddle_of(move: i64) -> i64:
    """Return the riddle that a move is about."""
    return part(move, 4, 4)


def what_of(move: i64) -> i64:
    """Return the argument of a move about its riddle."""
    return part(move, 8, 16)


def modelled(index: i64, term: i64, explicitness: i64) -> i64:
    """Return the part of one riddle of a seat in the code of its modelling."""
    return at(term, 4 + 9 * index) | at(explicitness, 31 + 5 * index)


def term_of(move: i64, index: i64) -> i64:
    """Return the term of a seat's riddle in the code of its modelling."""
    return part(move, 4 + 9 * index, 9)


def explicitness_of(move: i64, index: i64) -> i64:
    """Return the plainness of a seat's riddle, or OWN, in the code of its modelling."""
    return part(move, 31 + 5 * index, 5)
