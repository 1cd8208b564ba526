"""Barbarossa und die Rätselmeister: what a seat observes, and the numbers of its actions.

Played with the standard options. The table kneads all pieces from the terms of its list; the pieces themselves are no
part of an observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dorfplatz_pettingzoo.layout import Field, packer
from games.barbarossa.table import codes
from games.barbarossa.table.codes import explicitness_of, modelled, term_of
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, LONGEST, NO_TERM, PLACES, TERM_COUNT
from games.barbarossa.table.phases import ANSWERING, GIVING, JUDGING, MODELLING, OVER

RIDDLES: Final = 9
THREE: Final = 3
WORDS: Final = 6
WORD: Final = 60
"""Words of a set of terms, and terms in each."""

HAT: Final = 256
"""What is added to a hat's steps, which may be below 0."""

UNKNOWN: Final = 255
"""What stands for a letter that is not known."""

BEGUN: Final = 5
ASKING: Final = frozenset((ANSWERING, GIVING, JUDGING))
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


PACKERS: Final = {seats: packer(riddle_fields(0, seats)) for seats in (3, 4)}


def read(hall: Any, seat: int) -> tuple[list[int], bytes]:
    """Return the values of the fields for a seat (BR-14, BR-28, BR-36, BR-50)."""
    phase = hall.phase
    asking = phase in ASKING
    about = hall.open_riddle
    judged = phase == JUDGING and hall.open_guess != NO_TERM and seat in (hall.asker, hall.modeller(about))
    asked = phase == ANSWERING and hall.open_question < ATTRIBUTE_COUNT
    values = [
        1 << seat,
        1 << hall.turn,
        1 << hall.starter,
        1 << phase,
        1 << hall.resume if asking else 0,
        hall.turns,
        hall.questions,
        hall.spears,
        hall.silent >> seat & 1,
        hall.modelled >> seat & 1,
        hall.winners,
        1 << hall.asker if asking else 0,
        1 << about if asking else 0,
        hall.open_question + 1 if asked else 0,
        hall.open_guess + 1 if judged else 0,
        hall.closing if asking else 0,
    ]
    for other in range(hall.seats):
        him = hall.player(other)
        values += (1 << him.cave, him.stones, him.curses, him.hat + HAT)
    # A riddle is never changed, but another put in its place; so what a seat sees of one is kept beside it.
    key = -1 - (seat + 8 * (phase == OVER))
    tail = []
    for number in range(hall.total()):
        riddle = hall.riddle(number)
        known = riddle.told.get(key)
        if known is None:
            known = PACKERS[hall.seats](*riddle_values(hall, number, seat))
            riddle.told = {**riddle.told, key: known}
        tail.append(known)
    return values, b"".join(tail)


def riddle_values(hall: Any, number: int, seat: int) -> tuple[int, ...]:
    """Return the values of a riddle's fields for a seat."""
    riddle = hall.riddle(number)
    sheet = riddle.sheet(seat)
    own = hall.modeller(number) == seat
    known = own or riddle.solvers >> seat & 1 or hall.phase == OVER
    letters = [UNKNOWN] * PLACES
    for place in range(PLACES):
        if sheet.places >> place & 1:
            letters[place] = hall.letter(number, place)
    values = [riddle.term + 1 if known else 0, riddle.solvers]
    for said in (riddle.no, riddle.yes, riddle.perhaps, riddle.unclear, riddle.asked):
        values += (said.low, said.high)
    for tried in (sheet.wrong, sheet.close):
        values += (tried.word(part) for part in range(WORDS))
    values += (sheet.places, *letters)
    for other in range(hall.seats):
        his = riddle.sheet(other)
        values += (his.wrong.size() + his.close.size(), his.places)
    return tuple(values)


# The numbers of actions.


