"""Resources for a number of moves and searches: `python3 dev.py bench capacity`.

Costs are read from the newest stored results. A simulation of the queues then gives the waiting times at the peak.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, TypeVar

import msgspec
import simpy

from bench import jobs, report, sessions
from bench.parts import HERE
from bench.sessions import MIDDLE, MOVES, UNCHANGED, VIEWS
from bench.town import REDIS

RESULTS: Final = HERE / "results"
SEARCH: Final = "hoher-rat, 2 seats, search"
DAY: Final = 86_400
MINUTE: Final = 60
YARDSTICK: Final = "hoher-rat"
SERVED: Final = ("web", REDIS)
Kept = TypeVar("Kept")
Steps = Generator[simpy.Event, object, None]
"""The steps of an actor in the simulation, and its waits in between."""


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """The demand, with assumptions about play."""

    moves_a_day: float = 10e6
    searches_a_minute: float = 1_000
    iterations: int = 1_000
    peak: float = 3.0
    unchanged_a_move: float = 6.0
    views_a_move: float = 2.0
    seconds_a_move: float = 20.0
    seats: int = 2
    moves_a_game: int = 200
    answer_bytes: int = 3_000
    session_days: int = 30
    fsync_ms: float = 3.3
    busy: float = 0.6

    @property
    def moves(self) -> float:
        """Moves a second at the peak."""
        return self.peak * self.moves_a_day / DAY

    @property
    def searches(self) -> float:
        """Searches a second at the peak."""
        return self.searches_a_minute / MINUTE


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """The measured cost of one of each: milliseconds of a core, and bytes."""

    web_move: float
    web_unchanged: float
    web_view: float
    redis_move: float
    redis_unchanged: float
    redis_view: float
    search: float
    iterations_a_second: float
    job: float
    open_session: float
    ended_session: float
    written: float
    web_memory: float
    worker_memory: float


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The resources for the demand at the peak."""

    web_cores: float
    redis_cores: float
    search_cores: float
    web: int
    workers: int
    at_once: float
    listeners: float
    redis_day_gib: float
    redis_kept_gib: float
    disk_mib: float
    network_mbit: float
    redis_ends: float


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """The simulation's result at a load: its part of the peak's demand, and milliseconds from request to response."""

    load: float
    what: str
    number: int
    p50: float
    p95: float
    p99: float


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`."""

    date: str
    seconds: float
    sources: list[str]
    demand: Demand
    costs: Costs
    plan: Plan
    waits: list[Wait]


LOADS: Final = (0.33, 0.67, 1.0, 1.25, 1.5, 1.6)
"""Parts of the peak's demand at which is simulated what was planned for the peak."""


def newest(pattern: str, kind: type[Kept]) -> tuple[str, Kept]:
    """Return the newest kept result of a kind, with its file's name; raise FileNotFoundError if there is none."""
    found = max(RESULTS.glob(pattern), default=None)
    if found is None:
        raise FileNotFoundError(f"there is no {pattern} in {RESULTS.name}: measure first")
    return found.name, msgspec.json.decode(found.read_bytes(), type=kind)


def run(demand: Demand, seconds: float) -> Result:
    """Read the costs, plan, and simulate this number of seconds at each load."""
    (one, town), (two, work), (three, kernel) = (
        newest("sessions-*.json", sessions.Result),
        newest("jobs-*.json", jobs.Result),
        newest("[0-9]*.json", report.Result),
    )
    costs = costs_of(town, work, kernel, demand)
    plan = planned(demand, costs)
    return Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        seconds=seconds,
        sources=[one, two, three],
        demand=demand,
        costs=costs,
        plan=plan,
        waits=[wait for load in LOADS for wait in simulated(demand, costs, plan, load, seconds)],
    )


def costs_of(town: sessions.Result, work: jobs.Result, kernel: report.Result, demand: Demand) -> Costs:
    """Return the measured costs of one of each."""

    def taken(what: str, part: str) -> float:
        rounds = [rate for rate in town.rates if (rate.what, rate.fsync) == (what, "always")]
        return statistics.median(1000 * rate.cores[part] / rate.per_second for rate in rounds)

    weighed = [one for one in town.footprints if (one.game, one.seats) == (YARDSTICK, demand.seats)]
    middle, end = (next(one for one in weighed if one.moves == MIDDLE), max(weighed, key=lambda one: one.moves))
    a_line = (end.log - middle.log) / (end.moves - middle.moves)
    rate = kernel.figures[SEARCH]["iterations_per_second"].median
    job = statistics.median(work.cpu_of_a_job)
    return Costs(
        **{
            f"{part}_{name}": taken(what, key)
            for part, key in zip(("web", "redis"), SERVED, strict=True)
            for name, what in (("move", MOVES), ("unchanged", UNCHANGED), ("view", VIEWS))
        },
        search=job + 1000 * demand.iterations / rate,
        iterations_a_second=rate,
        job=job,
        open_session=middle.state + middle.log,
        ended_session=end.state + end.log,
        written=middle.state + a_line,
        web_memory=(town.after_load or town.idle[-1].memory)["web"],
        worker_memory=work.memory_after,
    )


def planned(demand: Demand, costs: Costs) -> Plan:
    """Return the resources for the demand."""

    def cores(move: float, unchanged: float, view: float) -> float:
        each = move + demand.unchanged_a_move * unchanged + demand.views_a_move * view
        return demand.moves * each / 1000

    web = cores(costs.web_move, costs.web_unchanged, costs.web_view)
    redis = cores(costs.redis_move, costs.redis_unchanged, costs.redis_view)
    search = demand.searches * costs.search / 1000
    games_a_day = demand.moves_a_day / demand.moves_a_game
    at_once = demand.moves * demand.seconds_a_move
    answers = demand.moves * (1 + demand.views_a_move)
    day = games_a_day * costs.ended_session / 2**30
    return Plan(
        web_cores=web,
        redis_cores=redis,
        search_cores=search,
        web=math.ceil(web / demand.busy),
        workers=math.ceil(search / demand.busy),
        at_once=at_once,
        listeners=at_once * demand.seats,
        redis_day_gib=day,
        redis_kept_gib=day * demand.session_days,
        disk_mib=demand.moves * costs.written / 2**20,
        network_mbit=8 * answers * demand.answer_bytes / 1e6,
        redis_ends=demand.busy / redis,
    )


class Hall:
    """The queues: web processes that have a core each, one Redis that does one thing at a time, and workers."""

    def __init__(self, demand: Demand, costs: Costs, plan: Plan, load: float) -> None:
        """Open it, with nobody there."""
        self.clock = simpy.Environment()
        self._web = simpy.Resource(self.clock, plan.web)
        self._redis = simpy.Resource(self.clock, 1)
        self._workers = simpy.Resource(self.clock, plan.workers)
        self._chance = Random("capacity")  # noqa: S311 -- a simulation
        self._fsync = demand.fsync_ms
        self.took: dict[str, list[float]] = {}
        a_second = load * demand.moves
        for what, rate, work in (
            ("move", a_second, partial(self._answer, costs.web_move, costs.redis_move, written=True)),
            (
                "view, 304",
                a_second * demand.unchanged_a_move,
                partial(self._answer, costs.web_unchanged, costs.redis_unchanged, written=False),
            ),
            (
                "view, 200",
                a_second * demand.views_a_move,
                partial(self._answer, costs.web_view, costs.redis_view, written=False),
            ),
            ("search", load * demand.searches, partial(self._search, costs.search)),
        ):
            self.clock.process(self._arrivals(what, rate, work))

    def _arrivals(self, what: str, rate: float, work: partial[Steps]) -> Steps:
        while True:
            yield self.clock.timeout(1000 * self._chance.expovariate(rate))
            self.clock.process(self._timed(what, work()))

    def _timed(self, what: str, work: Steps) -> Steps:
        began = self.clock.now
        yield from work
        self.took.setdefault(what, []).append(self.clock.now - began)

    def _answer(self, web: float, redis: float, *, written: bool) -> Steps:
        yield from self._work(self._web, web / 2)
        yield from self._work(self._redis, redis)
        if written:
            yield self.clock.timeout(self._fsync)
        yield from self._work(self._web, web / 2)

    def _search(self, cost: float) -> Steps:
        yield from self._work(self._workers, cost)

    def _work(self, place: simpy.Resource, mean: float) -> Steps:
        with place.request() as turn:
            yield turn
            yield self.clock.timeout(self._chance.expovariate(1 / mean))


def simulated(demand: Demand, costs: Costs, plan: Plan, load: float, seconds: float) -> Iterator[Wait]:
    """Yield the durations at a part of the peak's demand, with the resources planned for the peak."""
    hall = Hall(demand, costs, plan, load)
    hall.clock.run(until=1000 * seconds)
    for what, took in sorted(hall.took.items()):
        cuts = statistics.quantiles(took, n=100)
        yield Wait(load=load, what=what, number=len(took), p50=cuts[49], p95=cuts[94], p99=cuts[98])


def keep(result: Result, folder: Path) -> Path:
    """Write the JSON into a folder, under its date, and return its path."""
    path = folder / f"capacity-{result.date}.json"
    report.keep(result, path)
    return path
