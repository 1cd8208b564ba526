"""The worth of standing in a cave with a number of stones, a few turns ahead; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.table.constants import CAVES, ELF, FACES, STONE_LIMIT
from games.core.bits import nibble

SIZES: Final = STONE_LIMIT + 1
"""Numbers of stones that a player may have."""


class Ring:
    """The worth of walking, with the gain of each kind of cave and the discount of a later turn."""

    __slots__ = ("brings", "later", "layout", "worth")

    def __init__(self, layout: i64, brings: vec[float], later: float, turns: i64) -> None:
        """Look a number of turns ahead; `brings` is by kind of cave, `layout` has a nibble for each cave."""
        self.layout: i64 = layout
        self.brings: vec[float] = brings
        self.later: float = later
        self.worth: vec[float] = vec[float]([0.0] * (CAVES * SIZES))
        turn: i64
        for turn in range(turns):
            self.deepen()

    def deepen(self) -> None:
        """Look one turn further ahead."""
        found = vec[float]([0.0] * (CAVES * SIZES))
        cave: i64
        stones: i64
        steps: i64
        for cave in range(CAVES):
            for stones in range(SIZES):
                best: float = self.rolled(cave, stones)
                for steps in range(1, stones + 1):
                    best = max(best, self.landed(cave + steps, stones - steps))
                found[cave * SIZES + stones] = best
        self.worth = found

    def rolled(self, cave: i64, stones: i64) -> float:
        """Return the worth of the die from a cave (BR-22)."""
        total: float = 0.0
        face: i64
        for face in range(1, FACES + 1):
            total += self.landed(cave + face, stones)
        return total / float(FACES)

    def landed(self, cave: i64, stones: i64) -> float:
        """Return the worth of landing in a cave, now and later (BR-20, BR-47)."""
        at: i64 = cave % CAVES
        kind: i64 = nibble(self.layout, at)
        left: i64 = stones
        if kind == ELF and stones < STONE_LIMIT:
            left += 1
        return self.brings[kind] + self.later * self.worth[at * SIZES + left]
