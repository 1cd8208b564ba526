"""A riddle, and what has become known of it: to all by questions, to a seat by letters and by its own attempts."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import bit, count, has, members_of

NOTHING: Final = -1
"""No term yet."""

HALF: Final = 32
"""Attributes in each half of a set of them."""

FULL: Final = 2
"""Spears that a riddle bears (BR-42)."""


@mypyc_attr(acyclic=True)
class Terms:
    """A set of terms, in six words."""

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
        """Tell whether a term belongs to the set; a word beyond the table belongs to none."""
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

    def size(self) -> i64:
        """Return how many terms there are."""
        low: i64 = count(self.one) + count(self.two) + count(self.three)
        return low + count(self.four) + count(self.five) + count(self.six)


def no_terms() -> Terms:
    """Return the empty set."""
    return Terms(0, 0, 0, 0, 0, 0)


@mypyc_attr(acyclic=True)
class Asked:
    """A set of attributes, in two halves."""

    __slots__ = ("high", "low")

    def __init__(self, low: i64, high: i64) -> None:
        """Take the halves."""
        self.low: i64 = low
        self.high: i64 = high

    def clone(self) -> Asked:
        """Return a copy."""
        return Asked(self.low, self.high)

    def has(self, attribute: i64) -> bool:
        """Tell whether an attribute belongs to the set."""
        if attribute < HALF:
            return has(self.low, attribute)
        return has(self.high, attribute - HALF)

    def add(self, attribute: i64) -> None:
        """Add an attribute."""
        if attribute < HALF:
            self.low |= bit(attribute)
        else:
            self.high |= bit(attribute - HALF)

    def members(self) -> vec[i64]:
        """Return the attributes in rising order."""
        found = members_of(self.low)
        for member in members_of(self.high):
            found = append(found, HALF + member)
        return found


@mypyc_attr(acyclic=True)
class Sheet:
    """What a seat alone has learned of a riddle: places of letters, and attempts that failed (BR-36, BR-50)."""

    __slots__ = ("close", "places", "wrong")

    def __init__(self, places: i64, wrong: Terms, close: Terms) -> None:
        """Take the places that it asked for, and its attempts by verdict."""
        self.places: i64 = places
        self.wrong = wrong
        self.close = close

    def clone(self) -> Sheet:
        """Return a copy."""
        return Sheet(self.places, self.wrong.clone(), self.close.clone())


def blank() -> Sheet:
    """Return an empty sheet."""
    return Sheet(0, no_terms(), no_terms())


@mypyc_attr(acyclic=True)
class Riddle:
    """A term and its piece, who has solved it, and what is known of it."""

    __slots__ = (
        "asked",
        "first",
        "fourth",
        "no",
        "perhaps",
        "piece",
        "second",
        "solvers",
        "term",
        "third",
        "unclear",
        "word",
        "yes",
    )

    def __init__(self) -> None:
        """Begin with nothing modelled."""
        self.term: i64 = NOTHING
        self.word: str = ""  # where the term is OWN_WORD
        self.piece: str = ""
        self.solvers: i64 = 0
        self.no = Asked(0, 0)
        self.yes = Asked(0, 0)
        self.perhaps = Asked(0, 0)
        self.unclear = Asked(0, 0)
        self.asked = Asked(0, 0)  # in this round
        self.first = blank()
        self.second = blank()
        self.third = blank()
        self.fourth = blank()

    def clone(self) -> Riddle:
        """Return a copy that shares nothing changeable."""
        copy = Riddle()
        copy.term = self.term
        copy.word = self.word
        copy.piece = self.piece
        copy.solvers = self.solvers
        copy.no = self.no.clone()
        copy.yes = self.yes.clone()
        copy.perhaps = self.perhaps.clone()
        copy.unclear = self.unclear.clone()
        copy.asked = self.asked.clone()
        copy.first = self.first.clone()
        copy.second = self.second.clone()
        copy.third = self.third.clone()
        copy.fourth = self.fourth.clone()
        return copy

    def sheet(self, seat: i64) -> Sheet:
        """Return what a seat has learned."""
        if seat == 0:
            return self.first
        if seat == 1:
            return self.second
        if seat == 2:
            return self.third
        return self.fourth

    def answered(self, given: i64) -> Asked:
        """Return the attributes that were answered so, no to unclear in the order of the answers' numbers."""
        if given == 0:
            return self.no
        if given == 1:
            return self.yes
        if given == 2:
            return self.perhaps
        return self.unclear

    def spears(self) -> i64:
        """Return how often it is solved (BR-39)."""
        return count(self.solvers)

    def open(self) -> bool:
        """Tell whether it can still be solved (BR-42)."""
        return self.spears() < FULL
