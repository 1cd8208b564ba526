"""The capacity model as `docs/capacity.md` with its plot, and its command."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from string import Template
from typing import Final

import click
import msgspec
from msgspec.structs import replace

from bench import capacity, capacity_load, machine, report
from bench.capacity import (
    MAX_ERROR,
    PLAY,
    SEARCH_QUEUE,
    VOLUMES,
    Case,
    Plan,
    Prices,
    Units,
    error,
    fitted,
    planned,
)
from bench.capacity_phases import (
    CALLED,
    CHOICES,
    EVENT,
    MOVE,
    PARTS,
    SEARCH,
    SESSION,
    STREAM,
    STREAM_SECOND,
    UNCHANGED,
    VIEW,
    WEB,
    Measurement,
    Size,
    bot,
    iterations,
)
from bench.capacity_queues import SIMULATED_SECONDS, Wait, simulated
from bench.parts import ROOT
from bench.report import table
from bench.town import REDIS
from games.core.levels import LADDER
from games.core.registry import registered

TEMPLATE: Final = Path(__file__).with_suffix(".md")
PAGE: Final = ROOT / "docs" / "capacity.md"
PLOT: Final = ROOT / "docs" / "benchmarks" / "capacity.svg"
MAIN: Final = Case(level="medium", searches_a_move=0.1)
"""The case of the page's first table."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`: the measurement, the page's assumptions, and simulated waits."""

    measured: Measurement
    case: Case
    prices: Prices
    waits: list[Wait]


def made(measured: Measurement, case: Case = MAIN, prices: Prices = Prices()) -> Result:  # noqa: B008 -- frozen
    """Return a result with simulated waits."""
    people = replace(case, level="", streams=False)
    return Result(measured=measured, case=case, prices=prices, waits=list(simulated(fitted(measured.phases), people)))


@click.command("capacity")
@click.option("--measure", is_flag=True, help="measure the unit costs and the validation load (two minutes)")
@click.option("--seconds", type=float, default=Size().seconds, show_default=True, help="duration of a measured phase")
@click.option("--write", is_flag=True, help="write the page from the stored measurement")
@click.option("--moves", type=float, help="moves of people a day; without it, the whole page is printed")
@click.option("--streams/--polls", default=True, show_default=True, help="streams, or views until something changes")
@click.option("--level", type=click.Choice(["", *LADDER]), default=MAIN.level, show_default=True, help="one bot a game")
@click.option("--game", type=click.Choice(list(registered())), default=MAIN.game, show_default=True)
@click.option("--searches", type=float, default=MAIN.searches_a_move, show_default=True, help="searches per move")
@click.option("--iterations", "length", type=int, default=MAIN.iterations, show_default=True, help="of a search")
@click.option("--days", type=int, default=MAIN.session_days, show_default=True, help="LIMIT_SESSION_DAYS")
@click.option("--peak", type=float, default=MAIN.peak, show_default=True, help="the busiest hour / the mean")
@click.option("--busy", type=float, default=MAIN.busy, show_default=True, help="utilisation of a core at the peak")
@click.option("--core-hour", type=float, default=Prices().core_hour, show_default=True, help="price of a core")
@click.option("--gb-hour", type=float, default=Prices().gib_hour, show_default=True, help="price of a GiB of memory")
@click.option("--replicas", type=int, default=Prices().replicas, show_default=True, help="copies of each Redis")
def command(  # noqa: PLR0913 -- options
    *,
    measure: bool,
    seconds: float,
    write: bool,
    moves: float | None,
    streams: bool,
    level: str,
    game: str,
    searches: float,
    length: int,
    days: int,
    peak: float,
    busy: float,
    core_hour: float,
    gb_hour: float,
    replicas: int,
) -> None:
    """Compute cores, memory and money for a number of moves a day from measured costs."""
    case = Case(
        moves_a_day=moves or MAIN.moves_a_day,
        streams=streams,
        level=level,
        game=game,
        searches_a_move=searches,
        iterations=length,
        session_days=days,
        peak=peak,
        busy=busy,
    )
    prices = Prices(core_hour=core_hour, gib_hour=gb_hour, replicas=replicas)
    result = _result(case, prices, seconds if measure else None)
    if measure:
        click.echo(validation(result.measured, fitted(result.measured.phases)))
        _insist_on_accuracy(result.measured)
    elif moves is None:
        click.echo(document(result))
    if moves is not None:
        click.echo(resources(result, [moves]))
    if measure or write:
        path = publish(replace(result, case=MAIN))
        click.echo(f"bench: written: {path} and {PAGE}", err=True)


def _result(case: Case, prices: Prices, seconds: float | None) -> Result:
    if seconds is not None:
        measured = capacity_load.run(Size.of(seconds), lambda text: click.echo(f"bench: {text}", err=True))
        return made(measured, case, prices)
    try:
        return replace(capacity.newest("capacity-*.json", Result)[1], case=case, prices=prices)
    except FileNotFoundError as problem:
        raise click.ClickException(str(problem)) from None


def is_accurate(measured: Measurement) -> bool:
    """Return whether the model predicts the load of the validation."""
    return all(abs(off) < MAX_ERROR for _, _, off in error(fitted(measured.phases), measured.mixed).values())


def _insist_on_accuracy(measured: Measurement) -> None:
    if not is_accurate(measured):
        raise click.ClickException(f"the model is off by {MAX_ERROR:.0%} or more, so nothing is written: measure again")


def publish(result: Result) -> Path:
    """Write the result and the page with its plot, and return the path of the result."""
    path = capacity.RESULTS / f"capacity-{result.measured.date}.json"
    report.keep(result, path)
    PAGE.write_text(document(result))
    PLOT.write_text(plot(result))
    return path


def document(result: Result) -> str:
    """Return the page."""
    measured, case, prices = result.measured, result.case, result.prices
    units = fitted(measured.phases)
    errors = error(units, measured.mixed)
    large = planned(measured, units, replace(case, moves_a_day=VOLUMES[-1]), prices)
    room = case.busy / units.costs[bot(case.game, case.level or LADDER[0])][REDIS]
    short = planned(measured, units, replace(case, moves_a_day=VOLUMES[-1], session_days=2), prices)
    return Template(TEMPLATE.read_text()).substitute(
        date=measured.date,
        source=f"bench/results/capacity-{measured.date}.json",
        load=f"{measured.load_before:.1f}",
        idle=_load_word(measured),
        machine=table(("what", "value"), machine.running(measured.machine)),
        resources=resources(result, VOLUMES),
        money=money(result, units),
        assumed=assumed(case, prices),
        level=case.level or "no",
        game=case.game,
        searches=f"{case.searches_a_move:g}",
        iterations=f"{case.iterations:,}",
        core_hour=f"{prices.core_hour:g}",
        gb_hour=f"{prices.gib_hour:g}",
        days=case.session_days,
        large_nodes=large.redis_nodes,
        large_gib=f"{large.redis_data_gib:,.0f}",
        short_gib=f"{short.redis_data_gib:,.0f}",
        queue_moves=f"{room:,.0f}",
        queue_day=f"{room * capacity.DAY_SECONDS / case.peak / 1e6:.1f}",
        saved=f"{large.month - short.month:,.0f}",
        busy=f"{case.busy:.0%}",
        costs=costs(measured, units),
        bots=bots(units),
        stored=stored(measured),
        kib=f"{measured.kib_a_stream:.0f}",
        validation=validation(measured, units),
        counts=counted(measured),
        seconds=f"{measured.mixed.seconds:.0f}",
        worst=f"{max(abs(off) for _, _, off in errors.values()):.0%}",
        total=f"{errors['total'][2]:+.0%}",
        limit=f"{MAX_ERROR:.0%}",
        verdict="Every error is" if is_accurate(measured) else "NOT every error is",
        waits=waits(result.waits),
        simulated=f"{SIMULATED_SECONDS:g}",
    )


def _load_word(measured: Measurement) -> str:
    if measured.load_before < 1:
        return "The machine was otherwise idle."
    return "**Other programs used the machine**, so the costs are upper bounds. Measure again on an idle machine."


def resources(result: Result, volumes: Iterator[float] | tuple[float, ...] | list[float]) -> str:
    """Return the table of resources, a column for each number of moves a day."""
    chosen = list(volumes)
    units = fitted(result.measured.phases)
    plans = [planned(result.measured, units, replace(result.case, moves_a_day=each), result.prices) for each in chosen]
    rows = [(name, *cells) for name, cells in _resource_rows(result.case, chosen, plans)]
    return table(("moves a day", *(f"{each:,.0f}" for each in chosen)), rows)


def _resource_rows(case: Case, volumes: list[float], plans: list[Plan]) -> Iterator[tuple[str, list[str]]]:
    yield "moves a second at the peak", [number(replace(case, moves_a_day=each).moves) for each in volumes]
    yield "open streams at the peak", [number(plan.open_streams) for plan in plans]
    for part, name in {WEB: "web", PLAY: "worker, queue `play`", SEARCH_QUEUE: "worker, queue `search`"}.items():
        yield f"{name}: busy cores", [number(plan.busy[part]) for plan in plans]
        yield f"{name}: processes", [f"{plan.processes[part]:,}" for plan in plans]
    yield "Redis: busy cores", [number(plan.busy[REDIS]) for plan in plans]
    yield "Redis: nodes, each with replicas", [f"{plan.redis_nodes:,}" for plan in plans]
    yield "Redis: stored data, GiB", [number(plan.redis_data_gib) for plan in plans]
    yield "network, Mbit/s", [number(plan.network_mbit) for plan in plans]
    yield "**cores to rent**", [f"{plan.cores:,}" for plan in plans]
    yield "**memory to rent, GiB**", [number(plan.gib) for plan in plans]
    yield "machines", [f"{plan.machines:,}" for plan in plans]
    yield "**money a month**", [f"{plan.month:,.0f}" for plan in plans]


def cases(case: Case) -> dict[str, Case]:
    """Return the compared cases by their names."""
    people = replace(case, level="", searches_a_move=0.0)
    return {
        "people only, polls": replace(people, streams=False),
        "people only, streams": replace(people, streams=True),
        **{f"against `{level}` bots, streams": replace(people, streams=True, level=level) for level in LADDER},
        "people only, streams, a search per move": replace(people, streams=True, searches_a_move=1.0),
        "all of the table above": case,
        "the same, sessions stored for 2 days": replace(case, session_days=2),
    }


def money(result: Result, units: Units) -> str:
    """Return the cores and the money of each case."""
    head = ("", *(f"{each:,.0f} moves: {what}" for each, what in product(VOLUMES, ("cores", "money"))))
    rows = []
    for name, case in cases(result.case).items():
        plans = [planned(result.measured, units, replace(case, moves_a_day=each), result.prices) for each in VOLUMES]
        rows.append((name, *(cell for plan in plans for cell in (f"{plan.cores:,}", f"{plan.month:,.0f}"))))
    return table(head, rows)


def assumed(case: Case, prices: Prices) -> str:
    """Return the assumptions."""
    rows = [
        ("the busiest hour / the mean", f"{case.peak:g}"),
        ("utilisation of a core at the peak", f"{case.busy:.0%}"),
        ("seconds between the moves of a session", f"{case.seconds_a_move:g}"),
        ("moves a game", f"{case.moves_a_game:,}"),
        ("people in a session without bots", str(case.seats)),
        ("views with legal moves, for each move", f"{case.views_a_move:g}"),
        ("views answered 304, for each move, without streams", f"{case.unchanged_a_move:g}"),
        ("days that a session is stored", str(case.session_days)),
        ("copies of each Redis", str(prices.replicas)),
        ("memory of Redis / its data (fragmentation, copy-on-write)", f"{prices.redis_overhead:g}"),
        ("memory of a Redis node, at most, GiB", f"{prices.redis_gib:g}"),
        ("a machine", f"{prices.machine_cores} cores, {prices.machine_gib:g} GiB"),
        ("price of a core and hour", f"{prices.core_hour:g}"),
        ("price of a GiB and hour", f"{prices.gib_hour:g}"),
    ]
    return table(("assumed", "value"), rows)


def costs(measured: Measurement, units: Units) -> str:
    """Return the measured cost of each activity, with the number of measured ones."""
    number_of = {phase.name: phase.counts.get(phase.name, 0.0) for phase in measured.phases}
    names = (MOVE, VIEW, CHOICES, UNCHANGED, SESSION, STREAM, STREAM_SECOND, EVENT, CALLED, SEARCH)
    games = {f"1,000 iterations: {game}": iterations(game) for game in registered()}
    rows = [
        (
            label,
            *(_ms(units, name, part, 1_000 if label in games else 1) for part in PARTS[:-1]),
            f"{number_of[name]:,.0f}",
        )
        for label, name in {**dict(zip(names, names, strict=True)), **games}.items()
    ]
    return table(("CPU ms", *PARTS[:-1], "measured"), rows)


def _ms(units: Units, name: str, part: str, times: int) -> str:
    cost = 1000 * times * units.costs[name].get(part, 0.0)
    return f"{cost:.3g}" if cost else ""


def bots(units: Units) -> str:
    """Return the CPU ms of the `play` worker and of Redis for a bot's move, by game and level."""
    rows = [
        (f"{game}, {part}", *(_bot_ms(units, game, level, part) for level in LADDER))
        for game in registered()
        for part in (PLAY, REDIS)
    ]
    return table(("CPU ms of a bot's move", *LADDER), rows)


