"""Simulations count right, and the same however they are cut."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core.dice import FastDice
from games.core.registry import registered
from games.core.table import Table
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions
from workers.__main__ import main
from workers.levels import LEVELS
from workers.simulate.batch import Plan, Simulation, simulate
from workers.simulate.tally import Count, Tally, wilson


def plan(*bots: str, games: int = 12, **more: Any) -> Plan:
    return Plan(PEBBLES, tuple(LEVELS[bot] for bot in bots), PebbleOptions(), "a seed", games, **more)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_however_games_are_cut_into_chunks_and_given_to_workers_they_count_the_same(cuts: list[int]) -> None:
    bots = ("random", "greedy", "random")
    whole = simulate(plan(*bots, games=sum(cuts)))
    merged, begin = Tally(3), 0
    for size in cuts:
        part = Simulation(plan(*bots, games=begin + size), begin)
        while part.run(2):
            pass
        merged.merge(part.tally)
        begin += size
    assert merged.told(bots) == whole
    assert whole["games"] == sum(cuts)


def test_the_same_seed_plays_the_same_games_and_another_seed_others() -> None:
    first, again = (simulate(plan("random", "random", games=30)) for _ in range(2))
    assert first == again
    other = Plan(PEBBLES, (LEVELS["random"],) * 2, PebbleOptions(), "another", 30)
    assert simulate(other) != first


def test_the_better_bot_wins_more_and_every_bot_sits_everywhere_alike() -> None:
    result = simulate(plan("greedy", "random", games=100))
    greedy, chance = result["bots"]
    assert greedy["win_rate"] > chance["win_rate"]
    assert greedy["wins"] + chance["wins"] == result["games"] == 100
    assert [entry["games"] for entry in greedy["by_seat"]] == [50, 50]
    assert [entry["games"] for entry in result["seats"]] == [100, 100]
    assert sum(entry["wins"] for entry in result["seats"]) == 100


def test_without_rotation_every_bot_keeps_its_seat() -> None:
    result = simulate(plan("greedy", "random", "random", games=4, rotate=False))
    assert [[entry["seat"] for entry in bot["by_seat"]] for bot in result["bots"]] == [[0], [1], [2]]


def test_a_whole_turn_of_seats_begins_with_the_same_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    deals: list[Any] = []
    new = PEBBLES.new

    def watched(seats: int, options: Any, dice: Any) -> Table:
        table = new(seats, options, dice)
        deals.append(PEBBLES.write(table))
        return table

    monkeypatch.setattr(PEBBLES, "new", watched)
    simulate(plan("random", "random", "random", games=9))
    assert deals[0] == deals[1] == deals[2]
    assert deals[3] == deals[4] == deals[5]
    assert len({json.dumps(deal.hands) for deal in deals}) > 1


def test_a_simulation_that_knows_enough_stops_after_a_whole_turn_of_seats() -> None:
    result = simulate(plan("random", "random", games=10_000, half_width=0.12))
    assert result["games"] % 2 == 0
    assert result["games"] < 200
    widths = [bot["interval"][1] - bot["interval"][0] for bot in result["bots"]]
    assert max(widths) <= 0.24 + 1e-6


def test_the_lookout_is_told_between_moves_and_may_end_the_work() -> None:
    told: list[tuple[int, int]] = []

    def tick(done: int, total: int, _partial: object) -> None:
        told.append((done, total))
        if done == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        simulate(plan("random", "random", games=50), tick)
    assert told[0] == (0, 50)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (8, 10, 0.4902, 0.9433)],
)
def test_the_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_wilsons_interval_holds_the_rate_about_as_often_as_it_says() -> None:
    dice, held = FastDice(9), 0
    for _ in range(400):
        low, high = wilson(sum(dice.below(10, 0) < 3 for _ in range(60)), 60)
        held += low <= 0.3 <= high
    assert abs(held / 400 - 0.95) < 3 * sqrt(0.05 * 0.95 / 400)


def test_shared_wins_are_counted_in_parts() -> None:
    count = Count()
    for reward in (1.0, 0.0, 0.5, 1 / 3):
        count.add(reward)
    assert (count.games, count.wins, count.shared, count.sixtieths) == (4, 1, 2, 110)
    assert count.told()["score"] == pytest.approx(110 / 240, abs=1e-6)
    assert count.told()["win_rate"] == 0.25


def test_the_command_prints_who_wins_with_intervals_and_a_bar() -> None:
    line = ["simulate", "--game", "hoher-rat", "--seats", "greedy,random", "--games", "2"]
    done = CliRunner().invoke(main, line)
    assert done.exit_code == 0, done.output
    assert "2 games" in done.output
    assert "greedy" in done.output
    again = CliRunner().invoke(main, [*line, "--json"])
    found = json.loads(again.output[again.output.index("{") : again.output.rindex("}") + 1])
    assert (found["games"], found["bots"][0]["bot"]) == (2, "greedy")


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ("search:0,random", "search:2000"),
        ("me,random", "none of"),
        ("random", "one bot for each"),
        ("", "none of"),
        ("search:5:deep,random", "deep"),
    ],
)
def test_the_command_refuses_bots_that_are_not_there(seats: str, said: str) -> None:
    done = CliRunner().invoke(main, ["simulate", "--game", "hoher-rat", "--seats", seats])
    assert done.exit_code == 2
    assert said in done.output


def test_the_command_takes_a_search_of_any_size() -> None:
    line = ["simulate", "--game", "hoher-rat", "--seats", "search:3:greedy,random", "--games", "1", "--no-rotate"]
    assert "search:3:greedy" in CliRunner().invoke(main, line).output
    assert "chess" not in registered()
    assert CliRunner().invoke(main, ["simulate", "--game", "chess", "--seats", "random"]).exit_code == 2
