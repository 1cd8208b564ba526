"""The capacity model as `docs/capacity.md` with its plot, and its command."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from string import Template
from typing import Final

import click

from bench import capacity
from bench.capacity import LOADS, Demand, Result
from bench.parts import ROOT
from bench.report import short, table
from service.settings import Limits

TEMPLATE: Final = Path(__file__).with_suffix(".md")
PAGE: Final = ROOT / "docs" / "capacity.md"
PLOT: Final = ROOT / "docs" / "benchmarks" / "capacity.svg"


@click.command("capacity")
@click.option("--moves", type=float, default=Demand().moves_a_day, show_default=True, help="moves a day")
@click.option("--searches", type=float, default=Demand().searches_a_minute, show_default=True, help="a minute")
@click.option("--peak", type=float, default=Demand().peak, show_default=True, help="the busiest hour / the mean")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="simulated time of each load")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/capacity.md")
def command(moves: float, searches: float, peak: float, seconds: float, write: bool) -> None:  # noqa: FBT001 -- an option
    """Plan for a number of moves and searches from the newest measured costs, and simulate the queues."""
    try:
        result = capacity.run(Demand(moves_a_day=moves, searches_a_minute=searches, peak=peak), seconds)
    except FileNotFoundError as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(document(result))
    if write:
        capacity.keep(result, capacity.RESULTS)
        PAGE.write_text(document(result))
        PLOT.write_text(plot(result))


def document(result: Result) -> str:
    """Return the page."""
    demand, plan = result.demand, result.plan
    return Template(TEMPLATE.read_text()).substitute(
        date=result.date,
        sources=", ".join(f"`bench/results/{name}`" for name in result.sources),
        moves_a_day=f"{demand.moves_a_day:,.0f}",
        searches_a_minute=f"{demand.searches_a_minute:,.0f}",
        demand=demanded(demand),
        costs=costs(result),
        plan=planned(result),
        waits=waits(result),
        seconds=f"{result.seconds:g}",
        busy=f"{demand.busy:.0%}",
        redis_share=f"{plan.redis_cores:.0%}",
        redis_ends=short(plan.redis_ends),
        ends_moves=f"{plan.redis_ends * demand.moves_a_day / 1e6:,.0f}",
        kept=f"{plan.redis_kept_gib:,.0f}",
        days=demand.session_days,
        day=f"{plan.redis_day_gib:.1f}",
        web=plan.web,
        workers=plan.workers,
        listeners=f"{plan.listeners:,.0f}",
        streams=f"{Limits().streams:,}",
        stream_processes=f"{ceil(plan.listeners / Limits().streams):,}",
        name=result.date,
    )


def demanded(demand: Demand) -> str:
    """Return the assumptions."""
    rows = [
        ("moves a day", f"{demand.moves_a_day:,.0f}"),
        ("the busiest hour / the mean", f"{demand.peak:g}"),
        ("moves a second at the peak", f"{demand.moves:,.0f}"),
        ("searches a second at the peak", f"{demand.searches:.1f}"),
        ("iterations of a search", f"{demand.iterations:,}"),
        ("views answered 304, a move", f"{demand.unchanged_a_move:g}"),
        ("views answered 200, a move", f"{demand.views_a_move:g}"),
        ("seconds that a move is thought about", f"{demand.seconds_a_move:g}"),
        ("moves a game", f"{demand.moves_a_game:,}"),
        ("bytes of an answer with a view", f"{demand.answer_bytes:,}"),
        ("wait for the disk, ms", f"{demand.fsync_ms:g}"),
        ("how busy a core may be", f"{demand.busy:.0%}"),
    ]
    return table(("assumed", "value"), rows)


def costs(result: Result) -> str:
    """Return the costs of one of each."""
    found = result.costs
    rows = [
        ("a move", f"{found.web_move:.2f}", f"{found.redis_move:.3f}", ""),
        ("a view, 304", f"{found.web_unchanged:.2f}", f"{found.redis_unchanged:.3f}", ""),
        ("a view, 200", f"{found.web_view:.2f}", f"{found.redis_view:.3f}", ""),
        ("a search", "", "", f"{found.search:.1f}"),
    ]
    return table(("ms of a core", "web", "Redis", "worker"), rows)


def planned(result: Result) -> str:
    """Return the resources for the demand."""
    plan, found = result.plan, result.costs
    rows = [
        ("web", f"{plan.web_cores:.2f}", f"{plan.web} processes", f"{plan.web / 2 * found.web_memory / 1024:.2f} GiB"),
        (
            "workers",
            f"{plan.search_cores:.2f}",
            f"{plan.workers} processes",
            f"{plan.workers * found.worker_memory / 1024:.2f} GiB",
        ),
        ("Redis", f"{plan.redis_cores:.2f}", "1", f"{plan.redis_day_gib:.1f} GiB a day that it keeps"),
        ("disk of Redis", "", f"{plan.disk_mib:.1f} MiB/s", ""),
        ("network", "", f"{plan.network_mbit:.0f} Mbit/s", ""),
        ("sessions under way", "", f"{plan.at_once:,.0f}", f"{plan.at_once * found.open_session / 2**30:.2f} GiB"),
    ]
    return table(("at the peak", "cores at work", "to have", "memory"), rows)


def waits(result: Result) -> str:
    """Return the results of the simulation."""
    rows = [
        (f"{wait.what}, {wait.load:.0%} of the peak", f"{wait.number:,}", *map(short, (wait.p50, wait.p95, wait.p99)))
        for wait in sorted(result.waits, key=lambda wait: (wait.what, wait.load))
    ]
    return table(("", "simulated", "p50, ms", "p95, ms", "p99, ms"), rows)


def plot(result: Result) -> str:
    """Draw the waiting time of the slowest hundredth, by load."""
    from bench.plots import Line, lines  # noqa: PLC0415 -- the library for plots takes a second

    kinds = sorted({wait.what for wait in result.waits})
    found = [Line(kind, [(100 * wait.load, wait.p99) for wait in result.waits if wait.what == kind]) for kind in kinds]
    return lines("The slowest hundredth, simulated", f"% of the peak's demand ({len(LOADS)} loads)", "ms", found)


def newest() -> Result:
    """Return the newest kept result."""
    return capacity.newest("capacity-*.json", Result)[1]
