"""The answers for each term, two bits a cell: 64 attributes by 360 terms in 6 KB, and as sets of terms.

A term's number is 0 to 359, an attribute's 0 to 63, an answer's 0 to 3 (NO, YES, PERHAPS, UNCLEAR). A set of terms is
six words of 60 members, four columns a word, made for `games.core.bits`: term t is member t % 60 of word t // 60.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, COLUMNS, NO, TERMS
from games.core.bits import bit, full, has

WIDTH: Final = 60
"""Terms in a word."""

WORDS: Final = 6
"""Words in a set of terms."""

if len(TERMS) != WORDS * WIDTH:
    raise ValueError("a set of terms is written for 360 of them")


def _planes() -> vec[i64]:
    planes = vec[i64]([0] * (len(ATTRIBUTES) * 2 * WORDS))
    for number, place, answer in _table_rows():
        for plane in range(2):
            if has(answer, plane):
                planes[(2 * place + plane) * WORDS + number // WIDTH] |= bit(number % WIDTH)
    return planes


def _table_rows() -> Iterator[tuple[int, int, int]]:
    for number, term in enumerate(TERMS):
        said = {**COLUMNS[term.column].answers, **term.exceptions}
        for attribute, answer in said.items():
            if answer != NO:
                yield number, ATTRIBUTE_NUMBERS[attribute], answer


PLANES: Final = _planes()
"""The packed table of the list. For an attribute a, words 12 a to 12 a + 5 hold the low bit of the terms' answers.
The six after them hold the high bit, which is set if the answer is not firm."""


def answer(term: int, attribute: int) -> int:
    """Return the answer that is true of a term."""
    low = 2 * attribute * WORDS + term // WIDTH
    member = term % WIDTH
    return has(PLANES[low], member) + 2 * has(PLANES[low + WORDS], member)


def holders(attribute: int, given: int, word: int) -> int:
    """Return the terms, of one word, for which an answer is true; the six words make the whole set."""
    low = PLANES[2 * attribute * WORDS + word]
    high = PLANES[(2 * attribute + 1) * WORDS + word]
    low = low if has(given, 0) else ~low
    high = high if has(given, 1) else ~high
    return low & high & full(WIDTH)


def sets() -> vec[i64]:
    """Return the holders of every answer, 1,536 words: (4 attribute + answer) * 6 + word."""
    return vec[i64](
        [
            holders(attribute, given, word)
            for attribute in range(len(ATTRIBUTES))
            for given in range(4)
            for word in range(WORDS)
        ]
    )


def cells() -> bytes:
    """Return every answer as a byte, 64 a term: for loops over the whole table."""
    table = bytearray(len(TERMS) * len(ATTRIBUTES))
    for number, place, told in _table_rows():
        table[len(ATTRIBUTES) * number + place] = told
    return bytes(table)
