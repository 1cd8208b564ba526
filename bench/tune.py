"""Tuning of a game's evaluation by CMA-ES: `python -m bench tune --game hoher-rat`.

A candidate is a set of weights. Its fitness is its mean result against the present `tuned`, over every number of seats
that the set is for, in deals that all candidates of a generation share. What every candidate scored is kept line by
line, and a tuning that is started again first hears all that from the file: the same seed asks for the same candidates.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

import click
import msgspec
import numpy as np
from cmaes import CMA  # type: ignore[import-untyped]

from bench.arena import Player, glancing, searching, unit
from games.core.game import Game
from games.core.weights import FILE, Weights
from workers.simulate.tally import wilson

ROOT: Final = Path(__file__).resolve().parent.parent
KEPT: Final = ROOT / "build" / "tune"
STEP: Final = 1.0
"""How far the first generation reaches, in units of each weight's scale."""

FINAL: Final = 500
"""Deals of the match that a result must win, for each number of seats."""

Values = dict[str, float]


@dataclass(frozen=True, slots=True)
class Task:
    """What is tuned: a game's set of weights, for one look ahead or, with iterations, for the search."""

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
        """Return what a candidate gets in every game of so many deals for each number of seats."""
        field = glancing(self.game.worths["tuned"])
        player = self.player(values)
        return [
            result
            for seats in self.seats
            for number in range(units)
            for result in unit(self.game, seats, player, field, f"{deals}/{seats}/{number}")
        ]

    def final(self, values: Values) -> tuple[float, float, float]:
        """Return the mean result against the present `tuned` in deals no candidate has met, with its interval."""
        results = self.score(values, "tune/final", FINAL)
        return (fmean(results), *wilson(sum(results), len(results)))

    @property
    def even(self) -> float:
        """Return what a candidate gets on average that is as good as the field."""
        results = [1 / len(self.game.teams(seats)) for seats in self.seats for _ in self.game.teams(seats)]
        return fmean(results)

    def start(self) -> Values:
        """Return the weights to start from: those of the target, or of `tuned` where it has none yet."""
        sets = self.weights.sets
        return sets.get(self.target, sets["tuned"])


class Tuning:
    """A tuning in work: generations of candidates, told to a file and taken up from it."""

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
        """Take a generation's scores in; its candidates are those that the optimizer asks for."""
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

        One look ahead does not tell weights from twice the weights, but search does, so they keep the length they had.
        """
        mean = np.asarray(self.optimizer.mean)
        if self.task.iterations:
            return self.values(mean)
        start = np.array([self.task.start()[name] for name in self.names]) / self.scale
        return self.values(mean * np.linalg.norm(start) / np.linalg.norm(mean))

    def run(self, generations: int, minutes: float) -> Iterator[list[float]]:
        """Yield the scores of one generation after the other until so many are made or the time is over."""
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
    """Say how a generation did."""
    return f"generation {generation}: mean {fmean(scores):.3f}, best {max(scores):.3f}"
