"""The kernel against a second, plain writing of the rules, over whole random games."""

from collections.abc import Sequence
from typing import Final

import pytest

from games.core.dice import FastDice
from games.core.table import Table
from tests.games.beside import Beside
from tests.games.gartenzwerge import oracle
from tests.games.gartenzwerge.positions import GAME, record_of

WALKS: Final = Beside(
    GAME,
    lambda table: oracle.club(record_of(table)),
    oracle.moves,
    lambda at, seat, move, chance: oracle.make(at, seat, {"partner": None, **move}, chance),
    lambda outcomes: [(outcome.what, outcome.value) for outcome in outcomes],
)


def follow(table: Table, dice: FastDice, plies: int, *, thrifty: bool) -> tuple[Table, set[str]]:
    """Return the last table and the kinds of events that were told.

    The thrifty bid low and sell seldom, and so play longer.
    """

    def choose(table: Table, actors: Sequence[int]) -> tuple[int, int]:
        seat = actors[dice.below(len(actors), 0)]
        legal = [int(code) for code in (table.candidates(seat) if thrifty else table.legal(seat))]
        if thrifty and len(legal) > 3:
            legal = [code for code in legal if WALKS.wire(table, code)["kind"] != "sell_dwarf"]
        return seat, legal[dice.below(len(legal), 0)]

    ended, steps = WALKS.follow(table, dice, plies, choose)
    return ended, {str(heard.event.__struct_config__.tag) for step in steps for heard in step.heard}


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
