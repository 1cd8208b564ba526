"""One member of the club: money, dwarfs, and their employments; compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.gartenzwerge.table.caps import one

PAIR: Final = 512
"""A pair is own cap + 8 * mate's cap + 64 * mate's owner, below this."""


@mypyc_attr(acyclic=True)
class Member:
    """The possessions of one member; rows are those of `caps`.

    Of the dwarfs `owned`, some are `free`, some `entered` the `lower` or `higher` competition, and some are `lent`. One
    stands in the shed with each of `pairs`. The rest is in the garden or, one at most, on offer. `pairs` is a whole
    number of any size, the pairs as its digits, the youngest last (GZ-D22).
    """

    __slots__ = ("cash", "free", "higher", "lent", "lower", "owned", "pairs")

    def __init__(self, cash: i64, owned: i64, free: i64) -> None:
        """Take money and dwarfs."""
        self.cash: i64 = cash
        self.owned: i64 = owned
        self.free: i64 = free
        self.lower: i64 = 0
        self.higher: i64 = 0
        self.lent: i64 = 0
        self.pairs: int = 0

    def clone(self) -> Member:
        """Return a copy."""
        copy = Member(self.cash, self.owned, self.free)
        copy.lower = self.lower
        copy.higher = self.higher
        copy.lent = self.lent
        copy.pairs = self.pairs
        return copy

    def gain(self, cap: i64) -> None:
        """Take a dwarf of a cap from the supply, free once all dwarfs are."""
        self.owned += one(cap)

    def give_up(self, cap: i64) -> None:
        """Return a free dwarf to the supply."""
        self.owned -= one(cap)
        self.free -= one(cap)

    def add_pair(self, own: i64, mate: i64, owner: i64) -> None:
        """Put a pair into the shed: own dwarf, mate, and whose that is (GZ-30)."""
        # Compiled, an int and an i64 make an i64, which holds no more than six pairs.
        self.pairs = self.pairs * PAIR + int(own + 8 * mate + 64 * owner)

    def end_employments(self) -> None:
        """End all employments."""
        self.free = self.owned
        self.lower = 0
        self.higher = 0
        self.lent = 0
        self.pairs = 0
