"""Der Hohe Rat: the numbers of its actions."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import neighbours
from games.hoher_rat.table.codes import (
    CLAIM,
    CONFER,
    CONVINCE,
    DISCUSS,
    END_TURN,
    NONE,
    PLACE_FOLLOWER,
    PLACE_SPEAKER,
    PONDER,
    PROMOTE,
    RETURN_CARD,
    TRILITH,
    code,
    from_of,
)
from games.hoher_rat.table.listing import blended
from games.hoher_rat.table.observer import CouncilMask, base_of, numbered

FIELDS: Final = 30
HUES: Final = 6
BLACK: Final = 5


def bases() -> list[int]:
    """Return the codes of all moves that some table allows, without the field from which a follower comes."""
    found = []
    for size in (1, 2, 3):
        for cards in combinations(range(FIELDS), size):
            hue = blended_all(cards)
            x, y, z = (*cards, NONE, NONE)[:3]
            found += [code(DISCUSS, x, y, z, paid, 0, 0) for paid in purses(hue)]
    for card in (FIELDS, FIELDS + 1):
        pairs = [(a, b) for a in range(BLACK) for b in (*range(a, BLACK), NONE)]
        found += [code(TRILITH, card, a, b, 0, 0, 0) for a, b in pairs]
    colours = range(2)
    for kind in (PLACE_FOLLOWER, PLACE_SPEAKER, PROMOTE):
        found += [code(kind, card, 0, 0, 0, colour, 0) for card in range(FIELDS) for colour in colours]
    for card in range(FIELDS):
        for paid in purses(card % HUES):
            same = range(card % HUES, FIELDS, HUES)
            found += [code(CLAIM, card, field, 0, paid, colour, 0) for field in same for colour in colours]
            beside = [field for field in range(FIELDS) if neighbours(1 << card, FIELDS) >> field & 1]
            found += [code(CONVINCE, card, field, 0, paid, colour, 0) for field in beside for colour in colours]
    found += [code(kind, card, 0, 0, 0, 0, 0) for kind in (CONFER, RETURN_CARD) for card in range(32)]
    return sorted([*found, code(PONDER, 0, 0, 0, 0, 0, 0), code(END_TURN, 0, 0, 0, 0, 0, 0)])


def blended_all(cards: tuple[int, ...]) -> int:
    """Return the colour that cards blend to, -1 for none."""
    hue = cards[0] % HUES
    for card in cards[1:]:
        hue = blended(hue, card % HUES) if hue >= 0 else hue
    return int(hue)


def purses(hue: int) -> range:
    """Return the colours that an argument of a colour may stand for: any colour if it is black."""
    return range(BLACK) if hue == BLACK else range(hue, hue + 1) if hue >= 0 else range(0)


class Actions:
    """The actions of Der Hohe Rat: every move that some table allows, then the fields from which a follower comes.

    A move that takes a follower from the ring is two actions: the move, and the field.
    """

    __slots__ = ("_bases", "_known", "codes", "size")

    def __init__(self) -> None:
        """Assign numbers to the moves by their codes; a piece's colour is the faction's first or second."""
        self.codes = bases()
        self._bases = vec[i64](self.codes)
        self._known = numbered(self._bases)
        self.size = len(self.codes) + FIELDS

    def mask(self) -> CouncilMask:
        """Return a new mask; all masks share the numbers of moves."""
        return CouncilMask(self._bases, self._known)

    def path(self, _council: Any, code: int) -> tuple[int, ...]:
        """Return the actions of a legal move, by its code: the move, and the field if it takes a follower."""
        origin = from_of(code)
        move = self._known.find(base_of(code))
        return (move, len(self.codes) - 1 + origin) if origin else (move,)
