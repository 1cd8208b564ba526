"""Opponents for learners: they choose actions for the asked seats of some tables of a vector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dorfplatz_games.vector import Vector
from games.core.levels import LEVELS
from games.search.advise import choose

Opponents = Callable[[Vector, NDArray[np.int64]], NDArray[np.int64]]
"""A function of a vector and numbers of its tables; it returns an action of the asked seat for each of these tables."""


def at_random(vector: Vector, tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose each legal action with the same probability."""
    return vector.sample()[tables]


class Bots:
    """Bots of one level, which choose by the views of their seats."""

    def __init__(self, level: str, seed: int) -> None:
        """Take a level of `dorfplatz_games.LEVELS` and a seed; raise ValueError for another level."""
        if level not in LEVELS:
            raise ValueError(f"no level is called {level!r}; there are {', '.join(LEVELS)}")
        self._level = level
        self._random = np.random.default_rng(seed)
        self._rest: dict[int, list[int]] = {}

    def __call__(self, vector: Vector, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose a move at each table, and return its first action or the next one of a move in progress."""
        return np.array([self._action(vector, int(index)) for index in tables], np.int64)

    def _action(self, vector: Vector, index: int) -> int:
        rest = self._rest.pop(index, [])
        if not vector.begun(index):
            game, table, seat = vector.learner.game, vector.table(index), int(vector.asked[index])
            code = choose(game, game.view(table, seat), self._level, int(self._random.integers(2**61)))
            rest = list(vector.learner.path(table, seat, code))
        if len(rest) > 1:
            self._rest[index] = rest[1:]
        return rest[0]
