"""Matches, tuning and their page work and go on where they ended; how strong anybody is, is not judged here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from bench import advisers, arena, beliefs, coverage, ladder, matches, page, strength, tune
from bench.coverage import Coverage
from bench.ladder import Ladder
from games.core.dice import FastDice
from games.core.game import Game
from games.core.kernel import kernel
from games.core.registry import registered

pytestmark = pytest.mark.thorough

COUNCIL = registered()["hoher-rat"]

MARKS = cache(advisers.mark.__wrapped__)
"""Marks by one game in place of two, for all tests here."""

EASY = tune.Task(COUNCIL, "tuned", iterations=0, units=1, seed=3)


@pytest.fixture(autouse=True)
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep what is written out of the checkout."""
    for module in (beliefs, ladder, matches, coverage, tune):
        monkeypatch.setattr(module, "KEPT", tmp_path / module.__name__)
    monkeypatch.setattr(page, "PAGE", tmp_path / "strength.md")
    monkeypatch.setattr(advisers, "GAMES", 1)
    monkeypatch.setattr(advisers, "mark", MARKS)
    monkeypatch.setattr(tune, "FINAL", 2)
    return iter([None])


# The arena.


@pytest.mark.parametrize("seats", COUNCIL.seat_numbers)
def test_a_deal_is_played_once_from_every_side_with_the_same_draws(seats: int) -> None:
    player = arena.named(COUNCIL, "tuned")
    results = arena.unit(COUNCIL, seats, player, player, "one")
    assert len(results) == len(COUNCIL.teams(seats))
    assert sum(results) == pytest.approx(1.0)  # equals play the same game from either side
    assert arena.unit(COUNCIL, seats, player, player, "one") == results


@pytest.mark.parametrize("name", ["random", "greedy", "search:20", "plain:5", "cheater:20", "glimpse:20"])
def test_every_kind_of_player_makes_legal_moves_and_repeats_them(name: str) -> None:
    for number in range(3):
        table, seat = arena.position(COUNCIL, 2, number)
        before = COUNCIL.write(table)
        chosen = {arena.named(COUNCIL, name)(table, seat, 7) for _ in range(2)}
        assert len(chosen) == 1
        assert chosen <= set(COUNCIL.legal(table, seat))
        assert COUNCIL.write(table) == before


def test_cheaters_alone_tell_worlds_apart_that_look_alike_to_their_seat() -> None:
    told: dict[str, int] = {"search:60": 0, "plain:60": 0, "cheater:60": 0, "glimpse:60": 0}
    for number in range(6):
        table, seat = arena.position(COUNCIL, 2, number)
        other = table.clone()
        other.redeal(seat, FastDice(number))
        assert COUNCIL.view(table, seat) == COUNCIL.view(other, seat)
        for name in told:
            found = []
            for truth in (table, other):
                search = arena.searches(COUNCIL, name, truth, seat)
                search.run(60)
                found.append([(line.visits, line.mean) for line in search.lines.values()])
            told[name] += found[0] != found[1]
    assert told["search:60"] == told["plain:60"] == 0
    assert told["cheater:60"] > 0
    assert told["glimpse:60"] > 0


def test_the_textbooks_search_tries_every_move_before_any_again_and_asks_no_evaluation() -> None:
    table, seat = arena.position(COUNCIL, 2, 1)
    moves = len(COUNCIL.legal(table, seat))
    search = arena.searches(COUNCIL, "plain:1", table, seat)
    search.run(moves)
    assert {line.visits for line in search.lines.values()} == {1}
    assert {line.mean for line in search.lines.values()} <= {0.0, 0.5, 1.0}


# Matches.


