"""Whether seats are even is judged rightly, and told from what is kept."""

from __future__ import annotations

import pytest

from bench import seats
from bench.seats import Evenness, counted, measured, tail
from games.core.levels import LEVELS, Level
from games.core.registry import registered
from workers.simulate.batch import SimulationPlan, SimulationWork

COUNCIL = registered()["hoher-rat"]


@pytest.mark.parametrize(
    ("square", "freedom", "chance"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (13.277, 4, 0.01), (11.070, 5, 0.05), (0.0, 2, 1.0)],
)
def test_the_tail_is_that_of_the_tables(square: float, freedom: int, chance: float) -> None:
    assert tail(square, freedom) == pytest.approx(chance, abs=1e-4)


def evenness(*wins: int) -> Evenness:
    """Return what seats have won in as many games."""
    teams = [[seat] for seat in range(len(wins))]
    return Evenness(
        game="barbarossa", ruleset="", seats=len(wins), bot="medium", games=sum(wins), teams=teams, wins=list(wins),
        shared=0, date="", machine="", seconds=0,
    )  # fmt: skip


def test_who_wins_because_of_the_seat_is_called_uneven_and_luck_is_not() -> None:
    lowest_first, by_lot = evenness(104, 101, 155), evenness(117, 109, 134)  # 360 games each, measured
    assert seats.cells(lowest_first, 0.05)[-2] == "NO"
    assert seats.cells(by_lot, 0.05)[-2] == "yes"


def test_a_tally_is_counted_by_teams() -> None:
    plan = SimulationPlan(COUNCIL, (LEVELS["random"],) * 4, COUNCIL.options_type(), "teams", 3, rotate=False)
    tally = plan.tally()
    for number in range(plan.games):
        tally.played(SimulationWork(plan).play(number))
    found = counted(COUNCIL, tally, "random", 1.0)
    assert found.teams == [[0, 2], [1, 3]]
    assert sum(found.wins) + found.shared == found.games == 3


def test_a_bot_plays_its_level_as_the_game_plays_it_with_so_many_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    seated: list[tuple[Level, ...]] = []

    def noted(plan: SimulationPlan) -> SimulationWork:
        seated.append(tuple(bot for bot in plan.bots if isinstance(bot, Level)))
        return SimulationWork(plan)

    monkeypatch.setattr(seats, "SimulationWork", noted)
    monkeypatch.setattr(type(COUNCIL), "handicaps", {"easy": (1, 2.0)})
    monkeypatch.setattr(type(COUNCIL), "handicaps_at", {4: {"easy": (2, 0.7)}})
    for number in COUNCIL.seat_numbers:
        assert measured(COUNCIL, number, "easy", 1, 0.0).games == 1
    assert [{(bot.iterations, bot.temperature) for bot in bots} for bots in seated] == [{(1, 2.0)}, {(2, 0.7)}]
    assert [len(bots) for bots in seated] == [2, 4]
