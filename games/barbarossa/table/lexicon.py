"""The table of terms as sets and bytes: who holds an answer, who is nearly whom, who is spelled how; compiled.

A set of terms is six words of sixty members, as `terms.answers` lays them out.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.terms.answers import WIDTH, WORDS, cells, sets
from games.barbarossa.terms.catalogue import ATTRIBUTES, NO, ROWS, TERMS, YES
from games.barbarossa.terms.words import letters
from games.core.bits import bit, has
from games.core.texts import LANGUAGES

TERM_COUNT: Final = 360
ATTRIBUTE_COUNT: Final = 64
ANSWERS: Final = 4

LONGEST: Final = 24
"""No name has more letters, in any language."""

PLACES: Final = 48
"""Places of letters: LONGEST from the front, and as many from the back."""

ALIKE: Final = 85
"""Of a hundred firm answers so many must agree for a term to be close (BR-D39)."""

if len(TERMS) != TERM_COUNT or len(ATTRIBUTES) != ATTRIBUTE_COUNT:
    raise ValueError("the lexicon is written for 360 terms and 64 attributes")


def _alphabet() -> str:
    """Return every letter that a name has in any language, in order."""
    return "".join(
        sorted({mark for tongue in LANGUAGES for term in range(TERM_COUNT) for mark in letters(term, tongue)})
    )


ALPHABET: Final = _alphabet()
"""A letter's number is its place here plus one; 0 says that there is none (BR-D12)."""


def _spelled() -> bytes:
    """Spell every name out from both ends."""
    found = bytearray(len(LANGUAGES) * TERM_COUNT * PLACES)
    start = 0
    for tongue in LANGUAGES:
        for term in range(TERM_COUNT):
            name = letters(term, tongue)
            if len(name) > LONGEST:
                raise ValueError(f"{name} has more than {LONGEST} letters")
            for place, mark in enumerate(name):
                found[start + place] = ALPHABET.index(mark) + 1
                found[start + LONGEST + len(name) - 1 - place] = ALPHABET.index(mark) + 1
            start += PLACES
    return bytes(found)


def _close() -> vec[i64]:
    """Find the terms that are nearly another: of the same column, and equal in most firm answers."""
    table = cells()
    found = vec[i64]([0] * (TERM_COUNT * WORDS))
    one: i64
    other: i64
    for one in range(TERM_COUNT):
        column: i64 = one - one % ROWS
        for other in range(column, column + ROWS):
            firm: i64 = 0
            equal: i64 = 0
            attribute: i64
            for attribute in range(ATTRIBUTE_COUNT):
                mine: i64 = table[ATTRIBUTE_COUNT * one + attribute]
                theirs: i64 = table[ATTRIBUTE_COUNT * other + attribute]
                if mine <= YES and theirs <= YES:
                    firm += 1
                    if mine == theirs:
                        equal += 1
            if one != other and 100 * equal >= ALIKE * firm:
                found[one * WORDS + other // WIDTH] |= bit(other % WIDTH)
    return found


SPELLED: Final[bytes] = _spelled()
CELLS: Final[bytes] = cells()
HOLDERS: Final[vec[i64]] = sets()
CLOSE: Final[vec[i64]] = _close()


def spelled(language: i64, term: i64, place: i64) -> i64:
    """Return the number of the letter at a place of a term's name, 0 where there is none (BR-51, BR-D12, BR-D14)."""
    mark: i64 = SPELLED[(language * TERM_COUNT + term) * PLACES + place]
    return mark


def length(language: i64, term: i64) -> i64:
    """Return how many letters a term's name has."""
    place: i64 = 0
    while place < LONGEST and spelled(language, term, place) > 0:
        place += 1
    return place


def answer(term: i64, attribute: i64) -> i64:
    """Return what is true of a term (BR-29, BR-30)."""
    given: i64 = CELLS[term * ATTRIBUTE_COUNT + attribute]
    return given


def holders(attribute: i64, given: i64, word: i64) -> i64:
    """Return the terms, of one word, for which an answer is true."""
    return HOLDERS[(ANSWERS * attribute + given) * WORDS + word]


def close(term: i64, word: i64) -> i64:
    """Return the terms, of one word, that are close to a term (BR-D39)."""
    return CLOSE[term * WORDS + word]


def is_close(term: i64, other: i64) -> bool:
    """Tell whether a term is nearly another; none is nearly itself (BR-D39)."""
    return has(close(term, other // WIDTH), other % WIDTH)


def contradicts(term: i64, attribute: i64, given: i64) -> bool:
    """Tell whether a yes or no stands against a firm answer (BR-D33)."""
    true: i64 = answer(term, attribute)
    return (true == NO and given == YES) or (true == YES and given == NO)
