"""Tuning of a game's evaluation by CMA-ES: `python -m bench tune --game hoher-rat`.

A candidate is a set of weights. Its fitness is its mean result against a mixed field, the present `tuned` in one deal
and `greedy` in the next. It covers every number of seats that the set is for, in deals that all candidates of a
generation share. Against the present weights alone it would learn their blunders, and lose to anybody else. The scores
of every candidate are stored line by line. A tuning that is started again first reads all scores from the file: the
same seed requests the same candidates.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import click
import msgspec
import numpy as np
from cmaes import CMA  # type: ignore[import-untyped]

from bench.arena import Player, glancing, searching, unit
from games.core.game import Game
from games.core.weights import FILE, Weights

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "build" / "tune"
STEP: Final = 1.0
"""Initial step size, in units of each weight's scale."""

FINAL: Final = 500
"""Deals of the match that a result must win, for each number of seats."""

FIELD: Final = ("tuned", "greedy")
"""The evaluations that a candidate meets one ply ahead, one in each deal, in turn."""

Values = dict[str, float]


@dataclass(frozen=True, slots=True)
class Task:
    """The object of tuning: a game's set of weights, for one look ahead or, with iterations, for the search."""

    game: Game
    target: str
    iterations: int
    units: int
    seed: int

    @property
    def weights(self) -> Weights:
        """Return the game's weights."""
        if self.game.weights is None:
            raise click.BadParameter(f"{self.game.slug} has no weights to tune")
        return self.game.weights

    @property
    def seats(self) -> Sequence[int]:
        """Return the numbers of seats that the set is for."""
        return self.weights.seats.get(self.target, self.game.seat_numbers)

    def player(self, values: Values) -> Player:
        """Return the player with these weights."""
        worth = self.game.weighed(values)
        return searching(worth, self.iterations) if self.iterations else glancing(worth)

    def score(self, values: Values, deals: str, units: int) -> list[float]:
        """Return a candidate's result in every game of some deals for each number of seats."""
        return [result for row in self.deals(self.player(values), deals, units) for result in row]

    def deals(self, player: Player, deals: str, units: int) -> Iterator[list[float]]:
        """Yield a player's results deal by deal, as each team, for each number of seats."""
        fields = [glancing(self.game.worths[name]) for name in FIELD]
        for seats in self.seats:
            for number in range(units):
                yield unit(self.game, seats, player, fields[number % len(fields)], f"{deals}/{seats}/{number}")

    def final(self, values: Values) -> tuple[float, float, float]:
        """Return the margin over the result of the present weights in deals no candidate has met.

        The mean difference of a deal comes with its 95 % interval; both play the same deals against the same fields.
        """
        present = self.player(self.start())
        pairs = zip(
            self.deals(self.player(values), "tune/final", FINAL),
            self.deals(present, "tune/final", FINAL),
            strict=True,
        )
        gains = [fmean(new) - fmean(old) for new, old in pairs]
        half = 1.96 * stdev(gains) / math.sqrt(len(gains))
        return fmean(gains), fmean(gains) - half, fmean(gains) + half

    def start(self) -> Values:
        """Return the weights to start from: those of the target, or of `tuned` where it has none yet."""
        sets = self.weights.sets
        return sets.get(self.target, sets["tuned"])


class Tuning:
    """A tuning in progress: generations of candidates, written to a file and continued from it."""

    def __init__(self, task: Task, log: Path) -> None:
        """Start from the target's weights, or from where the file ends."""
        self.task = task
        self.log = log
        self.generation = 0
        start, scale = task.start(), task.weights.scale
        self.names = list(scale)
        self.scale = np.array([scale[name] for name in self.names])
        mean = np.array([start[name] for name in self.names]) / self.scale
        self.optimizer = CMA(mean=mean, sigma=STEP, seed=task.seed)
        head = {"start": start, "iterations": task.iterations, "units": task.units, "seed": task.seed}
        lines = log.read_text().splitlines() if log.exists() else []
        if lines and json.loads(lines[0]) != head:
            raise click.UsageError(f"{log} is of another tuning; delete it to begin anew")
        if not lines:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(json.dumps(head) + "\n")
        for line in lines[1:]:
            self.hear(json.loads(line))

    def hear(self, scores: list[float]) -> None:
        """Add a generation's scores; its candidates are the requested ones of the optimizer."""
        asked = [self.optimizer.ask() for _ in scores]
        self.optimizer.tell([(point, -score) for point, score in zip(asked, scores, strict=True)])
        self.generation += 1

    def step(self) -> list[float]:
        """Score one generation more, write the scores down, and return them."""
        asked = [self.optimizer.ask() for _ in range(self.optimizer.population_size)]
        deals = f"tune/{self.task.seed}/{self.generation}"
        scores = [fmean(self.task.score(self.values(point), deals, self.task.units)) for point in asked]
        self.optimizer.tell([(point, -score) for point, score in zip(asked, scores, strict=True)])
        self.generation += 1
        with self.log.open("a") as file:
            file.write(json.dumps(scores) + "\n")
        return scores

    def values(self, point: object) -> Values:
        """Return a point of the optimizer as weights, to four figures."""
        return {
            name: float(f"{value:.4g}") for name, value in zip(self.names, np.asarray(point) * self.scale, strict=True)
        }

    def found(self) -> Values:
        """Return the centre of the candidates, which chance has favoured less than any one of them.

        One look ahead cannot distinguish weights from twice the weights, but search can, so they keep their length.
        """
        mean = np.asarray(self.optimizer.mean)
        if self.task.iterations:
            return self.values(mean)
        start = np.array([self.task.start()[name] for name in self.names]) / self.scale
        return self.values(mean * np.linalg.norm(start) / np.linalg.norm(mean))

    def run(self, generations: int, minutes: float) -> Iterator[list[float]]:
        """Yield the scores of one generation after the other until the number or the time is reached."""
        began = time.monotonic()
        while self.generation < generations and time.monotonic() - began < 60 * minutes:
            yield self.step()


def write(game: Game, target: str, values: Values) -> Path:
    """Write a set of weights into the game's data in the checkout and return the file."""
    assert game.weights is not None  # noqa: S101 -- a task has them
    path = ROOT / "games" / type(game).__module__.split(".")[1] / FILE
    written = msgspec.json.decode(path.read_bytes(), type=Weights)
    changed = msgspec.structs.replace(written, sets={**written.sets, target: values})
    path.write_bytes(msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n")
    return path


def tell(generation: int, scores: list[float]) -> str:
    """Return the result of a generation in words."""
    return f"generation {generation}: mean {fmean(scores):.3f}, best {max(scores):.3f}"
