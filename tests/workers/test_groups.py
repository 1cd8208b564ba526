"""Groups of games: every field of an outcome has its value, and the counts are the same however the games are cut."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from redis import Redis

from games.core.dice import FastDice
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.playout import playout
from games.core.registry import registered
from games.core.table import SPECTATOR
from service.jobs import counters, grouping
from service.jobs.grouping import GroupField, Grouping, UnknownFieldError, holds_number
from tests.toy import GAME as PEBBLES
from tests.toy.table import Pebbles
from tests.workers import jobs
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.groups import GroupReader
from workers.simulate.here import simulate
from workers.simulate.turns import SeatTurns

EACH = [(game, seats) for game in registered().values() for seats in game.seat_numbers]
NAMES = [f"{game.slug}-{seats}" for game, seats in EACH]
BOTS = ("random", "random")


def named_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the paths of a JSON value with their scalars."""
    if isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value[: grouping.MAX_ITEMS])
        for name, part in parts:
            yield from named_values(part, f"{path}.{name}" if path else str(name))
    elif value is not None:
        yield path, value


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize(("game", "seats"), EACH, ids=NAMES)
def test_every_value_of_an_outcome_can_be_grouped_by(game: Game, seats: int) -> None:
    table = game.new(seats, game.options_type(**game.simulated), FastDice(seats))
    playout(table, FastDice(7), 10**6)
    rewards = [float(reward) for reward in table.rewards()]
    result = {"bots": [*range(seats)], "rewards": rewards, "plies": table.ply, "points": game.points(table)}
    view = msgspec.to_builtins(game.view(table, SPECTATOR))
    expected = dict(named_values({**result, "view": view}))
    for path, value in expected.items():
        assert holds_number(game, seats, path) is (type(value) is int), path
    reader = GroupReader(game, Grouping(tuple(GroupField(path) for path in expected)))
    found = reader.group(table, result, []).key
    assert found == {path: text(value)[: grouping.MAX_CHARACTERS] for path, value in expected.items()}
    winners = ",".join(str(seat) for seat in range(seats) if rewards[seat] > 0)
    assert GroupReader(game, Grouping((GroupField("winners"),))).group(table, result, []).key == {"winners": winners}


@pytest.mark.parametrize(
    ("path", "choices"),
    [
        ("winner", "bots, forfeit, plies, rewards, view, winners"),
        ("rewards.2", "rewards.0 to rewards.1"),
        ("view", "view.acted, view.actors, view.bank"),
        ("view.ring", "view.ring.0 to view.ring.29"),
        ("view.bank.gold", "view.bank.blue, view.bank.green, view.bank.red"),
        ("plies.0", ""),
        ("", "bots, forfeit"),
        ("view.", "view.acted"),
        ("view.piles.00", "view.piles.0 to view.piles.1"),
    ],
)
def test_an_unknown_field_is_answered_with_the_fields_in_its_place(path: str, choices: str) -> None:
    with pytest.raises(UnknownFieldError) as refused:
        holds_number(jobs.COUNCIL, 2, path)
    assert refused.value.choices.startswith(choices)
    assert "points" not in refused.value.choices, "this game has none"


@pytest.mark.parametrize(("seats", "choices"), [(1, "rewards.0"), (2, "rewards.0 to rewards.1")])
def test_the_places_of_a_list_are_the_first_to_the_last(seats: int, choices: str) -> None:
    with pytest.raises(UnknownFieldError) as refused:
        holds_number(PEBBLES, seats, "rewards.x")
    assert refused.value.choices == choices


def plan_of(wanted: Grouping, games: int) -> SimulationPlan:
    levels = (LEVELS["random"], LEVELS["greedy"])
    return SimulationPlan(PEBBLES, levels, PEBBLES.options_type(), "stone", games, grouping=wanted)


def reference(plan: SimulationPlan, most: int) -> list[tuple[int, str]]:
    """Count games by group without the code under test: all groups first, then the sample of them that fits."""
    work = SimulationWork(plan)
    found = Counter(msgspec.json.encode(work.play(number).group).decode() for number in range(plan.games))
    level = next(level for level in range(32) if sum(grouping.is_sampled(name, level) for name in found) <= most)
    kept = {name: games for name, games in found.items() if grouping.is_sampled(name, level)}
    return sorted(((games, name) for name, games in kept.items()), key=lambda row: (-row[0], row[1]))


@pytest.mark.parametrize("most", [10_000, 7])
@pytest.mark.parametrize("shards", [1, 2, 7])
def test_groups_are_the_same_for_every_cut(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch, shards: int, most: int
) -> None:
    monkeypatch.setattr(grouping, "MAX_GROUPS", most)
    monkeypatch.setattr(counters, "MAX_GROUPS", most)
    games, wanted = 27, Grouping((GroupField("winners"), GroupField("plies", 10)), opening=1, top=1_000)
    plan = plan_of(wanted, games)
    job = jobs.tally(redis_client, *BOTS, games=games)
    turns = SeatTurns(plan)
    told = jobs.count_in_shards(redis_client, job, turns, shards)
    names = [name for name in told if name.startswith(grouping.GROUP)]
    assert len(names) <= most
    found = turns.tally(told).summary()
    assert found == simulate(plan)
    rows = reference(plan, most)
    assert [row["games"] for row in found["groups"]["rows"]] == [number for number, _ in rows]
    assert found["groups"]["other"] == games - sum(number for number, _ in rows)
    assert (found["groups"]["share"] < 1) is (most == 7)
    assert (found["groups"]["other"] > 0) is (most == 7)


def test_only_the_largest_groups_are_listed_and_ranges_are_exact() -> None:
    whole, listed = (plan_of(Grouping((GroupField("plies", 3),), top=top), 60) for top in (1_000, 2))
    lengths = Counter(SimulationWork(whole).play(number).plies // 3 * 3 for number in range(60))
    groups = simulate(whole)["groups"]
    assert {row["key"]["plies"]: row["games"] for row in groups["rows"]} == {
        str(low): number for low, number in lengths.items()
    }
    assert (groups["other"], groups["share"]) == (0, 1.0)
    few = simulate(listed)["groups"]
    assert few["rows"] == groups["rows"][:2]
    assert few["other"] == 60 - sum(row["games"] for row in few["rows"])


def test_an_opening_has_the_first_moves_of_a_game_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[tuple[int, int]]()
    apply = Pebbles.apply

    def noted(table: Any, seat: int, code: int, *rest: Any) -> None:
        made.append((seat, code))
        apply(table, seat, code, *rest)

    monkeypatch.setattr(Pebbles, "apply", noted)
    levels = (LEVELS["random"],) * 2  # which look at no other table
    wanted = Grouping(opening=3)
    work = SimulationWork(SimulationPlan(PEBBLES, levels, PEBBLES.options_type(), "stone", 4, grouping=wanted))
    for number in range(4):
        made.clear()
        group = work.play(number).group
        assert group is not None
        assert [(move.seat, move.code) for move in group.opening] == made[:3]
        assert len(made) > 3
