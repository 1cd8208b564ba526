"""The table of terms as sets and bytes: terms by answer, near terms, and spellings; compiled.

A set of terms is six words of sixty members, as in `terms.answers`.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.terms.answers import WIDTH, WORDS, cells, sets
from games.barbarossa.terms.catalogue import ATTRIBUTES, NO, TERMS, UNCLEAR, YES
from games.barbarossa.terms.words import letters, letters_in
from games.core.bits import bit, count, has
from games.core.texts import LANGUAGES

TERM_COUNT: Final = 360

OWN_WORD: Final = 360
"""The term of a riddle whose modeller has a word of his own for it, beyond the table (BR-D47)."""

SAMPLE_WORD: Final = 510
"""Code for the word of one's own that is listed as an example."""

NO_TERM: Final = 511
"""Code for words that mean no term of the table: a word of one's own, or an attempt."""

ATTRIBUTE_COUNT: Final = 64
ANSWERS: Final = 4

HALF: Final = 32
"""Attributes in each half of a set of them."""

MAX_LETTERS: Final = 24
"""No name has more letters, in any language."""

PLACES: Final = 48
"""Places of letters: MAX_LETTERS from the front, and as many from the back."""

KINDRED: Final = 60
"""Minimum percentage of the questions true of one of two close terms that must be true of both (BR-D39)."""

LATIN: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜẞÀÉÈÌÒÙ"
"""Letters that words of one's own may be spelled with, whatever the table has."""

if len(TERMS) != TERM_COUNT or len(ATTRIBUTES) != ATTRIBUTE_COUNT:
    raise ValueError("the lexicon is written for 360 terms and 64 attributes")


def _alphabet() -> str:
    named = {mark for tongue in LANGUAGES for term in range(TERM_COUNT) for mark in letters(term, tongue)}
    return "".join(sorted(named | set(LATIN)))


ALPHABET: Final[str] = _alphabet()
"""A letter's number is its place here plus one; 0 says that there is none (BR-D12)."""


def _spelled() -> bytes:
    found = bytearray(len(LANGUAGES) * TERM_COUNT * PLACES)
    start = 0
    for tongue in LANGUAGES:
        for term in range(TERM_COUNT):
            name = letters(term, tongue)
            if len(name) > MAX_LETTERS:
                raise ValueError(f"{name} has more than {MAX_LETTERS} letters")
            for place, mark in enumerate(name):
                found[start + place] = ALPHABET.index(mark) + 1
                found[start + MAX_LETTERS + len(name) - 1 - place] = ALPHABET.index(mark) + 1
            start += PLACES
    return bytes(found)


def _kindred(table: bytes) -> vec[i64]:
    true = vec[i64]([0] * (2 * TERM_COUNT))
    place: i64
    for place in range(len(table)):
        given: i64 = table[place]
        if given == YES:
            true[place // HALF] |= bit(place % HALF)
    found = vec[i64]([0] * (TERM_COUNT * WORDS))
    one: i64
    other: i64
    for one in range(TERM_COUNT):
        low: i64 = true[2 * one]
        high: i64 = true[2 * one + 1]
        for other in range(one):
            both: i64 = count(low & true[2 * other]) + count(high & true[2 * other + 1])
            either: i64 = count(low | true[2 * other]) + count(high | true[2 * other + 1])
            if 100 * both >= KINDRED * either:
                found[one * WORDS + other // WIDTH] |= bit(other % WIDTH)
                found[other * WORDS + one // WIDTH] |= bit(one % WIDTH)
    return found


SPELLED: Final[bytes] = _spelled()
CELLS: Final[bytes] = cells()
HOLDERS: Final[vec[i64]] = sets()
CLOSE: Final[vec[i64]] = _kindred(CELLS)


def cell(term: i64, attribute: i64) -> i64:
    """Return the index of an answer in CELLS."""
    return term * ATTRIBUTE_COUNT + attribute


def letter_named(number: i64) -> str:
    """Return a letter by its number, nothing for 0."""
    return ALPHABET[number - 1] if number else ""


def spelled(language: i64, term: i64, place: i64) -> i64:
    """Return the number of the letter at a place of a term's name, 0 if there is none (BR-51, BR-D12, BR-D14)."""
    letter: i64 = SPELLED[(language * TERM_COUNT + term) * PLACES + place]
    return letter


def length(language: i64, term: i64) -> i64:
    """Return the number of letters of a term's name."""
    place: i64 = 0
    while place < MAX_LETTERS and spelled(language, term, place) > 0:
        place += 1
    return place


def answer(term: i64, attribute: i64) -> i64:
    """Return the answer for a term (BR-29, BR-30); a word beyond the table has none."""
    if term >= TERM_COUNT:
        return UNCLEAR
    given: i64 = CELLS[cell(term, attribute)]
    return given


def holders(attribute: i64, given: i64, word: i64) -> i64:
    """Return the terms, of one word, for which an answer is true."""
    return HOLDERS[(ANSWERS * attribute + given) * WORDS + word]


def close(term: i64, word: i64) -> i64:
    """Return the terms, of one word, that are close to a term (BR-D39)."""
    if term >= TERM_COUNT:
        return 0
    return CLOSE[term * WORDS + word]


def is_close(term: i64, other: i64) -> bool:
    """Return whether a term of the table is nearly another; none is nearly itself (BR-D39)."""
    if other >= TERM_COUNT:
        return False
    return has(close(term, other // WIDTH), other % WIDTH)


def contradicts(term: i64, attribute: i64, given: i64) -> bool:
    """Return whether a yes or no stands against a firm answer (BR-D33)."""
    true: i64 = answer(term, attribute)
    return (true == NO and given == YES) or (true == YES and given == NO)


def own_letter(word: str, place: i64) -> i64:
    """Return the number of the letter at a place of a word beyond the table, 0 if there is none (BR-D12, BR-D47)."""
    name = letters_in(word)
    index: i64 = place
    if place >= MAX_LETTERS:
        index = len(name) - 1 - (place - MAX_LETTERS)
    if index < 0 or index >= len(name):
        return 0
    return ALPHABET.index(name[index]) + 1
