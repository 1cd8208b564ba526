"""Measurements of two servers as `docs/benchmarks/servers.md`, and as JSON in `bench/results`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Template
from typing import Final

from bench import machine
from bench.report import keep_and_tell, short, table
from bench.servers import ATTEMPTS, FILES, MEMORY, OURS, PEBBLES, THEIRS, TOOL, Found, Result

TEMPLATE: Final = Path(__file__).with_suffix(".md")
MOVES_BAR: Final = 0.4
FILES_BAR: Final = 2.0
NOT_MODIFIED_BAR: Final = 1.4
VIEWS_BAR: Final = 0.9
PLOT: Final = "servers.svg"

Row = tuple[str, str, str, str]
"""A server, its game, the request, and its storage."""


def write(result: Result, results: Path, page: Path) -> Path:
    """Write the JSON into a folder, under its date, and page and plot from it; return the JSON's path."""
    texts = {page: document(result), page.parent / PLOT: plot(result)}
    return keep_and_tell(result, results / f"servers-{result.date}.json", texts)


def document(result: Result) -> str:
    """Return the page."""
    facts = machine.running(result.machine)
    return Template(TEMPLATE.read_text()).substitute(
        date=result.date,
        rounds=result.rounds,
        seconds=f"{result.seconds:g}",
        users=result.users,
        load=f"{result.load_before:.1f}",
        machine=table(("what", "value"), [*facts, *result.versions.items()]),
        moves=rates(result, "moves"),
        views=rates(result, "views"),
        ratios=ratios(result),
        failed=failed(result),
        shares=shares(result),
        plot=PLOT,
    )


def rows(result: Result) -> Iterator[tuple[Row, list[Found]]]:
    """Yield everything measured with its rounds."""
    for row in dict.fromkeys((one.server, one.game, one.what, one.kept) for one in result.found):
        yield row, [one for one in result.found if (one.server, one.game, one.what, one.kept) == row]


def rates(result: Result, what: str) -> str:
    """Return the rates of moves, or of views."""
    listed = []
    for row, found in rows(result):
        if row[2].startswith(what):
            cells = (median(found, lambda one: one.per_core), median(found, lambda one: one.per_second))
            times = (median(found, lambda one: one.p50_ms), median(found, lambda one: one.p99_ms))
            cores = (median(found, lambda one: one.served), median(found, lambda one: one.cores[TOOL]))
            label = ", ".join((*row[:2], row[2].removeprefix(what).strip(), STORAGE_TEXTS.get(row[3], row[3])))
            listed.append(
                (
                    label.replace(", ,", ","),
                    f"{cells[0]:,.0f}",
                    f"{1000 / cells[0]:.2f}",
                    f"{cells[1]:,.0f}",
                    *map(short, times),
                    *(f"{taken:.2f}" for taken in cores),
                )
            )
    head = ("", "a second of the core", "ms of the core", "a second", "p50, ms", "p99, ms", "server's cores", "tool's")
    return table(head, listed)


STORAGE_TEXTS: Final = {
    "always": "on disk before it is sent",
    "no": "on disk when the system likes",
    MEMORY: "in memory",
    FILES: "in files, when the system likes",
}


def ratios(result: Result) -> str:
    """Return the ratios of work on a core, ours to theirs, in the rounds in which both were measured, with the bars."""
    pebbles = PEBBLES[0]
    pairs = (
        ("moves: kept safely / in memory", ("moves", "always"), ("moves", MEMORY), MOVES_BAR),
        ("moves: written at leisure / in files", ("moves", "no"), ("moves", FILES), FILES_BAR),
        ("views: 304 / sync", ("views answered 304", "always"), ("views", MEMORY), NOT_MODIFIED_BAR),
        ("views: 200 / sync", ("views answered 200", "always"), ("views", MEMORY), VIEWS_BAR),
    )
    listed = []
    rounds = {row: {one.round: one for one in found} for row, found in rows(result)}
    for label, ours, theirs, bar in pairs:
        one, other = rounds.get((OURS, pebbles, *ours), {}), rounds.get((THEIRS, pebbles, *theirs), {})
        both = [one[number].per_core / other[number].per_core for number in one.keys() & other.keys()]
        ratio = statistics.median(both) if both else None
        met = "" if ratio is None else "yes" if ratio >= bar else "NO"
        told = "not measured" if ratio is None else f"{ratio:.2f}"
        listed.append((label, told, f">= {bar:g}", met))
    return table((f"{OURS} / {THEIRS}, a core", "median", "bar", "met"), listed)


def failed(result: Result) -> str:
    """Return a paragraph on the loads that failed; empty if none did."""
    if not result.failed:
        return ""
    told = "; ".join(f"round {one.round}: {one.load} ({one.why})" for one in result.failed)
    return f"What did not go through, tried {ATTEMPTS} times, is in no row: {told}.\n\n"


def shares(result: Result) -> str:
    """Return the web process's time by part."""
    kinds = list(result.shares)
    parts = dict.fromkeys(part for kind in kinds for part in result.shares[kind])
    listed = [(part, *(f"{result.shares[kind].get(part, 0):.0%}" for kind in kinds)) for part in parts]
    return table(("part of the web process's time", *kinds), listed)


def median(found: list[Found], value: Callable[[Found], float]) -> float:
    """Return the median over the rounds."""
    return statistics.median(map(value, found))


def plot(result: Result) -> str:
    """Draw the work of a server's core in a second."""
    from bench.plots import Bar, bars  # noqa: PLC0415 -- the library for plots takes a second

    found = [
        Bar(
            f"{row[0]}, {row[1]}: {row[2]}, {STORAGE_TEXTS[row[3]]}",
            median(rounds, lambda one: one.per_core),
            row[0] == OURS,
        )
        for row, rounds in rows(result)
    ]
    return bars("Requests for a second of the server's core", found)
