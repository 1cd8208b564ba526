"""A player, and the options of a table; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.constants import AUTOMATIC, CURSES, NO_FLOOR, STONES, STRUCTURED
from games.barbarossa.table.riddle import Riddle
from games.core.bits import bit, has
from games.core.table import Value


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
        copy = Player(self.one, self.two, self.three)
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

    def put_riddle(self, index: i64, riddle: Riddle) -> None:
        """Replace a riddle."""
        if index == 0:
            self.one = riddle
        elif index == 1:
            self.two = riddle
        else:
            self.three = riddle

    def askable(self) -> i64:
        """Return which of three riddles have fewer than two spears."""
        found: i64 = 0
        if self.one.open():
            found |= bit(0)
        if self.two.open():
            found |= bit(1)
        if self.three.open():
            found |= bit(2)
        return found

    def unsolved(self, seat: i64) -> i64:
        """Return which of three riddles a seat may still solve."""
        found: i64 = self.askable()
        if has(self.one.solvers, seat):
            found &= ~bit(0)
        if has(self.two.solvers, seat):
            found &= ~bit(1)
        if has(self.three.solvers, seat):
            found &= ~bit(2)
        return found


def beginner() -> Player:
    """Return a player before the game."""
    return Player(Riddle(), Riddle(), Riddle())


@mypyc_attr(acyclic=True)
class TableOptions(Value):
    """The options of a table, as numbers; no move changes them."""

    __slots__ = (
        "answering",
        "asking",
        "choosing",
        "floor",
        "goal",
        "hints",
        "judging",
        "language",
        "question_cap",
        "ring",
        "simple",
        "told",
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
        self.judging: bool = False  # the modeller judges attempts (BR-D46)
        self.told: object = None  # the same, as players are told it
        self.words: bool = False  # riddles may be words beyond the table (BR-D47)
