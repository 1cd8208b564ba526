"""A riddle with the knowledge about it: public by questions, private to a seat by letters and by its own attempts.

A riddle and its parts lie in a table and in all its clones at once. So a table never changes one: it puts a changed
copy in its place (`Hall.renew`).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.figure import Figure
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import bit, count, full, has, members_of
from games.core.table import Value

NOTHING: Final = -1
"""No term yet."""

HALF: Final = 32
"""Attributes in each half of a set of them."""

FULL: Final = 2
"""Spears that a riddle bears (BR-42)."""


@mypyc_attr(acyclic=True)
class Terms(Value):
    """A set of terms, in six words; it grows and shrinks until it lies in a table."""

    __slots__ = ("five", "four", "one", "six", "three", "two")

    def __init__(self, one: i64, two: i64, three: i64, four: i64, five: i64, six: i64) -> None:
        """Take the words."""
        self.one: i64 = one
        self.two: i64 = two
        self.three: i64 = three
        self.four: i64 = four
        self.five: i64 = five
        self.six: i64 = six

    def clone(self) -> Terms:
        """Return a copy."""
        return Terms(self.one, self.two, self.three, self.four, self.five, self.six)

    def word(self, index: i64) -> i64:
        """Return the members among sixty terms."""
        if index == 0:
            return self.one
        if index == 1:
            return self.two
        if index == 2:
            return self.three
        if index == 3:
            return self.four
        if index == 4:
            return self.five
        return self.six

    def put(self, index: i64, members: i64) -> None:
        """Set the members among sixty terms."""
        if index == 0:
            self.one = members
        elif index == 1:
            self.two = members
        elif index == 2:
            self.three = members
        elif index == 3:
            self.four = members
        elif index == 4:
            self.five = members
        else:
            self.six = members

    def has(self, term: i64) -> bool:
        """Return whether a term belongs to the set; a word beyond the table belongs to none."""
        if term >= WIDTH * WORDS:
            return False
        return has(self.word(term // WIDTH), term % WIDTH)

    def add(self, term: i64) -> None:
        """Add a term of the table."""
        if term >= WIDTH * WORDS:
            return
        self.put(term // WIDTH, self.word(term // WIDTH) | bit(term % WIDTH))

    def drop(self, term: i64) -> None:
        """Take a term out."""
        if term < WIDTH * WORDS:
            self.put(term // WIDTH, self.word(term // WIDTH) & ~bit(term % WIDTH))

    def plus(self, term: i64) -> Terms:
        """Return the set with one term more."""
        found = self.clone()
        found.add(term)
        return found

    def none(self) -> bool:
        """Return whether the set is empty."""
        return (self.one | self.two | self.three | self.four | self.five | self.six) == 0

    def size(self) -> i64:
        """Return the number of terms."""
        if self.none():
            return 0
        low: i64 = count(self.one) + count(self.two) + count(self.three)
        return low + count(self.four) + count(self.five) + count(self.six)


def no_terms() -> Terms:
    """Return the empty set."""
    return Terms(0, 0, 0, 0, 0, 0)


def every_term() -> Terms:
    """Return the set of all terms of the table."""
    every: i64 = full(WIDTH)
    return Terms(every, every, every, every, every, every)


def terms_of(numbers: list[int]) -> Terms | None:
    """Return the set of terms that stand in rising order, None if they do not."""
    found = Terms(0, 0, 0, 0, 0, 0)
    last: i64 = -1
    for number in numbers:
        term: i64 = number
        if term <= last:
            return None
        found.add(term)
        last = term
    return found


@mypyc_attr(acyclic=True)
class Asked(Value):
    """A set of attributes, in two halves."""

    __slots__ = ("high", "low")

    def __init__(self, low: i64, high: i64) -> None:
        """Take the halves."""
        self.low: i64 = low
        self.high: i64 = high

    def has(self, attribute: i64) -> bool:
        """Return whether an attribute belongs to the set."""
        if attribute < HALF:
            return has(self.low, attribute)
        return has(self.high, attribute - HALF)

    def plus(self, attribute: i64) -> Asked:
        """Return the set with one attribute more."""
        if attribute < HALF:
            return Asked(self.low | bit(attribute), self.high)
        return Asked(self.low, self.high | bit(attribute - HALF))

    def none(self) -> bool:
        """Return whether the set is empty."""
        return (self.low | self.high) == 0

    def members(self) -> vec[i64]:
        """Return the attributes in rising order."""
        found = members_of(self.low)
        for member in members_of(self.high):
            found = append(found, HALF + member)
        return found


def asked_of(numbers: list[int]) -> Asked | None:
    """Return the set of attributes that stand in rising order, None if they do not."""
    low: i64 = 0
    high: i64 = 0
    last: i64 = -1
    for number in numbers:
        attribute: i64 = number
        if attribute <= last:
            return None
        if attribute < HALF:
            low |= bit(attribute)
        else:
            high |= bit(attribute - HALF)
        last = attribute
    return Asked(low, high)


@mypyc_attr(acyclic=True)
class Sheet(Value):
    """A seat's private notes on a riddle: places of letters, and attempts that failed (BR-36, BR-50)."""

    __slots__ = ("close", "places", "wrong")

    def __init__(self, places: i64, wrong: Terms, close: Terms) -> None:
        """Take the places of its letters, and its attempts by verdict."""
        self.places: i64 = places
        self.wrong = wrong
        self.close = close

    def with_place(self, place: i64) -> Sheet:
        """Return the sheet with one place more."""
        return Sheet(self.places | bit(place), self.wrong, self.close)

    def with_attempt(self, term: i64, near: bool) -> Sheet:
        """Return the sheet with one failed attempt more."""
        if near:
            return Sheet(self.places, self.wrong, self.close.plus(term))
        return Sheet(self.places, self.wrong.plus(term), self.close)


