"""Names of small numbers: phases, purposes of chance, options, and move codes; compiled.

A move code is a kind and up to two small numbers of public content, packed (published with the ruleset).
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, part

BEFORE: Final = 0
ACTION: Final = 1
ANSWER: Final = 2
BRIBING: Final = 3
OPENED: Final = 4
ROLLED: Final = 5
GIVING: Final = 6
LAYING: Final = 7
ENDING: Final = 8
AFTER: Final = 9
OVER: Final = 10
"""Kinds of decisions."""

DEALT_GNOME: Final = 0
DRAWN_GNOME: Final = 1
DEALT_ACTION: Final = 2
DIE: Final = 3
IMAGINED: Final = 4
"""Purposes of chance; the last is for a viewer's deals."""

NOBODY: Final = -1

MIN_PIPS: Final = 2
"""The pips that a roll needs where nobody has laid a bribe (HW-27); each coin more asks for one more (HW-26)."""

ANY_PLAYER: Final = 1
PICKS: Final = 2
SHORT: Final = 4
"""Options that are on or off, as a set of bits: who may play "No way!", "Come here!" picks, short titles."""

MARCH: Final = 0
PLAY: Final = 1
CALL: Final = 2
SWAP: Final = 3
RETURN: Final = 4
RECRUIT: Final = 5
BRIBE: Final = 6
PASS_BRIBE: Final = 7
VETO: Final = 8
SPARE: Final = 9
ROLL: Final = 10
ACCEPT: Final = 11
REROLL: Final = 12
GIVE: Final = 13
LAY: Final = 14
END_ROUND: Final = 15
GO_ON: Final = 16
FREE: Final = 17
PASS_DIE: Final = 18
"""Kinds of moves."""

UNSEEN: Final = 15
"""The card of a move as those see it who do not see the card."""


def code(kind: i64, card: i64, seat: i64) -> i64:
    """Pack a move: a kind of card or a place, and a seat or (for "Come here!") a place from 1."""
    return kind | at(card, 5) | at(seat, 9)


def what_of(move: i64) -> i64:
    """Return the kind of move of a code."""
    return part(move, 0, 5)


def card_of(move: i64) -> i64:
    """Return the kind of gnome or action card, or the place on the square, from 0."""
    return part(move, 5, 4)


def seat_of(move: i64) -> i64:
    """Return the seat that a move names."""
    return part(move, 9, 3)
