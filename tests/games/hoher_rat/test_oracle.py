"""The kernel against a second, plain writing of the rules, over whole random games."""

from collections.abc import Sequence
from typing import Final

import pytest

from games.core.dice import FastDice
from games.core.table import Table
from games.hoher_rat import GAME
from games.hoher_rat.options import CouncilOptions
from tests.conformance.perft import Counted, files
from tests.games.beside import Beside
from tests.games.hoher_rat import oracle
from tests.games.hoher_rat.positions import on, position, record_of

WALKS: Final = Beside(
    GAME,
    lambda table: oracle.sitting(record_of(table)),
    oracle.moves,
    oracle.make,
    lambda outcomes: [int(outcome.value) for outcome in outcomes],
)
OPTIONS: Final = {
    "standard": CouncilOptions(),
    "short": CouncilOptions(turn_cap=40, idle_cap=2),
}


def follow(table: Table, dice: FastDice, plies: int) -> tuple[Table, int]:
    def choose(table: Table, actors: Sequence[int]) -> tuple[int, int]:
        legal = GAME.legal(table, actors[0])
        # The last of the list is a convincing if there is one, which chance alone makes seldom.
        return actors[0], legal[dice.below(len(legal), 0)] if dice.below(8, 0) else legal[-1]

    ended, steps = WALKS.follow(table, dice, plies, choose)
    return ended, len(steps)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(2))
def test_random_games_are_played_as_the_oracle_says(seats: int, name: str, seed: int) -> None:
    choices = FastDice(1_000 * seats + seed)
    table, made = follow(GAME.new(seats, OPTIONS[name], choices), choices, 350)
    assert made > 20
    assert made == 350 or GAME.outcome(table) is not None


WHITES: Final = (1, 2, 3, 9, 10, 11, 17, 18, 19, 25)
YELLOWS: Final = (4, 5, 6, 12, 13, 14, 20, 21, 22, 28)
CONTRA: Final = on("red", 7, 8, 15, 16, 23) | on("blue", 24, 26, 27, 29)
RICH: Final = {"white": 4, "blue": 4, "green": 4, "yellow": 4, "red": 4}


@pytest.mark.parametrize("voting", [False, True], ids=["before the vote", "in the vote"])
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(3))
def test_crowded_rings_are_played_as_the_oracle_says(seats: int, seed: int, voting: bool) -> None:  # noqa: FBT001
    pieces = on("white", *WHITES) | on("yellow", *YELLOWS) | CONTRA
    hands = {0: [30, 6, 7], 1: [30, 12, 5]}
    table = position(seats=seats, pieces=pieces, hands=hands, voting=voting, arguments={0: RICH, 1: RICH})
    _, made = follow(table, FastDice(seed), 70)
    assert made > 3


@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("left", range(4))
def test_used_up_piles_are_reshuffled_like_the_oracles(seats: int, left: int) -> None:
    mine = {0: [1, 7, 13]} if seats == 2 else {0: [1, 7, 13], 2: [2, 3, 4]}
    held = {card for hand in mine.values() for card in hand}
    played = [card for card in range(1, 33) if card not in held][left:]
    table = position(seats=seats, hands=mine, discards={0: played})
    _, made = follow(table, FastDice(left), 60)
    assert made == 60


@pytest.mark.parametrize("file", [file for file in files() if file.game is GAME], ids=lambda file: file.path.stem)
def test_the_oracle_counts_as_many_sequences_as_the_tables_say(file: Counted) -> None:
    few = {moves: count for moves, count in file.counts().items() if count < 2_500}  # the oracle is slow
    assert few
    assert {moves: WALKS.count(file.table(), moves) for moves in few} == few