NOBODY_TOLD: Final[dict[int, object]] = {}
NOTHING_ASKED: Final = Asked(0, 0)
BLANK: Final = Sheet(0, no_terms(), no_terms())
"""The sheet at the beginning."""


@mypyc_attr(acyclic=True)
class Riddle(Value):
    """A term and its piece, its solvers, and the knowledge about it."""

    __slots__ = (
        "asked",
        "figure",
        "first",
        "fourth",
        "no",
        "perhaps",
        "second",
        "solvers",
        "term",
        "third",
        "told",
        "unclear",
        "word",
        "yes",
    )

    def __init__(self) -> None:
        """Begin with nothing modelled."""
        self.term: i64 = NOTHING
        self.word: str = ""  # where the term is OWN_WORD
        self.figure: Figure | None = None
        self.told: dict[int, object] = NOBODY_TOLD  # parts that viewers see of it, by viewer; derived
        self.solvers: i64 = 0
        self.no = NOTHING_ASKED
        self.yes = NOTHING_ASKED
        self.perhaps = NOTHING_ASKED
        self.unclear = NOTHING_ASKED
        self.asked = NOTHING_ASKED  # in this round
        self.first = BLANK
        self.second = BLANK
        self.third = BLANK
        self.fourth = BLANK

    def copy(self) -> Riddle:
        """Return a copy, to be changed by the caller before it lies in a table."""
        copy = Riddle()
        copy.term = self.term
        copy.word = self.word
        copy.figure = self.figure
        copy.solvers = self.solvers
        copy.no = self.no
        copy.yes = self.yes
        copy.perhaps = self.perhaps
        copy.unclear = self.unclear
        copy.asked = self.asked
        copy.first = self.first
        copy.second = self.second
        copy.third = self.third
        copy.fourth = self.fourth
        return copy

    def sheet(self, seat: i64) -> Sheet:
        """Return the private knowledge of a seat."""
        if seat == 0:
            return self.first
        if seat == 1:
            return self.second
        if seat == 2:
            return self.third
        return self.fourth

    def put_sheet(self, seat: i64, sheet: Sheet) -> None:
        """Set the private knowledge of a seat."""
        if seat == 0:
            self.first = sheet
        elif seat == 1:
            self.second = sheet
        elif seat == 2:
            self.third = sheet
        else:
            self.fourth = sheet

    def answered(self, given: i64) -> Asked:
        """Return the attributes that were answered so, no to unclear in the order of the answers' numbers."""
        if given == 0:
            return self.no
        if given == 1:
            return self.yes
        if given == 2:
            return self.perhaps
        return self.unclear

    def put_answer(self, given: i64, attribute: i64) -> None:
        """Set that an attribute was answered so."""
        if given == 0:
            self.no = self.no.plus(attribute)
        elif given == 1:
            self.yes = self.yes.plus(attribute)
        elif given == 2:
            self.perhaps = self.perhaps.plus(attribute)
        else:
            self.unclear = self.unclear.plus(attribute)

    def spears(self) -> i64:
        """Return the number of its solutions (BR-39)."""
        return count(self.solvers)

    def open(self) -> bool:
        """Return whether it can still be solved (BR-42)."""
        return self.solvers & self.solvers - 1 == 0  # none or one
