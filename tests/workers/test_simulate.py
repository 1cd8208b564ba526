"""Simulations count right, and the same however they are cut."""

import json
import statistics
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core.dice import FastDice, SplitDice
from games.core.levels import LEVELS, Level, level_of
from games.core.registry import registered
from games.core.table import Table
from games.search.advise import choose_at
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions
from workers.__main__ import main
from workers.simulate import batch
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.here import simulate
from workers.simulate.tally import FIRST_LOOK, Count, GameResult, Tally, summarize_lengths, wilson

COUNCIL = registered()["hoher-rat"]


def plan(*bots: str, games: int = 12, **more: Any) -> SimulationPlan:
    return SimulationPlan(PEBBLES, tuple(LEVELS[bot] for bot in bots), PebbleOptions(), "a seed", games, **more)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_however_games_are_cut_and_in_whatever_order_they_are_played_they_count_the_same(cuts: list[int]) -> None:
    whole = plan("random", "greedy", "random", games=sum(cuts))
    simulation = SimulationWork(whole)
    backwards = [simulation.do(number, lambda *_: None) for number in reversed(range(whole.games))]
    played, written = iter(reversed(backwards)), b""
    for size in cuts:
        tally = simulation.aggregate().restored(written)
        for _ in range(size):
            tally.add(next(played))
        written = msgspec.json.encode(tally)
    assert simulation.aggregate().restored(written).summary() == simulate(whole)
    assert simulate(whole)["games"] == sum(cuts)


@pytest.mark.thorough
@pytest.mark.parametrize(("games", "half_width"), [(40, 0.0), (300, 0.12)], ids=["all", "fewer"])
def test_two_processes_count_what_one_counts_also_where_they_stop_early(games: int, half_width: float) -> None:
    levels = (LEVELS["greedy"], LEVELS["random"])
    whole = SimulationPlan(COUNCIL, levels, COUNCIL.options_type(), "a seed", games, half_width=half_width)
    assert simulate(whole, workers=2) == simulate(whole)


def test_the_same_seed_plays_the_same_games_and_another_seed_others() -> None:
    first, again = (simulate(plan("random", "random", games=30)) for _ in range(2))
    assert first == again
    other = SimulationPlan(PEBBLES, (LEVELS["random"],) * 2, PebbleOptions(), "another", 30)
    assert simulate(other) != first


def test_the_better_bot_wins_more_and_every_bot_sits_everywhere_alike() -> None:
    result = simulate(plan("greedy", "random", games=100))
    greedy, chance = result["bots"]
    assert greedy["win_rate"] > chance["win_rate"]
    assert greedy["wins"] + chance["wins"] == result["games"] == 100
    assert [entry["games"] for entry in greedy["by_seat"]] == [50, 50]
    assert [entry["games"] for entry in result["by_seat"]] == [100, 100]
    assert sum(entry["wins"] for entry in result["by_seat"]) == 100


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


def test_a_simulation_that_knows_enough_stops_at_a_look_after_a_whole_turn_of_seats() -> None:
    result = simulate(plan("random", "random", "random", games=10_000, half_width=0.06))
    assert result["games"] % 3 == 0
    assert FIRST_LOOK < result["games"] < 400
    widths = [bot["interval"][1] - bot["interval"][0] for bot in result["bots"]]
    assert max(widths) <= 0.12 + 1e-6
    assert simulate(plan("random", "random", "random", games=10_000, half_width=0.5))["games"] == FIRST_LOOK + 2


def test_intervals_hold_and_rates_lean_to_no_side_although_their_width_says_when_to_stop() -> None:
    chance, held, rates = FastDice(3), 0, 0.0
    for _ in range(300):
        tally = Tally.begun(["one", "other"], "", rotate=False, half_width=0.08)
        while not tally.enough():
            won = float(chance.below(10, 0) < 3)
            tally.played(GameResult(tally.games, tally.games, [0, 1], [won, 1.0 - won], 1))
        low, high = tally.bot(0).interval()
        held += low <= 0.3 <= high
        rates += tally.bot(0).wins / tally.games
    assert abs(held / 300 - 0.95) < 3 * sqrt(0.05 * 0.95 / 300)
    assert rates / 300 == pytest.approx(0.3, abs=0.008)


