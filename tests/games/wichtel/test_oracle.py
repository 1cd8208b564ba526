"""The kernel against a second, plain writing of the rules, over whole random games."""

import json
from typing import Any, Final, get_args

import msgspec
import pytest

from games.core.dice import FastDice, SeededDice
from games.core.game import Draw
from games.core.table import Table
from games.wichtel.moves import Action, Bribe, LookAgain, RollForGnome
from games.wichtel.options import VillageOptions
from games.wichtel.table.codes import DIE
from tests.conformance.perft import KEY, Counted, files
from tests.games.wichtel import oracle
from tests.games.wichtel.positions import GAME, after, record_of
from tests.games.wichtel.test_rules_bribes import courting, laid

OPTIONS: Final = {
    "standard": VillageOptions(),
    "variants": GAME.presets["variants"],
    "short rounds": VillageOptions(turn_cap=3, goal=40, best_bonus=2, worst_bonus=2),
}


def as_wire(table: Table, code: int) -> dict[str, Any]:
    """Return a move as the wire has it, without nulls."""
    fields: dict[str, Any] = msgspec.to_builtins(GAME.decode(table, code))
    return {name: value for name, value in fields.items() if value is not None}


def text(move: dict[str, Any]) -> str:
    return json.dumps(move, sort_keys=True)


def kinds_of(outcomes: list[Draw]) -> list[Any]:
    """Return the results of chance: faces, and cards by kind."""
    return [
        outcome.value if isinstance(outcome.value, int) else outcome.value.rpartition(" ")[0] for outcome in outcomes
    ]


def follow(table: Table, choices: FastDice, plies: int) -> tuple[Table, int]:
    """Play on with oracle and kernel side by side, and return where it ended and how many moves were compared."""
    made = 0
    at = oracle.sitting(record_of(table))
    while made < plies:
        for seat in range(at.seats):
            listed = sorted(text(as_wire(table, code)) for code in GAME.legal(table, seat))
            assert listed == sorted(map(text, oracle.moves(at, seat)))
        actors = GAME.actors(table)
        if not actors:
            break
        codes = GAME.legal(table, actors[0])
        # The last of the list plays a card if there is one, and the first lets the round go on.
        code = (codes[choices.below(len(codes), DIE)], codes[0], codes[-1])[choices.below(3, DIE)]
        step = GAME.step(table, actors[0], code, choices)
        oracle.make(at, actors[0], as_wire(table, code), kinds_of(step.outcomes))
        table = step.table
        assert at.facts() == oracle.sitting(record_of(table)).facts()
        made += 1
    return table, made


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(3))
def test_random_games_are_played_as_the_oracle_says(seats: int, name: str, seed: int) -> None:
    choices = FastDice(1_000 * seats + seed)
    _, made = follow(GAME.new(seats, OPTIONS[name], choices), choices, 260)
    assert made > 20


@pytest.mark.rule("HW-26", "HW-27", "HW-34")
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("coin", [None, *get_args(Bribe)[:5]])
def test_every_roll_decides_as_the_oracle_says(coin: Bribe | None, *, again: bool) -> None:
    held: dict[int, list[Action]] = {0: ["look_again"], 1: [coin or "two_coins"]}
    table, move = laid(courting(held), coin, None), LookAgain() if again else RollForGnome()
    if again:
        table = after(table, 0, RollForGnome(), roll=1)
    for roll in range(1, 7):
        at = oracle.sitting(record_of(table))
        oracle.make(at, 0, as_wire(table, GAME.encode(table, 0, move)), [roll])
        assert at.facts() == oracle.sitting(record_of(after(table, 0, move, roll=roll))).facts(), roll


def count(at: oracle.Sitting, table: Table, moves: int) -> int:
    """Count move sequences as the oracle lists moves, while the kernel only draws what chance answers."""
    total = 0
    for seat in GAME.actors(table):
        listed = list(oracle.moves(at, seat))
        if moves == 1:
            total += len(listed)
            continue
        for move in listed:
            code = GAME.encode(table, seat, msgspec.convert(move, type=kind_of(move)))
            after = GAME.step(table, seat, code, SeededDice(KEY, table.ply))
            total += count(oracle.sitting(record_of(after.table)), after.table, moves - 1)
    return total


def kind_of(move: dict[str, Any]) -> Any:
    return next(kind for kind in GAME.moves if kind.__struct_config__.tag == move["kind"])


PERFT: Final = [file for file in files() if file.game.slug == GAME.slug]


@pytest.mark.parametrize("file", PERFT, ids=lambda file: file.path.stem)
def test_the_oracle_counts_as_many_sequences(file: Counted) -> None:
    counts = {moves: number for moves, number in file.counts().items() if number <= 3_000}
    assert counts
    table = file.table()
    assert {moves: count(oracle.sitting(record_of(table)), table, moves) for moves in counts} == counts
