"""The draws of every game can be drawn again with the keys, without any code of this project."""

import importlib.util
from typing import Any

import msgspec
import pytest

from games.core.dice import CHOICE, FastDice, RecordingDice
from service.snapshots.fairness import (
    ChanceKeys,
    ProvenMove,
    first_difference,
    move,
    record_draws,
    record_proven_draws,
    set_up,
)
from tests.conformance.cases import TESTS, Case, every_case, written

MOVES = 60
KEY = "5e" * 32


@pytest.fixture(scope="module")
def sceptic() -> Any:
    spec = importlib.util.spec_from_file_location("verify", TESTS.parent / "docs" / "fairness" / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@every_case
def test_all_draws_of_a_random_game_follow_from_its_keys(case: Case, sceptic: Any, capsys: Any) -> None:
    game, keys, choice = case.game, ChanceKeys.of(KEY), FastDice(case.seats)
    table = game.new(case.seats, game.presets[case.preset], dealing := RecordingDice(keys.set_up_dice()))
    begin = set_up(game, case.seats, game.presets[case.preset])
    again, dealt = record_proven_draws(game, begin, keys.set_up_dice(), game.name_outcomes(dealing.outcomes))
    moves: list[ProvenMove] = []
    while len(moves) < MOVES and (actors := game.actors(table)):
        seat, ply = actors[choice.below(len(actors), CHOICE)], int(table.ply)
        codes = game.legal(table, seat)
        code = codes[choice.below(len(codes), CHOICE)]
        step = game.step(table, seat, code, keys.move_dice(ply))
        again, draws = record_proven_draws(game, move(again, seat, code), keys.move_dice(ply), step.outcomes)
        moves.append(ProvenMove(seat=seat, ply=ply, move=game.decode(table, code), draws=draws))
        table = step.table
    proof = {"session": "s", "keys": keys, "set_up": dealt, "moves": moves}
    sceptic.main(keys.commitment("s"), msgspec.json.decode(msgspec.json.encode(proof)))
    count = len(dealt) + sum(len(made.draws) for made in moves)
    assert capsys.readouterr().out.startswith(f"fair: {count} draws of {len(moves)} moves")
    assert count > 0
    assert written(game, again) == written(game, table)


@every_case
def test_the_record_counts_even_if_the_keys_differ(case: Case) -> None:
    game, keys, begin = case.game, ChanceKeys.of(KEY), set_up(case.game, case.seats, case.game.presets[case.preset])
    _, made = record_draws(game, begin, keys.set_up_dice())
    found = []
    for seed in range(9):  # a game may have so few draws that one seed or another agrees with the keys
        game.new(case.seats, game.presets[case.preset], dealing := RecordingDice(FastDice(seed)))
        outcomes = game.name_outcomes(dealing.outcomes)
        _, told = record_proven_draws(game, begin, keys.set_up_dice(), outcomes)
        assert [(draw.what, draw.value) for draw in told] == [(outcome.what, outcome.value) for outcome in outcomes]
        found.append(first_difference(told, made, "/set_up"))
    assert any(found)