def test_another_bot_changes_neither_deal_nor_draws_nor_seeds_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = (games_of(plan("greedy", bot, "greedy", games=6), monkeypatch) for bot in ("random", "greedy"))
    assert [(game.deal, game.draws) for game in one] == [(game.deal, game.draws) for game in other]
    assert len({game.draws for game in one}) == 2  # one stream of draws for each turn of seats
    for here, there in zip(one, other, strict=True):
        for bot in (0, 2):
            shorter = min(len(here.minds[bot]), len(there.minds[bot]))
            assert shorter
            assert here.minds[bot][:shorter] == there.minds[bot][:shorter]
    assert [game.minds for game in one] != [game.minds for game in other]
    assert len({seed for game in one for minds in game.minds.values() for seed in minds}) == sum(
        len(minds) for game in one for minds in game.minds.values()
    )


@dataclass
class Seen:
    """Chance of one game: its deal, the seed of its draws, and the seeds of every bot's decisions in order."""

    deal: Any
    draws: int = 0
    minds: dict[int, list[int]] = field(default_factory=dict)


def games_of(plan: SimulationPlan, monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    found: list[Seen] = []
    new = type(PEBBLES).new

    def dealt(seats: int, options: Any, dice: Any) -> Table:
        table = new(PEBBLES, seats, options, dice)
        found.append(Seen(PEBBLES.write(table), draws=drawn[-1]))
        return table

    def drawing(seed: int) -> SplitDice:
        drawn.append(seed)
        return SplitDice(seed)

    def chosen(game: Any, table: Table, seat: int, level: Level, seed: int, tick: Any) -> int:
        bot = (seat - (len(found) - 1)) % len(plan.bots)
        assert level is plan.bots[bot]
        found[-1].minds.setdefault(bot, []).append(seed)
        return choose_at(game, table, seat, level, seed, tick)

    drawn: list[int] = []
    monkeypatch.setattr(PEBBLES, "new", dealt)
    monkeypatch.setattr(batch, "SplitDice", drawing)
    monkeypatch.setattr(batch, "choose_at", chosen)
    for number in range(plan.games):
        SimulationWork(plan).play(number)
    return found


def test_the_luck_of_a_deal_that_all_bots_have_from_all_seats_is_told_apart() -> None:
    tally = Tally.begun(["one", "other"], "", rotate=True)
    for number in range(8):
        winner = number // 2 % 2  # the deal decides, whoever sits there
        rewards = [float(seat == winner) for seat in (0, 1)]
        tally.played(GameResult(number, number // 2, [[0, 1], [1, 0]][number % 2], rewards, 9))
    assert [tally.bot(bot).wins for bot in (0, 1)] == [4, 4]
    assert tally.variance_ratio(0) == 0.0
    assert Tally.begun(["one", "other"], "", rotate=True).variance_ratio(0) is None
    assert simulate(plan("random", "random", games=40, rotate=False))["bots"][0]["variance_ratio"] is None


def test_the_luck_of_a_deal_is_the_variance_of_deals_by_that_of_games() -> None:
    wins = [(1, 1), (1, 0), (0, 0), (0, 1), (1, 0), (1, 1), (1, 0)]  # of the first bot, in the two games of each deal
    tally = Tally.begun(["one", "other"], "", rotate=True)
    for number, won in enumerate(won for deal in wins for won in deal):
        bots = [[0, 1], [1, 0]][number % 2]
        tally.played(GameResult(number, number // 2, bots, [float(won == (bot == 0)) for bot in bots], 9))
    of_games = statistics.pvariance([won for deal in wins for won in deal])
    ratio = statistics.variance([sum(deal) for deal in wins]) / (2 * of_games)
    assert tally.variance_ratio(0) == pytest.approx(ratio, abs=0.0001)


@pytest.mark.parametrize(
    ("lengths", "bars", "median"),
    [
        ({}, [], 0),
        ({7: 2}, [(7, 7, 2)], 7),
        ({3: 1, 5: 3}, [(3, 3, 1), (4, 4, 0), (5, 5, 3)], 5),
        ({10: 1, 60: 2}, [(10, 11, 1), (60, 61, 2)], 60),
        ({100: 1, 149: 2, 199: 1}, [(100, 104, 1), (145, 149, 2), (195, 199, 1)], 149),
        ({5: 1, 304: 1}, [(0, 9, 1), (300, 309, 1)], 5),
    ],
)
def test_lengths_come_in_round_ranges(lengths: dict[int, int], bars: list[tuple[int, int, int]], median: int) -> None:
    told = summarize_lengths(lengths)
    found = [(bar["from"], bar["to"], bar["games"]) for bar in told["histogram"]]
    assert [bar for bar in found if bar in bars] == bars
    assert sum(games for _, _, games in found) == sum(lengths.values())
    assert all(after[0] == before[1] + 1 for before, after in pairwise(found))
    assert not found or (found[0][2] and found[-1][2]), "from the shortest to the longest"
    assert told["median"] == median


def test_the_lookout_is_told_of_every_game_and_may_end_the_work() -> None:
    told: list[tuple[int, int]] = []

    def tick(done: int, total: int, _partial: object) -> None:
        told.append((done, total))
        if done == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        simulate(plan("random", "random", games=50), tick)
    assert told == [(1, 50), (2, 50), (3, 50)]


def test_a_game_looks_up_between_moves() -> None:
    def tick(_done: int, _total: int, _partial: object) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        SimulationWork(plan("random", "random")).play(0, tick)


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


def test_rates_have_six_digits_and_points_three() -> None:
    count = Count()
    for reward, points in ((1.0, 3), (0.0, 4), (1 / 3, 4)):
        count.add(reward, points)
    ends = [float(f"{bound:.6f}") for bound in wilson(1, 3)]
    rates = {"win_rate": 0.333333, "interval": ends, "score": 0.444444}
    means = {"mean": 3.667, "deviation": 0.471}
    assert count.summary() == {"games": 3, "wins": 1, "shared": 1, **rates, "points": means}
    assert any(end != round(end, 5) for end in ends)


def test_the_widest_interval_is_that_of_any_bot() -> None:
    for wins in ((10, 10, 10), (28, 1, 1), (1, 28, 1), (1, 1, 28), (14, 15, 1)):
        tally = Tally.begun(["random"] * 3, "a seed", rotate=False)
        winners = [bot for bot, won in enumerate(wins) for _ in range(won)]
        for number, best in enumerate(winners):
            tally.played(GameResult(number, number, [0, 1, 2], [float(bot == best) for bot in range(3)], 9))
        ends = [wilson(won, 30) for won in wins]
        assert tally.widest() == pytest.approx(max((high - low) / 2 for low, high in ends))


def test_shared_wins_are_counted_in_parts() -> None:
    count = Count()
    for reward in (1.0, 0.0, 0.5, 1 / 3):
        count.add(reward)
    assert (count.games, count.wins, count.shared, count.sixtieths) == (4, 1, 2, 110)
    assert count.summary()["score"] == pytest.approx(110 / 240, abs=1e-6)
    assert count.summary()["win_rate"] == 0.25


def test_the_command_prints_who_wins_with_intervals_and_a_bar() -> None:
    line = ["simulate", "--game", "hoher-rat", "--seats", "greedy,random", "--games", "2"]
    done = CliRunner().invoke(main, line)
    assert done.exit_code == 0, done.output
    assert "2 games" in done.output
    assert "greedy" in done.output
    again = CliRunner().invoke(main, [*line, "--workers", "2", "--json"])
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


@pytest.mark.parametrize(("slug", "seats"), [("wichtel", 3), ("gartenzwerge", 2), ("hoher-rat", 2)])
def test_points_are_counted_beside_rewards_where_the_game_scores(slug: str, seats: int) -> None:
    game = registered()[slug]
    random = level_of(game, "random")
    plan = SimulationPlan(game, (random,) * seats, msgspec.convert(game.simulated, game.options_type), "sloes", 3)
    work, tally = SimulationWork(plan), plan.tally()
    lines = [work.play(number) for number in range(plan.games)]
    for line in lines:
        tally.played(line)
    summary = tally.summary()
    if game.scored is None:
        assert all(line.points is None for line in lines)
        assert all("points" not in count for count in [*summary["bots"], *summary["by_seat"]])
        return
    for seat, count in enumerate(summary["by_seat"]):
        points = [line.points[seat] for line in lines if line.points]
        assert len(points) == plan.games
        assert count["points"] == {
            "mean": round(statistics.mean(points), 3),
            "deviation": pytest.approx(statistics.pstdev(points), abs=0.001),
        }
    if slug == "wichtel":
        assert all(
            line.points and max(line.points) == line.points[line.rewards.index(max(line.rewards))] for line in lines
        )
