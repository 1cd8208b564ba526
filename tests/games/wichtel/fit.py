"""Fit of the evaluation to the outcomes of many games between tuned players: `python -m tests.games.wichtel.fit`.

A place in a game is described by its features and by the worth of the totals at the end of the round. That errs less
than the final winner. One move in twenty is random, so that places occur which no player seeks.
"""

import argparse
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.core.dice import FastDice
from games.search.pick import greedy_move
from games.wichtel import GAME
from games.wichtel.options import VillageOptions
from games.wichtel.table.codes import BEFORE, DIE, OVER
from games.wichtel.table.village import Village
from games.wichtel.worth import FEATURES, features, haste, points_of, race, results_of, scored_now
from tests.games.wichtel.positions import village

Numbers = NDArray[np.float64]

OPTIONS: Final = VillageOptions(turn_cap=200)
WORLDS: Final = 2
LOOKED_AT: Final = 8
"""Interval of recorded places."""

ASTRAY: Final = 20
"""Interval of random moves."""


@dataclass
class Places:
    """Places of games of one number of seats: by place, features by seat, and chances by seat."""

    seats: int
    told: list[list[list[float]]] = field(default_factory=list)
    chances: list[list[float]] = field(default_factory=list)
    starts: list[list[float]] = field(default_factory=list)
    wins: list[list[float]] = field(default_factory=list)

    def play(self, seed: int) -> None:
        dice, choices = FastDice(seed), FastDice(seed + 1_000_000)
        table = village(GAME.new(self.seats, OPTIONS, dice))
        begun = len(self.starts)
        while actors := GAME.actors(table):
            seat, number = actors[0], table.round
            fresh = table.phase == BEFORE and table.turns == 0
            if not fresh and choices.below(LOOKED_AT, DIE) == 0:
                self.told.append(rows_of(table))
            moves = table.legal(seat)
            if choices.below(ASTRAY, DIE) == 0:
                code = moves[choices.below(len(moves), DIE)]
            else:
                code = greedy_move(table, seat, GAME.worths["tuned"], WORLDS, seed * 50_000 + table.ply)
            table.apply(seat, code, dice, None)
            if table.round != number or table.phase == OVER:
                self.score(table)
        self.wins += [list(table.rewards())] * (len(self.starts) - begun)

    def score(self, table: Village) -> None:
        over = table.phase == OVER
        chances = table.rewards() if over else race(table.goal, points_of(table))
        self.chances += [list(chances)] * (len(self.told) - len(self.chances))
        if not over:
            unit = haste(table.goal, points_of(table)) / float(table.goal)
            self.starts.append([unit * float(points) for points in points_of(table)])


def rows_of(table: Village) -> list[list[float]]:
    results, hurry = results_of(table), haste(table.goal, points_of(table))
    now = scored_now(table, results)
    return [list(features(table, seat, results, now, hurry)) for seat in range(table.seats)]


def fitted(told: Numbers, chances: Numbers) -> Numbers:
    """Return the weights with which shares of exponentials come closest to chances, by Newton's method."""
    weights = np.zeros(told.shape[2])
    for _ in range(30):
        shares = np.exp(told @ weights)
        shares /= shares.sum(axis=1, keepdims=True)
        means = np.einsum("psf,ps->pf", told, shares)
        slope = np.einsum("psf,ps->f", told, shares - chances)
        spread = told * np.sqrt(shares)[:, :, None]
        bend = np.einsum("psf,psg->fg", spread, spread, optimize=True) - means.T @ means
        weights -= np.linalg.solve(bend, slope)
    return weights


def report(places: Places) -> str:
    pace = fitted(np.array(places.starts)[:, :, None], np.array(places.wins))[0]
    weights = fitted(np.array(places.told), np.array(places.chances))
    rows: list[tuple[str, Any]] = [("RACE", pace), *zip(FEATURES, weights, strict=True)]
    return "\n".join(f"{name:<10} {value:7.3f}" for name, value in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=5_000)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 4, 5])
    arguments = parser.parse_args()
    for seats in arguments.seats:
        places = Places(seats)
        for seed in range(arguments.games):
            places.play(seed)
        print(f"\n{seats} seats, {len(places.told)} places\n{report(places)}", flush=True)  # noqa: T201 -- it tells


if __name__ == "__main__":
    main()
