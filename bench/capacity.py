"""Cores, memory and money for a number of moves a day: `python3 dev.py bench capacity`.

The model is linear: each activity has a cost in CPU seconds of each part of the service. The costs are fitted to the
measured phases of `bench.capacity_load`, and checked against its mixed load, which they are not fitted to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

import msgspec

from bench.capacity_phases import (
    CALLED,
    CHOICES,
    EVENT,
    IDLE,
    MIXED,
    MOVE,
    PARTS,
    SEARCH,
    SESSION,
    STREAM,
    STREAM_SECOND,
    UNCHANGED,
    WEB,
    YARDSTICK,
    Measurement,
    Phase,
    bot,
    iterations,
)
from bench.parts import HERE
from bench.town import REDIS, WORKERS
from service.settings import Limits

RESULTS: Final = HERE / "results"
DAY_SECONDS: Final = 86_400
MONTH_HOURS: Final = 730
VOLUMES: Final = (1e4, 1e6, 1e8)
MAX_ERROR: Final = 0.2
"""Largest relative error of a prediction that is accepted."""

PLAY, SEARCH_QUEUE, _ = WORKERS
NO_BOT: Final = ""
Kept = TypeVar("Kept")


class Units(msgspec.Struct, frozen=True, kw_only=True):
    """CPU seconds of each part: for one of each activity, and for each second without any."""

    costs: dict[str, dict[str, float]]
    idle: dict[str, float]

    def cpu(self, counts: Mapping[str, float], seconds: float) -> dict[str, float]:
        """Return the predicted CPU seconds of each part for some activities in a time."""
        return {
            part: self.idle[part] * seconds
            + sum(number * self.costs[name].get(part, 0.0) for name, number in counts.items())
            for part in PARTS
        }


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """The use of a service by its players, and assumptions about it."""

    moves_a_day: float = 1e6
    streams: bool = True
    level: str = NO_BOT
    game: str = YARDSTICK[0]
    searches_a_move: float = 0.0
    iterations: int = 1_000
    peak: float = 3.0
    busy: float = 0.6
    views_a_move: float = 2.0
    unchanged_a_move: float = 6.0
    seconds_a_move: float = 20.0
    moves_a_game: int = 200
    seats: int = 2
    session_days: int = 30

    @property
    def moves(self) -> float:
        """Moves of people a second at the peak."""
        return self.peak * self.moves_a_day / DAY_SECONDS

    @property
    def open_streams(self) -> float:
        """Streams open at the peak."""
        people = 1 if self.level else self.seats
        return self.moves * self.seconds_a_move * people if self.streams else 0.0

    def rates(self) -> dict[str, float]:
        """Return the number of each activity in a second at the peak."""
        people = 1 if self.level else self.seats
        bots = self.moves if self.level else 0.0
        games = (self.moves + bots) / self.moves_a_game
        return {
            MOVE: self.moves,
            CHOICES: self.moves * self.views_a_move,
            UNCHANGED: 0.0 if self.streams else self.moves * self.unchanged_a_move,
            EVENT: (self.moves + bots) * people if self.streams else 0.0,
            STREAM: games * people if self.streams else 0.0,
            STREAM_SECOND: self.open_streams,
            SESSION: games,
            CALLED: bots,
            **({bot(self.game, self.level): bots} if self.level else {}),
            SEARCH: self.moves * self.searches_a_move,
            iterations(self.game): self.moves * self.searches_a_move * self.iterations,
        }


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """Assumed prices in a currency, and the machines that they are paid for."""

    core_hour: float = 0.04
    gib_hour: float = 0.005
    replicas: int = 1
    machine_cores: int = 8
    machine_gib: float = 32.0
    redis_gib: float = 64.0
    redis_overhead: float = 1.4


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The resources for a case at its peak."""

    busy: dict[str, float]
    processes: dict[str, int]
    cores: int
    app_gib: float
    redis_data_gib: float
    redis_nodes: int
    redis_gib: float
    open_streams: float
    network_mbit: float
    machines: int
    month: float

    @property
    def gib(self) -> float:
        """Memory of all parts."""
        return self.app_gib + self.redis_gib