def _bot_ms(units: Units, game: str, level: str, part: str) -> str:
    return f"{1000 * units.costs[bot(game, level)][part]:.1f}"


def stored(measured: Measurement) -> str:
    """Return the bytes of a finished session by game."""
    rows = [
        (game, f"{moves:,}", f"{measured.stored[game]:,.0f}", f"{measured.stored[game] / moves:,.0f}")
        for game, moves in measured.stored_moves.items()
    ]
    return table(("game", "moves", "bytes of Redis", "bytes a move"), rows)


def validation(measured: Measurement, units: Units) -> str:
    """Return predicted and measured CPU seconds of the mixed load."""
    rows = [
        (name, f"{said:.2f}", f"{found:.2f}", f"{off:+.1%}")
        for name, (said, found, off) in error(units, measured.mixed).items()
    ]
    return table(("CPU seconds", "predicted", "measured", "error"), rows)


def counted(measured: Measurement) -> str:
    """Return the activities of the mixed load."""
    rows = [(name, f"{count:,.0f}") for name, count in sorted(measured.mixed.counts.items())]
    return table(("activity", "number"), rows)


def waits(found: list[Wait]) -> str:
    """Return the results of the simulation."""
    rows = [
        (f"{wait.what}, cores {wait.busy:.0%} busy", f"{wait.number:,}", *map(number, (wait.p50, wait.p95, wait.p99)))
        for wait in sorted(found, key=lambda wait: (wait.what, wait.busy))
    ]
    return table(("", "simulated", "p50, ms", "p95, ms", "p99, ms"), rows)


def plot(result: Result) -> str:
    """Draw the waiting time of the slowest hundredth, by utilisation."""
    from bench.plots import Line, lines  # noqa: PLC0415 -- the library for plots takes a second

    kinds = sorted({wait.what for wait in result.waits})
    found = [Line(kind, [(100 * wait.busy, wait.p99) for wait in result.waits if wait.what == kind]) for kind in kinds]
    return lines("The slowest hundredth, simulated", "% utilisation of the web processes", "ms", found)


def number(value: float) -> str:
    """Return an amount with three figures, and thousands separated."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.01 or not value else f"{value:.2g}"
