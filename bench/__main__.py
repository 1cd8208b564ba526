"""The benchmarks' commands: `python3 dev.py bench`, which is `python -m bench` in the project's environment.

Alone it measures the kernel beside its peers; a further word measures something else.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
import msgspec

from bench import (
    capacity_report,
    clients,
    cluster,
    costs,
    hosts,
    jobs,
    learners,
    learning,
    machine,
    neighbours,
    overload,
    parts,
    puzzles,
    reasons,
    report,
    seats,
    servers,
    servers_report,
    sessions,
    sessions_report,
    strength,
    watch,
    watch_report,
)
from bench.environment import Missing
from bench.rounds import Probe, measure, pin
from games.core.registry import registered
from tests.hosts.network import missing
from tools.build import NotBuiltError, build

RESULTS = parts.HERE / "results"
PAGE = parts.ROOT / "docs" / "benchmarks.md"
SERVERS_PAGE = parts.ROOT / "docs" / "benchmarks" / "servers.md"
CLUSTER_PAGE = parts.ROOT / "docs" / "benchmarks" / "cluster.md"
HOSTS_PAGE = parts.ROOT / "docs" / "benchmarks" / "hosts.md"
WATCH_PAGE = parts.ROOT / "docs" / "benchmarks" / "watch.md"
WATCH_APART_PAGE = WATCH_PAGE.with_stem("watch-apart")
SESSIONS_PAGE = parts.ROOT / "docs" / "benchmarks" / "sessions.md"


@click.group(invoke_without_command=True)
@click.pass_context
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="number of rounds")
@click.option("--seconds", type=float, default=1.0, show_default=True, help="CPU time of one measurement")
@click.option("--peers/--no-peers", default=True, help="measure other projects too")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/benchmarks.md")
@click.option(
    "--from", "kept", type=click.Path(exists=True, path_type=Path), help="write the page from a stored result"
)
def main(
    context: click.Context,
    rounds: int,
    seconds: float,
    peers: bool,  # noqa: FBT001 -- an option
    write: bool,  # noqa: FBT001 -- an option
    kept: Path | None,
) -> None:
    """Measure the kernel against its plain run, plain C and other projects, side by side on one core."""
    if context.invoked_subcommand is not None:
        return
    if kept is not None:
        report.publish(msgspec.json.decode(kept.read_bytes(), type=report.Result), PAGE)
        return
    result = run(rounds, seconds, peers=peers)
    click.echo(f"\n{report.tables(result)}")
    if write:
        path = report.write(result, RESULTS, PAGE)
        say(f"written: {path} and {PAGE}")


@main.command("sessions")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="number of rounds")
@click.option("--seconds", type=float, default=8.0, show_default=True, help="duration of a load")
@click.option("--sessions", "at_once", type=click.IntRange(1), default=50, show_default=True, help="clients at once")
@click.option("--open-sessions", type=click.IntRange(1), default=1_000, show_default=True, help="sessions while idle")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/benchmarks/sessions.md")
def measure_sessions(rounds: int, seconds: float, at_once: int, open_sessions: int, write: bool) -> None:  # noqa: FBT001 -- options
    """Measure a whole service: moves and views a second, bytes of Redis for a session, and the cost of idling."""
    result = sessions.run(sessions.Wishes(seconds, rounds, at_once, open_sessions), say)
    click.echo(f"\n{sessions_report.document(result)}")
    if write:
        path = sessions_report.write(result, RESULTS, SESSIONS_PAGE)
        say(f"written: {path} and {SESSIONS_PAGE}")


@main.command("reasons")
@click.option("--game", "slugs", multiple=True, help="one game, several times for several; all by default")
@click.option(
    "--positions",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="positions per game; Gartenzwerge has 6 times as many",
)
@click.option("--iterations", type=click.IntRange(100), default=2_000, show_default=True, help="length of a search")
@click.option("--minutes", default=0.0, help="stop after this time; the next run continues")
@click.option("--write/--no-write", default=True, help="write bench/results/reasons and docs/benchmarks/reasons.md")
def measure_reasons(slugs: tuple[str, ...], positions: int, iterations: int, minutes: float, *, write: bool) -> None:
    """Compare the reasons of hints with fresh searches and with games that are played out."""
    strength.insist_on_speed()
    until, mark = strength.time_until(minutes), reasons.code_mark()
    kept = [
        (reasons.resume(slug, number, iterations, mark), reasons.positions_of(registered()[slug], positions))
        for slug in slugs or registered()
        for number in registered()[slug].seat_numbers
    ]
    for measured in reasons.take_turns(kept, until):
        if write:
            reasons.keep(measured)
    for found, _ in kept:
        if found.positions:
            say(" ".join(reasons.overview(found)))
    if write:
        say(f"written: {reasons.write()}")


@main.command("watch")
@click.option("--streams", type=click.IntRange(4), default=10_000, show_default=True, help="streams open at once")
@click.option("--moves", type=float, default=250.0, show_default=True, help="moves a second")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="duration of the moves")
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="number of rounds")
@click.option("--apart", is_flag=True, help="open the streams at a second deployment, on cores of its own")
@click.option("--write/--no-write", default=True, help="write bench/results and the page")
def measure_watch(*, streams: int, moves: float, seconds: float, rounds: int, apart: bool, write: bool) -> None:
    """Measure streams and long polls: the number in one process, the cost of each, and the delay of events."""
    result = watch.run(watch.Wishes(streams, moves, seconds, rounds, apart), say)
    click.echo(f"\n{watch_report.document(result)}")
    if write:
        page = WATCH_APART_PAGE if apart else WATCH_PAGE
        path = watch_report.write(result, RESULTS, page)
        say(f"written: {path} and {page}")


@main.command("neighbours")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="number of rounds")
@click.option("--seconds", type=float, default=4.0, show_default=True, help="duration of a pair")
@click.option("--callers", type=click.IntRange(1), default=50, show_default=True, help="fast callers at once")
def measure_neighbours(rounds: int, seconds: float, callers: int) -> None:
    """Measure the delay of fast callers by a slow request beside them."""
    for (credential, beside), p99 in neighbours.run(neighbours.Wishes(seconds, rounds, callers), say).items():
        click.echo(f"{credential}, {beside}: p99 {p99:.1f} ms")


@main.command("hosts")
@click.option("--only", type=click.Choice(["moves", "simulations"]), help="measure one part; both by default")
@click.option("--games", type=click.IntRange(100), default=12_000, show_default=True, help="games of a simulation")
@click.option("--write/--no-write", default=True, help="write docs/benchmarks/hosts.md and cluster.md")
def measure_hosts(only: str | None, games: int, write: bool) -> None:  # noqa: FBT001 -- an option
    """Measure moves on one host and on three, and simulations on three; needs root."""
    if reason := missing():
        say(f"skipped: {reason}")
        return
    pages = {}
    if only != "simulations":
        pages[HOSTS_PAGE] = hosts.document(hosts.run(say))
    if only != "moves":
        pages[CLUSTER_PAGE] = cluster.document(games, *cluster.run(games, say))
    for place, page in pages.items():
        click.echo(f"\n{page}")
        if write:
            place.write_text(page, "utf-8")
            say(f"written: {place}")


@main.command("servers")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="number of rounds")
@click.option("--seconds", type=float, default=8.0, show_default=True, help="duration of a load")
@click.option("--users", type=click.IntRange(1), default=50, show_default=True, help="users at once")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/benchmarks/servers.md")
def measure_servers(rounds: int, seconds: float, users: int, write: bool) -> None:  # noqa: FBT001 -- an option
    """Measure our service and boardgame.io's server under the same load."""
    try:
        result = servers.run(servers.Wishes(seconds, rounds, users), say)
    except (Missing, servers.LoadFailed) as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"\n{servers_report.document(result)}")
    if write:
        path = servers_report.write(result, RESULTS, SERVERS_PAGE)
        say(f"written: {path} and {SERVERS_PAGE}")


