"""The kernel against a second, plain writing of the rules, over whole random games."""

import json
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import FastDice
from games.core.game import Game
from games.core.table import Table
from games.gartenzwerge.game import Gartenzwerge
from games.gartenzwerge.view import ClubRecord
from tests.games.gartenzwerge import oracle

GAME: Final[Game] = Gartenzwerge()


def record_of(table: Table) -> ClubRecord:
    record = GAME.write(table)
    assert isinstance(record, ClubRecord)
    return record


def as_wire(table: Table, code: int) -> dict[str, Any]:
    wire: dict[str, Any] = msgspec.to_builtins(GAME.decode(table, code))
    return wire


def text(move: dict[str, Any]) -> str:
    return json.dumps(move, sort_keys=True)


def follow(table: Table, choices: FastDice, plies: int, *, thrifty: bool) -> tuple[Table, set[str]]:
    """Play on with oracle and kernel side by side, and return where it ended and the kinds of events that were told.

    The thrifty bid low and sell seldom, and so play longer.
    """
    at = oracle.club(record_of(table))
    told = set()
    for _ in range(plies):
        for seat in range(len(at.people)):
            listed = sorted(text(as_wire(table, code)) for code in GAME.legal(table, seat))
            assert listed == sorted(map(text, oracle.moves(at, seat)))
        actors = GAME.actors(table)
        if not actors:
            break
        seat = actors[choices.below(len(actors), 0)]
        legal = [int(code) for code in (table.candidates(seat) if thrifty else table.legal(seat))]
        if thrifty and len(legal) > 3:
            legal = [code for code in legal if as_wire(table, code)["kind"] != "sell_dwarf"]
        code = legal[choices.below(len(legal), 0)]
        step = GAME.step(table, seat, code, choices)
        outcomes = [(outcome.what, outcome.value) for outcome in step.outcomes]
        oracle.make(at, seat, as_wire(table, code), outcomes)
        table = step.table
        told |= {str(heard.event.__struct_config__.tag) for heard in step.heard}
        assert at.facts() == oracle.club(record_of(table)).facts()
    return table, told


@pytest.mark.parametrize("thrifty", [False, True], ids=["any moves", "thrifty moves"])
@pytest.mark.parametrize("preset", ["standard", "notes"])
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_random_games_are_played_as_the_oracle_says(seats: int, preset: str, *, thrifty: bool) -> None:
    choices = FastDice(1_000 * seats + thrifty)
    table, told = follow(GAME.new(seats, GAME.presets[preset], choices), choices, 450, thrifty=thrifty)
    assert {"round_begun", "amounts_opened", "upkeep_paid"} <= told
    assert GAME.outcome(table) is not None or thrifty


def test_the_games_that_are_compared_tell_everything_there_is_to_tell() -> None:
    told = set()
    for seed in range(30):
        choices = FastDice(seed)
        seats = GAME.seat_numbers[seed % len(GAME.seat_numbers)]
        told |= follow(GAME.new(seats, GAME.presets["standard"], choices), choices, 150, thrifty=seed % 3 > 0)[1]
        if len(told) == len(GAME.events):
            return
    assert told == {str(kind.__struct_config__.tag) for kind in GAME.events}