@pytest.mark.parametrize("game", [pytest.param(game, id=slug) for slug, game in registered().items()])
def test_every_game_has_a_plan(game: Game) -> None:
    for effort in (100, 1000):
        names = [match.name for match in matches.plan(game, effort)]
        assert len(set(names)) == len(names)
    planned = matches.plan(game, 100)
    assert {match.seats for match in planned} == set(game.seat_numbers)
    steps = {(match.seats, match.challenger, match.field) for match in planned if match.is_step}
    yardsticks = {("greedy", "random"), ("tuned", "greedy"), ("search:1000", "tuned")}
    assert steps == {(seats, *pair) for seats in game.seat_numbers for pair in yardsticks}
    others = {(match.seats, match.challenger, match.field) for match in planned if not match.is_step}
    for player in ("search:100", "cheater:100"):
        assert others >= {(seats, player, "plain:equal") for seats in game.seat_numbers}
    glimpses = {one for one in others if one[1].startswith("glimpse")}
    wanted = game.seat_numbers if game.slug == "wichtel" else ()
    assert glimpses == {(seats, "glimpse:4000", "plain:equal") for seats in wanted}
    assert {(seats, "expert", "hard") in others for seats in game.seat_numbers} == {bool(game.advised)}


@pytest.mark.skipif(kernel() == "plain", reason="matches want the compiled kernel")
def test_the_command_plays_and_writes_the_page() -> None:
    answer = CliRunner().invoke(strength.matches, ["--units", "1", "--iterations", "10", "--only", "2-greedy-random"])
    assert answer.exit_code == 0, answer.output
    assert re.search(r"% \(.*\) of 2\b", page.PAGE.read_text())


@pytest.mark.skipif(kernel() == "plain", reason="coverage wants the compiled kernel")
def test_the_command_looks_at_as_many_positions_as_it_is_told_with_the_seats_it_is_told() -> None:
    options = ["--game", "hoher-rat", "--seats", "4", "--positions", "3", "--iterations", "5", "--times", "2"]
    answer = CliRunner().invoke(strength.coverage, [*options, "--no-page"])
    assert answer.exit_code == 0, answer.output
    assert not page.PAGE.exists()
    assert [path.name for path in coverage.KEPT.iterdir()] == ["hoher-rat-4.json"]
    kept = msgspec.json.decode((coverage.KEPT / "hoher-rat-4.json").read_bytes(), type=Coverage)
    assert (kept.seats, kept.best, kept.is_of_today) == (4, 3, True)


# Beliefs.


@pytest.mark.skipif(kernel() == "plain", reason="takes the compiled kernel five seconds")
@pytest.mark.parametrize("seats", [3, 4])
def test_the_advisers_middling_beliefs_come_true_as_often_as_it_says(seats: int) -> None:
    found = beliefs.begun(seats, "expert")
    for number in range(25):
        found.look(number)
    middle = found.likeliest[2:9]
    gap = sum(each.said - each.true for each in middle) / sum(each.number for each in middle)
    assert abs(gap) < 0.1  # with the trust of the other levels it is 0.12 and more, with 1.05 in place of 0.75 0.15


# The ladder.


@pytest.mark.skipif(kernel() == "plain", reason="tournaments want the compiled kernel")
def test_the_command_plays_no_more_than_it_needs_and_writes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "OFTEN", (1, 0, 0, 0))
    options = ["--game", "barbarossa", "--seats", "3", "--rounds", "2"]
    for _ in range(2):
        answer = CliRunner().invoke(strength.ladder, options)
        assert answer.exit_code == 0, answer.output
    assert "FEW GAMES (6)" in page.PAGE.read_text()
    kept = msgspec.json.decode((ladder.KEPT / "barbarossa-3.json").read_bytes(), type=Ladder)
    assert kept.games == 6


# Tuning.


def test_a_result_that_is_not_better_for_certain_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "write", lambda *_: pytest.fail("it was written"))
    answer = CliRunner().invoke(strength.tune, ["--generations", "1", "--units", "1"])
    assert answer.exit_code == 0, answer.output
    assert "nothing is written" in answer.output
    head, scores = (tmp_path / "bench.tune" / "hoher-rat-tuned.jsonl").read_text().splitlines()
    assert json.loads(head)["seed"] == 1
    assert len(json.loads(scores)) > 4