@main.command("clients")
@click.option(
    "--only", default="", help="clients with one of these comma-separated parts in their name; the others stay"
)
@click.option("--from", "kept", is_flag=True, help="write the page from the stored result")
def measure_clients(only: str, kept: bool) -> None:  # noqa: FBT001 -- an option
    """Generate, compile and try clients of the contract in every language, and write docs/clients.md."""
    result = clients.load_result() if kept else clients.run(say, only)
    click.echo(f"\n{clients.document(result)}")
    clients.write(result)
    say(f"written: {clients.RESULT_FILE} and {clients.PAGE}")


def run(rounds: int, seconds: float, *, peers: bool) -> report.Result:
    """Prepare, measure and compare."""
    pin()
    try:
        compiled = build(parts.ROOT)
    except NotBuiltError as reason:
        raise click.ClickException(f"there is no compiled kernel to measure: {reason}") from None
    probes = parts.kernel_probes(compiled, seconds)
    skipped: dict[str, str] = {}
    try:
        probes.append(parts.c_probe(parts.ROOT / "build" / "bench", seconds))
    except Missing as problem:
        skipped[parts.C_LOOP] = str(problem)
        say(f"skipped: {parts.C_LOOP}: {problem}")
    if peers:
        others, missing = parts.peer_probes(seconds, say)
        searches, unsearched = parts.search_probes(seconds, parts.ROOT / "build" / "bench", say)
        probes += [*others, *searches]
        skipped |= missing | unsearched
    return compared(probes, rounds, seconds, skipped)


def compared(probes: list[Probe], rounds: int, seconds: float, skipped: dict[str, str]) -> report.Result:
    """Measure all probes and return the result."""
    figures = measure(probes, rounds, say)
    return report.Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        rounds=rounds,
        seconds=seconds,
        machine=machine.facts(),
        versions=figures.versions,
        skipped={**skipped, **figures.failed},
        comparisons=parts.comparisons(figures),
        figures=report.summaries(figures),
    )


def say(text: str) -> None:
    """Print a text for the person at the terminal, beside the tables."""
    click.echo(f"bench: {text}", err=True)


main.add_command(jobs.command)
main.add_command(capacity_report.command)
main.add_command(costs.command)
main.add_command(overload.command)
main.add_command(learners.command)
main.add_command(puzzles.command)
main.add_command(learning.command)
main.add_command(seats.command)
main.add_command(strength.tune)
main.add_command(strength.learn)
main.add_command(strength.ladder)
main.add_command(strength.levels)
main.add_command(strength.matches)
main.add_command(strength.coverage)
main.add_command(strength.beliefs)

if __name__ == "__main__":
    main(prog_name="bench")
