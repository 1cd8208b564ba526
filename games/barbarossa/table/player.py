"""A player, and the options of a table; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.constants import AUTOMATIC, CURSES, NO_FLOOR, STONES, STRUCTURED
from games.barbarossa.table.riddle import Riddle
from games.barbarossa.terms.catalogue import TODAY


@mypyc_attr(acyclic=True)
class Player:
    """A seat's wizard, stones, curses, hat and riddles (BR-5, BR-6)."""

    __slots__ = ("cave", "curses", "hat", "one", "stones", "three", "two")

    def __init__(self, one: Riddle, two: Riddle, three: Riddle) -> None:
        """Begin at both starts with full supplies (BR-8, BR-9, BR-10)."""
        self.cave: i64 = 0
        self.stones: i64 = STONES
        self.curses: i64 = CURSES
        self.hat: i64 = 0
        self.one = one
        self.two = two
        self.three = three

    def clone(self) -> Player:
        """Return a copy that shares nothing changeable."""
        copy = Player(self.one.clone(), self.two.clone(), self.three.clone())
        copy.cave = self.cave
        copy.stones = self.stones
        copy.curses = self.curses
        copy.hat = self.hat
        return copy

    def riddle(self, index: i64) -> Riddle:
        """Return one of the riddles."""
        if index == 0:
            return self.one
        if index == 1:
            return self.two
        return self.three


def beginner() -> Player:
    """Return a player before the game."""
    return Player(Riddle(), Riddle(), Riddle())


@mypyc_attr(acyclic=True)
class TableOptions:
    """The options of a table, as numbers; no move changes them, and every table has its own."""

    __slots__ = (
        "answering",
        "asking",
        "choosing",
        "edition",
        "floor",
        "goal",
        "hints",
        "judging",
        "language",
        "question_cap",
        "ring",
        "simple",
        "turn_cap",
        "words",
    )

    def __init__(self) -> None:
        """Begin with the standard options; `ring` has a nibble for each cave (BR-D28)."""
        self.goal: i64 = 30
        self.floor: i64 = NO_FLOOR
        self.ring: i64 = 0
        self.language: i64 = 0
        self.asking: i64 = STRUCTURED
        self.answering: i64 = AUTOMATIC
        self.choosing: bool = False  # the modeller chooses the letter he gives (BR-D40)
        self.hints: bool = True
        self.simple: bool = False
        self.question_cap: i64 = 40
        self.turn_cap: i64 = 300
        self.edition: i64 = TODAY  # of the list, of what is close, and of the hands that knead (BR-D48)
        self.judging: bool = False  # the modeller judges attempts (BR-D46)
        self.words: bool = False  # riddles may be words beyond the table (BR-D47)

    def clone(self) -> TableOptions:
        """Return a copy."""
        copy = TableOptions()
        copy.goal = self.goal
        copy.floor = self.floor
        copy.ring = self.ring
        copy.language = self.language
        copy.asking = self.asking
        copy.answering = self.answering
        copy.choosing = self.choosing
        copy.hints = self.hints
        copy.simple = self.simple
        copy.question_cap = self.question_cap
        copy.turn_cap = self.turn_cap
        copy.edition = self.edition
        copy.judging = self.judging
        copy.words = self.words
        return copy
