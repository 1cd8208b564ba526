"""Calibration of beliefs: the probabilities that a game's adviser states, and the frequencies of the truth."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench import report
from bench.arena import named, play_out
from bench.machine import processor
from games.barbarossa.options import WizardOptions, table_options
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.terms.catalogue import TERMS
from games.core.advice import Hypothesis
from games.core.dice import FastDice, SplitDice
from games.core.game import Game
from games.core.registry import registered
from games.search.advise import seed_of

RESULTS: Final = Path(__file__).resolve().parent / "results" / "beliefs"

GAME: Final = "barbarossa"
"""The one game whose adviser states the probabilities of hidden things."""

BINS: Final = 10

DECISION_STEP: Final = 6
"""Interval of the examined decisions, since little changes from one to the next."""

BOUND: Final = 0.05
"""Maximum distance between a stated probability and the frequency of the truth."""

MAX_HALF_WIDTH: Final = 0.03
"""A bin whose 95 % interval is wider than this to either side has too few games for a verdict."""


class Belief(NamedTuple):
    """An adviser's belief about a riddle: the probability of a term, and whether it is the riddle's."""

    about: int
    chance: float
    is_true: bool


class Bin(msgspec.Struct):
    """Beliefs with chances in one tenth: how many, the sum of their chances, how many are true, and the gap's spread.

    `squares` is the sum over games of the squared difference of the two sums: beliefs of one game share their figures,
    so a game counts as one observation.
    """

    number: int = 0
    said: float = 0.0
    true: int = 0
    squares: float = 0.0

    def add(self, beliefs: Sequence[Belief]) -> None:
        """Take the beliefs of one game in."""
        said, true = sum(one.chance for one in beliefs), sum(one.is_true for one in beliefs)
        self.number += len(beliefs)
        self.said += said
        self.true += true
        self.squares += (said - true) ** 2

    @property
    def gap(self) -> float:
        """Return the difference between the stated probability and the frequency of the truth."""
        return (self.said - self.true) / self.number

    @property
    def doubt(self) -> float:
        """Return the half-width of the gap's 95 % interval, by games."""
        return 1.96 * math.sqrt(self.squares) / self.number

    @property
    def is_enough(self) -> bool:
        """Return whether there are enough games for a verdict on the bin."""
        return self.number > 0 and self.doubt <= MAX_HALF_WIDTH

    @property
    def holds(self) -> bool:
        """Return whether the stated probability is near enough to the frequency of the truth."""
        return abs(self.gap) <= BOUND


class Beliefs(msgspec.Struct, kw_only=True):
    """Beliefs in games of one level, by tenths of their chance: of the likeliest of each thing, and of all stated."""

    game: str
    seats: int
    level: str
    games: int = 0
    date: str = ""
    machine: str = ""
    likeliest: list[Bin] = msgspec.field(default_factory=lambda: [Bin() for _ in range(BINS)])
    told: list[Bin] = msgspec.field(default_factory=lambda: [Bin() for _ in range(BINS)])

    @property
    def name(self) -> str:
        """Return its name, also of its file."""
        return f"{self.game}-{self.seats}-{self.level}"

    def look(self, number: int) -> None:
        """Play a numbered game of the level with itself, and add the beliefs of its adviser."""
        likeliest: dict[int, list[Belief]] = defaultdict(list)
        told: dict[int, list[Belief]] = defaultdict(list)
        for found in collect_beliefs(registered()[self.game], self.seats, self.level, number):
            best: dict[int, Belief] = {}
            for one in found:
                told[bin_of(one.chance)].append(one)
                best.setdefault(one.about, one)
            for one in best.values():
                likeliest[bin_of(one.chance)].append(one)
        self.games += 1
        for bins, beliefs in ((self.likeliest, likeliest), (self.told, told)):
            for index, those in beliefs.items():
                bins[index].add(those)


def bin_of(chance: float) -> int:
    """Return the bin of a chance."""
    return min(BINS - 1, int(chance * BINS))


def collect_beliefs(game: Game, seats: int, level: str, number: int) -> list[list[Belief]]:
    """Play a numbered game of a level with itself; return the beliefs for the seats to move, the likeliest first.

    The adviser states them at one decision in DECISION_STEP.
    """
    draws = SplitDice(seed_of("beliefs", game.slug, seats, number))
    hall = new_hall(seats, table_options(WizardOptions()), draws)
    lots = FastDice(seed_of("lots", game.slug, seats, number))
    player = named(game, level)
    asked = count(1)
    found: list[list[Belief]] = []

    def ask(seat: int) -> int:
        if next(asked) % DECISION_STEP == 0:
            said = game.hypotheses(game.view(hall, seat))
            found.append([Belief(one.about, one.chance, is_true(hall, one)) for one in said])
        return player(hall, seat, seed_of("choice", number, hall.ply, seat))

    play_out(game, hall, draws, lots, ask)
    return found


def is_true(hall: Hall, found: Hypothesis) -> bool:
    """Return whether an adviser's hypothesis is the riddle's term."""
    return TERMS[int(hall.riddle(found.about).term)].id == found.guess


def new_beliefs(seats: int, level: str) -> Beliefs:
    """Return a measurement without a game."""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return Beliefs(game=GAME, seats=seats, level=level, date=today, machine=processor())


def keep(found: Beliefs) -> None:
    """Write the result down for the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    report.keep(found, RESULTS / f"{found.name}.json")
