"""Measurements of sessions as `docs/benchmarks/sessions.md`, and as JSON in `bench/results`."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from math import inf
from pathlib import Path
from string import Template
from typing import Final

from bench import machine
from bench.report import keep_and_tell, short, table
from bench.sessions import MOVES, Idle, Rate, Result
from bench.town import CLIENT, OTHERS, REDIS

TEMPLATE: Final = Path(__file__).with_suffix(".md")
WEB: Final = "web"
PLOT: Final = "sessions.svg"


def write(result: Result, results: Path, page: Path) -> Path:
    """Write the JSON into a folder, under its date, and the page from it; return the JSON's path."""
    texts = {page: document(result), page.parent / PLOT: plot(result)}
    return keep_and_tell(result, results / f"sessions-{result.date}.json", texts)


def document(result: Result) -> str:
    """Return the page."""
    facts = machine.running(result.machine)
    return Template(TEMPLATE.read_text()).substitute(
        date=result.date,
        rounds=result.rounds,
        seconds=f"{result.seconds:g}",
        sessions=result.sessions,
        load=f"{result.load_before:.1f}",
        others=f"{statistics.median(rate.cores[OTHERS] for rate in result.rates):.1f}",
        machine=table(("what", "value"), facts),
        rates=rates(result),
        fsync=fsync(result),
        footprints=footprints(result),
        idle=idle(result),
    )


def rates(result: Result) -> str:
    """Return the number of requests answered a second, and the use of cores."""
    rows = []
    for what, fsync in dict.fromkeys((rate.what, rate.fsync) for rate in result.rates):
        if fsync == "always":
            found = [rate for rate in result.rates if (rate.what, rate.fsync) == (what, fsync)]
            rows.append((what, *(value(found) for value in COLUMNS.values())))
    return table(("", *COLUMNS), rows)


def plot(result: Result) -> str:
    """Draw the responses of the web's core in a second."""
    from bench.plots import Bar, bars  # noqa: PLC0415 -- the library for plots takes a second

    kinds = dict.fromkeys((rate.what, rate.fsync) for rate in result.rates)
    found = []
    for what, fsync in kinds:
        rounds = [rate for rate in result.rates if (rate.what, rate.fsync) == (what, fsync)]
        each = statistics.median(rate.per_second / rate.cores[WEB] for rate in rounds)
        found.append(Bar(f"{what}, fsync {fsync}", each, ours=True))
    return bars("Requests for a second of the web's core", found)


def fsync(result: Result) -> str:
    """Return the cost of Redis writing every change to disk before its reply."""
    rows = []
    policies = dict.fromkeys(rate.fsync for rate in result.rates if rate.what == MOVES)
    always = [rate.per_second for rate in result.rates if (rate.what, rate.fsync) == (MOVES, "always")]
    for policy in policies:
        found = [rate for rate in result.rates if (rate.what, rate.fsync) == (MOVES, policy)]
        ratio = statistics.median(rate.per_second / base for rate, base in zip(found, always, strict=True))
        rows.append((policy, *(value(found) for value in COLUMNS.values()), f"{ratio:.2f}"))
    return table(("appendfsync", *COLUMNS, "/ always"), rows)


def footprints(result: Result) -> str:
    """Return the memory of sessions in Redis."""
    rows = [
        (
            f"{one.game}, {one.seats} seats",
            *(f"{number:,}" for number in (one.moves, one.state, one.log, one.state + one.log)),
        )
        for one in result.footprints
    ]
    return table(("session", "moves", "state", "log", "together"), rows)


def idle(result: Result) -> str:
    """Return the costs of an idle service."""
    rows = []
    for one in result.idle:
        for part, memory in one.memory.items():
            more = f"{one.redis_bytes / 2**20:.1f}" if part == REDIS else ""
            rows.append((f"{one.sessions:,}", part, f"{100 * one.cores[part]:.1f} %", f"{memory:.1f}", more))
    rows += [("after the loads", part, "", f"{memory:.1f}", "") for part, memory in result.after_load.items()]
    return table(("open sessions", "part", "of a core", "memory, MiB", "data, MiB"), rows) + _growth(result.idle)


def _growth(idle: list[Idle]) -> str:
    few, many = idle[0], idle[-1]
    each = (many.redis_bytes - few.redis_bytes) / (many.sessions - few.sessions)
    return f"\nEach open session adds {each:,.0f} bytes to Redis: its keys, their expiry, its place in a due set.\n"


def _median(value: Callable[[Rate], float], digits: int) -> Callable[[list[Rate]], str]:
    return lambda found: f"{statistics.median(map(value, found)):,.{digits}f}"


COLUMNS: Final[dict[str, Callable[[list[Rate]], str]]] = {
    "a second": _median(lambda rate: rate.per_second, 0),
    "best": lambda found: f"{max(rate.per_second for rate in found):,.0f}",
    "a second and core of web": _median(lambda rate: rate.per_second / rate.cores[WEB] if rate.cores[WEB] else inf, 0),
    "p50, ms": lambda found: short(statistics.median(rate.p50_ms for rate in found)),
    "p99, ms": lambda found: short(statistics.median(rate.p99_ms for rate in found)),
    "web": _median(lambda rate: rate.cores[WEB], 2),
    "Redis": _median(lambda rate: rate.cores[REDIS], 2),
    "client": _median(lambda rate: rate.cores[CLIENT], 2),
    "others": _median(lambda rate: rate.cores[OTHERS], 2),
}
"""Columns of a load; medians over the rounds."""
