"""Barbarossa und die Rätselmeister: the numbers of its actions, with the standard options."""

from __future__ import annotations

from typing import Any, Final

from games.barbarossa.table import codes
from games.barbarossa.table.codes import explicitness_of, kind_of, riddle_of, term_of, what_of
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, MAX_LETTERS, PLACES, TERM_COUNT
from games.barbarossa.table.observer import RIDDLES, Blocks, HallMask
from games.barbarossa.table.phases import MODELLING


class Actions:
    """The actions of Barbarossa, block by block; a modelling and an attempt take several of them.

    A modelling is a term and a degree of explicitness for each riddle in turn, an attempt a riddle and a term.
    """

    __slots__ = ("_placed", "blocks", "size")

    def __init__(self) -> None:
        """Assign numbers to the blocks."""
        self.blocks: dict[str, range] = {}
        start = 0
        for name, size in BLOCKS:
            self.blocks[name] = range(start, start + size)
            start += size
        self.size = start
        placed = [(kind, self.blocks[name], least, size) for name, kind, least, size in PLACED]
        self._placed = Blocks(
            start, [(kind, own.start, own.stop - 1, least, size) for kind, own, least, size in placed]
        )

    def mask(self) -> HallMask:
        """Return a new mask; all masks share the blocks."""
        return HallMask(self.size, self._placed)

    def path(self, hall: Any, code: int) -> tuple[int, ...]:
        """Return the actions of a legal move, by its code; a modelling in the player's own words has none."""
        if hall.phase == MODELLING:
            first = self.blocks["degree"][0] - 1
            pairs = ((term_of(code, index), first + explicitness_of(code, index)) for index in range(hall.each()))
            return tuple(action for pair in pairs for action in pair)
        name, least, size = BY_KIND[kind_of(code)]
        first = self.blocks[name].start - least + size * riddle_of(code)
        return (first, what_of(code)) if kind_of(code) in ATTEMPTS else (first + what_of(code),)


BLOCKS: Final = (
    ("term", TERM_COUNT),
    ("degree", codes.EXACT),
    ("roll", 1),
    ("spend", 13),
    ("ask", RIDDLES * ATTRIBUTE_COUNT),
    ("answer", 2 * codes.INSIST),
    ("reject", 1),
    ("end_asking", 1),
    ("attempt", RIDDLES),
    ("ask_letter", RIDDLES * PLACES),
    ("forgo", 1),
    ("give", MAX_LETTERS),
    ("hold_back", 1),
    ("curse_for_letter", RIDDLES * PLACES),
    ("curse_to_attempt", RIDDLES),
    ("judge", 3),
)
"""The blocks of actions with their sizes; terms come first, so a term's number is its action."""

PLACED: Final = (
    ("roll", codes.ROLL, 0, 1),
    ("spend", codes.SPEND, 1, 13),
    ("ask", codes.ASK, 0, ATTRIBUTE_COUNT),
    ("answer", codes.ANSWER, 0, 2 * codes.INSIST),
    ("reject", codes.REJECT, 0, 1),
    ("end_asking", codes.END_ROUND, 0, 1),
    ("attempt", codes.ATTEMPT, 0, 1),
    ("ask_letter", codes.LETTER, 0, PLACES),
    ("forgo", codes.FORGO, 0, 1),
    ("give", codes.GIVE, 0, MAX_LETTERS),
    ("hold_back", codes.HOLD, 0, 1),
    ("curse_for_letter", codes.CURSE_LETTER, 0, PLACES),
    ("curse_to_attempt", codes.CURSE_ATTEMPT, 0, 1),
    ("judge", codes.JUDGE, 0, 3),
)
"""Blocks with their kinds of moves, the smallest operation on a riddle, and the number of operations on each."""

BY_KIND: Final = {kind: (name, least, size) for name, kind, least, size in PLACED}
ATTEMPTS: Final = frozenset((codes.ATTEMPT, codes.CURSE_ATTEMPT))
"""Kinds of moves whose first action is a riddle, and the next a term."""
