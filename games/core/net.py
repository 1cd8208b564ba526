"""A small net of integers that corrects an evaluation; compiled.

A game describes every seat by a list of column numbers, and the common facts by one more list. A column holds the
contribution of one fact to each unit of the first layer. It packs four 16-bit lanes into an `i64`, so eight additions
add a fact. A packed sum is the sum of its lanes at their places, for any signs. It is exact while no lane's sum exceeds
16 bits, which `unpacked` columns are checked for. Compiled and plain agree to the last digit.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

UNITS: Final = 32
"""Units of the first layer."""

LANES: Final = 4
WORDS: Final = 8
"""`i64`s to a column."""

LANE: Final = 65536
HALF: Final = 32768

ONE: Final = 256
"""Maximum output of a unit; weights of the first layer are multiples of its inverse."""

SCALE: Final = 262144.0
"""A unit's most times what a weight of the second layer is counted in, 1,024 to one."""

END: Final = -1
"""Ends a list of column numbers."""


class Net:
    """The first layer's columns, a seat's own and the others' contributions to it, and the second layer's weights."""

    __slots__ = ("foe", "own", "second")

    def __init__(self, own: vec[i64], foe: vec[i64], second: vec[i64]) -> None:
        """Take packed columns, of each fact WORDS numbers, and the second layer's UNITS weights.

        `foe` is the contribution of a fact to every seat, and `own` the additional one to the seat it is about. Common
        facts, and the constant fact, have their columns in `foe`.
        """
        self.own = own
        self.foe = foe
        self.second = second

    def corrections(self, seats: i64, told: vec[i64]) -> vec[float]:
        """Return the additions to each seat's weighed sum, from lists of columns seat by seat, then the shared one."""
        shared = vec[i64](capacity=8)
        sums = vec[i64](capacity=56)
        word: i64
        for word in range(WORDS):
            shared = append(shared, 0)
        for word in range(WORDS * (seats + 1)):
            sums = append(sums, 0)
        seat: i64 = 0
        i: i64
        for i in range(len(told)):
            column: i64 = told[i] * WORDS
            if column < 0:
                seat += 1
                continue
            for word in range(WORDS):
                shared[word] += self.foe[column + word]
            if seat < seats:
                for word in range(WORDS):
                    sums[seat * WORDS + word] += self.own[column + word]
        found = vec[float](capacity=6)
        for seat in range(seats):
            total: i64 = 0
            for word in range(WORDS):
                total += self.weighed(sums[seat * WORDS + word] + shared[word], word * LANES)
            found = append(found, float(total) / SCALE)
        return found

    def weighed(self, packed: i64, unit: i64) -> i64:
        """Return the sum of LANES units from `unit` on, each clipped to 0 to ONE."""
        total: i64 = 0
        lane: i64
        for lane in range(LANES):
            value: i64 = ((packed + HALF) & (LANE - 1)) - HALF
            packed = (packed - value) // LANE
            value = min(max(value, 0), ONE)
            total += value * self.second[unit + lane]
        return total