class Actions:
    """The actions of Barbarossa, block by block; a modelling and an attempt take several of them.

    A modelling is a term and a degree of explicitness for each riddle in turn, an attempt a riddle and a term.
    """

    __slots__ = ("_firsts", "blocks", "size")

    def __init__(self) -> None:
        """Give numbers to the blocks."""
        self.blocks: dict[str, range] = {}
        start = 0
        for name, size in BLOCKS:
            self.blocks[name] = range(start, start + size)
            start += size
        self.size = start
        self._firsts = np.full(1 << CODE_BITS, -1, np.int32)
        for name, kind, riddles, whats in PLACED:
            for riddle in range(riddles):
                for index, what in enumerate(whats):
                    self._firsts[kind | riddle << 4 | what << 8] = self.blocks[name][riddle * len(whats) + index]
        for name, kind in ATTEMPTS:
            for riddle in range(RIDDLES):
                terms = np.arange(TERM_COUNT)
                self._firsts[kind | riddle << 4 | terms << 8] = self.blocks[name][riddle]

    def choices(self, hall: Any, seat: int, begun: Sequence[int]) -> dict[int, int]:
        """Return the actions that a seat may take next, with the code of the move, or -1 where it takes more."""
        if hall.phase == MODELLING:
            return self.modelling(hall, begun)
        legal = np.frombuffer(hall.legal(seat), np.int64)
        firsts = self._firsts[legal & CODE_MASK]
        if begun:
            legal = legal[firsts == begun[0]]
            return dict(zip((legal >> 8).tolist(), legal.tolist(), strict=True))
        found = dict(zip(firsts.tolist(), legal.tolist(), strict=True))
        for name, _ in ATTEMPTS:
            for action in self.blocks[name]:
                if action in found:
                    found[action] = -1
        return found

    def modelling(self, hall: Any, begun: Sequence[int]) -> dict[int, int]:
        """Return what may come next in a modelling: a term that was not taken before, or a degree (BR-D1, BR-D43)."""
        degrees = self.blocks["degree"]
        if len(begun) % 2 == 0:
            return dict.fromkeys((term for term in range(TERM_COUNT) if term not in begun), -1)
        if len(begun) < 2 * hall.each() - 1:
            return dict.fromkeys(degrees, -1)
        head = codes.MODEL | sum(
            modelled(index, begun[2 * index], begun[2 * index + 1] - degrees[0] + 1) for index in range(len(begun) // 2)
        )
        index = len(begun) // 2
        return {degrees[place]: head | modelled(index, begun[-1], place + 1) for place in range(len(degrees))}

    def path(self, hall: Any, code: int) -> tuple[int, ...]:
        """Return the actions that make a legal move, by its code; a modelling of one's own words has none."""
        if hall.phase == MODELLING:
            first = self.blocks["degree"][0] - 1
            pairs = ((term_of(code, index), first + explicitness_of(code, index)) for index in range(hall.each()))
            return tuple(action for pair in pairs for action in pair)
        first = int(self._firsts[code & CODE_MASK])
        return (first, code >> 8) if any(first in self.blocks[name] for name, _ in ATTEMPTS) else (first,)


CODE_BITS: Final = 17
CODE_MASK: Final = (1 << CODE_BITS) - 1
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
    ("roll", codes.ROLL, 1, range(1)),
    ("spend", codes.SPEND, 1, range(1, 14)),
    ("ask", codes.ASK, RIDDLES, range(ATTRIBUTE_COUNT)),
    ("answer", codes.ANSWER, 1, range(2 * codes.INSIST)),
    ("reject", codes.REJECT, 1, range(1)),
    ("end_asking", codes.END_ROUND, 1, range(1)),
    ("ask_letter", codes.LETTER, RIDDLES, range(PLACES)),
    ("forgo", codes.FORGO, 1, range(1)),
    ("give", codes.GIVE, 1, range(LONGEST)),
    ("hold_back", codes.HOLD, 1, range(1)),
    ("curse_for_letter", codes.CURSE_LETTER, RIDDLES, range(PLACES)),
    ("judge", codes.JUDGE, 1, range(3)),
)
"""Kinds of moves that are one action: their riddles, and what may be done with each."""

ATTEMPTS: Final = (("attempt", codes.ATTEMPT), ("curse_to_attempt", codes.CURSE_ATTEMPT))
