"""The worth of walking, against the same reckoned by recursion."""

from functools import cache

import pytest
from librt.vecs import vec

from games.barbarossa.bots.ring import Ring
from games.barbarossa.options import CAVE_NAMES, RING
from games.core.bits import nibbles

LAYOUT = sum(nibbles(CAVE_NAMES.index(cave), place) for place, cave in enumerate(RING))
BRINGS = [0.3, 0.0, -0.1, 1.0, -0.2]
DISCOUNT = 0.8


@cache
def worth(cave: int, stones: int, turns: int) -> float:
    if turns == 0:
        return 0.0
    paid = [landed(cave + steps, stones - steps, turns - 1) for steps in range(1, stones + 1)]
    return max([rolled(cave, stones, turns - 1), *paid])


def landed(cave: int, stones: int, turns: int) -> float:
    kind = RING[cave % 12]
    left = min(13, stones + 1) if kind == "elf" else stones
    return BRINGS[CAVE_NAMES.index(kind)] + DISCOUNT * worth(cave % 12, left, turns)


def rolled(cave: int, stones: int, turns: int) -> float:
    return sum(landed(cave + face, stones, turns) for face in range(1, 7)) / 6


@pytest.mark.rule("BR-21", "BR-22", "BR-23", "BR-47", "BR-48")
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_the_ring_is_looked_at_turn_by_turn(turns: int) -> None:
    ring = Ring(LAYOUT, vec[float](BRINGS), DISCOUNT, turns)
    for cave in range(12):
        for stones in (0, 1, 5, 12, 13):
            assert ring.rolled(cave, stones) == pytest.approx(rolled(cave, stones, turns))
            for steps in range(1, stones + 1):
                told = ring.landed(cave + steps, stones - steps)
                assert told == pytest.approx(landed(cave + steps, stones - steps, turns))
