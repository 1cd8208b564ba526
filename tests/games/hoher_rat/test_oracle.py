"""The kernel against a second, plain writing of the rules, over whole random games."""

import copy
import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import FastDice, SeededDice
from games.core.game import Draw
from games.core.table import Table
from games.hoher_rat import GAME
from games.hoher_rat.options import CouncilOptions
from tests.conformance.perft import KEY, Counted, files
from tests.games.hoher_rat import oracle
from tests.games.hoher_rat.positions import on, position, record_of

OPTIONS: Final = {
    "standard": CouncilOptions(),
    "short": CouncilOptions(turn_cap=40, idle_cap=2),
}


def listed(table: Table, seat: int) -> list[str]:
    """Return the kernel's legal moves as texts to be sorted and compared."""
    return sorted(text(as_wire(table, code)) for code in GAME.legal(table, seat))


def as_wire(table: Table, code: int) -> dict[str, Any]:
    """Return a move as the wire has it, without nulls."""
    fields: dict[str, Any] = msgspec.to_builtins(GAME.decode(table, code))
    return {name: value for name, value in fields.items() if value is not None}


def text(move: dict[str, Any]) -> str:
    if "arguments" in move:
        move = move | {"arguments": sorted(move["arguments"])}
    return json.dumps(move, sort_keys=True)


def cards(outcomes: list[Draw]) -> list[int]:
    return [int(outcome.value) for outcome in outcomes]


def follow(table: Table, choices: FastDice, plies: int) -> tuple[Table, int]:
    """Play on with oracle and kernel side by side, and return where it ended and how many moves were compared."""
    made = 0
    at = oracle.sitting(record_of(table))
    while made < plies:
        for seat in range(at.seats):
            assert listed(table, seat) == sorted(map(text, oracle.moves(at, seat)))
        actors = GAME.actors(table)
        if not actors:
            break
        legal = GAME.legal(table, actors[0])
        # The last of the list is a convincing if there is one, which chance alone makes seldom.
        code = legal[choices.below(len(legal), 0)] if choices.below(8, 0) else legal[-1]
        step = GAME.step(table, actors[0], code, choices)
        oracle.make(at, actors[0], as_wire(table, code), cards(step.outcomes))
        table = step.table
        assert at.facts() == oracle.sitting(record_of(table)).facts()
        made += 1
    return table, made


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


MAX_SEQUENCES: Final = 2_500
"""Maximum number of sequences for the oracle, which is slow."""


@pytest.mark.parametrize("file", [file for file in files() if file.game is GAME], ids=lambda file: file.path.stem)
def test_the_oracle_counts_as_many_sequences_as_the_tables_say(file: Counted) -> None:
    at = oracle.sitting(record_of(file.table()))
    ply = record_of(file.table()).ply
    few = {moves: count for moves, count in file.counts().items() if count < MAX_SEQUENCES}
    assert few
    assert {moves: sequences(at, ply, moves) for moves in few} == few


def sequences(at: oracle.Sitting, ply: int, number: int) -> int:
    """Return the number of the oracle's sequences of a number of moves, with chance as in the tables."""
    total = 0
    for seat in range(at.seats):
        moves = oracle.moves(at, seat)
        if number == 1:
            total += len(moves)
            continue
        for move in moves:
            after = copy.deepcopy(at)
            oracle.make(after, seat, move, Drawing(after, seat, SeededDice(KEY, ply)))
            total += sequences(after, ply + 1, number - 1)
    return total


class Drawing(Sequence[int]):
    """The cards that seeded dice give a seat with a hand to fill, each chosen on access."""

    def __init__(self, at: oracle.Sitting, seat: int, dice: SeededDice) -> None:
        self.at, self.seat, self.dice = at, seat, dice

    def __len__(self) -> int:
        """Return the number of missing cards."""
        return 3 - len(self.at.hands[self.seat])

    def __getitem__(self, index: Any) -> Any:
        """Draw the next card, by its place among those left."""
        if len(self) == 0:
            raise IndexError
        faction = self.seat % 2
        pile = sorted(self.at.decks[faction] or self.at.discards[faction])
        return pile[self.dice.below(len(pile), 0)]
