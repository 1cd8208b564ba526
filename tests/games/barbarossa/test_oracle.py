"""The kernel against a second, plain writing of the rules, over random games."""

from typing import Any, Final

import msgspec
import pytest

from games.barbarossa import GAME as BARBAROSSA
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.hall import Hall
from games.barbarossa.view import WizardRecord
from games.core.bits import members_of
from games.core.dice import FastDice
from games.core.game import Game
from games.core.table import Table
from tests.games.barbarossa import oracle
from tests.games.barbarossa.courses import chosen

GAME: Final[Game] = BARBAROSSA
"""The game, at tables of any type."""

LOOK: Final = 9
"""Number of moves between the compared lists of moves."""

PLAYED: Final = {
    "standard, 3": (3, WizardOptions()),
    "standard, 4": (4, WizardOptions()),
    "mayfair-2005, 3": (3, GAME.presets["mayfair-2005"]),
    "simple, 4": (4, GAME.presets["simple"]),
    "people, 3": (3, GAME.presets["people"]),
    "modellers_letter, 4": (4, GAME.presets["modellers_letter"]),
    "short, 3": (3, WizardOptions(goal=10, floor=-2, turn_cap=9, question_cap=2, close_hints=False, language="en")),
    "free, 4": (4, WizardOptions(questions="free", answers="human", goal=16)),
}


def written(table: Table) -> Any:
    return msgspec.json.decode(msgspec.json.encode(GAME.write(table)))


def as_wire(table: Table, code: int) -> Any:
    return msgspec.json.decode(msgspec.json.encode(GAME.decode(table, code)))


def text(move: Any) -> tuple[Any, ...]:
    return tuple(sorted(move.items(), key=lambda item: str(item[0])))


def compare_moves(table: Table, at: oracle.Hall, seat: int) -> None:
    """Hold the moves of a seat together, but for content of its own, of which there are examples alone."""
    listed = [as_wire(table, code) for code in GAME.legal(table, seat)]
    closed = {text(move) for move in listed if move["kind"] not in oracle.OPEN}
    assert closed == {text(move) for move in oracle.moves(at, seat)}


@pytest.mark.parametrize(("seats", "options"), PLAYED.values(), ids=PLAYED.keys())
def test_random_games_are_played_as_the_oracle_says(seats: int, options: WizardOptions) -> None:
    dice = FastDice(7 * seats)
    table: Table = GAME.new(seats, options, dice)
    at = written(table)
    for ply in range(400):
        actors = members_of(table.actors())
        if ply % LOOK == 0 or not actors:
            compare_moves(table, at, ply // LOOK % seats)
        if not actors:
            break
        assert isinstance(table, Hall)
        seat = int(actors[dice.below(len(actors), 0)])
        code = chosen(table, seat, dice)
        step = GAME.step(table, seat, code, dice)
        after = written(step.table)
        each = len(after["riddles"]) // seats
        pieces = [riddle["piece"] for riddle in after["riddles"][seat * each : (seat + 1) * each]]
        oracle.make(at, seat, as_wire(table, code), [outcome.value for outcome in step.outcomes], pieces)
        assert at == after, as_wire(table, code)
        table = step.table
    record = GAME.write(table)
    assert isinstance(record, WizardRecord)
    assert record.turns > 8
