"""Chance: every draw is written down by name, and replays without the generator that made it."""

import msgspec
from hypothesis import given

from games.core.dice import FastDice, RecordingDice, ScriptedDice, SeededDice
from games.core.game import Draw, Entry

from .cases import Case, every_case, examples, seeds, walk, written


@every_case
@examples(4)
@given(seed=seeds)
def test_a_game_replays_from_its_written_outcomes_alone(case: Case, seed: int) -> None:
    game = case.game
    options = game.presets[case.preset]
    recorder = RecordingDice(FastDice(seed))
    first = game.new(case.seats, options, recorder)
    dealt = msgspec.json.encode(game.name_outcomes(recorder.outcomes))
    log = []
    for made in walk(game, first, seed, 120):
        assert {outcome.what for outcome in made.step.outcomes} <= set(game.purposes)
        log.append(msgspec.json.encode(made.step.entry))
        last = made.step
    script = game.read_outcomes(msgspec.json.decode(dealt, type=list[Draw]))
    dice = ScriptedDice(script, None)
    table = game.new(case.seats, options, dice)
    assert dice.used == len(script)
    for line in log:
        entry = msgspec.json.decode(line, type=Entry)
        dice = ScriptedDice(game.read_outcomes(entry.outcomes), None)
        step = game.step(table, entry.seat, entry.move, dice)
        assert dice.used == len(dice.script)
        assert step.outcomes == entry.outcomes
        table = step.table
    assert written(game, table) == written(game, last.table)
    assert step.heard == last.heard


@every_case
@examples(6)
@given(seed=seeds)
def test_a_retry_of_a_move_rolls_the_same(case: Case, seed: int) -> None:
    game = case.game
    key = seed.to_bytes(8, "big")
    for made in walk(game, case.somewhere(seed), seed, 15):
        ply = made.before.ply
        once = game.step(made.before, made.seat, made.code, SeededDice(key, ply))
        again = game.step(made.before, made.seat, made.code, SeededDice(key, ply))
        assert once.outcomes == again.outcomes
        assert once.heard == again.heard
        assert written(game, once.table) == written(game, again.table)


@every_case
@examples(6)
@given(seed=seeds)
def test_a_new_table_is_dealt_by_its_seed_alone(case: Case, seed: int) -> None:
    assert written(case.game, case.new(seed)) == written(case.game, case.new(seed))
    dealt = {written(case.game, case.new(other)) for other in range(seed, seed + 10)}
    assert len(dealt) > 1