def fitted(phases: Iterable[Phase]) -> Units:
    """Return the unit costs: each phase, in their order, adds the cost of the activity that it is named after.

    The cost of an activity is that part of the phase's CPU time that the earlier costs do not explain.
    """
    fit = [phase for phase in phases if phase.name != MIXED]
    (quiet,) = (phase for phase in fit if phase.name == IDLE)
    units = Units(costs={}, idle={part: quiet.cpu[part] / quiet.seconds for part in PARTS})
    for phase in fit:
        if phase is not quiet:
            known = {name: number for name, number in phase.counts.items() if name != phase.name}
            explained = units.cpu(known, phase.seconds)
            number = phase.counts[phase.name]
            units.costs[phase.name] = {
                part: max(0.0, phase.cpu[part] - explained[part]) / number for part in parts_of(phase.name)
            }
    return units


def parts_of(activity: str) -> tuple[str, ...]:
    """Return the parts whose costs depend on an activity; the clock's ticks of the other parts are noise."""
    if activity.startswith("iteration: "):
        return (SEARCH_QUEUE,)
    if activity == SEARCH:
        return (WEB, REDIS, SEARCH_QUEUE)
    return (REDIS, *WORKERS) if activity.startswith("bot move: ") else (WEB, REDIS)


def error(units: Units, phase: Phase) -> dict[str, tuple[float, float, float]]:
    """Return the predicted and the measured CPU seconds and the relative error, of each group of parts and in total."""
    predicted = units.cpu(phase.counts, phase.seconds)
    groups = {WEB: (WEB,), REDIS: (REDIS,), "workers": tuple(WORKERS)}
    pairs = {
        name: (sum(predicted[part] for part in parts), sum(phase.cpu[part] for part in parts))
        for name, parts in groups.items()
    }
    pairs["total"] = (sum(one for one, _ in pairs.values()), sum(other for _, other in pairs.values()))
    return {name: (said, found, said / found - 1 if found else math.inf) for name, (said, found) in pairs.items()}


def planned(measured: Measurement, units: Units, case: Case, prices: Prices) -> Plan:
    """Return the resources for a case."""
    rates = case.rates()
    busy = units.cpu(rates, 1.0)
    needed = {part: max(1, math.ceil(busy[part] / case.busy)) for part in PARTS}
    needed[WEB] = max(2, needed[WEB], math.ceil(case.open_streams / Limits().streams))
    data = _stored_gib(measured, case) * prices.redis_overhead
    base = measured.memory[REDIS] / 1024
    nodes = max(1, math.ceil(busy[REDIS] / case.busy), math.ceil(data / prices.redis_gib))
    copies = 1 + prices.replicas
    redis_gib = copies * (data + nodes * base)
    streams = case.open_streams * measured.kib_a_stream / 2**20
    app = sum(needed[part] * measured.memory[part] / 1024 for part in (WEB, *WORKERS)) + streams
    used = sum(busy[part] for part in (WEB, *WORKERS)) + copies * busy[REDIS]
    cores = max(2, math.ceil(used / case.busy))
    machines = max(
        1,
        math.ceil(cores / prices.machine_cores),
        math.ceil((app + redis_gib) / prices.machine_gib),
        prices.replicas + 1,
    )
    hourly = cores * prices.core_hour + (app + redis_gib) * prices.gib_hour
    return Plan(
        busy=busy,
        processes=needed,
        cores=cores,
        app_gib=app,
        redis_data_gib=data,
        redis_nodes=nodes,
        redis_gib=redis_gib,
        open_streams=case.open_streams,
        network_mbit=8 * sum(rates[name] * measured.sizes.get(name, 0.0) for name in rates) / 1e6,
        machines=machines,
        month=MONTH_HOURS * hourly,
    )


def _stored_gib(measured: Measurement, case: Case) -> float:
    bots = case.moves_a_day if case.level else 0.0
    a_move = measured.stored[case.game] / measured.stored_moves[case.game]
    return (case.moves_a_day + bots) * a_move * case.session_days / 2**30


def newest(pattern: str, kind: type[Kept]) -> tuple[str, Kept]:
    """Return the newest kept result of a kind, with its file's name; raise FileNotFoundError if there is none."""
    found = max(RESULTS.glob(pattern), default=None)
    if found is None:
        raise FileNotFoundError(f"there is no {pattern} in {RESULTS.name}: measure first")
    return found.name, msgspec.json.decode(found.read_bytes(), type=kind)
