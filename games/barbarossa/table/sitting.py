"""How a sitting stands: players, riddles, the state of the turn, and what follows from them; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.lexicon import OWN_WORD, own_mark, spelled
from games.barbarossa.table.riddle import Riddle
from games.barbarossa.terms.catalogue import TODAY
from games.core.bits import bit, count, full, has
from games.core.table import Table

MODELLING: Final = 0
MOVING: Final = 1
FIRST_ROUND: Final = 2
SECOND_ROUND: Final = 3
DWARF_LETTER: Final = 4
ANSWERING: Final = 5
GIVING: Final = 6
OVER: Final = 7
JUDGING: Final = 8

DWARF: Final = 0
ELF: Final = 1
DRAGON: Final = 2
RIDDLE: Final = 3
GHOST: Final = 4

CAVES: Final = 12
STONES: Final = 12
CURSES: Final = 3
NOBODY: Final = -1
NO_FLOOR: Final = -1000
"""No hat ever stands so low."""

THREE: Final = 3
"""Players of whom each models three riddles (BR-12)."""

AUTOMATIC: Final = 0
HUMAN: Final = 1
CHECKED: Final = 2

STRUCTURED: Final = 0
FREE: Final = 1
MIXED: Final = 2


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
class House:
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

    def clone(self) -> House:
        """Return a copy."""
        copy = House()
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


@mypyc_attr(acyclic=True)
class Sitting(Table):
    """One sitting of the wizards."""

    __slots__ = (
        "asker",
        "closing",
        "first",
        "fourth",
        "house",
        "modelled",
        "open_guess",
        "open_question",
        "open_riddle",
        "paper",
        "phase",
        "questions",
        "resume",
        "second",
        "silent",
        "spears",
        "spoken",
        "starter",
        "talk",
        "third",
        "tried",
        "tries",
        "turn",
        "turns",
        "winners",
    )

    def __init__(self, seats: i64, house: House, first: Player, second: Player, third: Player, fourth: Player) -> None:
        """Begin before the modelling."""
        super().__init__(seats, 0)
        self.house = house
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.phase: i64 = MODELLING
        self.modelled: i64 = 0  # seats that have modelled
        self.starter: i64 = 0
        self.turn: i64 = 0
        self.turns: i64 = 0
        self.questions: i64 = 0  # in this round
        self.silent: i64 = 0  # seats that hold back (BR-D17)
        self.spears: i64 = 0
        self.winners: i64 = 0
        self.asker: i64 = NOBODY  # who waits for an answer or a letter, or did so last
        self.closing: bool = False  # the letter that is asked for ends the turn
        self.open_riddle: i64 = 0
        self.open_question: i64 = 0  # the attribute, or ATTRIBUTE_COUNT for free text
        self.open_guess: i64 = 0  # the term that waits for its modeller's verdict, NO_TERM for other words
        self.resume: i64 = MODELLING  # the phase that an answer, a letter or a verdict interrupts
        self.talk: tuple[str, ...] = ()  # free questions
        self.spoken: tuple[int, ...] = ()  # of each free question its seat, riddle and answer, packed
        self.tries: tuple[str, ...] = ()  # attempts in words that are no term of the table
        self.tried: tuple[int, ...] = ()  # of each of them its seat, riddle and verdict, packed
        self.paper: str = ""  # the player's own content of the move at hand; no part of the truth

    def lie_like(self, other: Sitting) -> None:
        """Take over all plain values of another sitting."""
        self.ply = other.ply
        self.phase = other.phase
        self.modelled = other.modelled
        self.starter = other.starter
        self.turn = other.turn
        self.turns = other.turns
        self.questions = other.questions
        self.silent = other.silent
        self.spears = other.spears
        self.winners = other.winners
        self.asker = other.asker
        self.closing = other.closing
        self.open_riddle = other.open_riddle
        self.open_question = other.open_question
        self.resume = other.resume
        self.talk = other.talk
        self.spoken = other.spoken
        self.open_guess = other.open_guess
        self.tries = other.tries
        self.tried = other.tried
        self.paper = other.paper

    # Who and what there is.

    def player(self, seat: i64) -> Player:
        """Return a seat's player."""
        if seat == 0:
            return self.first
        if seat == 1:
            return self.second
        if seat == 2:
            return self.third
        return self.fourth

    def each(self) -> i64:
        """Return how many riddles a player models (BR-12)."""
        if self.seats == THREE:
            return 3
        return 2

    def total(self) -> i64:
        """Return how many riddles stand in the hall."""
        return self.seats * self.each()

    def riddle(self, number: i64) -> Riddle:
        """Return a riddle of the hall."""
        return self.player(number // self.each()).riddle(number % self.each())

    def modeller(self, number: i64) -> i64:
        """Return who made a riddle."""
        return number // self.each()

    def mark(self, number: i64, place: i64) -> i64:
        """Return the number of the letter at a place of a riddle's word, 0 where there is none (BR-51, BR-D12)."""
        riddle = self.riddle(number)
        if riddle.term == OWN_WORD:
            return own_mark(riddle.word, place)
        return spelled(self.house.language, riddle.term, place)

    # Who may do what.

    def askable(self, seat: i64) -> i64:
        """Return the riddles that a seat may ask about: those of others with fewer than two spears (BR-D8, BR-D9)."""
        found: i64 = 0
        number: i64
        for number in range(self.total()):
            if self.modeller(number) != seat and self.riddle(number).open():
                found |= bit(number)
        return found

    def unsolved(self, seat: i64) -> i64:
        """Return the riddles that a seat may attempt or ask a letter of: not those it has solved (BR-D9)."""
        found: i64 = 0
        number: i64
        for number in range(self.total()):
            riddle = self.riddle(number)
            if self.modeller(number) != seat and riddle.open() and not has(riddle.solvers, seat):
                found |= bit(number)
        return found

    def cursing(self) -> bool:
        """Tell whether the state of the game lets anybody curse (BR-52, BR-56, BR-D15)."""
        return self.phase == MOVING or self.phase == FIRST_ROUND or self.phase == DWARF_LETTER

    def may_curse(self, seat: i64) -> bool:
        """Tell whether a seat may curse now; of several the first comes first (BR-57, BR-58, BR-D18, BR-D19)."""
        return self.cursing() and self.player(seat).curses > 0 and self.unsolved(seat) != 0

    def may_hold(self, seat: i64) -> bool:
        """Tell whether a seat may hold back a curse out of turn, and does not yet (BR-D17)."""
        return seat != self.turn and not has(self.silent, seat) and self.may_curse(seat)

    def everyone(self) -> i64:
        """Return all seats."""
        return full(self.seats)

    def actors(self) -> i64:
        """Return who has not modelled (BR-D41), who owes a word, or who has the turn and may curse."""
        if self.phase == MODELLING:
            return self.everyone() & ~self.modelled
        return self.asked() & ~self.silent

    def asked(self) -> i64:
        """Return who is asked, whether or not he has handed in or holds back, which nobody sees (BR-D17, BR-D41)."""
        if self.phase == OVER:
            return 0
        if self.phase == MODELLING:
            return self.everyone()
        if self.phase == ANSWERING or self.phase == GIVING or self.phase == JUDGING:
            return bit(self.modeller(self.open_riddle))
        found: i64 = bit(self.turn)
        seat: i64
        for seat in range(self.seats):
            if self.may_curse(seat):
                found |= bit(seat)
        return found

    def rewards(self) -> vec[float]:
        """Return the win, in equal parts where hats are level (BR-62, BR-D26, BR-D27)."""
        found = vec[float](capacity=4)
        seat: i64
        for seat in range(self.seats):
            share: float = 0.0
            if has(self.winners, seat):
                share = 1.0 / float(count(self.winners))
            found = append(found, share)
        return found
