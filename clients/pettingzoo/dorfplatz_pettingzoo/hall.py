"""Barbarossa und die Rätselmeister: what a seat observes, and the numbers of its actions.

Played with the standard options. The table kneads all pieces from the terms of its list; the pieces themselves are no
part of an observation.
"""

from __future__ import annotations

from typing import Any, Final

from dorfplatz_pettingzoo.layout import Field
from games.barbarossa.table import codes
from games.barbarossa.table.codes import explicitness_of, kind_of, riddle_of, term_of, what_of
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, LONGEST, PLACES, TERM_COUNT
from games.barbarossa.table.observer import RIDDLES, HallMask, HallObserver
from games.barbarossa.table.phases import MODELLING

THREE: Final = 3
WORD: Final = 60
"""Terms in each word of a set of them."""

OBSERVER: Final = HallObserver
BEGUN: Final = 5
ANSWERED: Final = (
    ("no", "answered with no"),
    ("yes", "answered with yes"),
    ("perhaps", "answered with perhaps"),
    ("unclear", "answered with unclear"),
    ("asked", "asked for in this round"),
)


def fields(seats: int) -> list[Field]:
    """Return the fields of an observation."""
    found = [
        Field("seat", seats, "one_hot", "whose observation it is"),
        Field("turn", seats, "one_hot", "whose turn it is"),
        Field("starter", seats, "one_hot", "who began"),
        Field("phase", 9, "one_hot", "the phase, in the order of the view's"),
        Field("interrupted", 9, "one_hot", "the phase that a question, a letter or an attempt interrupts"),
        Field("turns", 16, "number", "turns so far"),
        Field("questions", 8, "number", "questions asked in this round"),
        Field("spears", 8, "number", "solutions so far"),
        Field("holding_back", 1, "set", "whether the seat holds a curse back for now"),
        Field("handed_in", 1, "set", "whether the seat has modelled"),
        Field("winners", seats, "set", "who has won"),
        Field("asker", seats, "one_hot", "who waits for an answer, a letter or a verdict"),
        Field("open_riddle", RIDDLES, "one_hot", "the riddle that it is about"),
        Field("open_question", 8, "number", "the attribute asked for, plus one; 0 for none"),
        Field("open_guess", 9, "number", "the term that is judged, plus one; 0 where it is not known"),
        Field("closing", 1, "set", "whether the letter or the verdict ends the turn"),
    ]
    for seat in range(seats):
        found += [
            Field(f"seat_{seat}_cave", 12, "one_hot", "where the wizard stands"),
            Field(f"seat_{seat}_stones", 4, "number", "elf stones"),
            Field(f"seat_{seat}_curses", 2, "number", "curse stones"),
            Field(f"seat_{seat}_hat", 16, "number", "the hat's steps from START, plus 256"),
        ]
    return found


def tail(seats: int) -> list[Field]:
    """Return the fields of all riddles."""
    return [field for number in range(seats * (3 if seats == THREE else 2)) for field in riddle_fields(number, seats)]


def riddle_fields(number: int, seats: int) -> list[Field]:
    """Return the fields of a riddle."""
    name = f"riddle_{number}"
    return [
        Field(f"{name}_term", 9, "number", "its term, plus one; 0 where it is not known"),
        Field(f"{name}_solvers", seats, "set", "who has solved it"),
        *(
            Field(f"{name}_{what}_{half}", 32, "set", f"attributes {meaning}, the {half} half of the list")
            for what, meaning in ANSWERED
            for half in ("low", "high")
        ),
        *(
            Field(f"{name}_{what}_{part}", WORD, "set", f"own attempts that were {what}, terms from {part * WORD}")
            for what in ("wrong", "close")
            for part in range(6)
        ),
        Field(f"{name}_places", PLACES, "set", "places whose letters the seat has asked for"),
        *(
            Field(f"{name}_letter_{place}", 8, "number", "the letter there, 0 for none; 255 where it is not known")
            for place in range(PLACES)
        ),
        *(
            field
            for seat in range(seats)
            for field in (
                Field(f"{name}_seat_{seat}_failed", 16, "number", "how many attempts of this seat failed"),
                Field(f"{name}_seat_{seat}_asked", PLACES, "set", "places whose letters this seat has asked for"),
            )
        ),
    ]


# The numbers of actions.


class Actions:
    """The actions of Barbarossa, block by block; a modelling and an attempt take several of them.

    A modelling is a term and a degree of explicitness for each riddle in turn, an attempt a riddle and a term.
    """

    __slots__ = ("blocks", "size")

    def __init__(self) -> None:
        """Give numbers to the blocks."""
        self.blocks: dict[str, range] = {}
        start = 0
        for name, size in BLOCKS:
            self.blocks[name] = range(start, start + size)
            start += size
        self.size = start

    def mask(self) -> HallMask:
        """Return a new mask."""
        firsts = {kind: self.blocks[name].start - least for name, kind, least, _ in PLACED}
        return HallMask(self.size, firsts, {kind: size for _, kind, _, size in PLACED})

    def path(self, hall: Any, code: int) -> tuple[int, ...]:
        """Return the actions that make a legal move, by its code; a modelling of one's own words has none."""
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
    ("give", LONGEST),
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
    ("give", codes.GIVE, 0, LONGEST),
    ("hold_back", codes.HOLD, 0, 1),
    ("curse_for_letter", codes.CURSE_LETTER, 0, PLACES),
    ("curse_to_attempt", codes.CURSE_ATTEMPT, 0, 1),
    ("judge", codes.JUDGE, 0, 3),
)
"""Blocks, their kinds of moves, the least that is done with a riddle, and how many things may be done with each."""

BY_KIND: Final = {kind: (name, least, size) for name, kind, least, size in PLACED}
ATTEMPTS: Final = frozenset((codes.ATTEMPT, codes.CURSE_ATTEMPT))
"""Kinds of moves whose first action is a riddle, and the next a term."""
