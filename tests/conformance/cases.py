"""Every registered game with every number of seats, every preset with one of them, and tables of random play."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Any, Final

import hypothesis
import msgspec
import pytest
from _pytest.mark import ParameterSet
from hypothesis import strategies as st

from games.core.bits import members_of
from games.core.dice import CHOICE, FastDice
from games.core.game import Event, Game, Move, Step
from games.core.playout import playout
from games.core.table import SPECTATOR, Table

from .subjects import list_games, served

MAX_MOVES: Final = 20_000
"""Maximum number of moves of a random game."""

SAMPLED_MOVES: Final = 150
"""Approximate number of moves that tests use of a longer list."""

TESTS: Final = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Case:
    """A game with a number of seats and a preset of options."""

    game: Game
    seats: int
    preset: str

    def __str__(self) -> str:
        return f"{self.game.slug}, {self.seats} seats, {self.preset}"

    @property
    def folder(self) -> Path:
        return folder_of(self.game)

    @property
    def viewers(self) -> list[int]:
        return [*range(self.seats), SPECTATOR]

    def new(self, seed: int) -> Table:
        return self.game.new(self.seats, self.game.presets[self.preset], FastDice(seed))

    def somewhere(self, seed: int) -> Table:
        dice = FastDice(seed)
        table = self.new(seed)
        playout(table, dice, dice.below(self.usual_length(), CHOICE))
        return table if table.actors() else self.new(seed)

    def usual_length(self) -> int:
        return _usual_length(self.game.slug, self.seats)


@cache
def _usual_length(slug: str, seats: int) -> int:
    game = GAMES[slug]
    lengths = []
    for seed in range(9):
        dice = FastDice(seed)
        lengths.append(int(playout(game.new(seats, game.options_type(), dice), dice, MAX_MOVES)))
    return sorted(lengths)[4]


def folder_of(game: Game) -> Path:
    """Return the folder of a game's own tests, named like its package."""
    return TESTS / "games" / type(game).__module__.split(".")[1]


def cases(games: Iterable[Game]) -> list[Case]:
    found = []
    for game in games:
        first, *others = game.presets
        found += [Case(game, seats, first) for seats in game.seat_numbers]
        found += [Case(game, game.seat_numbers[-1 - n % len(game.seat_numbers)], o) for n, o in enumerate(others)]
    return found


GAMES: Final = list_games()
"""Every registered game, and Pebbles, which has sealed answers at the same time."""

CASES: Final = cases(served().values())
"""The cases of registered games alone, which must have golden files and are requested over HTTP."""


def smallest_first(cases: Iterable[Case]) -> list[ParameterSet]:
    """Return cases as rows of a test; all but the smallest table of each game are thorough."""
    return [pytest.param(case, marks=() if is_smallest(case) else pytest.mark.thorough) for case in cases]


def is_smallest(case: Case) -> bool:
    return (case.seats, case.preset) == (case.game.seat_numbers[0], next(iter(case.game.presets)))


every_case = pytest.mark.parametrize("case", smallest_first(cases(GAMES.values())), ids=str)
registered_case = pytest.mark.parametrize("case", smallest_first(CASES), ids=str)
listed_case = pytest.mark.parametrize(
    "case", smallest_first(case for case in cases(GAMES.values()) if not case.game.open_moves), ids=str
)
"""The cases of games whose lists hold every legal move: content of a player's own stands in none."""

every_game = pytest.mark.parametrize("game", served().values(), ids=lambda game: game.slug)

seeds = st.integers(0, 2**32)


def examples(number: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=number, deadline=None, derandomize=True, database=None, suppress_health_check=list(_SLOW)
    )


_SLOW: Final = (hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.large_base_example)


@dataclass(frozen=True, slots=True)
class Made:
    """One move of a random game: the table before it, its seat, its code, and the result."""

    before: Table
    seat: int
    code: int
    step: Step


def walk(game: Game, table: Table, seed: int, moves: int) -> Iterator[Made]:
    """Play at random from a table, a number of moves or to the end."""
    dice = FastDice(seed)
    for _ in range(moves):
        actors = members_of(table.actors())
        if not actors:
            return
        seat = int(actors[dice.below(len(actors), CHOICE)])
        codes = game.legal(table, seat)
        code = codes[dice.below(len(codes), CHOICE)]
        step = game.step(table, seat, code, dice)
        yield Made(table, seat, code, step)
        table = step.table


def some(codes: Sequence[int]) -> list[int]:
    """Return a list of moves; of a long one a sample from everywhere in it."""
    return list(codes[:: len(codes) // SAMPLED_MOVES + 1])


def events_for(step: Step, viewer: int) -> list[Event]:
    return [told.event for told in step.heard if told.by(viewer)]


def written(game: Game, table: Table) -> bytes:
    return msgspec.json.encode(game.write(table))


def view_bytes(game: Game, table: Table, viewer: int) -> bytes:
    return msgspec.json.encode(game.view(table, viewer))


def decode_move(game: Game, wire: Any) -> Move:
    kinds: Any = reduce(or_, game.moves)
    move: Move = msgspec.convert(wire, kinds)
    return move
