"""Whether seats are even is judged rightly, and told from what is kept."""

from __future__ import annotations

import pytest

from bench import seats
from bench.seats import Evenness, tail


@pytest.mark.parametrize(
    ("square", "freedom", "chance"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (13.277, 4, 0.01), (11.070, 5, 0.05), (0.0, 2, 1.0)],
)
def test_the_tail_is_that_of_the_tables(square: float, freedom: int, chance: float) -> None:
    assert tail(square, freedom) == pytest.approx(chance, abs=1e-4)


def evenness(*wins: int) -> Evenness:
    teams = [[seat] for seat in range(len(wins))]
    return Evenness(
        game="barbarossa", ruleset="", seats=len(wins), bot="medium", games=sum(wins), teams=teams, wins=list(wins),
        shared=0, date="", machine="", seconds=0,
    )  # fmt: skip


def test_who_wins_because_of_the_seat_is_called_uneven_and_luck_is_not() -> None:
    lowest_first, by_lot = evenness(104, 101, 155), evenness(117, 109, 134)  # 360 games each, measured
    assert seats.cells(lowest_first, 0.05)[-2] == "NO"
    assert seats.cells(by_lot, 0.05)[-2] == "yes"
