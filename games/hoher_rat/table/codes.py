"""Move codes: a kind and up to six small numbers of public content, packed (published with the ruleset)."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, part

DISCUSS: Final = 0
TRILITH: Final = 1
PLACE_FOLLOWER: Final = 2
PLACE_SPEAKER: Final = 3
PROMOTE: Final = 4
CLAIM: Final = 5
PONDER: Final = 6
CONFER: Final = 7
RETURN_CARD: Final = 8
CONVINCE: Final = 9
END_TURN: Final = 10

NONE: Final = 31
"""No card and no second argument."""


def code(kind: i64, card: i64, second: i64, third: i64, hue: i64, colour: i64, moved: i64) -> i64:
    """Pack a move: card or convincing field, two more cards, fields or hues, argument, piece's colour, origin.

    Cards and fields count from 0; `moved` is the number (from 1) of the field a follower moves from, 0 the supply.
    """
    return kind | at(card, 4) | at(second, 9) | at(third, 14) | at(hue, 19) | at(colour, 22) | at(moved, 24)


def kind_of(move: i64) -> i64:
    """Return the kind of move of a code."""
    return part(move, 0, 4)


def card_of(move: i64) -> i64:
    """Return the first card played, or the field that convinces."""
    return part(move, 4, 5)


def second_of(move: i64) -> i64:
    """Return the second card, the claimed or convinced field, or the first argument of a trilith."""
    return part(move, 9, 5)


def third_of(move: i64) -> i64:
    """Return the third card, or the second argument of a trilith."""
    return part(move, 14, 5)


def hue_of(move: i64) -> i64:
    """Return the colour of the arguments taken or paid."""
    return part(move, 19, 3)


def colour_of(move: i64) -> i64:
    """Return the colour of the piece placed."""
    return part(move, 22, 2)


def from_of(move: i64) -> i64:
    """Return the number of the field that a follower moves from, 0 for the supply."""
    return part(move, 24, 5)


def colour_part(colour: i64) -> i64:
    """Return the part of a piece's colour in a code."""
    return at(colour, 22)


def origin_part(field: i64) -> i64:
    """Return the part of a relocation from a field, counted from 0, in a code (HR-65)."""
    return at(field + 1, 24)
