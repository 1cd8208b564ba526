"""The kernel against a second, plain writing of the rules, over whole random games."""

from collections.abc import Sequence
from typing import Final, get_args

import pytest

from games.core.dice import FastDice
from games.core.table import Table
from games.wichtel.moves import Action, Bribe, LookAgain, RollForGnome
from games.wichtel.options import VillageOptions
from games.wichtel.table.codes import DIE
from tests.conformance.perft import Counted, files
from tests.games.beside import Beside
from tests.games.wichtel import oracle
from tests.games.wichtel.positions import GAME, after, record_of
from tests.games.wichtel.test_rules_bribes import courting, laid

WALKS: Final = Beside(
    GAME,
    lambda table: oracle.sitting(record_of(table)),
    oracle.moves,
    oracle.make,
    lambda outcomes: [
        draw.value if isinstance(draw.value, int) else draw.value.rpartition(" ")[0] for draw in outcomes
    ],
)

OPTIONS: Final = {
    "standard": VillageOptions(),
    "variants": GAME.presets["variants"],
    "short rounds": VillageOptions(turn_cap=3, goal=40, best_bonus=2, worst_bonus=2),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(3))
def test_random_games_are_played_as_the_oracle_says(seats: int, name: str, seed: int) -> None:
    dice = FastDice(1_000 * seats + seed)

    def choose(table: Table, actors: Sequence[int]) -> tuple[int, int]:
        codes = GAME.legal(table, actors[0])
        # The last of the list plays a card if there is one, and the first lets the round go on.
        return actors[0], (codes[dice.below(len(codes), DIE)], codes[0], codes[-1])[dice.below(3, DIE)]

    _, steps = WALKS.follow(GAME.new(seats, OPTIONS[name], dice), dice, 260, choose)
    assert len(steps) > 20


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
        oracle.make(at, 0, WALKS.wire(table, GAME.encode(table, 0, move)), [roll])
        assert at.facts() == oracle.sitting(record_of(after(table, 0, move, roll=roll))).facts(), roll


PERFT: Final = [file for file in files() if file.game.slug == GAME.slug]


@pytest.mark.parametrize("file", PERFT, ids=lambda file: file.path.stem)
def test_the_oracle_counts_as_many_sequences(file: Counted) -> None:
    counts = {moves: number for moves, number in file.counts().items() if number <= 3_000}
    assert counts
    assert {moves: WALKS.count(file.table(), moves) for moves in counts} == counts
