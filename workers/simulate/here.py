"""Plays the games of a plan without a job queue, in this process or in several child processes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Final

from games.search.advise import Tick
from workers.simulate.batch import FIRST_PORTION, Schedule, SimulationWork
from workers.simulate.tally import GameResult

PORTION_SECONDS: Final = 1.0
QUEUED_PORTIONS: Final = 2
"""Number of portions of games that are queued for each child process."""


def simulate(plan: Schedule, tick: Tick | None = None, workers: int = 1) -> dict[str, Any]:
    """Play the games of a plan, and return the result.

    Stop earlier if the result is precise enough. After each game, call `tick` with the number of played games, the
    maximum number of games, and a function that returns the result so far.
    """
    tally = plan.tally()
    lines = _alone(plan) if workers == 1 else _together(plan, workers)
    for line in lines:
        tally.played(line)
        if tick is not None:
            tick(tally.games, plan.games, tally.summary)
        if tally.enough():
            break
    return tally.summary()


def _alone(plan: Schedule) -> Iterator[GameResult]:
    simulation = SimulationWork(plan)
    return (simulation.play(number) for number in range(plan.games))


def _together(plan: Schedule, workers: int) -> Iterator[GameResult]:
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (plan,)) as pool:
        waiting: deque[Future[tuple[list[GameResult], float]]] = deque()
        begin, size = 0, FIRST_PORTION
        try:
            while waiting or begin < plan.games:
                while begin < plan.games and len(waiting) < QUEUED_PORTIONS * workers:
                    end = min(plan.games, begin + size)
                    waiting.append(pool.submit(_portion, begin, end))
                    begin = end
                lines, seconds = waiting.popleft().result()
                size = max(1, min(4 * size, int(PORTION_SECONDS * len(lines) / max(seconds, 1e-6))))
                yield from lines
        finally:
            pool.shutdown(cancel_futures=True)


_simulations: Final[list[SimulationWork]] = []
"""A list whose only element is the `SimulationWork` of this child process. `_prepare` sets the element."""


def _prepare(plan: Schedule) -> None:
    _simulations[:] = [SimulationWork(plan)]


def _portion(begin: int, end: int) -> tuple[list[GameResult], float]:
    began = time.monotonic()
    return [_simulations[0].play(number) for number in range(begin, end)], time.monotonic() - began
