"""Waiting times by utilisation: a simulation of the queues in front of the web processes and Redis."""

from __future__ import annotations

import statistics
from collections.abc import Generator, Iterator, Mapping
from functools import partial
from random import Random
from typing import Final

import msgspec
import simpy

from bench.capacity import Case, Units
from bench.capacity_phases import CHOICES, MOVE, UNCHANGED, WEB
from bench.town import REDIS

UTILISATIONS: Final = (0.3, 0.6, 0.8, 0.9)
PROCESSES: Final = 4
FSYNC_MS: Final = 3.3
SIMULATED_SECONDS: Final = 10.0
Steps = Generator[simpy.Event, object, None]
"""The steps of an actor in the simulation, and its waits in between."""


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """The milliseconds from request to response at a utilisation of the web processes."""

    busy: float
    what: str
    number: int
    p50: float
    p95: float
    p99: float


class Hall:
    """The queues: web processes that have a core each, and one Redis that does one thing at a time."""

    def __init__(self, rates: Mapping[str, float], units: Units) -> None:
        """Take the requests a second."""
        self.clock = simpy.Environment()
        self._web = simpy.Resource(self.clock, PROCESSES)
        self._redis = simpy.Resource(self.clock, 1)
        self._chance = Random("capacity")  # noqa: S311 -- a simulation
        self.durations: dict[str, list[float]] = {}
        for activity, rate in rates.items():
            web, store = (1000 * units.costs[activity][part] for part in (WEB, REDIS))
            work = partial(self._respond, web, store, written=activity == MOVE)
            self.clock.process(self._arrivals(activity, rate, work))

    def _arrivals(self, activity: str, rate: float, work: partial[Steps]) -> Steps:
        while True:
            yield self.clock.timeout(1000 * self._chance.expovariate(rate))
            self.clock.process(self._timed(activity, work()))

    def _timed(self, activity: str, work: Steps) -> Steps:
        began = self.clock.now
        yield from work
        self.durations.setdefault(activity, []).append(self.clock.now - began)

    def _respond(self, web: float, store: float, *, written: bool) -> Steps:
        yield from self._work(self._web, web / 2)
        yield from self._work(self._redis, store)
        if written:
            yield self.clock.timeout(FSYNC_MS)
        yield from self._work(self._web, web / 2)

    def _work(self, place: simpy.Resource, mean: float) -> Steps:
        with place.request() as turn:
            yield turn
            yield self.clock.timeout(self._chance.expovariate(1 / mean) if mean else 0)


def simulated(units: Units, case: Case, seconds: float = SIMULATED_SECONDS) -> Iterator[Wait]:
    """Yield the durations of requests, at each utilisation of the web processes."""
    rates = {name: case.rates()[name] for name in (MOVE, CHOICES, UNCHANGED) if case.rates()[name]}
    cores = sum(rate * units.costs[name][WEB] for name, rate in rates.items())
    for busy in UTILISATIONS:
        hall = Hall({name: rate * busy * PROCESSES / cores for name, rate in rates.items()}, units)
        hall.clock.run(until=1000 * seconds)
        for activity, durations in sorted(hall.durations.items()):
            cuts = statistics.quantiles(durations, n=100)
            yield Wait(busy=busy, what=activity, number=len(durations), p50=cuts[49], p95=cuts[94], p99=cuts[98])
